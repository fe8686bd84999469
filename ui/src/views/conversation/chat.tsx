// The conversation: rows of one session in a virtual list that follows the end until the reader scrolls up.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { Timeline } from "../../state/timeline";
import { loadOlder } from "../../actions/reading";
import { toRows, type Row } from "../../rows";
import { useApp } from "../context";
import { Icon } from "../icons";
import { IconButton } from "../parts";
import { calm } from "./calm";
import { estimate, RowView } from "./row";
import { kEndThreshold, useVirtual } from "./virtual";

/** So long it takes until rows that came into sight have their heights. */
const kSettledMs = 300;
/** So long after a key or the wheel the conversation moves because of it. */
const kHandMs = 400;

export function Chat({ timeline, empty }: { timeline: Timeline; empty: preact.ComponentChildren }) {
  const app = useApp();
  const { sessionId } = timeline;
  const rows = useComputed(() => {
    void timeline.shape.value;
    return toRows({
      items: timeline.order.value.map((id) => timeline.item(id)!.peek()),
      turns: timeline.turnOrder.value.map((id) => timeline.turn(id)!.peek()),
      hasCall: (id) => timeline.hasCall(id),
      older: timeline.before.value !== undefined,
      pending: app.outbox.of(sessionId).value.map((entry) => entry.clientMessageId),
    });
  }).value;
  const scroller = useRef<HTMLDivElement>(null);
  const saved = useRef(app.reading.placeIn(sessionId));
  /** Undefined while following; else the last row there was when the reader left the end. */
  const leftAt = useSignal<string | undefined>(undefined);
  const leave = () => {
    leftAt.value ??= rows.findLast((row) => row.kind === "item")?.key ?? "";
    setTimeout(back, kSettledMs); // Whoever went somewhere and stands at the end all the same is there.
  };
  const isAway = () => {
    const element = scroller.current;
    return element && element.scrollHeight - element.scrollTop - element.clientHeight > kEndThreshold;
  };
  const back = () => {
    if (isAway() === false) leftAt.value = undefined;
  };
  const loadingOlder = useRef(false);

  const list = useVirtual({
    count: rows.length,
    keyOf: (index) => rows[index]?.key ?? String(index),
    estimate: (index) => estimate(rows[index], timeline),
    scroller: () => scroller.current,
    following: leftAt.value === undefined,
    initial: saved.current && { offset: saved.current.offset, sizes: saved.current.sizes },
  });

  useLayoutEffect(() => {
    if (saved.current && !saved.current.following) leave();
    else list.scrollToEnd();
    return () => {
      app.reading.keep(sessionId, {
        offset: list.scrollOffset ?? 0,
        following: leftAt.peek() === undefined,
        sizes: list.takeSnapshot(),
      });
    };
  }, []);
  // The first rows of a session that had none yet: begin at the end.
  const had = useRef(rows.length);
  useLayoutEffect(() => {
    if (had.current === 0 && rows.length > 0 && leftAt.peek() === undefined) list.scrollToEnd();
    had.current = rows.length;
  }, [rows.length]);

  const onScroll = () => {
    const element = scroller.current;
    if (!element) return; // The tab was closed in this moment.
    if (!isAway()) leftAt.value = undefined;
    else if (readerMoved.current) leave();
    if (element.scrollTop < 1200 && timeline.before.peek() !== undefined && !loadingOlder.current) {
      loadingOlder.current = true;
      void loadOlder(app, sessionId).finally(() => {
        loadingOlder.current = false;
      });
    }
  };
  // A window that does not fill the screen cannot be scrolled: fetch more without being asked.
  useEffect(() => {
    const element = scroller.current;
    if (!element) return; // The tab was closed in this moment.
    if (
      timeline.before.peek() !== undefined &&
      list.getTotalSize() < element.clientHeight * 2 &&
      !loadingOlder.current
    )
      onScroll();
  }, [rows.length]);
  /** Growth moves the end away from us for a moment; only the reader's own hand counts as leaving. */
  const readerMoved = useRef(false);
  const handTimer = useRef(0);
  const hand = () => {
    readerMoved.current = true;
    clearTimeout(handTimer.current);
    // A busy page hears late that it was scrolled, but before it draws the next time.
    const rest = () =>
      requestAnimationFrame(() => {
        readerMoved.current = false;
      });
    handTimer.current = window.setTimeout(rest, kHandMs);
  };
  const follow = () => {
    leftAt.value = undefined;
    list.scrollToEnd();
  };
  /** The way to the end comes up under the pointer that opened something long: a second press was not meant for it. */
  const grewAt = useRef(-Infinity);
  const toEnd = () => {
    if (performance.now() - grewAt.current >= calm.ms) follow();
  };
  // Whatever grows, rows or the dock below, a reader at the end stays there.
  useEffect(() => {
    const element = scroller.current!;
    const observer = new ResizeObserver(() => {
      if (leftAt.peek() === undefined && !readerMoved.current) element.scrollTop = element.scrollHeight;
      else back(); // What shrinks can bring the end to a reader who had left it.
    });
    observer.observe(element);
    observer.observe(element.querySelector(".chat-size")!);
    const grows = () => {
      grewAt.current = performance.now();
      leave();
    };
    element.addEventListener("readerhand", grows);
    return () => {
      observer.disconnect();
      element.removeEventListener("readerhand", grows);
    };
  }, []);
  // Who sends wants to see what comes of it.
  const sent = rows.filter((row) => row.kind === "pending").length;
  const sentBefore = useRef(sent);
  useLayoutEffect(() => {
    if (sent > sentBefore.current) follow();
    sentBefore.current = sent;
  }, [sent]);

  useJump(timeline, rows, list, leave);

  timeline.follow(leftAt.value === undefined);
  const items = list.getVirtualItems();
  const fresh = leftAt.value === undefined ? 0 : newItems(rows, leftAt.value);
  const stepPrompt = (step: 1 | -1): void => {
    const prompts = rows.flatMap((row, index) =>
      row.kind === "item" && row.itemId.endsWith(":user") ? [index] : [],
    );
    const top = list.getVirtualItemForOffset((list.scrollOffset ?? 0) + 32)?.index ?? 0;
    const target = step > 0 ? prompts.find((index) => index > top) : prompts.findLast((index) => index < top);
    if (target !== undefined) {
      leave();
      list.scrollToIndex(target, { align: "start" });
    } else if (step > 0) follow();
  };
  useEffect(() => app.reading.canStep(stepPrompt));
  const onKey = (event: KeyboardEvent) => {
    if (["PageUp", "PageDown", "ArrowUp", "ArrowDown", "Home", "End", " "].includes(event.key)) hand();
  };

  return (
    <div class="chat" onKeyDown={onKey}>
      <div
        class="chat-scroll"
        ref={scroller}
        onScroll={onScroll}
        onWheel={hand}
        onTouchMove={hand}
        onPointerDown={hand}
        tabIndex={0}
        role="log"
        aria-live="off"
        aria-label="Conversation"
      >
        {rows.length === 0 && timeline.loaded.value && empty}
        <div class="chat-size" style={{ height: `${list.getTotalSize()}px` }}>
          <div class="chat-rows" style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
            {items.map((item) => (
              <div
                class="row"
                key={item.key}
                data-index={item.index}
                ref={(element) => {
                  if (element) list.measureElement(element);
                }}
              >
                <RowView row={rows[item.index]} timeline={timeline} />
              </div>
            ))}
          </div>
        </div>
      </div>
      {leftAt.value !== undefined && (
        <div class="to-end-bar">
          <IconButton icon="up" label="Your message before (Alt+↑)" onClick={() => stepPrompt(-1)} />
          <button type="button" class="to-end" onClick={toEnd}>
            <Icon name="end" size={14} />
            {fresh > 0 ? `${fresh} new below` : "Newest"}
          </button>
          <IconButton icon="down" label="Your message after (Alt+↓)" onClick={() => stepPrompt(1)} />
        </div>
      )}
    </div>
  );
}

/** How many things came after `last`. Pages of older ones come in front and are no news. */
export function newItems(rows: readonly Row[], last: string): number {
  const at = rows.findLastIndex((row) => row.key === last);
  if (at < 0 && last !== "") return 0;
  return rows.slice(at + 1).filter((row) => row.kind === "item").length;
}

/** Search and inbox send the reader to an item; it is marked for a moment. */
function useJump(
  timeline: Timeline,
  rows: readonly Row[],
  list: ReturnType<typeof useVirtual>,
  leave: () => void,
): void {
  const app = useApp();
  const jump = app.nav.jump.value;
  useEffect(() => {
    if (!jump || jump.sessionId !== timeline.sessionId) return;
    const index = rows.findIndex(
      (row) => row.kind === "item" && row.itemId === rootOf(timeline, jump.itemId),
    );
    if (index < 0) return;
    app.nav.arrived();
    leave();
    list.scrollToIndex(index, { align: "center" });
    setTimeout(() => {
      const element = list.scrollElement?.querySelector(`.row[data-index="${index}"]`);
      element?.classList.add("found");
      // A question that someone went to is about to be answered: 1, 2, 3 work at once.
      const answer = element?.querySelector<HTMLElement>(".approval.pending .button");
      answer?.focus({ preventScroll: true });
      answer?.scrollIntoView({ block: "nearest" }); // Of one that is longer than the screen the end counts.
      setTimeout(() => element?.classList.remove("found"), 2000);
    }, 120);
  }, [jump, rows]);
}

function rootOf(timeline: Timeline, itemId: string): string {
  const parent = timeline.item(itemId)?.peek().parentCallId;
  if (parent === undefined) return itemId;
  const call = timeline.order.peek().find((id) => {
    const item = timeline.item(id)!.peek();
    return item.type === "tool_call" && item.callId === parent;
  });
  return call === undefined || call === itemId ? itemId : rootOf(timeline, call);
}
