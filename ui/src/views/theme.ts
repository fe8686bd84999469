// The chosen colours: on the page, and on the frame that the system draws around it (a phone's bar, an installed window).
import type { Density, TextSize, Theme } from "../state/types";

/** How large the letters are and how close the rows; the style sheets know the rest. */
export function showSizes(page: Document, textSize: TextSize, density: Density): void {
  page.documentElement.dataset["size"] = textSize;
  page.documentElement.dataset["density"] = density;
}

export function showTheme(page: Document, theme: Theme): void {
  page.documentElement.dataset["theme"] = theme;
  for (const [index, scheme] of (["light", "dark"] as const).entries()) {
    const frame = page.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')[index];
    if (!frame) continue;
    if (theme === "system") frame.media = `(prefers-color-scheme: ${scheme})`;
    else frame.media = theme === scheme ? "all" : "not all";
  }
}
