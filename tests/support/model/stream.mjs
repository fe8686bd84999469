// One streamed reply: server-sent events at a chosen pace, gates, stalls and broken ends.

import {setTimeout as sleep} from 'node:timers/promises';

import {slices, words} from './prose.mjs';

const kPingMs = 5000;

/// The client is gone, or the script cut the line: nothing more can be sent.
export class Closed extends Error {}

/// The script wants the API's own error event in the middle of the stream.
export class ScriptedError extends Error {}

/// Named gates: whoever waits at one goes on when it is opened; an opened gate stays open.
export class Gates {
  #gates = new Map();

  open(name) {
    this.#gate(name).open();
  }

  /// Resolves when gate `name` is open.
  opened(name) {
    return this.#gate(name).opened;
  }

  #gate(name) {
    if (!this.#gates.has(name)) {
      const gate = {};
      gate.opened = new Promise((resolve) => {
        gate.open = resolve;
      });
      this.#gates.set(name, gate);
    }
    return this.#gates.get(name);
  }
}

/// Writes one reply. Every method throws Closed once the other side is gone.
export class Stream {
  #response;
  #gapMs;
  #gates;
  #ping;
  #closed;
  #start = performance.now();
  #due = 0;

  /// `tps` words per second, 0 = as fast as the reader reads; `ping` keeps a stalled stream alive.
  constructor(response, {tps, gates, ping, headers}) {
    this.#response = response;
    this.#gapMs = tps > 0 ? 1000 / tps : 0;
    this.#gates = gates;
    this.#ping = ping;
    this.#closed = new Promise((resolve) => response.once('close', resolve));
    response.writeHead(
        200, {'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers});
  }

  /// Sends one event; `name` may be empty (APIs that use data lines only).
  send(name, data) {
    this.raw(`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`);
  }

  raw(text) {
    if (this.#response.destroyed || this.#response.writableEnded) throw new Closed();
    this.#response.write(text);
  }

  end() {
    this.#response.end();
  }

  /// The words of a text block, paced, and then what its script says.
  async* text(block) {
    yield* this.#paced(words(block.text));
    const then = block.then ?? {};
    if (then.hang) await this.#stall(new Promise(() => {}));
    if (then.drop) await this.#drop();
    if (then.error) throw new ScriptedError();
    if (then.gate) {
      await this.#stall(this.#gates.opened(then.gate));
      this.#start = performance.now();
      this.#due = 0;
      yield* this.#paced(words(then.text));
    }
  }

  /// The pieces of a tool call's arguments, paced; only the first half of them when `cut`.
  async* pieces(text, cut) {
    const all = slices(text);
    yield* this.#paced(cut ? all.slice(0, Math.ceil(all.length / 2)) : all);
  }

  // Paced against the clock, so that late timers do not add up. Sleeps shorter than a timer's
  // resolution are put together.
  async* #paced(chunks) {
    for (const chunk of chunks) {
      yield chunk;
      if (this.#response.writableNeedDrain) await this.#drained();
      this.#due += this.#gapMs;
      const ahead = this.#start + this.#due - performance.now();
      if (ahead >= 2) await sleep(ahead);
    }
  }

  async #drained() {
    await Promise.race([
      new Promise((resolve) => this.#response.once('drain', resolve)), this.#closed]);
  }

  async #stall(until) {
    const pinger = this.#ping && setInterval(() => this.#response.write(this.#ping), kPingMs);
    await Promise.race([until, this.#closed]);
    clearInterval(pinger);
    if (this.#response.destroyed) throw new Closed();
  }

  // The bytes written so far leave first: a reset would throw them away.
  async #drop() {
    await new Promise((resolve) => this.#response.write('', resolve));
    this.#response.destroy();
    throw new Closed();
  }
}
