// A window on a terminal: what a page does, without drawing.
import { eventually, token } from "./server.mjs";

export class Window {
  /** `ack`: it says that it has drawn everything as it comes. */
  constructor(server, terminalId, { since, ack = true, headers = { authorization: `Bearer ${token}` }, keep = true } = {}) {
    const query = since === undefined ? "" : `?since=${since}`;
    this.text = "";
    this.bytes = 0;
    this.words = [];
    this.offset = undefined;
    this.socket = new WebSocket(`ws://127.0.0.1:${server.port}/api/terminal/${terminalId}/socket${query}`, { headers });
    this.socket.binaryType = "arraybuffer";
    this.decoder = new TextDecoder();
    this.closed = new Promise((done) => this.socket.addEventListener("close", ({ code, reason }) => done({ code, reason })));
    this.open = new Promise((done, failed) => {
      this.socket.addEventListener("open", done);
      this.closed.then(({ code }) => failed(new Error(`closed with ${code}`)));
    });
    this.open.catch(() => {});
    this.socket.addEventListener("error", () => {});
    this.socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") {
        const word = JSON.parse(data);
        this.words.push(word);
        if (word.type === "start") {
          this.offset = word.offset;
          if (word.reset) this.text = "";
        }
        return;
      }
      this.bytes += data.byteLength;
      this.offset += data.byteLength;
      if (keep) this.text += this.decoder.decode(data, { stream: true });
      if (ack) this.say({ type: "ack", offset: this.offset });
    });
  }

  say(word) {
    this.socket.send(JSON.stringify(word));
  }

  type(text) {
    this.socket.send(new TextEncoder().encode(text));
  }

  ack() {
    this.say({ type: "ack", offset: this.offset });
  }

  word(type) {
    return this.words.findLast((one) => one.type === type);
  }

  sees(what, ms) {
    const found = () => (what instanceof RegExp ? what.exec(this.text) : this.text.includes(what));
    return eventually(found, `${what} on the screen`, ms).catch((error) => {
      throw new Error(`${error.message}, which ends with ${JSON.stringify(this.text.slice(-300))}`);
    });
  }

  close() {
    this.socket.close();
    return this.closed;
  }
}
