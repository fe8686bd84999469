// A unified difference as git writes it, for the development server.

/** Which lines stay, by the longest common subsequence; where that is too much, all of the middle is another. */
function kinds(before, after) {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (
    tail < Math.min(before.length, after.length) - head &&
    before[before.length - 1 - tail] === after[after.length - 1 - tail]
  )
    tail++;
  const [a, b] = [before.slice(head, before.length - tail), after.slice(head, after.length - tail)];
  const middle = a.length * b.length > 250_000 ? [...a.map(() => "-"), ...b.map(() => "+")] : common(a, b);
  return [...Array(head).fill(" "), ...middle, ...Array(tail).fill(" ")];
}

function common(a, b) {
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i][j] =
        a[i] === b[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
  const found = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length)
    if (i < a.length && j < b.length && a[i] === b[j]) {
      found.push(" ");
      i++;
      j++;
    } else if (i < a.length && (j >= b.length || lengths[i + 1][j] >= lengths[i][j + 1])) {
      found.push("-");
      i++;
    } else {
      found.push("+");
      j++;
    }
  return found;
}

const linesOf = (text) => (text === undefined || text === "" ? [] : text.replace(/\n$/, "").split("\n"));
const range = (start, lines) => (lines === 1 ? `${start}` : `${start},${lines}`);

/** `modes`: what git says about them, line by line. */
export function unified(path, before, now, { context = 3, modes = [] } = {}) {
  const head = [`diff --git a/${path} b/${path}`, ...modes, ""].join("\n");
  if (typeof (before ?? "") !== "string" || typeof (now ?? "") !== "string")
    return `${head}Binary files a/${path} and b/${path} differ\n`;
  if (before === now) return head;
  const [a, b] = [linesOf(before), linesOf(now)];
  const all = kinds(a, b);
  const changed = all.flatMap((kind, at) => (kind === " " ? [] : [at]));
  let out = `${head}--- ${before === undefined ? "/dev/null" : `a/${path}`}\n+++ ${now === undefined ? "/dev/null" : `b/${path}`}\n`;
  let [old, fresh, at] = [0, 0, 0];
  for (let n = 0; n < changed.length;) {
    const from = Math.max(0, changed[n] - context);
    let last = n;
    while (last + 1 < changed.length && changed[last + 1] - changed[last] <= 2 * context) last++;
    const to = Math.min(all.length, changed[last] + context + 1);
    for (; at < from; at++) [old, fresh] = [old + 1, fresh + 1];
    const [oldStart, newStart] = [old, fresh];
    let lines = "";
    for (; at < to; at++) {
      lines += `${all[at]}${all[at] === "+" ? b[fresh] : a[old]}\n`;
      if (all[at] !== "+") old++;
      if (all[at] !== "-") fresh++;
    }
    const [oldLines, newLines] = [old - oldStart, fresh - newStart];
    out += `@@ -${range(oldStart + (oldLines > 0 ? 1 : 0), oldLines)} +${range(newStart + (newLines > 0 ? 1 : 0), newLines)} @@\n${lines}`;
    n = last + 1;
  }
  return out;
}
