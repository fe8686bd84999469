// The work beside a conversation: what changed, the files, terminals, ports. One piece that is fetched when it is opened.
import { useEffect, useRef } from "preact/hooks";
import { withKeys } from "../../commands/keys";
import { benchOf, type BenchTab } from "../../state/bench";
import { useApp } from "../context";
import { IconButton } from "../parts";
import { BenchResizer } from "./bench_resizer";
import { panels } from "./panels";

const tabId = (tab: BenchTab) => `bench-tab-${tab}`;

export function Workbench({ session }: { session: string }) {
  const app = useApp();
  const bench = benchOf(app);
  const panel = useRef<HTMLDivElement>(null);
  const tab = bench.tab.value;
  const asked = bench.asked.value;
  useEffect(() => {
    // Whoever asked for it by a key goes on there. A panel may have given the focus to a part of itself.
    if (asked > 0 && !panel.current!.contains(document.activeElement)) panel.current!.focus();
  }, [asked, tab]);
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = panels.findIndex(({ id }) => id === tab);
    const next = panels[(at + step + panels.length) % panels.length]!;
    bench.show(next.id);
    document.getElementById(tabId(next.id))?.focus();
  };
  const { View } = panels.find(({ id }) => id === tab)!;
  return (
    <>
      <BenchResizer bench={bench} />
      <div class="bench-head">
        <div class="bench-tabs" role="tablist" aria-label="Workbench" onKeyDown={onKey}>
          {panels.map(({ id, label, command, Count }) => (
            <button
              type="button"
              role="tab"
              key={id}
              id={tabId(id)}
              aria-selected={id === tab}
              aria-controls="bench-panel"
              tabIndex={id === tab ? 0 : -1}
              title={withKeys(label, command)}
              onClick={() => bench.show(id)}
            >
              {label}
              {Count && <Count session={session} />}
            </button>
          ))}
        </div>
        <IconButton
          icon="close"
          label={withKeys("Close the workbench", "workbench")}
          onClick={() => bench.close()}
        />
      </div>
      <div
        ref={panel}
        class="bench-panel"
        id="bench-panel"
        role="tabpanel"
        aria-labelledby={tabId(tab)}
        tabIndex={-1}
      >
        <View session={session} />
      </div>
    </>
  );
}
