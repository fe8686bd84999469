// Small clients of the real CLIs, for the smoke tests of this folder: each starts one CLI with an
// empty home against a model on loopback, sends prompts and answers permissions.

import {spawn} from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';

const kTurnMs = 60_000;

/// An empty home and a project with the files that scenarios expect; `remove()` when done.
export function makeWorkspace() {
  const root = fs.mkdtempSync(path.join(os.tmpdir(), 'lb-cli-'));
  const [home, project] = ['home', 'project'].map((name) => path.join(root, name));
  fs.mkdirSync(home);
  fs.mkdirSync(project);
  fs.writeFileSync(path.join(project, 'hello.txt'), 'hello world\n');
  fs.writeFileSync(path.join(project, 'second.txt'), 'second file\n');
  return {home, project, remove: () => fs.rmSync(root, {recursive: true, force: true})};
}

/// One CLI that speaks JSON lines. Keeps the tail of stderr for error messages.
class LineProcess {
  #child;
  #stderr = '';

  constructor(command, args, {cwd, env}, onMessage) {
    this.#child = spawn(command, args, {
      cwd, stdio: 'pipe', env: {PATH: process.env.PATH, LANG: 'C.UTF-8', ...env}});
    this.#child.stdin.on('error', () => {});
    this.#child.stderr.on('data', (data) => {
      this.#stderr = (this.#stderr + data).slice(-2000);
    });
    this.exited = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => resolve(code ?? signal));
      this.#child.once('error', resolve);
    });
    readline.createInterface({input: this.#child.stdout}).on('line', (line) => {
      if (line.startsWith('{')) onMessage(JSON.parse(line));
    });
  }

  send(message) {
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /// `promise`, or an error that names `what` when the CLI ends or is silent for too long.
  async within(promise, what) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${what}: no answer. ${this.#stderr}`)), kTurnMs);
    });
    const gone = this.exited.then((status) => {
      throw new Error(`${what}: the CLI ended (${status}). ${this.#stderr}`);
    });
    try {
      return await Promise.race([promise, late, gone]);
    } finally {
      clearTimeout(timer);
      gone.catch(() => {});
    }
  }

  async stop() {
    this.#child.stdin.end();
    const timer = setTimeout(() => this.#child.kill('SIGTERM'), 500);
    await this.exited;
    clearTimeout(timer);
  }
}

/// The environment in which Claude Code talks to a model on loopback and to nobody else.
export const claudeEnvironment = (modelUrl) => ({
  ANTHROPIC_BASE_URL: modelUrl, ANTHROPIC_API_KEY: 'sk-test',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1',
});

/// Claude Code over stream-json. `permission`: 'allow' or 'deny'; `watch` sees every message.
export class Claude {
  asked = 0;
  #process;
  #permission;
  #watch;
  #seen = [];
  #turn;

  constructor({bin, modelUrl, home, project, permission = 'allow', args = [], watch = () => {}}) {
    this.#permission = permission;
    this.#watch = watch;
    this.#process = new LineProcess(bin, [
      '--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json',
      '--permission-prompt-tool=stdio', '--include-partial-messages', ...args,
    ], {cwd: project, env: {HOME: home, ...claudeEnvironment(modelUrl)}},
    (message) => this.#onMessage(message));
  }

  async start() {}

  /// Runs one turn; {text, tools, failed}.
  async prompt(text) {
    this.#seen = [];
    const result = new Promise((resolve) => {
      this.#turn = resolve;
    });
    this.#process.send({type: 'user', message: {role: 'user', content: text}});
    const {is_error: failed} = await this.#process.within(result, 'claude');
    const blocks = this.#seen.flatMap((message) => message.message.content);
    return {
      failed,
      text: blocks.filter((block) => block.type === 'text').map((block) => block.text).join('\n'),
      tools: blocks.filter((block) => block.type === 'tool_use').length,
    };
  }

  stop() {
    return this.#process.stop();
  }

  #onMessage(message) {
    this.#watch(message);
    if (message.type === 'assistant') this.#seen.push(message);
    if (message.type === 'result') this.#turn(message);
    if (message.type !== 'control_request') return;
    this.asked += 1;
    const {request_id, request: {input}} = message;
    const answer = this.#permission === 'allow' ? {behavior: 'allow', updatedInput: input} :
                                                  {behavior: 'deny', message: 'Not now.'};
    this.#process.send({
      type: 'control_response', response: {subtype: 'success', request_id, response: answer}});
  }
}

/// Any ACP agent. `prepare(home, modelUrl)` writes its configuration and returns its environment;
/// `mode` is one in which it asks a human.
export class Acp {
  asked = 0;
  #process;
  #options;
  #permission;
  #calls = new Map();
  #nextId = 1;
  #session;
  #text = '';
  #tools = new Set();

  constructor({bin, args = [], prepare, mode, modelUrl, home, project, permission = 'allow'}) {
    this.#options = {mode, project};
    this.#permission = permission;
    const env = {HOME: home, ...prepare(home, modelUrl)};
    this.#process = new LineProcess(
        bin, args, {cwd: home, env}, (message) => this.#onMessage(message));
  }

  get sessionId() {
    return this.#session;
  }

  async #initialize() {
    await this.#call('initialize', {
      protocolVersion: 1,
      clientCapabilities: {fs: {readTextFile: false, writeTextFile: false}, terminal: false},
    });
  }

  /// Instead of `start`: goes on with a session that is there already.
  async load(sessionId) {
    await this.#initialize();
    const {project: cwd} = this.#options;
    await this.#call('session/load', {sessionId, cwd, mcpServers: []});
    this.#session = sessionId;
  }

  async start() {
    await this.#initialize();
    const {mode, project} = this.#options;
    const opened = await this.#call('session/new', {cwd: project, mcpServers: []});
    this.#session = opened.sessionId;
    if (mode) await this.#call('session/set_mode', {sessionId: this.#session, modeId: mode});
  }

  /// Runs one turn; {text, tools, failed}.
  async prompt(text) {
    this.#text = '';
    this.#tools.clear();
    const result = await this.#call(
        'session/prompt', {sessionId: this.#session, prompt: [{type: 'text', text}]});
    return {
      text: this.#text, tools: this.#tools.size, failed: result.stopReason !== 'end_turn'};
  }

  stop() {
    return this.#process.stop();
  }

  async #call(method, params) {
    const id = this.#nextId;
    this.#nextId += 1;
    const reply = new Promise((resolve) => this.#calls.set(id, resolve));
    this.#process.send({jsonrpc: '2.0', id, method, params});
    const {result, error} = await this.#process.within(reply, method);
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  #onMessage(message) {
    if (message.method === 'session/request_permission') {
      this.#answer(message);
    } else if (message.method === 'session/update') {
      const {update} = message.params;
      if (update.sessionUpdate === 'agent_message_chunk') this.#text += update.content.text ?? '';
      // Gemini may send updates of a call that it never announced.
      if (update.sessionUpdate.startsWith('tool_call')) this.#tools.add(update.toolCallId);
    } else if (message.method && message.id !== undefined) {
      const error = {code: -32601, message: 'Method not found'};
      this.#process.send({jsonrpc: '2.0', id: message.id, error});
    } else if (!message.method) {
      this.#calls.get(message.id)?.(message);
    }
  }

  #answer({id, params}) {
    this.asked += 1;
    const kind = this.#permission === 'allow' ? 'allow_once' : 'reject_once';
    const {optionId} = params.options.find((option) => option.kind === kind);
    this.#process.send({jsonrpc: '2.0', id, result: {outcome: {outcome: 'selected', optionId}}});
  }
}

/// Codex wants a model name that it knows: an unknown one costs a warning in every turn.
export const prepareCodex = (model) => (home, modelUrl) => {
  const codexHome = path.join(home, '.codex');
  // Codex makes no sandbox helper in a CODEX_HOME that lies under TMPDIR, and ours lies in /tmp.
  const tmp = path.join(home, 'tmp');
  for (const folder of [codexHome, tmp]) fs.mkdirSync(folder, {recursive: true});
  fs.writeFileSync(path.join(codexHome, 'config.toml'), [
    `model = "${model}"`,
    'model_provider = "scripted"',
    'model_reasoning_summary = "auto"',
    '[model_providers.scripted]',
    'name = "scripted"',
    `base_url = "${modelUrl}/v1"`,
    'wire_api = "responses"',
    'env_key = "OPENAI_API_KEY"',
    'request_max_retries = 1',
    'stream_max_retries = 1',
    '',
  ].join('\n'));
  return {CODEX_HOME: codexHome, TMPDIR: tmp, OPENAI_API_KEY: 'sk-test'};
};

export function prepareGemini(home, modelUrl) {
  fs.mkdirSync(path.join(home, '.gemini'));
  fs.writeFileSync(path.join(home, '.gemini/settings.json'), JSON.stringify({
    security: {auth: {selectedType: 'gemini-api-key'}},
    privacy: {usageStatisticsEnabled: false},
  }));
  return {
    GEMINI_API_KEY: 'test', GOOGLE_GEMINI_BASE_URL: modelUrl, GEMINI_CLI_TRUST_WORKSPACE: 'true'};
}

export function prepareOpencode(home, modelUrl) {
  const folder = path.join(home, '.config/opencode');
  fs.mkdirSync(folder, {recursive: true});
  fs.writeFileSync(path.join(folder, 'opencode.json'), JSON.stringify({
    model: 'scripted/scripted',
    permission: {bash: 'ask'},
    provider: {scripted: {
      npm: '@ai-sdk/openai-compatible', name: 'Scripted',
      options: {baseURL: `${modelUrl}/v1`, apiKey: 'sk-test'},
      models: {scripted: {name: 'Scripted', tool_call: true}},
    }},
  }));
  return {OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1'};
}
