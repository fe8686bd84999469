// One file of a session's folder, to be read.
import { useEffect, useState } from "preact/hooks";
import { openInEditor, useEditor } from "../../../actions/review";
import { copyPath } from "../../../actions/sessions";
import { run } from "../../../commands/table";
import { withKeys } from "../../../commands/keys";
import { WireError } from "../../../api";
import { absolute, editors } from "../../../editors";
import { bytes } from "../../../format";
import { contentOf, type Content } from "../../../review/viewed_file";
import { benchOf, lookedText, type Looked } from "../../../state/bench";
import { useApp } from "../../context";
import { Revealed } from "../../conversation/revealed";
import { useRoot } from "../../conversation/places";
import { Icon } from "../../icons";
import { IconButton, Working } from "../../parts";
import { TextView } from "./text_view";

export function FilesPanel({ session }: { session: string }) {
  const app = useApp();
  const file = benchOf(app).file(session);
  if (!file)
    return (
      <div class="bench-empty">
        <p>Files of this session open here, to be read.</p>
        <button type="button" class="button" onClick={() => run(app, "quick-open", { sessionId: session })}>
          {withKeys("Open a file…", "quick-open")}
        </button>
      </div>
    );
  return <FileView key={file.path} session={session} file={file} />;
}

interface Found {
  content?: Content;
  problem?: Error;
}

function FileView({ session, file }: { session: string; file: Looked }) {
  const app = useApp();
  const [found, setFound] = useState<Found>({});
  const [round, setRound] = useState(0);
  const oid = app.sessions.of(session)?.value.changes?.oid;
  useEffect(() => {
    let gone = false;
    const asked = new URLSearchParams({ path: file.path });
    app.api
      .blob(`/api/session/${encodeURIComponent(session)}/file?${String(asked)}`)
      .then(contentOf)
      .then(
        (content) => !gone && setFound({ content }),
        (problem: Error) => !gone && setFound({ problem }),
      );
    return () => {
      gone = true;
    };
  }, [round, oid]);
  return (
    <div class="file-view">
      <Head session={session} file={file} onAgain={() => setRound(round + 1)} />
      {found.problem ? (
        <div class="bench-empty" role="alert">
          <p>{found.problem.message}</p>
          {!(found.problem instanceof WireError && found.problem.code === "TOO_LARGE") && (
            <button type="button" class="button" onClick={() => setRound(round + 1)}>
              Try again
            </button>
          )}
        </div>
      ) : !found.content ? (
        <p class="bench-empty" role="status">
          <Working label="Loading" /> Loading…
        </p>
      ) : found.content.kind === "text" ? (
        <TextView session={session} file={file} lines={found.content.lines} />
      ) : found.content.kind === "image" ? (
        <ImageView blob={found.content.blob} path={file.path} />
      ) : (
        <p class="bench-empty">
          A binary file: {bytes(found.content.bytes)}. There is nothing to read in it.
        </p>
      )}
    </div>
  );
}

function Head({ session, file, onAgain }: { session: string; file: Looked; onAgain: () => void }) {
  const app = useApp();
  const root = useRoot(session);
  const whole = absolute(root, file.path);
  const configured = useEditor(app);
  return (
    <div class="file-head">
      <span class="file-name">
        <span class="file-path">
          <bdi>
            <Revealed text={file.path} />
          </bdi>
        </span>
        {file.line !== undefined && <span class="muted">:{file.line}</span>}
      </span>
      <IconButton icon="copy" label="Copy the path" onClick={() => void copyPath(app, lookedText(file))} />
      {configured ? (
        <IconButton
          icon="edit"
          label="Open in editor"
          onClick={() => void openInEditor(app, session, file)}
        />
      ) : (
        whole !== undefined && (
          <a
            class="icon-button"
            href={editors[0]!.address(whole, file)}
            rel="noopener noreferrer"
            aria-label={`Open in ${editors[0]!.name}`}
            title={`Open in ${editors[0]!.name}`}
          >
            <Icon name="edit" />
          </a>
        )
      )}
      <IconButton icon="retry" label="Refresh" onClick={onAgain} />
      <IconButton
        icon="search"
        label={withKeys("Open a file…", "quick-open")}
        onClick={() => run(app, "quick-open", { sessionId: session })}
      />
    </div>
  );
}

function ImageView({ blob, path }: { blob: Blob; path: string }) {
  const [url, setUrl] = useState("");
  useEffect(() => {
    const made = URL.createObjectURL(blob);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [blob]);
  return (
    <div class="dl-images">
      <figure class="dl-image">
        <figcaption class="muted">{bytes(blob.size)}</figcaption>
        {url !== "" && <img src={url} alt={path} />}
      </figure>
    </div>
  );
}
