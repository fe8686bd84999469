// The page's colours and letters for terminals, which want numbers, not names.
import type { ITheme } from "@xterm/xterm";

const kNames = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"] as const;

/** What a colour of the style sheets is now, as #rrggbb; undefined where nothing can be drawn. */
function resolver(page: Document): ((colour: string) => string) | undefined {
  const canvas = page.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (!pen) return undefined;
  const probe = page.createElement("span");
  probe.hidden = true;
  page.documentElement.append(probe);
  return (colour) => {
    probe.style.color = colour;
    pen.fillStyle = getComputedStyle(probe).color;
    pen.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = pen.getImageData(0, 0, 1, 1).data;
    probe.style.color = "";
    return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  };
}

let resolve: ReturnType<typeof resolver> | null = null;

export function terminalTheme(page: Document): ITheme {
  if (resolve === null) resolve = resolver(page);
  if (!resolve) return {};
  const theme: Record<string, string> = {
    background: resolve("var(--bg)"),
    foreground: resolve("var(--ink)"),
    cursor: resolve("var(--accent-text)"),
    cursorAccent: resolve("var(--bg)"),
    selectionBackground: `${resolve("var(--accent)")}55`,
    selectionInactiveBackground: `${resolve("var(--ink-3)")}44`,
    scrollbarSliderBackground: resolve("var(--line)"),
    scrollbarSliderHoverBackground: resolve("var(--line-strong)"),
    scrollbarSliderActiveBackground: resolve("var(--line-strong)"),
  };
  for (const [index, name] of kNames.entries()) {
    const bright = `bright${name[0]!.toUpperCase()}${name.slice(1)}`;
    theme[name] = resolve(`var(--ansi-${index})`);
    theme[bright] = resolve(`color-mix(in oklab, var(--ansi-${index}) 72%, var(--ink))`);
  }
  // As a ground they have to be what their names say; as letters the contrast is kept by the terminal itself.
  theme["black"] = resolve("light-dark(#2b2b28, #0c0c0e)");
  theme["white"] = resolve("light-dark(#d9d9d3, #c3c3c9)");
  theme["brightBlack"] = resolve("var(--ink-3)");
  theme["brightWhite"] = resolve("light-dark(#fdfdfc, #ffffff)");
  return theme;
}

export const terminalFont = (page: Document): string =>
  getComputedStyle(page.documentElement).getPropertyValue("--mono").trim() || "monospace";

/** In pixels; `step`: how much larger somebody wanted it. */
export function terminalFontSize(page: Document, step: number): number {
  const scale = Number(getComputedStyle(page.documentElement).getPropertyValue("--scale")) || 1;
  return Math.round(12.5 * scale * 2) / 2 + step;
}

/** Calls whenever colours or sizes of the page change: by a setting, or by the system. */
export function onThemeChange(page: Document, changed: () => void): () => void {
  const root = new MutationObserver(changed);
  root.observe(page.documentElement, { attributes: true, attributeFilter: ["data-theme", "data-size"] });
  const scheme = matchMedia("(prefers-color-scheme: dark)");
  scheme.addEventListener("change", changed);
  return () => {
    root.disconnect();
    scheme.removeEventListener("change", changed);
  };
}
