// Where the workbench stands. Its own code is fetched when it is opened for the first time.
import { useEffect } from "preact/hooks";
import { withKeys } from "../../commands/keys";
import { run } from "../../commands/table";
import { benchOf } from "../../state/bench";
import { useApp } from "../context";
import { workbench } from "./later";
import { IconButton, Working } from "../parts";

export function WorkbenchPlace() {
  const bench = benchOf(useApp());
  const open = bench.open.value;
  useEffect(() => {
    if (open) void workbench.load();
  }, [open]);
  if (!open) return null;
  const views = workbench.module.value;
  return (
    <aside
      class="bench"
      id="workbench"
      aria-label="Workbench"
      style={{ "--bench": `${bench.width.value}px` }}
    >
      {views ? (
        <views.Workbench key={bench.session.value} session={bench.session.value!} />
      ) : workbench.failed.value ? (
        <p class="bench-empty" role="alert">
          The workbench did not load.{" "}
          <button type="button" class="button small" onClick={() => void workbench.load()}>
            Try again
          </button>
        </p>
      ) : (
        <p class="bench-empty" role="status">
          <Working label="Loading" /> Loading…
        </p>
      )}
    </aside>
  );
}

/** In the head of a session. */
export function WorkbenchButton() {
  const app = useApp();
  return (
    <IconButton
      icon="bench"
      label={withKeys("Workbench", "workbench")}
      aria-pressed={benchOf(app).open.value}
      aria-controls={benchOf(app).open.value ? "workbench" : undefined}
      onClick={() => run(app, "workbench")}
    />
  );
}
