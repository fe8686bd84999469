// Where the user writes: grows with the text, keeps drafts, never loses a send.
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { attachImage, cancelTurn, sendMessage, setMode, setModel, setThinking } from "../../actions";
import { complete, rank, triggerAt, type Trigger } from "../../completion";
import { count } from "../../format";
import type { SessionStore } from "../../state/timeline";
import { useApp } from "../context";
import { Icon } from "../icons";
import { IconButton, narrow } from "../parts";

interface Offer {
  value: string;
  label: string;
  detail?: string;
}

export function Composer({
  store,
  working,
  locked,
  agentName,
}: {
  store: SessionStore;
  working: boolean;
  locked: string;
  agentName: string;
}) {
  const app = useApp();
  const { sessionId } = store;
  const input = useRef<HTMLTextAreaElement>(null);
  const text = app.drafts.value[sessionId] ?? "";
  const images = app.images.value[sessionId] ?? [];
  const completion = useCompletion(store, input);
  const history = useRef<{ at: number; kept: string } | undefined>(undefined);
  const isNew = sessionId.startsWith("new:");

  const setText = (value: string) => {
    const { [sessionId]: _old, ...rest } = app.drafts.peek();
    app.drafts.value = value === "" ? rest : { ...rest, [sessionId]: value };
  };
  useLayoutEffect(() => {
    const element = input.current!;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight, Math.max(120, window.innerHeight * 0.4))}px`;
  }, [text]);
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) input.current?.focus();
  }, [sessionId]);

  const uploading = images.some((image) => !image.attachmentId && !image.problem);
  const ready = images.filter((image) => image.attachmentId);
  const canSend = (text.trim() !== "" || ready.length > 0) && !uploading && locked === "";
  const send = () => {
    if (!canSend) return;
    sendMessage(
      app,
      sessionId,
      text.trim(),
      ready.map((image) => ({ attachmentId: image.attachmentId!, name: image.name })),
    );
    setText("");
    images.forEach((image) => URL.revokeObjectURL(image.url));
    app.images.value = { ...app.images.peek(), [sessionId]: [] };
    history.current = undefined;
  };

  /** Arrow up walks through own prompts, newest first, as in a shell; arrow down comes back to the draft. */
  const walkHistory = (step: 1 | -1): boolean => {
    const own = store.order
      .peek()
      .map((id) => store.item(id)!.peek())
      .flatMap((item) => (item.type === "message" && item.origin === "user" ? [item.content] : []))
      .reverse();
    const at = (history.current?.at ?? -1) + step;
    if (at >= own.length || at < -1) return false;
    history.current = { at, kept: history.current?.kept ?? text };
    setText(at === -1 ? history.current.kept : own[at]!);
    if (at === -1) history.current = undefined;
    return true;
  };

  const onKey = (event: KeyboardEvent) => {
    if (event.isComposing || completion.onKey(event)) return;
    const element = input.current!;
    const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (event.key === "Enter" && !event.shiftKey && !event.altKey) {
      event.preventDefault();
      send();
    } else if (event.key === "Escape" && working) {
      event.preventDefault();
      void cancelTurn(app, sessionId);
    } else if (
      event.key === "ArrowUp" &&
      plain &&
      (text === "" || (history.current && element.selectionStart === element.value.length))
    ) {
      if (walkHistory(1)) event.preventDefault();
    } else if (event.key === "ArrowDown" && plain && history.current) {
      if (walkHistory(-1)) event.preventDefault();
    }
  };
  const takeFiles = (files: Iterable<File>): boolean => {
    const pictures = [...files].filter((file) => /^image\/(png|jpeg|gif|webp)$/.test(file.type));
    if (pictures.length === 0 || isNew) return false;
    pictures.forEach((file) => void attachImage(app, sessionId, file));
    return true;
  };
  const dropImage = (key: string) => {
    app.images.value = { ...app.images.peek(), [sessionId]: images.filter((image) => image.key !== key) };
  };
  const queueing = working && text.trim() !== "";

  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        if (takeFiles(event.dataTransfer?.files ?? [])) event.preventDefault();
      }}
    >
      {completion.list}
      <div class={`composer-box ${locked === "" ? "" : "locked"}`}>
        {images.length > 0 && (
          <ul class="draft-images">
            {images.map((image) => (
              <li key={image.key} class={image.problem ? "failed" : ""} title={image.problem ?? image.name}>
                <img src={image.url} alt={image.name} />
                <IconButton
                  icon="close"
                  label={`Remove ${image.name}`}
                  onClick={() => dropImage(image.key)}
                />
                {image.problem && <span class="visually-hidden">{image.problem}</span>}
              </li>
            ))}
          </ul>
        )}
        <textarea
          ref={input}
          rows={1}
          value={text}
          disabled={locked !== ""}
          dir="auto"
          aria-label={`Message to ${agentName}`}
          placeholder={
            locked !== ""
              ? locked
              : working
                ? "Queue the next message"
                : `Message ${agentName}${narrow.matches ? "" : ": @ for files, / for commands"}`
          }
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={completion.open ? "completion-list" : undefined}
          aria-activedescendant={completion.active}
          onInput={(event) => {
            history.current = undefined;
            setText(event.currentTarget.value);
            completion.update();
          }}
          onKeyDown={onKey}
          onBlur={completion.close}
          onPaste={(event) => {
            if (takeFiles(event.clipboardData?.files ?? [])) event.preventDefault();
          }}
        />
        <div class="composer-foot">
          {!isNew && (
            <label class="icon-button" title="Attach an image">
              <Icon name="image" />
              <span class="visually-hidden">Attach an image</span>
              <input
                class="visually-hidden"
                type="file"
                accept="image/png,image/jpeg,image/gif,image/webp"
                multiple
                onChange={(event) => {
                  takeFiles(event.currentTarget.files ?? []);
                  event.currentTarget.value = "";
                }}
              />
            </label>
          )}
          <Switches store={store} />
          <span class="grow" />
          <ContextUse store={store} />
          {working && !queueing ? (
            <button
              type="button"
              class="round stop"
              aria-label="Stop (Esc)"
              title="Stop (Esc)"
              onClick={() => void cancelTurn(app, sessionId)}
            >
              <Icon name="stop" />
            </button>
          ) : (
            <>
              {working && (
                <button
                  type="button"
                  class="round stop small"
                  aria-label="Stop (Esc)"
                  title="Stop (Esc)"
                  onClick={() => void cancelTurn(app, sessionId)}
                >
                  <Icon name="stop" />
                </button>
              )}
              <button
                type="submit"
                class="round send"
                disabled={!canSend}
                aria-label={working ? "Queue message" : "Send message"}
                title={working ? "Queue (Enter)" : "Send (Enter)"}
              >
                <Icon name="send" />
              </button>
            </>
          )}
        </div>
      </div>
    </form>
  );
}

/** Mode, model and thinking as the agent offers them. The mode is always visible, also when it cannot be changed. */
function Switches({ store }: { store: SessionStore }) {
  const app = useApp();
  const { modes, mode, models, model, thinkingLevels, thinking } = store.info.value;
  const select = (
    label: string,
    choices: typeof modes,
    value: string | undefined,
    change: (id: string) => void,
  ) => {
    if (!choices?.length)
      return value ? (
        <span class="chip" title={label}>
          {value}
        </span>
      ) : null;
    return (
      <label
        class={`switch ${/bypass|yolo|full|dangerous/i.test(value ?? "") && label === "Permission mode" ? "risky" : ""}`}
        title={label}
      >
        <span class="visually-hidden">{label}</span>
        <select value={value} onChange={(event) => change(event.currentTarget.value)}>
          {value !== undefined && !choices.some((choice) => choice.id === value) && (
            <option value={value}>{value}</option>
          )}
          {choices.map((choice) => (
            <option key={choice.id} value={choice.id} title={choice.description}>
              {choice.name}
            </option>
          ))}
        </select>
        <Icon name="down" size={12} />
      </label>
    );
  };
  return (
    <>
      {select("Permission mode", modes, mode, (id) => void setMode(app, store.sessionId, id))}
      {select("Model", models, model, (id) => void setModel(app, store.sessionId, id))}
      {thinkingLevels &&
        thinkingLevels.length > 0 &&
        select("Thinking", thinkingLevels, thinking, (id) => void setThinking(app, store.sessionId, id))}
    </>
  );
}

function ContextUse({ store }: { store: SessionStore }) {
  const { context } = store.info.value;
  if (!context || context.size === 0 || context.used === 0) return null;
  const share = Math.min(1, context.used / context.size);
  const percent = `${Math.round(share * 100)} %`;
  const words = `${percent} of the agent's context is used: ${count(context.used)} of ${count(context.size)} tokens`;
  return (
    <span class={`context ${share > 0.85 ? "full" : ""}`} title={words}>
      <span class="visually-hidden">{words}</span>
      <span class="context-word" aria-hidden="true">
        Context
      </span>
      <meter min={0} max={1} value={share} aria-hidden="true" />
      <span aria-hidden="true">{percent}</span>
    </span>
  );
}

function offersFor(now: Trigger | undefined, files: readonly Offer[], store: SessionStore): readonly Offer[] {
  if (!now) return [];
  if (now.kind === "file") return files;
  return rank(now.query, store.info.value.commands ?? [], (command) => command.name)
    .slice(0, 8)
    .map((command) => ({ value: command.name, label: `/${command.name}`, detail: command.description }));
}

/** The list of offers above the input: commands of the agent, files of the project (found by the server). */
function useCompletion(store: SessionStore, input: { current: HTMLTextAreaElement | null }) {
  const app = useApp();
  const trigger = useSignal<Trigger | undefined>(undefined);
  const files = useSignal<readonly Offer[]>([]);
  const selected = useSignal(0);
  const abort = useRef<AbortController>(undefined);
  const offers = offersFor(trigger.value, files.value, store);

  const update = () =>
    queueMicrotask(() => {
      const element = input.current!;
      const now = triggerAt(element.value, element.selectionStart);
      if (now?.query !== trigger.peek()?.query || now?.kind !== trigger.peek()?.kind) selected.value = 0;
      trigger.value = now;
      if (now?.kind === "file") void findFiles(now.query);
    });
  const findFiles = async (query: string) => {
    const projectId =
      app.session(store.sessionId)?.peek().projectId ?? app.creating.peek().get(store.sessionId)?.projectId;
    if (!projectId) return;
    abort.current?.abort();
    abort.current = new AbortController();
    try {
      const found = await app.api.get<{ files: { path: string }[] }>(
        `/api/project/${projectId}/files?q=${encodeURIComponent(query)}&limit=8`,
        abort.current.signal,
      );
      files.value = found.files.map(({ path }) => ({ value: path, label: path }));
    } catch {
      /* A newer question replaced this one, or there is no answer: nothing to offer. */
    }
  };
  const close = () => {
    trigger.value = undefined;
    files.value = [];
  };
  const choose = (offer: Offer) => {
    const element = input.current!;
    const done = complete(element.value, trigger.peek()!, offer.value);
    app.drafts.value = { ...app.drafts.peek(), [store.sessionId]: done.text };
    close();
    requestAnimationFrame(() => {
      element.focus();
      element.setSelectionRange(done.cursor, done.cursor);
    });
  };
  const open = offers.length > 0;
  const onKey = (event: KeyboardEvent): boolean => {
    if (!open) return false;
    // A command typed to its end is meant as it stands: Enter sends it.
    const whole =
      trigger.peek()?.kind === "command" && offers[selected.peek()]?.value === trigger.peek()?.query;
    if (event.key === "Enter" && whole) {
      close();
      return false;
    }
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0) selected.value = (selected.peek() + step + offers.length) % offers.length;
    else if (event.key === "Enter" || event.key === "Tab") choose(offers[selected.peek()] ?? offers[0]!);
    else if (event.key === "Escape") close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const list = open && (
    <ul
      class="completion"
      id="completion-list"
      role="listbox"
      aria-label={trigger.value?.kind === "file" ? "Files" : "Commands"}
    >
      {offers.map((offer, index) => (
        <li
          key={offer.value}
          id={`offer-${index}`}
          role="option"
          aria-selected={index === selected.value}
          onPointerDown={(event) => {
            event.preventDefault();
            choose(offer);
          }}
        >
          <bdi>{offer.label}</bdi>
          {offer.detail && <span class="muted">{offer.detail}</span>}
        </li>
      ))}
    </ul>
  );
  return { open, active: open ? `offer-${selected.value}` : undefined, update, close, onKey, list };
}
