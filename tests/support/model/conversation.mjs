// Where a conversation stands. Each API module turns its request into a flat list of entries:
//   {kind: 'user', text} | {kind: 'assistant'} | {kind: 'call'} | {kind: 'result'}
// and locate() finds the prompt to answer and the number of tool rounds already done for it, so
// that every answer is a function of the request: retries, resumes and restarts behave the same.

import {hasMarker} from './markers.mjs';

// What CLIs add to the user's side on their own; none of it is a prompt.
const kNoise = [
  'system-reminder', 'task-notification', 'command-name', 'command-message', 'command-args',
  'command-contents', 'local-command-stdout', 'local-command-stderr', 'local-command-caveat',
  'environment_context', 'user_instructions', 'permissions', 'turn_aborted', 'session_context',
];
const kNoisePattern = new RegExp(`<(${kNoise.join('|')})\\b[^>]*>[\\s\\S]*?</\\1>`, 'g');
// Claude Code goes on by itself after these stops; the scenario that caused the stop answers again.
const kGoingOn =
    /^(Output token limit hit\.|Your response above was stopped by a safety classifier)[\s\S]*$/;
const kAborted = /<turn_aborted>|\[Request interrupted by user[^\]]*\]/;

/// The text of a message whose content is a string or a list of blocks.
export function textOf(content) {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((block) => block.text ?? '').filter(Boolean).join('\n');
}

/// `text` without what the CLI put there by itself.
export function withoutNoise(text) {
  return text.replace(kNoisePattern, '').replace(new RegExp(kAborted, 'g'), '').trim()
      .replace(kGoingOn, '');
}

/// {prompt, step}: the newest prompt, and how many rounds of tool results followed it.
export function locate(entries) {
  let prompt = '';
  let step = 0;
  let turnOver = true;
  let previous = '';
  for (const entry of entries) {
    if (entry.kind === 'user') {
      if (kAborted.test(entry.text)) turnOver = true;
      const text = withoutNoise(entry.text);
      if (text && (turnOver || hasMarker(text))) {
        prompt = text;
        step = 0;
        turnOver = false;
      }
    } else if (entry.kind === 'assistant') {
      turnOver = true;  // unless a call follows
    } else {
      turnOver = false;
      if (entry.kind === 'result' && previous !== 'result') step += 1;
    }
    // Text that travels beside tool results (reminders) must not split one round into two.
    if (entry.kind !== 'user') previous = entry.kind;
  }
  return {prompt, step};
}

/// The directory that the agent says it works in: some tools want absolute paths.
export function workingDirectory(text) {
  const match = text.match(/working directory: *(\/[^\n<]*)/i) ??
      text.match(/workspace directories:[*\s]*-\s+(\/[^\n<]*)/i) ??
      text.match(/directory[^\n:]*:\s+(\/[^\n<]*)/i);
  return match?.[1].trim();
}
