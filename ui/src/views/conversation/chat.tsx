// The conversation: rows of one session in a virtual list that follows the end until the reader scrolls up.
import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { SessionStore } from "../../state/timeline";
import { loadOlder } from "../../actions";
import { toRows, type Row } from "../../rows";
import { useApp } from "../context";
import { Icon } from "../icons";
import { ItemView, TurnFooter, UserMessage } from "./items";
import { IconButton, Working } from "../parts";
import { kEndThreshold, useVirtual } from "./virtual";

export function Chat({ store, empty }: { store: SessionStore; empty: preact.ComponentChildren }) {
  const app = useApp();
  const { sessionId } = store;
  const rows = useComputed(() => {
    void store.shape.value;
    return toRows({
      items: store.order.value.map((id) => store.item(id)!.peek()),
      turns: store.turnOrder.value.map((id) => store.turn(id)!.peek()),
      hasCall: (id) => store.hasCall(id),
      older: store.before.value !== undefined,
      pending: app.outbox.of(sessionId).value.map((entry) => entry.clientMessageId),
    });
  }).value;
  const scroller = useRef<HTMLDivElement>(null);
  const saved = useRef(app.scrolls.get(sessionId));
  /** Undefined while following; else the last row there was when the reader left the end. */
  const leftAt = useSignal<string | undefined>(undefined);
  const leave = () => {
    leftAt.value ??= rows.findLast((row) => row.kind === "item")?.key ?? "";
  };
  const loadingOlder = useRef(false);

  const list = useVirtual({
    count: rows.length,
    keyOf: (index) => rows[index]?.key ?? String(index),
    estimate: (index) => estimate(rows[index], store),
    scroller: () => scroller.current,
    initial: saved.current && { offset: saved.current.offset, sizes: saved.current.sizes },
  });

  useLayoutEffect(() => {
    if (saved.current && !saved.current.following) leave();
    else list.scrollToEnd();
    return () => {
      app.scrolls.set(sessionId, {
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
    const away = element.scrollHeight - element.scrollTop - element.clientHeight > kEndThreshold;
    if (!away) leftAt.value = undefined;
    else if (readerMoved.current) leave();
    if (element.scrollTop < 1200 && store.before.peek() !== undefined && !loadingOlder.current) {
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
      store.before.peek() !== undefined &&
      list.getTotalSize() < element.clientHeight * 2 &&
      !loadingOlder.current
    )
      onScroll();
  }, [rows.length]);
  /** Growth moves the end away from us for a moment; only the reader's own hand counts as leaving. */
  const readerMoved = useRef(false);
  const hand = () => {
    readerMoved.current = true;
    setTimeout(() => {
      readerMoved.current = false;
    }, 400);
  };
  const follow = () => {
    leftAt.value = undefined;
    list.scrollToEnd();
  };
  // Whatever grows, rows or the dock below, a reader at the end stays there.
  useEffect(() => {
    const element = scroller.current!;
    const observer = new ResizeObserver(() => {
      if (leftAt.peek() === undefined && !readerMoved.current) element.scrollTop = element.scrollHeight;
    });
    observer.observe(element);
    observer.observe(element.querySelector(".chat-size")!);
    return () => observer.disconnect();
  }, []);
  // Who sends wants to see what comes of it.
  const sent = rows.filter((row) => row.kind === "pending").length;
  const sentBefore = useRef(sent);
  useLayoutEffect(() => {
    if (sent > sentBefore.current) follow();
    sentBefore.current = sent;
  }, [sent]);

  useJump(store, rows, list, leave);

  store.following = leftAt.value === undefined;
  const items = list.getVirtualItems();
  const fresh = leftAt.value === undefined ? 0 : newItems(rows, leftAt.value);
  const stepPrompt = (step: 1 | -1): boolean => {
    const prompts = rows.flatMap((row, index) =>
      row.kind === "item" && row.itemId.endsWith(":user") ? [index] : [],
    );
    const top = list.getVirtualItemForOffset((list.scrollOffset ?? 0) + 32)?.index ?? 0;
    const target = step > 0 ? prompts.find((index) => index > top) : prompts.findLast((index) => index < top);
    if (target !== undefined) {
      leave();
      list.scrollToIndex(target, { align: "start" });
    } else if (step > 0) follow();
    return true;
  };
  useEffect(() => {
    app.stepPrompt = stepPrompt;
    return () => {
      if (app.stepPrompt === stepPrompt) app.stepPrompt = undefined;
    };
  });
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
        {rows.length === 0 && store.loaded.value && empty}
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
                <RowView row={rows[item.index]} store={store} />
              </div>
            ))}
          </div>
        </div>
      </div>
      {leftAt.value !== undefined && (
        <div class="to-end-bar">
          <IconButton icon="up" label="Your message before (Alt+↑)" onClick={() => stepPrompt(-1)} />
          <button type="button" class="to-end" onClick={follow}>
            <Icon name="end" size={14} />
            {fresh > 0 ? `${fresh} new` : "Newest"}
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

function RowView({ row, store }: { row: Row | undefined; store: SessionStore }) {
  const app = useApp();
  if (!row) return null;
  switch (row.kind) {
    case "older":
      return (
        <p class="older">
          <Working label="Loading older messages" /> Loading older messages…
        </p>
      );
    case "item": {
      const item = store.item(row.itemId);
      return item ? <ItemView item={item} /> : null;
    }
    case "turn": {
      const turn = store.turn(row.turnId);
      return turn ? <TurnFooter turn={turn} /> : null;
    }
    case "pending": {
      const entry = app.outbox.entries.value.find(
        (candidate) => candidate.clientMessageId === row.clientMessageId,
      );
      if (!entry) return null;
      const failed = entry.state === "failed";
      return (
        <UserMessage content={entry.content}>
          <span class={`pending-note ${failed ? "failed" : ""}`}>
            {failed ? (
              <>
                Not sent: {entry.problem}{" "}
                <button
                  type="button"
                  class="link-button"
                  onClick={() => app.outbox.retry(entry.clientMessageId)}
                >
                  Try again
                </button>{" "}
                <button
                  type="button"
                  class="link-button"
                  onClick={() => app.outbox.remove(entry.clientMessageId)}
                >
                  Remove
                </button>
              </>
            ) : (
              <>
                <Icon name="clock" size={12} />{" "}
                {app.link.state.value.kind === "online" ? "Sending…" : "Waits for the connection"}
              </>
            )}
          </span>
        </UserMessage>
      );
    }
  }
}

/** Search and inbox send the reader to an item; it is marked for a moment. */
function useJump(
  store: SessionStore,
  rows: readonly Row[],
  list: ReturnType<typeof useVirtual>,
  leave: () => void,
): void {
  const app = useApp();
  const jump = app.jump.value;
  useEffect(() => {
    if (!jump || jump.sessionId !== store.sessionId) return;
    const index = rows.findIndex((row) => row.kind === "item" && row.itemId === rootOf(store, jump.itemId));
    if (index < 0) return;
    app.jump.value = undefined;
    leave();
    list.scrollToIndex(index, { align: "center" });
    setTimeout(() => {
      const element = list.scrollElement?.querySelector(`.row[data-index="${index}"]`);
      element?.classList.add("found");
      // A question that someone went to is about to be answered: 1, 2, 3 work at once.
      element?.querySelector<HTMLElement>(".approval.pending .button")?.focus({ preventScroll: true });
      setTimeout(() => element?.classList.remove("found"), 2000);
    }, 120);
  }, [jump, rows]);
}

function rootOf(store: SessionStore, itemId: string): string {
  const parent = store.item(itemId)?.peek().parentCallId;
  if (parent === undefined) return itemId;
  const call = store.order.peek().find((id) => {
    const item = store.item(id)!.peek();
    return item.type === "tool_call" && item.callId === parent;
  });
  return call === undefined || call === itemId ? itemId : rootOf(store, call);
}

function estimate(row: Row | undefined, store: SessionStore): number {
  if (!row || row.kind === "older") return 40;
  if (row.kind === "turn") return 44;
  if (row.kind === "pending") return 72;
  const item = store.item(row.itemId)?.peek();
  if (item?.type === "message") return 56 + Math.ceil(item.content.length / 90) * 24;
  return item?.type === "approval" && item.state === "pending"
    ? 180
    : item?.type === "plan"
      ? 60 + item.entries.length * 28
      : 40;
}
