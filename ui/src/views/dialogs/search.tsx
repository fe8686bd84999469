// Words in all conversations.
import { useSignal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { jumpTo } from "../../actions/reading";
import { age, plainLine } from "../../format";
import { visible } from "../../reveal";
import type { SearchResult } from "../../wire";
import { useApp } from "../context";
import { Modal } from "./modal";
import { Picker, type Entry } from "./picker";
import { titleOf } from "../../state/tabs";

/** What kind of thing the words were found in, where that is not a message. */
const kinds: Record<string, string> = {
  thinking: "thought",
  tool_call: "tool",
  approval: "question",
  plan: "plan",
};

const kMostResults = 40;

export function SearchDialog({ close, query: first }: { close: () => void; query: string }) {
  const app = useApp();
  const [query, setQuery] = useState(first);
  const results = useSignal<readonly SearchResult[] | undefined>(undefined);
  const problem = useSignal("");
  useEffect(() => {
    if (query.trim().length < 2) {
      results.value = undefined;
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(
      () =>
        app.api.call("GET /api/search", { q: query, limit: kMostResults }, abort.signal).then(
          (answer) => {
            results.value = answer.results;
            problem.value = "";
          },
          (error: Error) => {
            if (error.name !== "AbortError") problem.value = error.message;
          },
        ),
      120,
    );
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [query]);
  const found = (results.value ?? []).map((result): Entry => ({
    key: `${result.sessionId}:${result.itemId}`,
    label: titleOf(result),
    cliType: result.cliType,
    snippet: visible(plainLine(result.snippet)),
    detail: [kinds[result.type], app.projects.of(result.projectId)?.name, age(result.at, app.now.value)]
      .filter(Boolean)
      .join(" · "),
    run: () => void jumpTo(app, result.sessionId, result.itemId),
  }));
  return (
    <Modal title="Search all conversations" hideTitle onClose={close} class="palette">
      <Picker
        query={query}
        onQuery={setQuery}
        placeholder="Search all conversations"
        label="Results"
        entries={found}
        choose={(entry) => {
          close();
          entry.run();
        }}
      />
      {results.value?.length === 0 && <p class="muted picker-note">No message has these words.</p>}
      {found.length > 0 && (
        <p class="muted picker-note" role="status">
          {found.length === kMostResults
            ? `The best ${kMostResults}. More words find less.`
            : `${found.length} ${found.length === 1 ? "result" : "results"}`}
        </p>
      )}
      {problem.value !== "" && (
        <p class="problem picker-note" role="alert">
          {problem.value}
        </p>
      )}
      {results.value === undefined && problem.value === "" && (
        <p class="muted picker-note">Type at least two letters. Enter jumps to the message.</p>
      )}
    </Modal>
  );
}
