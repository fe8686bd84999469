// What was measured, as JSON lines and as a table for docs/benchmarks.md.
import { quantile } from "../../tests/support/figures.mjs";

const figures = [];
const rounded = (value) => (typeof value === "number" ? Number(value.toFixed(Math.abs(value) < 10 ? 2 : value < 100 ? 1 : 0)) : value);

/** `limit` is the most that `value` may be; without one the figure is only reported. `beside`: what it is compared with, in words. */
export function figure({ name, what, value, unit, limit, beside = "" }) {
  const line = { bench: "nfr", name, value: rounded(value), unit };
  if (limit !== undefined) Object.assign(line, { limit: rounded(limit), ok: value <= limit });
  if (beside) line.beside = beside;
  figures.push({ ...line, what });
  console.log(JSON.stringify(line));
}

/** Median and p95 of one series as two figures; limits for both where given. */
export function series({ name, what, values, unit = "ms", median, p95, beside }) {
  figure({ name: `${name}_median`, what: `${what}, median of ${values.length}`, value: quantile(values, 0.5), unit, limit: median, beside });
  figure({ name: `${name}_p95`, what: `${what}, p95`, value: quantile(values, 0.95), unit, limit: p95 });
}

export const allHold = () => figures.every((line) => line.ok !== false);

/** Rows for docs/benchmarks.md. */
export function table() {
  const shown = (value, unit) => (value === undefined ? "" : `${value} ${unit}`);
  const rows = figures.map(
    ({ what, value, unit, limit, ok, beside }) =>
      `| ${what} | ${shown(value, unit)}${ok === false ? " **(missed)**" : ""} | ${limit === undefined ? "" : `≤ ${shown(limit, unit)}`} | ${beside ?? ""} |`,
  );
  return ["| figure | value | limit | measured beside it |", "|---|---:|---:|---|", ...rows].join("\n");
}
