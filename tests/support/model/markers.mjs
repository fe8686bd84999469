// What a prompt says about the answer it wants: [[scenario:NAME]], modifiers, explicit calls.

const kMarker = /\[\[(?:scenario|call):/;

/// True for a text that chooses a scenario.
export function hasMarker(text) {
  return kMarker.test(text);
}

/// Reads every marker of `prompt`; the last one of a kind counts, calls add up in order.
export function parseMarkers(prompt) {
  const calls = [...prompt.matchAll(/\[\[call:(\S+)\s+([\s\S]*?)\]\](?!\])/g)].map(
      ([, name, body]) => parseCall(name, body));
  return {
    scenario: last(prompt, /\[\[scenario:([\w-]+)\]\]/g) ?? (calls.length > 0 ? 'calls' : 'text'),
    gate: last(prompt, /\[\[gate:([\w-]+)\]\]/g) ?? 'default',
    used: lastNumber(prompt, 'used'),
    as: last(prompt, /\[\[as:([\w.-]+)\]\]/g),
    tps: lastNumber(prompt, 'tps'),
    words: lastNumber(prompt, 'words'),
    delayMs: lastNumber(prompt, 'delay'),
    times: lastNumber(prompt, 'times'),
    calls,
  };
}

/// The prompt without its markers.
export function withoutMarkers(prompt) {
  return prompt.replace(/\[\[[\s\S]*?\]\]/g, '').trim();
}

// A body that is not JSON is a free-form tool call (Codex: apply_patch). ((x)) stands for a marker
// that is meant for the agent which receives the call, not for us.
function parseCall(name, body) {
  const raw = body.replaceAll('((', '[[').replaceAll('))', ']]');
  try {
    return {name, input: JSON.parse(raw)};
  } catch {
    return {name, input: raw, freeForm: true};
  }
}

function last(text, pattern) {
  return [...text.matchAll(pattern)].at(-1)?.[1];
}

function lastNumber(text, key) {
  const value = last(text, new RegExp(`\\[\\[${key}:(\\d+)\\]\\]`, 'g'));
  return value === undefined ? undefined : Number(value);
}
