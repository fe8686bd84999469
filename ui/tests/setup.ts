// The few browser things jsdom lacks that our views touch: dialogs, layout, observers.
import { Blob, File } from "node:buffer";
import { afterAll, afterEach, beforeEach } from "vitest";
import { calm } from "../src/views/conversation/calm";
import { broken } from "./contract";

Object.assign(HTMLDialogElement.prototype, {
  showModal(this: HTMLDialogElement) {
    this.open = true;
  },
  close(this: HTMLDialogElement) {
    this.open = false;
  },
});

/** A screen 4,000 pixels high with rows of 40: the virtual list shows a hundred rows. */
const heightOf = (element: HTMLElement) =>
  element.classList.contains("row") ? 40 : element.matches(".chat-scroll, .diff-scroll") ? 4000 : 20;
Object.defineProperty(HTMLElement.prototype, "offsetHeight", {
  configurable: true,
  get(this: HTMLElement) {
    return heightOf(this);
  },
});
Object.defineProperty(HTMLElement.prototype, "clientHeight", {
  configurable: true,
  get(this: HTMLElement) {
    return heightOf(this);
  },
});
Object.defineProperty(HTMLElement.prototype, "offsetWidth", {
  configurable: true,
  get() {
    return 800;
  },
});
Object.assign(globalThis, {
  // Those of the simulated browser cannot be read.
  Blob,
  File,
  ResizeObserver: class {
    observe() {}
    unobserve() {}
    disconnect() {}
  },
  matchMedia: () =>
    Object.assign(new EventTarget(), { matches: false, addListener: () => {}, removeListener: () => {} }),
});
// Style sheets of the document that code brings.
Object.assign(document, { adoptedStyleSheets: [] });
CSSStyleSheet.prototype.replaceSync = function replaceSync() {};
Element.prototype.scrollTo = function scrollTo() {} as typeof Element.prototype.scrollTo;
Element.prototype.scrollIntoView = function scrollIntoView() {};
URL.createObjectURL = () => "blob:test";
URL.revokeObjectURL = () => {};

beforeEach(() => {
  calm.ms = 0; // Tests answer faster than anybody reads; the one about it sets its time.
  localStorage.clear();
});

// Whatever the page and its world said to each other in this test is described in docs/wire.schema.json.
afterEach(() => {
  const found = new Set(broken.splice(0));
  if (found.size > 0) throw new Error(`not as docs/wire.schema.json says:\n${[...found].join("\n")}`);
});

// What a view left for after its last frame runs while there still is a page to run in.
afterAll(async () => {
  for (let frame = 0; frame < 3; frame++)
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
});
