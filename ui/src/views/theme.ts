// The chosen colours: on the page, and on the frame that the system draws around it (a phone's bar, an installed window).
import type { Theme } from "../state/types";

export function showTheme(page: Document, theme: Theme): void {
  page.documentElement.dataset["theme"] = theme;
  for (const [index, scheme] of (["light", "dark"] as const).entries()) {
    const frame = page.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')[index];
    if (!frame) continue;
    if (theme === "system") frame.media = `(prefers-color-scheme: ${scheme})`;
    else frame.media = theme === scheme ? "all" : "not all";
  }
}
