// Files, by their paths.
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Revealed } from "../conversation/revealed";

/** More than this are shown when somebody asks. */
const kFew = 12;

/** `mark`: what stands before a path; `all`: how many there are, where not all are named. */
export function Paths<T extends string | { path: string }>({
  paths,
  label,
  all = paths.length,
  mark,
}: {
  paths: readonly T[];
  label: string;
  all?: number;
  mark?: (one: T) => ComponentChildren;
}) {
  const [open, setOpen] = useState(false);
  const shown = open ? paths : paths.slice(0, kFew);
  return (
    <ul class="path-list" aria-label={label}>
      {shown.map((one) => {
        const path = typeof one === "string" ? one : one.path;
        return (
          <li key={path}>
            {mark?.(one)}
            <code>
              <Revealed text={path} />
            </code>
          </li>
        );
      })}
      {shown.length < paths.length ? (
        <li>
          <button type="button" class="link-button" onClick={() => setOpen(true)}>
            Show {paths.length - shown.length} more
          </button>
        </li>
      ) : (
        all > paths.length && <li class="muted">and {all - paths.length} more</li>
      )}
    </ul>
  );
}
