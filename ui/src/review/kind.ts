// What a file is, by the modes that git writes. Pure.
import type { Unified } from "./unified";

const kLink = "120000";
const kRepository = "160000";
const isRunnable = (mode: string) => mode.endsWith("755");

/** For what is not an ordinary file, or has become another kind of one. */
export function kindWords(diff: Unified | undefined): string | undefined {
  const { oldMode, newMode } = diff ?? {};
  const mode = newMode ?? oldMode;
  if (mode === undefined) return undefined;
  if (mode === kLink) return "link";
  if (mode === kRepository) return "repository";
  if (oldMode !== undefined && newMode !== undefined)
    return isRunnable(newMode) ? "now executable" : isRunnable(oldMode) ? "no longer executable" : "mode";
  return isRunnable(mode) ? "executable" : undefined;
}

/** Of a file that was there before and whose content is the same. */
export function onlyKind(diff: Unified | undefined): string {
  const words = kindWords(diff);
  return words === undefined || words === "mode" ? "No line changed." : `Only the mode changed: ${words}.`;
}
