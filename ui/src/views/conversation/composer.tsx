// Where the user writes: grows with the text, keeps drafts, never loses a send.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { attachedOf, takesText } from "../../actions/attachments";
import { sendMessage } from "../../actions/messages";
import { cancelTurn } from "../../actions/running";
import { keyName } from "../../format";
import { kImageTypes } from "../../images";
import { narrow } from "../../narrow";
import { isLargePaste, promptProblem } from "../../size";
import type { Timeline } from "../../state/timeline";
import { isTemporary } from "../../state/temporary";
import { useApp } from "../context";
import { Icon } from "../icons";
import { fetchDialogs, useDialogs } from "../later";
import { NearLimit } from "../limits";
import { Commands } from "../remedy";
import { DraftAttachments } from "./attachments";
import type { Completing } from "./completion";
import { StartLine } from "./start_line";
import { ContextUse, SessionCost, Switches } from "./switches";

export function Composer({
  timeline,
  working,
  locked,
  agentName,
}: {
  timeline: Timeline;
  working: boolean;
  locked: string;
  agentName: string;
}) {
  const app = useApp();
  const { sessionId } = timeline;
  const input = useRef<HTMLTextAreaElement>(null);
  const text = app.drafts.texts.value[sessionId] ?? "";
  const attached = app.drafts.attachments(sessionId);
  const completing = useRef<Completing>(undefined);
  const draft = app.sessions.creating.value.get(sessionId)?.draft ?? false;
  const apart = draft && app.start.worktree.chosen.value;
  const later = useDialogs(draft || text !== "");
  const said = later?.draftsIn(app, sessionId);
  const history = useRef<{ at: number; kept: string } | undefined>(undefined);
  const { sendKey } = app.settings.values.value;
  /** While it is being made there is nowhere to put a picture. */
  const isNew = isTemporary(sessionId) && !draft;

  const setText = (value: string) => app.drafts.set(sessionId, value);
  useLayoutEffect(() => {
    const element = input.current!;
    element.style.height = "auto";
    element.style.height = `${Math.min(element.scrollHeight, Math.max(120, window.innerHeight * 0.4))}px`;
  }, [text]);
  useEffect(() => {
    // Whoever walks along the tabs with the arrow keys walks on.
    const walking = document.activeElement?.matches("[role=tab]:focus-visible");
    if (matchMedia("(pointer: fine)").matches && !walking) input.current?.focus();
  }, [sessionId]);

  const uploading = !draft && attached.some((one) => !one.attachmentId && !one.problem);
  const ready = attached.filter((one) => one.attachmentId ?? (draft && !one.problem));
  const problem = promptProblem(text, app.link.limits.value);
  /** What was refused is not left behind without a word. */
  const refused = attached.some((one) => one.problem);
  const canSend =
    (text.trim() !== "" || ready.length > 0) && !uploading && !refused && locked === "" && !problem;
  /** It takes a message in the middle of its work. */
  const steers = working && timeline.facts.value.steers === true;
  const send = (steer = false) => {
    if (!canSend) return;
    sendMessage(app, sessionId, text.trim(), draft ? [] : ready.map(attachedOf), steer ? { steer } : {});
    app.drafts.clear(sessionId);
    history.current = undefined;
  };

  /** Arrow up walks through own prompts, newest first, as in a shell; arrow down comes back to the draft. */
  const walkHistory = (step: 1 | -1): boolean => {
    const own = timeline.order
      .peek()
      .map((id) => timeline.item(id)!.peek())
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
    if (event.isComposing || completing.current?.onKey(event)) return;
    const element = input.current!;
    const plain = !event.shiftKey && !event.ctrlKey && !event.metaKey && !event.altKey;
    if (app.settings.sends(event)) {
      event.preventDefault();
      send();
    } else if (event.key === "Enter" && event.altKey && !event.shiftKey && steers) {
      event.preventDefault();
      send(true);
    } else if (event.key === "Escape" && working && !app.nav.drawer.peek()) {
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
  const texts = !isNew && takesText(app, sessionId);
  const takeFiles = (files: ArrayLike<File>): boolean => {
    const all = Array.from(files);
    if (isNew || all.length === 0) return false;
    void fetchDialogs(app).then((code) => all.forEach((file) => void code?.attachFile(app, sessionId, file)));
    return true;
  };
  /** Without the code for it the words stay words. */
  const attachText = (words: string) =>
    void fetchDialogs(app).then((code) =>
      code ? code.attachPasted(app, sessionId, words) : app.drafts.add(sessionId, words),
    );
  const onPaste = (event: ClipboardEvent) => {
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    if (takeFiles(event.clipboardData?.files ?? [])) event.preventDefault();
    else if (texts && isLargePaste(pasted)) {
      event.preventDefault();
      attachText(pasted);
    }
  };
  const attachDraft = () => {
    setText("");
    attachText(text);
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
      {later && <later.Completion timeline={timeline} input={input} completing={completing} />}
      <NearLimit limits={timeline.facts.value.limits} />
      <div class={`composer-box ${locked === "" ? "" : "locked"}`}>
        <DraftAttachments sessionId={sessionId} />
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
                ? `Queue the next message${steers && !narrow.matches ? `, or ${keyName("Alt")} ${keyName("Enter")} to steer` : ""}`
                : said
                  ? `Message ${agentName}, or send ${said === 1 ? "1 comment" : `${said} comments`}`
                  : `Message ${agentName}${narrow.matches ? "" : `: @ for files, / for commands${sendKey === "enter" ? "" : `, ${keyName("Ctrl")} ${keyName("Enter")} to send`}`}`
          }
          aria-autocomplete="list"
          aria-haspopup="listbox"
          onInput={(event) => {
            history.current = undefined;
            setText(event.currentTarget.value);
            completing.current?.update();
          }}
          onKeyDown={onKey}
          onBlur={() => completing.current?.close()}
          onPaste={onPaste}
        />
        {draft && app.start.problem.value && (
          <p class="composer-problem refused" role="alert">
            <Icon name="alert" size={14} />
            <span class="grow">
              <Commands text={app.start.problem.value} />
            </span>
            <button type="button" class="button small" disabled={!canSend} onClick={() => send()}>
              Try again
            </button>
          </p>
        )}
        {problem && (
          <p class="composer-problem" role="alert">
            <Icon name="alert" size={14} /> {problem}
            {texts && (
              <button type="button" class="link-button" onClick={attachDraft}>
                Attach it as text
              </button>
            )}
          </p>
        )}
        {refused && (
          <p class="composer-problem" role="status">
            <Icon name="alert" size={14} /> Remove what could not be attached, then send.
          </p>
        )}
        <div class="composer-foot">
          {!isNew && (
            <label class="icon-button" title={texts ? "Attach a file" : "Attach an image"}>
              <Icon name={texts ? "attach" : "image"} />
              <span class="visually-hidden">{texts ? "Attach a file" : "Attach an image"}</span>
              <input
                class="visually-hidden"
                type="file"
                accept={texts ? undefined : kImageTypes.join()}
                multiple
                onChange={(event) => {
                  takeFiles(event.currentTarget.files ?? []);
                  event.currentTarget.value = "";
                }}
              />
            </label>
          )}
          {draft ? <StartLine /> : <Switches timeline={timeline} />}
          <span class="grow" />
          <SessionCost timeline={timeline} />
          <ContextUse timeline={timeline} />
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
              {steers && (
                <button
                  type="button"
                  class="button small steer"
                  disabled={!canSend}
                  title={`Into the running turn (${keyName("Alt")} ${keyName("Enter")}): ${agentName} reads it at its next step`}
                  onClick={() => send(true)}
                >
                  Steer
                </button>
              )}
              <button
                type="submit"
                class="round send"
                disabled={!canSend}
                aria-label={working ? "Queue message" : "Send message"}
                title={`${working ? "Queue" : "Send"} (${sendKey === "enter" ? "" : `${keyName("Ctrl")}+`}Enter)`}
              >
                <Icon name="send" />
              </button>
            </>
          )}
        </div>
        {apart && later && <later.WorktreeForm text={text} />}
      </div>
      {draft && later && <later.ConfinedNote />}
    </form>
  );
}
