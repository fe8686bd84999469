// Answering under the hand: nothing is answered that was not seen, nothing that was begun is lost.
import { afterEach, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { calm } from "../src/views/conversation/calm";
import { kAnswersKey } from "../src/state/drafts";
import { $, $$, button, press, startPage, texts, tick, type, until, type Harness } from "./harness";

let page: Harness;
afterEach(() => page?.close());

const start = async () => {
  const world = new World("busy");
  world.pace = 0;
  page = await startPage(world);
};
const ask = (sessionId: string, id: string, more: object = {}) =>
  page.world.session(sessionId).timeline.item(id, {
    turnId: "t",
    type: "approval",
    title: `Run ${id}`,
    kind: "tool",
    state: "pending",
    detail: "make",
    options: [
      { optionId: "yes", name: "Allow", kind: "allow_once" },
      { optionId: "no", name: "Reject", kind: "reject_once" },
    ],
    ...more,
  });
const show = async (sessionId: string) => {
  page.app.nav.navigate({ page: "session", sessionId });
  await until(() => page.app.timelines.of(sessionId).loaded.value && $(page.root, ".approval.pending"));
  return $(page.root, ".approval.pending")!;
};
const answered = () => page.heard("session:answer").map(({ itemId }) => itemId);
const isFresh = (card: Element) => $(card, "[aria-disabled=true]") !== null;
const chord = (key: string) =>
  press(document.body, key, { altKey: true, shiftKey: true, code: `Digit${key}` });

it("a question that has just come takes no answer, by key or by click, in the chat", async () => {
  await start();
  calm.ms = 400;
  ask("s-5", "a1");
  ask("s-5", "a2");
  const first = await show("s-5");
  await chord("1");
  button(first, /^Allow once/).click();
  expect(answered()).toEqual([]);
  await until(() => $$(page.root, ".approval.pending").every((card) => !isFresh(card)));

  await chord("1");
  await until(() => $$(page.root, ".approval.pending").length === 1);
  // The second press was meant for the first: what took its place is not answered by it.
  await chord("1");
  await press($(page.root, ".approval.pending")!, "1");
  button($(page.root, ".approval.pending")!, /^Allow once/).click();
  expect(answered()).toEqual(["a1"]);
  await until(() => !isFresh($(page.root, ".approval.pending")!));
  await chord("1");
  await until(() => answered().length === 2);
});

it("nor does one that moved up in the inbox", async () => {
  await start();
  calm.ms = 400;
  ask("s-5", "a1");
  button(page.root, /^Inbox/).click();
  const cards = () => $$(page.root, ".inbox .approval.pending");
  await until(() => cards().length === 2 && cards().every((card) => !isFresh(card)));
  button(cards()[0]!, /^Allow once/).click();
  await until(() => cards().length === 1);
  button(cards()[0]!, /^Allow once/).click();
  expect(answered()).toHaveLength(1);
  await until(() => !isFresh(cards()[0]!));
  button(cards()[0]!, /^Allow once/).click();
  await until(() => answered().length === 2);
});

it("what was begun of an answer outlives another tab and a reload, and goes when it was answered", async () => {
  await start();
  const questions = [
    {
      question: "Which?",
      header: "Kind",
      multiSelect: true,
      options: [{ label: "A" }, { label: "B" }],
    },
  ];
  ask("s-5", "q1", { kind: "question", title: "Which?", questions });
  let card = await show("s-5");
  $$(card, "input[type=checkbox]")[1]!.dispatchEvent(new Event("change", { bubbles: true }));
  await tick();
  await type($(card, ".note") as HTMLInputElement, "and C");
  const other = await show("s-2");
  await type($(other, ".note") as HTMLInputElement, "rather not");
  await page.reload();
  expect(($(await show("s-2"), ".note") as HTMLInputElement).value).toBe("rather not");
  await until(() => page.app.nav.session.value === "s-2" && $(page.root, ".approval.pending .reject"));
  page.app.nav.navigate({ page: "session", sessionId: "s-5" });
  await until(() => $(page.root, ".questions"));
  card = $(page.root, ".approval.pending")!;
  expect($$(card, "input[type=checkbox]").map((box) => (box as HTMLInputElement).checked)).toEqual([
    false,
    true,
  ]);
  expect(($(card, ".note") as HTMLInputElement).value).toBe("and C");
  $(card, ".questions")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  await until(() => page.heard("session:answer").length === 1);
  expect(page.heard("session:answer")[0]!["answers"]).toEqual({ "Which?": "B, and C" });
  await until(() => !localStorage.getItem(kAnswersKey)!.includes("and C"));

  // Another window answers: nothing is left of it here.
  expect(localStorage.getItem(kAnswersKey)).toContain("rather not");
  const { timeline } = page.world.session("s-2");
  timeline.item("t1:approval", { state: "answered", answeredBy: "user" });
  await until(() => localStorage.getItem(kAnswersKey) === "{}");
  page.app.drafts.changeAnswer({ sessionId: "s-2", itemId: "x" }, { note: "secret" });
  await page.app.login.leave();
  expect(localStorage.getItem(kAnswersKey) ?? "").not.toContain("secret");
});

it("leftovers of answers are read as far as they are any", async () => {
  localStorage.setItem(
    kAnswersKey,
    JSON.stringify({
      "s-2:t1:approval": { note: "kept", given: {} },
      "s-3:a": { note: 1 },
      "s-4:a": { note: "", given: { q: { ticked: "no", other: "" } } },
    }),
  );
  await start();
  expect(($(await show("s-2"), ".note") as HTMLInputElement).value).toBe("kept");
  expect(page.app.drafts.answer({ sessionId: "s-4", itemId: "a" }).given).toEqual({});
});

it("the focus of who answered by a key goes to the next question, then to where one writes", async () => {
  await start();
  ask("s-5", "a1");
  ask("s-5", "a2");
  await show("s-5");
  const answer = async () => {
    const card = $(page.root, ".approval.pending")!;
    const reject = button(card, /^Reject/);
    reject.focus();
    await press(reject, "2");
    reject.blur(); // As browsers do with what is disabled.
    await until(() => !card.isConnected);
  };
  await until(() => $$(page.root, ".approval.pending").length === 2);
  await answer();
  await until(() => document.activeElement === $(page.root, ".approval.pending"));
  await answer();
  await until(() => document.activeElement === $(page.root, ".composer textarea"));
  expect(texts(page.root, ".approval.pending")).toEqual([]);
});

it("a key whose button is out of view brings the buttons into view, and answers when it is pressed again", async () => {
  await start();
  const card = await show("s-2");
  const actions = $(card, ".approval-actions")!;
  const allow = button(card, /^Allow once/);
  let top = 5000;
  allow.getBoundingClientRect = () => ({ top, bottom: top + 30 }) as DOMRect;
  $(page.root, ".chat-scroll")!.getBoundingClientRect = () => ({ top: 0, bottom: 800 }) as DOMRect;
  actions.scrollIntoView = () => {
    top = 700;
  };
  await chord("1");
  expect([answered(), top]).toEqual([[], 700]);
  expect(page.app.nav.jump.value).toBeUndefined();
  await chord("1");
  await until(() => answered().length === 1);
});
