// A file of a session's folder by a part of its name.
import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { visible } from "../../reveal";
import { benchOf, lookedAt } from "../../state/bench";
import { useApp } from "../context";
import { Modal } from "./modal";
import { Picker, type Entry } from "./picker";

const kFiles = 50;

export function QuickOpen({ sessionId, close }: { sessionId: string; close: () => void }) {
  const app = useApp();
  const [query, setQuery] = useState("");
  const files = useSignal<readonly string[] | undefined>(undefined);
  const problem = useSignal("");
  const info = app.sessions.of(sessionId)?.value;
  // "total:12" is a line of it.
  const wanted = lookedAt(query.trim());
  useEffect(() => {
    if (!info) return;
    const abort = new AbortController();
    const { projectId, workspaceId } = info;
    const timer = setTimeout(
      () =>
        app.api
          .call(
            "GET /api/project/{projectId}/files",
            {
              projectId,
              ...(workspaceId === undefined ? {} : { workspaceId }),
              q: wanted?.path ?? "",
              limit: kFiles,
            },
            abort.signal,
          )
          .then(
            (found) => {
              files.value = found.files.map(({ path }) => path);
              problem.value = "";
            },
            (error: Error) => {
              if (error.name !== "AbortError") problem.value = error.message;
            },
          ),
      query === "" ? 0 : 80,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [wanted?.path]);
  const entries = (files.value ?? []).map((path): Entry => {
    const at = path.lastIndexOf("/") + 1;
    return {
      key: path,
      label: visible(path.slice(at)),
      ...(at > 0 ? { detail: visible(path.slice(0, at - 1)) } : {}),
      icon: "file",
      run: () => {
        const line = wanted?.line;
        benchOf(app).look(sessionId, line === undefined ? { path } : { path, line });
        benchOf(app).show("files");
      },
    };
  });
  return (
    <Modal title="Open a file" hideTitle onClose={close} class="palette">
      <Picker
        query={query}
        onQuery={setQuery}
        placeholder="Open a file, or a line of it: total.ts:12"
        label="Files"
        entries={entries}
        again="p"
        choose={(entry) => {
          close();
          entry.run();
        }}
      />
      {files.value?.length === 0 && <p class="muted picker-note">No file has such a name.</p>}
      {problem.value !== "" && (
        <p class="problem picker-note" role="alert">
          {problem.value}
        </p>
      )}
    </Modal>
  );
}
