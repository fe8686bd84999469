// The files that differ as a list or as a tree. Pure.
import type { ChangedFile } from "../wire";

export interface FileRow {
  kind: "file";
  file: ChangedFile;
  /** Among all files. */
  index: number;
  depth: number;
  name: string;
}
export interface FolderRow {
  kind: "folder";
  path: string;
  depth: number;
  name: string;
  files: number;
  open: boolean;
}
export type ListRow = FileRow | FolderRow;

export const asList = (files: readonly ChangedFile[]): ListRow[] =>
  files.map((file, index) => ({ kind: "file", file, index, depth: 0, name: file.path }));

interface Folder {
  path: string;
  folders: Map<string, Folder>;
  files: FileRow[];
  count: number;
}

/** Folders first, each with what is in it; a folder with nothing but one folder is one row with it. */
export function asTree(files: readonly ChangedFile[], closed: ReadonlySet<string>): ListRow[] {
  const root: Folder = { path: "", folders: new Map(), files: [], count: 0 };
  files.forEach((file, index) => {
    const parts = file.path.split("/");
    const name = parts.pop()!;
    let folder = root;
    for (const part of parts) {
      const path = folder.path === "" ? part : `${folder.path}/${part}`;
      const next = folder.folders.get(part) ?? { path, folders: new Map(), files: [], count: 0 };
      folder.folders.set(part, next);
      folder = next;
      folder.count++;
    }
    folder.files.push({ kind: "file", file, index, depth: 0, name });
  });
  const rows: ListRow[] = [];
  draw(root, 0, closed, rows);
  return rows;
}

function draw(folder: Folder, depth: number, closed: ReadonlySet<string>, rows: ListRow[]): void {
  for (const child of folder.folders.values()) {
    let [shown, name] = [child, child.path.slice(folder.path === "" ? 0 : folder.path.length + 1)];
    while (shown.files.length === 0 && shown.folders.size === 1) {
      const [[part, only]] = [...shown.folders] as [[string, Folder]];
      name += `/${part}`;
      shown = only;
    }
    const open = !closed.has(shown.path);
    rows.push({ kind: "folder", path: shown.path, depth, name, files: shown.count, open });
    if (open) draw(shown, depth + 1, closed, rows);
  }
  for (const file of folder.files) rows.push({ ...file, depth });
}
