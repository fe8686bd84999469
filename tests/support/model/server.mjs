#!/usr/bin/env node
// A scripted model server on loopback: the real coding CLIs talk to it as if to their vendors.
//
//   node server.mjs [--port 0] [--tps 400] [--log FILE [--log-bodies]] [--exit-with-stdin]
//
// Prints {"listening":PORT} when ready. README.md has the scenarios and what each CLI needs.

import {createHash} from 'node:crypto';
import fs from 'node:fs';
import http from 'node:http';
import {setTimeout as sleep} from 'node:timers/promises';
import {pathToFileURL} from 'node:url';
import {parseArgs} from 'node:util';

import {anthropic} from './anthropic.mjs';
import {chat} from './chat.mjs';
import {Director} from './director.mjs';
import {gemini} from './gemini.mjs';
import {responses} from './responses.mjs';
import {Closed, Gates, ScriptedError, Stream} from './stream.mjs';

const kModels = {
  object: 'list', has_more: false, models: [],
  data: [{
    id: 'scripted', object: 'model', type: 'model', display_name: 'Scripted',
    created_at: '2026-01-01T00:00:00Z',
  }],
};
const kLogPromptChars = 200;

/// Starts a server on 127.0.0.1 and resolves to {port, url, close()}. `onAnswer(prompt)` is called
/// when an answer begins to stream.
export async function startModel({
  port = 0, tps = 400, log, logBodies = false, onAnswer = () => {},
} = {}) {
  const model = new Model({tps, log, logBodies, onAnswer});
  const server = http.createServer((request, response) => {
    model.handle(request, response).catch((error) => {
      process.stderr.write(`model: ${error.stack}\n`);
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, {error: {type: 'api_error', message: String(error)}});
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const bound = server.address().port;
  return {
    port: bound,
    url: `http://127.0.0.1:${bound}`,
    close: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}

class Model {
  #director;
  #gates = new Gates();
  #options;
  #requests = 0;
  #ids = 0;
  #started = Date.now();

  constructor(options) {
    this.#options = options;
    this.#director = new Director(options.tps);
  }

  async handle(request, response) {
    const path = request.url.split('?')[0];
    const raw = await readAll(request);
    const body = parseJson(raw);
    const note = (decision) => this.#log(request, body, decision);
    if (request.method === 'POST') {
      const api = apiFor(path);
      if (api) return this.#answer(response, {api, raw, body, path, note});
      const gate = path.match(/^\/_gate\/([\w-]+)$/);
      if (gate) {
        this.#gates.open(gate[1]);
        return sendJson(response, 200, {open: gate[1]});
      }
    }
    note();
    return sendProbe(request, response, path, raw);
  }

  async #answer(response, {api, raw, body, path, note}) {
    const request = api.read(body, path.endsWith(':streamGenerateContent'));
    const decision = this.#director.decide(request);
    note({...decision, tools: request.tools.length, cwd: request.cwd});
    if (decision.delayMs > 0) await sleep(decision.delayMs);
    const {answer} = decision;
    if (answer.silent) return undefined;  // the connection stays open until the client leaves
    if (answer.failure) {
      const {headers, body: error} = api.failure(answer.failure);
      return sendJson(response, answer.failure.status, error, headers);
    }
    const meta = this.#meta(raw, body, path);
    meta.model = decision.as ?? meta.model;
    if (!request.streamed) return sendJson(response, 200, api.plain(answer, meta));
    const {tps} = decision;
    const headers = {'request-id': meta.id('req_'), ...limitHeaders(decision.used)};
    this.#options.onAnswer(decision.prompt);
    const out = new Stream(response, {tps, gates: this.#gates, ping: api.ping, headers});
    try {
      await api.stream(answer, meta, out);
    } catch (error) {
      if (error instanceof ScriptedError) api.streamError(meta, out);
      else if (!(error instanceof Closed)) throw error;
    }
    return undefined;
  }

  // Ids are new for every reply, and also differ between servers that one session outlives.
  #meta(raw, body, path) {
    const digest = createHash('sha256').update(raw).digest('hex').slice(0, 12);
    return {
      id: (prefix) => {
        this.#ids += 1;
        return `${prefix}${digest}${String(this.#ids).padStart(6, '0')}`;
      },
      inputTokens: tokensIn(raw),
      model: body.model ?? path.match(/models\/([^/:]+)/)?.[1] ?? 'scripted',
      nowSeconds: () => Math.floor(Date.now() / 1000),
      size: tokensIn,
    };
  }

  #log(request, body, decision) {
    this.#requests += 1;
    if (!this.#options.log) return;
    const line = {
      n: this.#requests, ms: Date.now() - this.#started, method: request.method, path: request.url,
      model: body.model,
    };
    if (decision) {
      const {scenario, step, tools, cwd, prompt} = decision;
      Object.assign(line, {scenario, step, tools, cwd, prompt: prompt.slice(-kLogPromptChars)});
    }
    if (this.#options.logBodies) Object.assign(line, {headers: request.headers, body});
    fs.appendFileSync(this.#options.log, `${JSON.stringify(line)}\n`);
  }
}

// What an account with a subscription is told of its windows: so much of five hours is used.
function limitHeaders(percent) {
  if (percent === undefined) return {};
  const of = (name, value) => [`anthropic-ratelimit-unified-${name}`, String(value)];
  const reset = Math.floor(Date.now() / 1000) + 3600;
  const status = percent >= 100 ? 'rejected' : percent >= 90 ? 'allowed_warning' : 'allowed';
  return Object.fromEntries([
    of('status', status), of('reset', reset), of('representative-claim', 'five_hour'),
    of('5h-status', status), of('5h-reset', reset), of('5h-utilization', percent / 100),
    ...(percent >= 90 ? [of('5h-surpassed-threshold', 0.9)] : []),
    of('7d-status', 'allowed'), of('7d-reset', reset + 86400), of('7d-utilization', 0.31),
  ]);
}

function apiFor(path) {
  if (path.endsWith('/messages')) return anthropic;
  if (path.endsWith('/responses')) return responses;
  if (path.endsWith('/chat/completions')) return chat;
  if (/:(streamGenerateContent|generateContent)$/.test(path)) return gemini;
  return undefined;
}

// What CLIs ask for around a conversation.
function sendProbe(request, response, path, raw) {
  if (path.endsWith('/count_tokens')) {
    return sendJson(response, 200, {input_tokens: tokensIn(raw)});
  }
  if (path.endsWith(':countTokens')) return sendJson(response, 200, {totalTokens: tokensIn(raw)});
  if (path.endsWith('/models')) return sendJson(response, 200, kModels);
  if (request.method === 'HEAD' || path === '/') return sendJson(response, 200, {});
  return sendJson(response, 404, {
    type: 'error', error: {type: 'not_found_error', message: `No such endpoint: ${path}`}});
}

function sendJson(response, status, value, headers = {}) {
  const text = JSON.stringify(value);
  response.writeHead(status, {
    'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers});
  response.end(text);
}

async function readAll(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}

function parseJson(text) {
  try {
    return JSON.parse(text || '{}');
  } catch {
    return {};
  }
}

function tokensIn(text) {
  return Math.max(1, Math.ceil(text.length / 4));
}

async function main() {
  const {values} = parseArgs({options: {
    port: {type: 'string', default: '0'},
    tps: {type: 'string', default: '400'},
    log: {type: 'string'},
    'log-bodies': {type: 'boolean', default: false},
    'exit-with-stdin': {type: 'boolean', default: false},
  }});
  const model = await startModel({
    port: Number(values.port), tps: Number(values.tps), log: values.log,
    logBodies: values['log-bodies'],
  });
  if (values['exit-with-stdin']) process.stdin.resume().once('end', () => process.exit(0));
  process.once('SIGTERM', () => process.exit(0));
  process.stdout.write(`${JSON.stringify({listening: model.port})}\n`);
}

if (import.meta.url === pathToFileURL(fs.realpathSync(process.argv[1])).href) await main();
