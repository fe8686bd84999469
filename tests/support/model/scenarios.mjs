// The scripts. A scenario is a function of {prompt, step, words, calls, gate, use} and returns
//   {blocks: [block...], stop?, tps?}   an answer, or
//   {failure: {status, type, message}}  an HTTP error, or
//   {silent: true}                      no byte at all, for ever.
// A block is one of {thinking}, {text, then?}, {tool, cut?}; `then` is what happens when the text
// is out but its block still open: {gate, text} waits and goes on; {hang}, {drop}, {error} do not.

import {withoutMarkers} from './markers.mjs';
import {kMarkdown, kUnicode, prose} from './prose.mjs';

const say = (text) => ({blocks: [{text}]});
const call = (text, ...tools) => (
    {blocks: [...(text ? [{text}] : []), ...tools.map((tool) => ({tool}))]});
const failure = (status, type, message) => () => ({failure: {status, type, message}});

/// One entry per tool round, then the closing words.
const rounds = (...steps) => (c) => {
  const step = steps[Math.min(c.step, steps.length - 1)];
  return typeof step === 'string' ? say(step) : step(c);
};
const shell = (intro, command, outro) => rounds((c) => call(intro, c.use('shell', command)), outro);

const kText = 'Hello! This is a short scripted answer in two sentences. It ends here.';

const kScenarios = {
  // Text.
  text: (c) => say(c.words ? prose(c.words) : kText),
  echo: (c) => say(`You said: ${withoutMarkers(c.prompt)}`),
  markdown: () => say(kMarkdown),
  unicode: () => say(kUnicode),
  empty: () => ({blocks: []}),
  long: (c) => say(prose(c.words ?? 2000)),
  slow: (c) => ({...say(prose(c.words ?? 60)), tps: 5}),
  gated: (c) => ({blocks: [
    {text: 'Before the gate. ', then: {gate: c.gate, text: 'After the gate.'}}]}),
  thinking: () => ({blocks: [
    {thinking: 'The user wants an answer. I weigh the options. The simplest one will do.'},
    {text: 'After thinking about it: 42.'}]}),
  'thinking-tool': rounds(
      (c) => ({blocks: [
        {thinking: 'I should look at the file first.'}, {text: 'Let me read the file.'},
        {tool: c.use('read', 'hello.txt')}]}),
      () => ({blocks: [
        {thinking: 'Now I know what it says.'}, {text: 'The file says hello.'}]})),

  // Files. The project is expected to hold hello.txt ("hello world") and second.txt.
  tool: rounds((c) => call('I will read the file.', c.use('read', 'hello.txt')),
      'The file contains a greeting.'),
  'tool-only': rounds((c) => call('', c.use('read', 'hello.txt')), 'Read it.'),
  'tool-missing': rounds(
      (c) => call('I will read a file that does not exist.', c.use('read', 'no-such-file.txt')),
      'It does not exist.'),
  write: rounds(
      (c) => call('I will write a file.', c.use('write', 'out.txt', 'line one\nline two\n')),
      'Wrote out.txt.'),
  edit: rounds(
      (c) => call('First I read it.', c.use('read', 'hello.txt')),
      (c) => call('Now I edit it.', c.use('edit', 'hello.txt', 'hello world', 'hello there')),
      'Edited hello.txt.'),
  'big-tool-input': rounds(
      (c) => call('A large file.', c.use('write', 'big.txt', `${prose(3000)}\n`)),
      'Wrote a large file.'),

  // Commands.
  bash: shell('I will run a command.', 'echo out; echo err >&2; touch made-by-bash',
      'The command printed two lines.'),
  'bash-fail': shell('I will run a failing command.', 'echo before; exit 3',
      'It failed with status 3.'),
  'bash-long': shell('I will run a slow command.',
      'for i in 1 2 3 4 5 6; do echo tick $i; sleep 1; done', 'Six ticks.'),
  'bash-sleep': shell('I will run a very slow command.', 'echo start; sleep 60; echo end',
      'Slept.'),
  'bash-big': shell('Lots of output.', 'seq 1 20000', 'Printed 20000 lines.'),
  permission: rounds(
      (c) => call('This needs your permission.', c.use('guarded', 'touch made-by-permission')),
      'The guarded command is settled.'),

  // Several tools.
  'parallel-tools': rounds(
      (c) => call('Three things at once.', c.use('read', 'hello.txt'), c.use('shell', 'ls'),
          c.use('read', 'second.txt')),
      'All three finished.'),
  'multi-tool': rounds(
      (c) => call('Step one: read.', c.use('read', 'hello.txt')),
      (c) => call('Step two: write.', c.use('write', 'out.txt', 'written by step two\n')),
      (c) => call('Step three: run.', c.use('shell', 'cat out.txt')),
      'Finished after three tool rounds.'),
  'loop-tools': (c) => c.step < (c.words ?? 30) ?
      call(`Round ${c.step}.`, c.use('shell', `echo round ${c.step}; sleep 0.2`)) :
      say('Looped.'),
  calls: (c) => c.step < c.calls.length ?
      call(`Call ${c.step + 1}.`, c.calls[c.step]) :
      say('All calls done.'),
  'parallel-calls': (c) => c.step === 0 ?
      call('Calls in parallel.', ...c.calls) :
      say('All calls done.'),
  'unknown-tool': rounds(() => call('', {name: 'NoSuchTool', input: {x: 1}}),
      'That tool does not exist.'),
  'bad-tool-input': rounds(
      (c) => call('', {name: c.use('read', 'hello.txt').name, input: {wrong: true}}),
      'Wrong arguments.'),

  // Tools that are more than tools.
  plan: rounds((c) => call('Here is my plan.', c.use('plan')), 'Plan recorded.'),
  ask: rounds((c) => call('One question.', c.use('ask')), 'Thanks for the answer.'),
  'exit-plan': rounds((c) => call('Here is the plan.', c.use('exitPlan')), 'Plan handled.'),
  subagent: rounds(
      (c) => call('I will delegate.', c.use('delegate', '[[scenario:tool]] look at the file')),
      'The subagent finished.'),
  'subagent-parallel': rounds(
      (c) => call('I will delegate twice.', c.use('delegate', '[[scenario:tool]] first'),
          c.use('delegate', '[[scenario:thinking]] second')),
      'Both subagents finished.'),

  // Early ends.
  max_tokens: () => ({...say(prose(40)), stop: 'max_tokens'}),
  // Claude Code would repeat a cut call for ever.
  'max_tokens-tool': (c) => c.step >= 3 ? say('Three calls were cut.') : ({
    blocks: [{text: 'Cut inside a tool call.'},
      {tool: c.use('write', 'cut.txt', prose(50)), cut: true}],
    stop: 'max_tokens',
  }),
  refusal: () => ({...say('I cannot'), stop: 'refusal'}),

  // Things that go wrong.
  hang: () => ({blocks: [{text: 'Starting and then nothing', then: {hang: true}}]}),
  'hang-start': () => ({silent: true}),
  drop: () => ({blocks: [{text: prose(20), then: {drop: true}}]}),
  'error-midstream': () => ({blocks: [{text: prose(12), then: {error: true}}]}),
  'error-400': failure(400, 'invalid_request_error', 'Scripted bad request'),
  'error-401': failure(401, 'authentication_error', 'invalid x-api-key'),
  'error-403': failure(403, 'permission_error', 'Scripted forbidden'),
  'error-404': failure(404, 'not_found_error', 'model: scripted-model'),
  'error-413': failure(413, 'request_too_large', 'Request exceeds the maximum size'),
  'error-toolong': failure(400, 'invalid_request_error',
      'prompt is too long: 250000 tokens > 200000 maximum'),
  'error-429': failure(429, 'rate_limit_error', 'Scripted rate limit'),
  'error-500': failure(500, 'api_error', 'Internal server error'),
  'error-529': failure(529, 'overloaded_error', 'Overloaded'),
};

/// Every scenario by name.
export const kScenarioNames = Object.keys(kScenarios);

/// Scenarios that [[times:N]] lets succeed after N failures.
export function mayRecover(name) {
  return name.startsWith('error-') || name === 'drop' || name.startsWith('hang');
}

/// Plays step `context.step` of the scenario; says so in plain text when it cannot.
export function play(name, context) {
  const scenario = Object.hasOwn(kScenarios, name) ? kScenarios[name] : undefined;
  if (!scenario) return say(`There is no scenario "${name}".`);
  const use = (action, ...args) => {
    const make = context.toolkit[action];
    if (!make) throw new MissingTool(`This request offers no tool for "${action}".`);
    return make(...args);
  };
  try {
    return scenario({...context, use});
  } catch (error) {
    if (error instanceof MissingTool) return say(error.message);
    throw error;
  }
}

class MissingTool extends Error {}
