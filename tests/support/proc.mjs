// What the kernel says about processes: /proc, read as it is.
import { readdirSync, readFileSync } from "node:fs";
import { eventually } from "./server.mjs";

const field = (pid, file, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(readFileSync(`/proc/${pid}/${file}`, "utf8"))[1]);

export const rssKb = (pid) => field(pid, "status", "VmRSS");
export const threads = (pid) => field(pid, "status", "Threads");
/** Bytes that this process made the kernel send to a disk. */
export const writtenBytes = (pid) => field(pid, "io", "write_bytes");
export const descriptors = (pid) => readdirSync(`/proc/${pid}/fd`).length;

/** The fields of /proc/PID/stat behind the name, which may hold anything. */
const stat = (pid) => readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /s, "").split(" ");

/** User and system time so far; the kernel counts in hundredths of a second. */
export const cpuMs = (pid) => {
  const fields = stat(pid);
  return (Number(fields[11]) + Number(fields[12])) * 10;
};

/** What `read` says, or undefined when the process is gone. */
function unlessGone(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const pids = () => readdirSync("/proc").filter((name) => /^\d+$/.test(name)).map(Number);

export const commandOf = (pid) => unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1)) ?? [];

/** Every living process with this `NAME=value` in its environment; children inherit it, wherever they went. */
export function marked(mark) {
  return pids().filter((pid) => unlessGone(() => readFileSync(`/proc/${pid}/environ`, "utf8"))?.split("\0").includes(mark));
}

/** Children of `pid` that have ended and were never asked how. */
export const zombiesOf = (pid) =>
  pids().filter((one) => {
    const fields = unlessGone(() => stat(one));
    return fields?.[0] === "Z" && Number(fields[1]) === pid;
  });

/** How many marked processes are still there after `ms`; returns as soon as there are none. */
export async function leftAfter(mark, ms = 30_000) {
  await eventually(() => marked(mark).length === 0, "the end of all processes", ms).catch(() => {});
  return marked(mark).length;
}

const parentOf = (pid) => Number(unlessGone(() => stat(pid))?.[1]);

/** The agents' own processes among those with `mark`: each stands below a guardian of the server `pid`. */
export const agentsOf = (pid, mark) =>
  marked(mark).filter((one) => commandOf(parentOf(one))[1] === "guardian" && commandOf(one)[1] !== "guardian" && parentOf(parentOf(one)) === pid);

/** Of all processors since boot, in ticks: all of it, and what the host gave to others. */
export function processorTime() {
  const ticks = readFileSync("/proc/stat", "utf8").split("\n", 1)[0].trim().split(/\s+/).slice(1).map(Number);
  return { all: ticks.reduce((sum, one) => sum + one, 0), stolen: ticks[7] };
}
