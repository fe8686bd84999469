// Adding a folder.
import { useSignal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { addProject } from "../../actions/projects";
import { run } from "../../commands/table";
import { useApp } from "../context";
import { Icon } from "../icons";
import { Modal } from "./modal";

/** A path, completed by the server as it is typed. A refusal is said here and nothing is added. */
export function AddProject({ close }: { close: () => void }) {
  const app = useApp();
  const [path, setPath] = useState("");
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(false);
  const offers = useSignal<readonly string[]>([]);
  const selected = useSignal(-1);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const abort = new AbortController();
    app.api.call("GET /api/directories", { prefix: path || "~/" }, abort.signal).then(
      ({ directories }) => {
        offers.value = directories.slice(0, 8);
        selected.value = -1;
      },
      () => {},
    );
    return () => abort.abort();
  }, [path]);
  const submit = async (event?: Event) => {
    event?.preventDefault();
    if (path.trim() === "" || busy) return;
    setBusy(true);
    const result = await addProject(app, path.trim());
    setBusy(false);
    if (typeof result === "string") {
      setProblem(result);
      input.current?.focus();
      return;
    }
    close();
    run(app, "new-session", { projectId: result.projectId });
  };
  const take = (directory: string) => {
    setPath(directory.endsWith("/") ? directory : `${directory}/`);
    setProblem("");
    input.current?.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    const { length } = offers.value;
    if (event.key === "ArrowDown" && length > 0) {
      event.preventDefault();
      selected.value = (selected.peek() + 1) % length;
    } else if (event.key === "ArrowUp" && length > 0) {
      event.preventDefault();
      selected.value = (selected.peek() - 1 + length) % length;
    } else if (
      event.key === "Tab" &&
      !event.shiftKey &&
      length > 0 &&
      (selected.peek() >= 0 || length === 1)
    ) {
      event.preventDefault();
      take(offers.value[Math.max(0, selected.peek())]!);
    } else if (event.key === "Enter" && selected.peek() >= 0) {
      event.preventDefault();
      take(offers.value[selected.peek()]!);
    }
  };
  return (
    <Modal title="Add project" onClose={close}>
      <form onSubmit={(event) => void submit(event)}>
        <label class="field">
          Folder on the server's machine
          <input
            ref={input}
            data-autofocus
            type="text"
            value={path}
            placeholder="/home/you/project"
            autoComplete="off"
            spellcheck={false}
            role="combobox"
            aria-expanded={offers.value.length > 0}
            aria-controls="directories"
            aria-autocomplete="list"
            aria-activedescendant={selected.value >= 0 ? `directory-${selected.value}` : undefined}
            aria-invalid={problem !== ""}
            aria-describedby="add-problem"
            onInput={(event) => {
              setPath(event.currentTarget.value);
              setProblem("");
            }}
            onKeyDown={onKey}
          />
        </label>
        <p id="add-problem" class="problem" role="alert">
          {problem}
        </p>
        {offers.value.length > 0 && (
          <ul class="offers" id="directories" role="listbox" aria-label="Folders">
            {offers.value.map((directory, index) => (
              <li
                key={directory}
                id={`directory-${index}`}
                role="option"
                aria-selected={index === selected.value}
                onPointerDown={(event) => {
                  event.preventDefault();
                  take(directory);
                }}
              >
                <Icon name="folder" size={14} />
                <bdi>{directory}</bdi>
              </li>
            ))}
          </ul>
        )}
        <footer class="modal-foot">
          <button type="button" class="button" onClick={close}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={path.trim() === "" || busy}>
            Add project
          </button>
        </footer>
      </form>
    </Modal>
  );
}
