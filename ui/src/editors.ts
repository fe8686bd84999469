// Where a file is on the machine, and what opens it there. Pure.
import type { Place } from "./paths";

/** From the root of the file system, without `.` and `..`; undefined where that cannot be known. */
export function absolute(root: string, path: string): string | undefined {
  const whole = path.startsWith("/")
    ? path
    : root === "" || path.startsWith("~")
      ? undefined
      : `${root}/${path}`;
  if (whole === undefined) return undefined;
  const parts: string[] = [];
  for (const part of whole.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** Editors that open a file by an address, on the machine that the browser runs on. */
export const editors: readonly { name: string; address: (path: string, place: Place) => string }[] = [
  ["VS Code", "vscode://file"],
  ["Cursor", "cursor://file"],
  ["Zed", "zed://file"],
].map(([name, scheme]) => ({
  name: name!,
  address: (path, { line, column }) =>
    [scheme! + path.split("/").map(encodeURIComponent).join("/"), line, line && column]
      .filter((part) => part !== undefined)
      .join(":"),
}));
