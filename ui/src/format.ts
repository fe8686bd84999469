// Numbers and times as people read them.

/** now, 5m, 3h, 2d, 4w. */
export function age(iso: string, now: number): string {
  const minutes = Math.floor((now - Date.parse(iso)) / 60_000);
  if (!(minutes >= 1)) return "now";
  if (minutes < 60) return `${minutes}m`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)}h`;
  const days = Math.floor(minutes / (24 * 60));
  return days < 14 ? `${days}d` : `${Math.floor(days / 7)}w`;
}

export function duration(ms: number): string {
  if (!(ms >= 0)) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  const both = (large: string, small: number, unit: string) =>
    small === 0 ? large : `${large} ${small} ${unit}`;
  if (minutes < 60) return both(`${minutes} min`, Math.floor(seconds % 60), "s");
  return both(`${Math.floor(minutes / 60)} h`, minutes % 60, "min");
}

export function between(start: string | undefined, end: string | undefined): string {
  return start && end ? duration(Date.parse(end) - Date.parse(start)) : "";
}

export function count(n: number): string {
  if (n < 1000) return String(n);
  if (n < 100_000) return `${(n / 1000).toFixed(1).replace(/\.0$/, "")}k`;
  return n < 1_000_000 ? `${Math.round(n / 1000)}k` : `${(n / 1_000_000).toFixed(1).replace(/\.0$/, "")}M`;
}

/** What is too little to be told is told as that. */
export function cost(usd: number): string {
  if (usd >= 0.01) return `$${usd.toFixed(2)}`;
  return usd >= 0.0001 ? `$${usd.toFixed(4)}` : "< $0.0001";
}

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  return n < 1024 * 1024 ? `${(n / 1024).toFixed(0)} KiB` : `${(n / 1024 / 1024).toFixed(1)} MiB`;
}

// Making a formatter costs more than a row; using one does not.
const timeOfDay = new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" });
const dayAndTime = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "numeric",
  minute: "2-digit",
});

export function clockTime(iso: string): string {
  const date = new Date(iso);
  return (date.toDateString() === new Date().toDateString() ? timeOfDay : dayAndTime).format(date);
}

/** Keys as this machine names them. */
const mac = typeof navigator !== "undefined" && /Mac|iPhone|iPad/.test(navigator.platform);
const macKeys: Record<string, string> = { Ctrl: "⌘", Alt: "⌥", Shift: "⇧", Enter: "↵" };
export function keyName(key: string): string {
  return mac ? (macKeys[key] ?? key) : key;
}

/** The words of a markdown text on one line, for places that show a piece of it. */
export function plainLine(markdown: string): string {
  return markdown
    .replace(/```\w*|\*\*|__|`|^#{1,6}\s/gm, "")
    .replace(/\[([^\]]*)\]\([^)\s]*\)/g, "$1")
    .replace(/\|[\s:|-]*\||\|/g, " · ")
    .replace(/\s+/g, " ")
    .replace(/^(?: ?· ?)+|(?: ?· ?)+$/g, "")
    .trim();
}

/** A path as it is called inside of `root`; one from elsewhere stays whole. */
export function within(root: string, path: string): string {
  return root !== "" && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
