// The files of a folder, to compare them.
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** All that is below a folder: kind, mode and bytes, but for what git keeps of it. */
export function everything(folder) {
  const found = {};
  for (const name of readdirSync(folder, { recursive: true })) {
    if (name === ".git" || name.startsWith("node_modules")) continue;
    const path = join(folder, name);
    const { mode } = lstatSync(path);
    if ((mode & 0o170000) === 0o040000) continue;
    const link = (mode & 0o170000) === 0o120000;
    found[name] =
      `${mode.toString(8)} ${link ? readlinkSync(path) : readFileSync(path, "latin1")}`;
  }
  return found;
}
