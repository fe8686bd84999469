// Changes, files and comments of the development server: files that exist only here.
import { createHash, randomUUID } from "node:crypto";
import { fail } from "./fail.mjs";
import { unified } from "./unified.mjs";

const oidOf = (content) => createHash("sha1").update(content).digest("hex");
const isBinary = (content) => typeof content !== "string";

/** What the parts below know of a world. */
export function seedReview(world) {
  /** Trees by session: what its files were at the base, at the last commit, in the index, and are. */
  world.reviews = new Map();
  world.comments = new Map();
  /** What was asked for, newest last. */
  world.committed = [];
  world.discarded = [];
  world.opened = [];
  /** Why nothing can be committed. */
  world.commitRefused = undefined;
  world.editor = false;
}

function reviewOf(world, sessionId) {
  const known = world.reviews.get(sessionId);
  if (known) return known;
  const empty = { base: new Map(), head: new Map(), index: new Map(), now: new Map(), turns: new Map() };
  const made = {
    ...empty,
    trees: new Map(),
    viewed: new Map(),
    undo: new Map(),
    counts: new Map(),
    version: 0,
  };
  world.reviews.set(sessionId, made);
  return made;
}

/** Snapshots are named: later questions are about exactly what an answer showed. */
function treeOf(review, files) {
  for (const [oid, known] of review.trees)
    if (known.source === files && known.version === review.version) return oid;
  const oid = createHash("sha1").update(`${review.version}:${review.trees.size}`).digest("hex");
  review.trees.set(oid, { source: files, version: review.version, files: new Map(files) });
  return oid;
}

/** A file as it was (undefined: it was not there) and as it is (undefined: it is gone). */
export function putFile(world, sessionId, path, before, now, { oldPath, modes } = {}) {
  const review = reviewOf(world, sessionId);
  if (modes) (review.modes ??= new Map()).set(path, modes);
  for (const tree of [review.base, review.head, review.index])
    if (before !== undefined) tree.set(oldPath ?? path, before);
  if (now !== undefined) review.now.set(path, now);
  if (oldPath !== undefined) (review.renamed ??= new Map()).set(path, oldPath);
  review.version++;
}

/** What is on the disk that there is not. */
export const fileNow = (world, sessionId, path) => reviewOf(world, sessionId).now.get(path);

/** The agent wrote it: every window hears of it. */
export function changeFile(world, sessionId, path, now) {
  const review = reviewOf(world, sessionId);
  if (now === undefined) review.now.delete(path);
  else review.now.set(path, now);
  review.version++;
  tell(world, sessionId, { needsReview: true });
  for (const comment of world.comments.get(sessionId) ?? [])
    if (comment.path === path && comment.state === "draft" && !stillThere(comment, now))
      upsert(world, Object.assign(comment, { state: "outdated", updatedAt: new Date().toISOString() }));
}
const stillThere = ({ quote, side }, now) => side === "old" || (now ?? "").split("\n").includes(quote);

/** How much differs from the base, in the session's row. */
export function tell(world, sessionId, more = {}) {
  const { files, added, deleted, oid } = changes(world, sessionId, "base");
  const session = world.session(sessionId);
  Object.assign(session.info, more, { changes: { files: files.length, added, deleted, oid } });
  world.broadcast({ type: "session:info", ...session.info });
}

function sideOf(review, against) {
  if (against.startsWith("turn:")) return review.turns.get(against.slice(5)) ?? review.base;
  return { base: review.base, head: review.head, index: review.index }[against];
}

function countOf(review, path, before, now) {
  const key = `${path}:${before === undefined ? "" : oidOf(before)}:${now === undefined ? "" : oidOf(now)}`;
  const known = review.counts.get(key);
  if (known) return known;
  const lines =
    isBinary(before ?? "") || isBinary(now ?? "") ? [] : unified(path, before, now).split("\n").slice(4);
  const counts = {
    added: lines.filter((line) => line.startsWith("+")).length,
    deleted: lines.filter((line) => line.startsWith("-")).length,
  };
  review.counts.set(key, counts);
  return counts;
}

function changes(world, sessionId, against = "base") {
  const review = reviewOf(world, sessionId);
  const before = sideOf(review, against);
  if (!before) throw fail(409, "NOT_SUPPORTED", `Nothing can be compared with ${against} here.`);
  const from = treeOf(review, before);
  const oid = treeOf(review, review.now);
  const renamed = review.renamed ?? new Map();
  const gone = new Set([...renamed].filter(([path]) => review.now.has(path)).map(([, old]) => old));
  const paths = [...new Set([...before.keys(), ...review.now.keys()])]
    .filter((path) => !gone.has(path))
    .sort();
  const files = paths.flatMap((path) => {
    const oldPath = before.has(renamed.get(path)) ? renamed.get(path) : undefined;
    const [old, now] = [before.get(oldPath ?? path), review.now.get(path)];
    if (
      oldPath === undefined &&
      !review.modes?.has(path) &&
      (old === now || (isBinary(old ?? "") && old?.equals?.(now)))
    )
      return [];
    const seen = review.viewed.get(path);
    const blob = oidOf(now ?? old);
    return [
      {
        path,
        ...(oldPath === undefined ? {} : { oldPath }),
        status:
          oldPath !== undefined
            ? "renamed"
            : old === undefined
              ? "added"
              : now === undefined
                ? "deleted"
                : "modified",
        ...countOf(review, path, old, now),
        ...(isBinary(old ?? now) || isBinary(now ?? old) ? { binary: true } : {}),
        oid: blob,
        ...(seen === blob ? { viewed: true } : seen ? { changedSinceViewed: true } : {}),
      },
    ];
  });
  const sum = (field) => files.reduce((total, file) => total + file[field], 0);
  const most = world.mostChanged ?? 10_000;
  return {
    against,
    from,
    oid,
    files: files.slice(0, most),
    added: sum("added"),
    deleted: sum("deleted"),
    count: files.length,
    ...(files.length > most ? { truncated: true } : {}),
    ...(review.reviewed === oid ? { reviewed: true } : {}),
    target: "main",
    offers: ["base", "head", "index", ...[...review.turns.keys()].map((id) => `turn:${id}`)],
  };
}

function contentAt(review, tree, path) {
  const files = tree === null ? review.now : review.trees.get(tree)?.files;
  const content = files?.get(path);
  if (content === undefined) throw fail(404, "NOT_FOUND", "There is no such file.");
  return content;
}

function text(response, body, type = "text/plain; charset=utf-8") {
  response.writeHead(200, { "Content-Type": type });
  response.end(body);
}

function diff(world, sessionId, asked, response) {
  const review = reviewOf(world, sessionId);
  const path = asked.get("path");
  const [from, oid] = [review.trees.get(asked.get("from")), review.trees.get(asked.get("oid"))];
  if (!from || !oid) throw fail(404, "NOT_FOUND", "These files are not known any more. Look again.");
  const old = review.renamed?.get(path) ?? path;
  const [before, now] = [from.files.get(from.files.has(old) ? old : path), oid.files.get(path)];
  if ((now ?? "").length > 8 << 20) throw fail(413, "TOO_LARGE", "The difference has more than 8 MiB.");
  const context = Number(asked.get("context") ?? 3);
  text(response, unified(path, before, now, { context, modes: review.modes?.get(path) }));
}

function file(world, sessionId, asked, response) {
  const content = contentAt(reviewOf(world, sessionId), asked.get("oid"), asked.get("path"));
  if (content.length > 8 << 20) throw fail(413, "TOO_LARGE", "This file is larger than 8 MiB.");
  const image = /\.png$/.test(asked.get("path"));
  text(response, content, !isBinary(content) ? undefined : image ? "image/png" : "application/octet-stream");
}

function discard(world, sessionId, { path, from, oid, hunk }) {
  const review = reviewOf(world, sessionId);
  const shown = review.trees.get(oid)?.files.get(path);
  if (review.now.get(path) !== shown)
    throw fail(409, "REWIND_CONFLICT", "This file is another by now. Look again.", { paths: [path] });
  const undoId = `discard-${world.discarded.length + 1}`;
  review.undo.set(undoId, { path, content: shown });
  world.discarded.push({ path, ...(hunk ? { hunk } : {}) });
  const old = review.trees.get(from).files.get(path);
  changeFile(world, sessionId, path, hunk ? withoutHunk(old, shown, hunk) : old);
  return { changes: [{ path, kind: old === undefined ? "deleted" : "modified" }], undoId };
}
function withoutHunk(old, now, { oldStart, oldLines, newStart, newLines }) {
  const [before, after] = [old.split("\n"), now.split("\n")];
  const at = (start, lines) => (lines === 0 ? start : start - 1);
  const kept = before.slice(at(oldStart, oldLines), at(oldStart, oldLines) + oldLines);
  after.splice(at(newStart, newLines), newLines, ...kept);
  return after.join("\n");
}

function commit(world, sessionId, { paths, message }) {
  if (world.commitRefused) throw fail(502, "PROCESS_CRASH", world.commitRefused);
  const review = reviewOf(world, sessionId);
  for (const path of paths)
    for (const tree of [review.head, review.index])
      if (review.now.has(path)) tree.set(path, review.now.get(path));
      else tree.delete(path);
  review.version++;
  world.committed.push({ paths, message });
  tell(world, sessionId);
  return { oid: oidOf(message), branch: "fix-rounding", files: paths.length };
}

function upsert(world, comment) {
  world.broadcast({ type: "comment:upsert", comment });
  return { type: "comment:upsert", comment };
}
export function addComment(world, sessionId, { path, itemId, side, oid, line, quote, body }) {
  const at = new Date().toISOString();
  const fields = Object.entries({ path, itemId, side, oid }).filter(([, value]) => value !== undefined);
  const comment = {
    commentId: randomUUID(),
    sessionId,
    state: "draft",
    ...Object.fromEntries(fields),
    line,
    quote,
    body,
    createdAt: at,
    updatedAt: at,
  };
  world.comments.set(sessionId, [...(world.comments.get(sessionId) ?? []), comment]);
  return upsert(world, comment);
}
function changeComment(world, sessionId, commentId, change, body) {
  const all = world.comments.get(sessionId) ?? [];
  const comment = all.find((one) => one.commentId === commentId);
  if (!comment) throw fail(404, "NOT_FOUND", "There is no such comment.");
  const updatedAt = new Date().toISOString();
  if (change === "edit") return upsert(world, Object.assign(comment, { body: body.body, updatedAt }));
  if (change === "resolve")
    return upsert(
      world,
      Object.assign(comment, { state: body.resolved === false ? "sent" : "resolved", updatedAt }),
    );
  world.comments.set(
    sessionId,
    all.filter((one) => one !== comment),
  );
  world.broadcast({ type: "comment:removed", sessionId, commentId });
  return { type: "comment:removed", sessionId, commentId };
}

/** All drafts as one prompt, once for each key. */
function sendReview(world, session, { idempotencyKey, message }) {
  const { sessionId } = session.info;
  const sent = (session.reviewsSent ??= new Map());
  if (sent.has(idempotencyKey)) return sent.get(idempotencyKey);
  const drafts = (world.comments.get(sessionId) ?? []).filter(
    ({ path, state }) => path !== undefined && (state === "draft" || state === "outdated"),
  );
  if (drafts.length === 0) throw fail(409, "NOT_SUPPORTED", "There are no comments to send.");
  const said = drafts.map(
    ({ path, line, quote, body, state }) =>
      `${path}:${line}${state === "outdated" ? " (changed since)" : ""}\n> ${quote}\n${body}`,
  );
  const content = [message, "Please look at these comments:", ...said].filter(Boolean).join("\n\n");
  const { turnId, queued } = world.send(session, { content, clientMessageId: idempotencyKey });
  for (const comment of drafts)
    upsert(world, Object.assign(comment, { state: "sent", turnId, updatedAt: new Date().toISOString() }));
  const answer = {
    sessionId,
    turnId,
    ...(queued ? { queued } : {}),
    comments: drafts.map(({ commentId }) => commentId),
  };
  sent.set(idempotencyKey, answer);
  return answer;
}

/** Comments on a plan go with its answer. */
export function answered(world, sessionId, itemId, turnId) {
  for (const comment of world.comments.get(sessionId) ?? [])
    if (comment.itemId === itemId && comment.state === "draft")
      upsert(world, Object.assign(comment, { state: "sent", ...(turnId ? { turnId } : {}) }));
}

const bare = ({ type: _type, ...body }) => body;

/** True when the address is one of these. */
export function reviewHttp(world, method, url, body, send, response) {
  const of =
    /^\/api\/session\/([^/]+)\/(changes|diff|file|viewed|reviewed|commit|discard|editor|comments|review\/send|rewind\/undo|comments\/([^/]+)\/(edit|resolve|delete))$/.exec(
      url.pathname,
    );
  if (!of) return false;
  const session = world.session(decodeURIComponent(of[1]));
  const { sessionId } = session.info;
  const review = reviewOf(world, sessionId);
  const undone = of[2] === "rewind/undo" && review.undo.get(body.undoId);
  if (of[2] === "rewind/undo" && !undone) return false;
  const asked = url.searchParams;
  if (undone) {
    changeFile(world, sessionId, undone.path, undone.content);
    const changes = [{ path: undone.path, kind: "modified" }];
    send(200, { changes, conflicts: [], shared: [], conversation: false });
  } else if (of[3]) send(200, bare(changeComment(world, sessionId, of[3], of[4], body)));
  else if (of[2] === "changes") send(200, changes(world, sessionId, asked.get("against") ?? "base"));
  else if (of[2] === "diff") diff(world, sessionId, asked, response);
  else if (of[2] === "file") file(world, sessionId, asked, response);
  else if (of[2] === "viewed") {
    if (body.viewed === false) review.viewed.delete(body.path);
    else review.viewed.set(body.path, body.oid);
    send(200, {});
  } else if (of[2] === "reviewed") {
    review.reviewed = body.oid;
    world.change(session, { needsReview: false });
    send(200, {});
  } else if (of[2] === "commit") send(200, commit(world, sessionId, body));
  else if (of[2] === "discard") send(200, discard(world, sessionId, body));
  else if (of[2] === "editor") {
    if (!world.editor) throw fail(409, "NOT_SUPPORTED", "No editor is configured.");
    world.opened.push(body);
    send(200, {});
  } else if (of[2] === "review/send") send(202, sendReview(world, session, body));
  else if (method === "POST") send(201, bare(addComment(world, sessionId, body)));
  else send(200, { comments: world.comments.get(sessionId) ?? [] });
  return true;
}
