// What came with a message, and what will go with the one that is being written.
import { useEffect, useState } from "preact/hooks";
import { upload } from "../../actions/attachments";
import { bytes } from "../../format";
import { kImageTypes } from "../../images";
import { isTemporary } from "../../state/temporary";
import type { DraftAttachment } from "../../state/types";
import type { Attachment } from "../../wire";
import { useApp } from "../context";
import { Icon } from "../icons";
import { IconButton, Working } from "../parts";

export function AttachmentView({ sessionId, attachment }: { sessionId: string; attachment: Attachment }) {
  const { attachmentId, name, mimeType } = attachment;
  if (!mimeType.startsWith("text/"))
    return <AttachmentImage sessionId={sessionId} attachmentId={attachmentId} name={name} />;
  return <TextChip {...attachment} name={name ?? "text"} sessionId={sessionId} />;
}

/** Images need the bearer, so they are fetched and shown from memory. */
function useImage(sessionId: string, attachmentId: string | undefined): string | undefined {
  const app = useApp();
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (attachmentId === undefined) return;
    let made: string | undefined;
    let gone = false;
    app.api.blob(`/api/session/${sessionId}/attachment/${attachmentId}`).then(
      (blob) => {
        if (gone || !kImageTypes.includes(blob.type)) return;
        made = URL.createObjectURL(blob);
        setUrl(made);
      },
      () => {},
    );
    return () => {
      gone = true;
      if (made) URL.revokeObjectURL(made);
    };
  }, [attachmentId]);
  return url;
}

function AttachmentImage({
  sessionId,
  attachmentId,
  name,
}: {
  sessionId: string;
  attachmentId: string;
  name: string | undefined;
}) {
  const url = useImage(sessionId, attachmentId);
  return url ? (
    <a href={url} target="_blank" rel="noopener" title="Open the image">
      <img class="attachment" src={url} alt={name ?? "Attached image"} />
    </a>
  ) : (
    <span class="chip">
      <Icon name="image" size={14} /> {name ?? "image"}
    </span>
  );
}

interface TextChipProps {
  sessionId: string;
  name: string;
  attachmentId?: string | undefined;
  bytes?: number | undefined;
  lines?: number | undefined;
}

/** Name, size, lines; press it to read the text. */
function TextChip({ sessionId, name, attachmentId, bytes: size, lines }: TextChipProps) {
  const app = useApp();
  return (
    <button
      type="button"
      class="text-chip"
      title={`Read ${name}`}
      disabled={attachmentId === undefined}
      onClick={() => app.nav.openDialog({ kind: "text", name, sessionId, attachmentId: attachmentId! })}
    >
      <Icon name="file" size={16} />
      <span class="text-chip-name">
        <bdi>{name}</bdi>
      </span>
      {size !== undefined && (
        <span class="muted">
          {bytes(size)}
          {lines !== undefined && ` · ${lines.toLocaleString("en")} ${lines === 1 ? "line" : "lines"}`}
        </span>
      )}
    </button>
  );
}

export function DraftAttachments({ sessionId }: { sessionId: string }) {
  const app = useApp();
  const all = app.drafts.attachments(sessionId);
  if (all.length === 0) return null;
  return (
    <ul class="draft-attachments" aria-label="Attached">
      {all.map((one) => (
        <DraftRow key={one.key} sessionId={sessionId} one={one} />
      ))}
    </ul>
  );
}

function DraftRow({ sessionId, one }: { sessionId: string; one: DraftAttachment }) {
  const app = useApp();
  const { key, kind, name, problem, attachmentId } = one;
  return (
    <li class={`${kind} ${problem ? "failed" : ""}`}>
      <div class="draft-one">
        {kind === "image" ? (
          <DraftImage sessionId={sessionId} one={one} />
        ) : (
          <TextChip {...one} sessionId={sessionId} />
        )}
        {!attachmentId && !problem && !isTemporary(sessionId) && <Working label={`Attaching ${name}`} />}
        <IconButton icon="close" label={`Remove ${name}`} onClick={() => app.drafts.detach(sessionId, key)} />
      </div>
      {problem && (
        <p class="problem" role="alert">
          {problem}{" "}
          {one.source && (
            <button type="button" class="link-button" onClick={() => void upload(app, sessionId, one)}>
              Try again
            </button>
          )}
        </p>
      )}
    </li>
  );
}

function DraftImage({
  sessionId,
  one: { url, name, attachmentId },
}: {
  sessionId: string;
  one: DraftAttachment;
}) {
  const fetched = useImage(sessionId, url ? undefined : attachmentId);
  const shown = url ?? fetched;
  return shown ? (
    <img src={shown} alt={name} />
  ) : (
    <span class="chip">
      <Icon name="image" size={14} /> {name}
    </span>
  );
}
