// node --test tests/support/model/model.test.mjs

import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {after, before, test} from 'node:test';
import {fileURLToPath} from 'node:url';

import {locate} from './conversation.mjs';
import {sample} from './director.mjs';
import {prose, slices, words} from './prose.mjs';
import {kScenarioNames} from './scenarios.mjs';
import {startModel} from './server.mjs';

const kClaudeTools = ['Bash', 'Read', 'Write', 'Edit', 'Agent', 'AskUserQuestion', 'ExitPlanMode',
  'TodoWrite'];
const kCodexTools = ['exec_command', 'apply_patch', 'update_plan'];
let model;

before(async () => {
  model = await startModel({tps: 0});
});
after(() => model.close());

function post(where, body, signal) {
  return fetch(model.url + where, {
    method: 'POST', body: JSON.stringify(body), signal,
    headers: {'content-type': 'application/json'},
  });
}

/// All events of a streamed reply.
async function events(response) {
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  return parseEvents(await response.text());
}

function parseEvents(text) {
  return text.split('\n\n').flatMap((frame) => {
    const data = frame.split('\n').find((line) => line.startsWith('data: '))?.slice(6);
    return data && data !== '[DONE]' ? [JSON.parse(data)] : [];
  });
}

const user = (text) => ({role: 'user', content: [{type: 'text', text}]});
const claudeBody = (messages, extra = {}) => ({
  model: 'claude-test', stream: true, system: 'Primary working directory: /home/dev/my project\n',
  tools: kClaudeTools.map((name) => ({name})),
  messages: typeof messages === 'string' ? [user(messages)] : messages, ...extra,
});
const codexBody = (input) => ({
  model: 'gpt-test', stream: true, tools: kCodexTools.map((name) => ({type: 'function', name})),
  input: typeof input === 'string' ? [user(input)] : input,
});
const claude = async (messages, extra) => events(
    await post('/v1/messages', claudeBody(messages, extra)));
const claudeText = (list) => list.map((event) => event.delta?.text ?? '').join('');
const claudeTool = (list) => {
  const start = list.find((event) => event.content_block?.type === 'tool_use');
  const json = list.map((event) => event.delta?.partial_json ?? '').join('');
  return {name: start?.content_block.name, input: JSON.parse(json || 'null')};
};

test('prose is exact in length and chunks join to the text', () => {
  for (const count of [1, 11, 12, 13, 72, 73, 500]) {
    assert.equal(prose(count).split(/\s+/).length, count);
  }
  assert.equal(words(prose(99)).join(''), prose(99));
  assert.equal(words(prose(99)).length, 99);
  assert.equal(slices(prose(900)).join(''), prose(900));
});

test('locate finds the prompt and the round', () => {
  const say = (text) => ({kind: 'user', text});
  const [assistant, call, result] = ['assistant', 'call', 'result'].map((kind) => ({kind}));
  const marked = say('[[scenario:tool]] go');
  const at = (...entries) => locate(entries);
  assert.deepEqual(at(marked), {prompt: '[[scenario:tool]] go', step: 0});
  assert.equal(at(marked, assistant, call, result, result).step, 1);
  assert.equal(at(marked, call, result, assistant, call, result).step, 2);
  // A reminder beside results is no prompt and no new round.
  const reminder = say('<system-reminder>x</system-reminder>');
  assert.equal(at(marked, call, result, reminder, result).step, 1);
  // A background task's report is answered by the scenario that started it.
  const report = say('<task-notification>done</task-notification>');
  assert.equal(at(marked, call, result, assistant, report).prompt, '[[scenario:tool]] go');
  // Nor is Claude Code's wish to go on after a cut answer a prompt.
  assert.equal(at(marked, assistant, say('Output token limit hit. Resume directly.')).prompt,
      '[[scenario:tool]] go');
  // A new prompt without a marker starts afresh after an answer or an interruption...
  assert.deepEqual(at(marked, call, result, assistant, say('and now?')),
      {prompt: 'and now?', step: 0});
  assert.equal(at(marked, call, result, say('[Request interrupted by user]'), say('so?')).prompt,
      'so?');
  // ...but not in the middle of a turn.
  assert.equal(at(marked, call, result, say('by the way')).prompt, '[[scenario:tool]] go');
});

test('every scenario of text and tools answers in every API', async () => {
  const skip = /^(hang|hang-start|drop|slow|gated|error-.*)$/;
  for (const name of kScenarioNames.filter((candidate) => !skip.test(candidate))) {
    const prompt = `[[scenario:${name}]] [[words:20]] go`;
    const last = (await claude(prompt)).at(-1);
    assert.equal(last.type, 'message_stop', name);
    const final = (await events(await post('/v1/responses', codexBody(prompt)))).at(-1);
    assert.match(final.type, /^response\.(completed|incomplete)$/, name);
    const chatEvents = await events(await post('/v1/chat/completions', {
      model: 'm', stream: true, messages: [{role: 'user', content: prompt}],
      tools: [{function: {name: 'bash'}}, {function: {name: 'read'}}],
    }));
    assert.ok(chatEvents.at(-1).usage, name);
    const geminiEvents = await events(await post('/v1beta/models/g:streamGenerateContent?alt=sse', {
      contents: [{role: 'user', parts: [{text: prompt}]}],
      tools: [{functionDeclarations: [{name: 'run_shell_command'}]}],
    }));
    assert.ok(geminiEvents.at(-1).candidates[0].finishReason, name);
  }
});

test('Anthropic: a tool round uses the agent\'s directory and then goes on', async () => {
  const first = await claude('[[scenario:edit]] go');
  assert.deepEqual(claudeTool(first),
      {name: 'Read', input: {file_path: '/home/dev/my project/hello.txt'}});
  assert.equal(first.find((e) => e.type === 'message_delta').delta.stop_reason, 'tool_use');
  const history = [user('[[scenario:edit]] go'),
    {role: 'assistant', content: [{type: 'tool_use', id: 'a', name: 'Read', input: {}}]},
    {role: 'user', content: [{type: 'tool_result', tool_use_id: 'a', content: 'hello world'}]}];
  assert.equal(claudeTool(await claude(history)).name, 'Edit');
  assert.equal(claudeText(await claude([...history, ...history.slice(1)])), 'Edited hello.txt.');
});

test('Anthropic: thinking carries a signature, plain replies and token counts work', async () => {
  const list = await claude('[[scenario:thinking]] go');
  assert.ok(list.some((event) => event.delta?.type === 'thinking_delta'));
  assert.ok(list.some((event) => event.delta?.type === 'signature_delta'));
  const body = claudeBody('[[scenario:tool]] x', {stream: false});
  const plain = await (await post('/v1/messages', body)).json();
  assert.deepEqual(plain.content.map((block) => block.type), ['text', 'tool_use']);
  assert.equal(plain.stop_reason, 'tool_use');
  const count = await (await post('/v1/messages/count_tokens', claudeBody('x'))).json();
  assert.ok(count.input_tokens > 0);
});

test('ids never repeat, not even for the same request', async () => {
  const ids = new Set();
  for (let i = 0; i < 5; i += 1) {
    for (const event of await claude('[[scenario:parallel-tools]] go')) {
      const id = event.message?.id ?? event.content_block?.id;
      if (id) assert.ok(!ids.has(id) && ids.add(id));
    }
  }
  assert.equal(ids.size, 20);
});

test('Responses: free-form patches, plans, escalation and cut answers', async () => {
  const run = async (prompt) => (await events(await post('/v1/responses', codexBody(prompt))));
  const items = async (prompt) => (await run(prompt)).at(-1).response.output;
  const patch = (await items('[[scenario:write]] go')).at(-1);
  assert.equal(patch.type, 'custom_tool_call');
  assert.equal(patch.input, '*** Begin Patch\n*** Add File: out.txt\n+line one\n+line two\n' +
      '*** End Patch\n');
  assert.equal((await items('[[scenario:plan]] go')).at(-1).name, 'update_plan');
  const guarded = JSON.parse((await items('[[scenario:permission]] go')).at(-1).arguments);
  assert.equal(guarded.sandbox_permissions, 'require_escalated');
  assert.equal((await run('[[scenario:max_tokens]] go')).at(-1).type, 'response.incomplete');
  const list = await run('[[scenario:thinking]] go');
  assert.deepEqual(list.map((e) => e.sequence_number), list.map((_, i) => i));
});

test('explicit calls: one per round or all at once, with nested markers', async () => {
  const calls = '[[call:Bash {"command":"ls"}]] [[call:Agent {"prompt":"((scenario:tool)) go"}]]';
  assert.deepEqual(claudeTool(await claude(calls)), {name: 'Bash', input: {command: 'ls'}});
  const both = await claude(`[[scenario:parallel-calls]] ${calls}`);
  assert.deepEqual(both.flatMap((e) => e.content_block?.name ?? []), ['Bash', 'Agent']);
  const sent = both.map((e) => e.delta?.partial_json ?? '').join('');
  assert.ok(sent.includes('[[scenario:tool]] go'));
  const free = await events(
      await post('/v1/responses', codexBody('[[call:apply_patch *** Begin]]')));
  assert.equal(free.at(-1).response.output.at(-1).input, '*** Begin');
});

test('errors have the status and shape of each API; times lets them recover', async () => {
  for (const status of [400, 401, 403, 404, 413, 429, 500, 529]) {
    const response = await post('/v1/messages', claudeBody(`[[scenario:error-${status}]] x`));
    assert.equal(response.status, status);
    assert.equal((await response.json()).type, 'error');
  }
  const prompt = '[[scenario:error-529]] [[times:2]] unlucky';
  assert.equal((await post('/v1/responses', codexBody(prompt))).status, 529);
  assert.equal((await post('/v1/responses', codexBody(prompt))).status, 529);
  const third = await events(await post('/v1/responses', codexBody(prompt)));
  assert.match(JSON.stringify(third), /Recovered after 2 failures/);
});

test('a dropped stream sends its text and then breaks', async () => {
  const response = await post('/v1/messages', claudeBody('[[scenario:drop]] x'));
  let text = '';
  await assert.rejects(async () => {
    for await (const part of response.body) text += Buffer.from(part);
  });
  assert.equal(claudeText(parseEvents(text)), prose(20));
  assert.ok(!text.includes('content_block_stop'));
});

test('an error in mid-stream is an event of the API', async () => {
  assert.equal((await claude('[[scenario:error-midstream]] x')).at(-1).type, 'error');
  const list = await events(
      await post('/v1/responses', codexBody('[[scenario:error-midstream]] x')));
  assert.equal(list.at(-1).type, 'response.failed');
});

test('hang sends its text and stalls; hang-start sends nothing', async () => {
  const abort = new AbortController();
  const response = await post('/v1/messages', claudeBody('[[scenario:hang]] x'), abort.signal);
  const reader = response.body.getReader();
  let text = '';
  while (!text.includes('nothing')) text += Buffer.from((await reader.read()).value);
  abort.abort();
  const silent = post('/v1/messages', claudeBody('[[scenario:hang-start]] x'),
      AbortSignal.timeout(200));
  await assert.rejects(silent, {name: 'TimeoutError'});
});

test('a gate holds the second half of an answer until it is opened', async () => {
  const response = await post('/v1/messages', claudeBody('[[scenario:gated]] [[gate:one]] x'));
  const reader = response.body.getReader();
  let text = '';
  while (!text.includes('gate.')) text += Buffer.from((await reader.read()).value);
  assert.ok(!text.includes('After'));
  assert.deepEqual(await (await post('/_gate/one', {})).json(), {open: 'one'});
  for (;;) {
    const {done, value} = await reader.read();
    if (done) break;
    text += Buffer.from(value);
  }
  assert.equal(claudeText(parseEvents(text)), 'Before the gate. After the gate.');
});

test('pace and delay are kept', async () => {
  const start = performance.now();
  await claude('[[scenario:long]] [[words:20]] [[tps:100]] [[delay:100]] x');
  const elapsed = performance.now() - start;
  assert.ok(elapsed >= 280 && elapsed < 2000, `${elapsed} ms`);
});

test('side jobs: titles without tools, values for a schema, probes', async () => {
  const title = await claude('[[scenario:tool]] x', {tools: []});
  assert.equal(claudeText(title), 'Scripted title');
  const schema = {type: 'object', properties: {
    title: {type: 'string'}, kind: {enum: ['a', 'b']}, ok: {type: 'boolean'},
    list: {type: 'array'}, n: {type: ['integer', 'null']}}};
  assert.deepEqual(sample(schema), {title: 'Scripted', kind: 'a', ok: false, list: [], n: 0});
  const formatted = await claude('x', {output_config: {format: {type: 'json_schema', schema}}});
  assert.equal(JSON.parse(claudeText(formatted)).kind, 'a');
  assert.equal((await (await fetch(`${model.url}/v1/models`)).json()).data.length, 1);
  assert.equal((await fetch(model.url, {method: 'HEAD'})).status, 200);
  assert.equal((await fetch(`${model.url}/nothing`)).status, 404);
});

test('a script that cannot be played says so', async () => {
  assert.match(claudeText(await claude('[[scenario:nonsense]] x')), /no scenario "nonsense"/);
  const list = await events(await post('/v1/responses', codexBody('[[scenario:ask]] x')));
  assert.match(JSON.stringify(list), /offers no tool for/);
});

test('the program announces its port, logs, and ends with its stdin', async () => {
  const log = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'model-')), 'log.jsonl');
  const program = fileURLToPath(new URL('server.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, '--exit-with-stdin', '--log', log],
      {stdio: ['pipe', 'pipe', 'inherit']});
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const line = await new Promise((resolve) => child.stdout.once('data', resolve));
  const {listening} = JSON.parse(line);
  await (await fetch(`http://127.0.0.1:${listening}/v1/messages`, {
    method: 'POST', body: JSON.stringify(claudeBody('[[scenario:echo]] hi'))})).text();
  child.stdin.end();
  assert.equal(await exited, 0);
  const entry = JSON.parse(fs.readFileSync(log, 'utf8'));
  assert.equal(entry.scenario, 'echo');
  assert.equal(entry.cwd, '/home/dev/my project');
  fs.rmSync(path.dirname(log), {recursive: true});
});
