// What is said about the files of a session, by file. Pure.
import type { Comments } from "../state/comments";
import type { Comment } from "../wire";
import type { Side } from "./rows";

export interface Place {
  side: Side;
  line: number;
  quote: string;
}
export interface Said {
  comments: Map<string, Comment[]>;
  /** Where something is being typed. */
  writing: Map<string, Place[]>;
}

function add<T>(map: Map<string, T[]>, path: string, value: T): void {
  const list = map.get(path);
  if (list) list.push(value);
  else map.set(path, [value]);
}

export function saidIn(comments: Comments, session: string): Said {
  const said: Said = { comments: new Map(), writing: new Map() };
  for (const comment of comments.of(session).value)
    if (comment.path !== undefined) add(said.comments, comment.path, comment);
  for (const { path, side = "new", line, quote, commentId } of comments.writingOf(session))
    if (path !== undefined && commentId === undefined) add(said.writing, path, { side, line, quote });
  return said;
}

/** The same as long as the same rows come of it. */
export const signatureOf = ({ comments, writing }: Said, path: string): string =>
  [
    ...(comments.get(path) ?? []).map((one) => [one.commentId, one.state, one.side, one.line, one.updatedAt]),
    ...(writing.get(path) ?? []).map(({ side, line }) => [side, line]),
  ].join(";");
