// A repository in the middle of its user's work, and exact pictures of it: what must be the same whatever is done beside it.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { environment } from "../../support/server.mjs";

const hash = (bytes) => createHash("sha1").update(bytes).digest("base64");

/** Every file below a folder, by its path: what it is, its bytes and, if asked, when it was written. */
export function picture(root, { skip = () => false, times = false } = {}) {
  const found = new Map();
  const walk = (below) => {
    for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (skip(path)) continue;
      if (entry.isDirectory()) {
        walk(path);
        continue;
      }
      const whole = join(root, path);
      const { mode, mtimeNs, ino } = lstatSync(whole, { bigint: true });
      const bytes = entry.isSymbolicLink() ? `-> ${readlinkSync(whole)}` : `${mode & 0o111n ? "x" : "-"} ${hash(readFileSync(whole))}`;
      found.set(path, times ? `${bytes} ${mtimeNs} ${ino}` : bytes);
    }
  };
  walk("");
  return found;
}

/** The paths in which two pictures differ. */
export function differing(one, other) {
  const paths = new Set();
  for (const [path, what] of one) if (other.get(path) !== what) paths.add(path);
  for (const path of other.keys()) if (!one.has(path)) paths.add(path);
  return [...paths].sort();
}
export const same = (one, other) => differing(one, other).length === 0;

/** What is in a checkout, but for what git ignores here and its own folder. */
export const filesOf = (root, more = {}) => picture(root, { skip: (path) => path === ".git" || path.endsWith(".log"), ...more });

/** Of the git directory, what is the user's: all but objects, records of worktrees, and refs that are ours. */
const notTheUsers = /^(objects|worktrees|refs\/liminal|logs\/refs\/liminal|refs\/heads\/t|logs\/refs\/heads\/t)(\/|$)/;
/** What a landing changes of it. */
const landed = /^(index|ORIG_HEAD|logs\/HEAD|(logs\/)?refs\/heads\/main)$/;

export class Project {
  constructor(home, root) {
    this.home = home;
    this.root = root;
    this.hooksRan = join(home, "hooks-ran");
  }

  /** As the user, without hooks and without touching the index when it only looks. Its output; throws when it refuses. */
  git(args, cwd = this.root) {
    return new Promise((done, failed) => {
      const env = environment(this.home, { GIT_OPTIONAL_LOCKS: "0", GIT_CONFIG_NOSYSTEM: "1" });
      execFile("git", ["-c", "core.hooksPath=/dev/null", ...args], { cwd, env, maxBuffer: 1 << 26 }, (error, out, err) =>
        error ? failed(new Error(`git ${args.join(" ")}: ${err || error.message}`)) : done(out),
      );
    });
  }

  write(path, bytes, root = this.root) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
  }

  async make() {
    await this.git(["init", "-q", "-b", "main"]);
    for (const [key, value] of [["user.name", "User"], ["user.email", "user@localhost"], ["gc.auto", "0"]]) await this.git(["config", key, value]);
    for (const folder of ["work", "own"]) {
      for (let i = 1; i <= 12; ++i) this.write(`${folder}/file${i}`, `line ${i}\n`);
      for (let i = 1; i <= 40; ++i) this.write(`${folder}/gone${i}`, `${i}\n`);
      this.write(`${folder}/shared`, Array.from({ length: 20 }, (_, i) => `line ${i}\n`).join(""));
    }
    for (let i = 0; i < 150; ++i) this.write(`many/${i}`, `${"x".repeat(400)}${i}\n`);
    for (const name of ["edited", "staged", "both", "removed", "stashed", "log"]) this.write(`user/${name}`, `${name}\n`);
    this.write(".gitignore", "*.log\n");
    this.write(".worktreeinclude", "included.log\n");
    await this.git(["add", "-A"]);
    await this.git(["commit", "-q", "-m", "first"]);
    await this.git(["branch", "other"]);
    await this.git(["tag", "v1"]);
    this.write("user/stashed", "in the stash\n");
    await this.git(["stash", "push", "-q"]);
    for (const name of ["edited", "both"]) this.write(`user/${name}`, `${name} by the user\n`);
    this.write("user/staged", "staged by the user\n");
    this.write("user/added", "new, and staged\n");
    await this.git(["rm", "-q", "user/removed"]);
    await this.git(["add", "user/staged", "user/both", "user/added"]);
    this.write("user/both", "edited once more\n");
    this.write("untracked/deep/file", "unknown to git\n");
    this.write("user/runs", "#!/bin/sh\n");
    chmodSync(join(this.root, "user/runs"), 0o755);
    symlinkSync("nowhere", join(this.root, "user/link"));
    this.write("ignored.log", "ignored\n");
    this.write("included.log", "ignored, and wanted in worktrees\n");
    const hooks = ["pre-commit", "commit-msg", "post-commit", "post-checkout", "post-merge", "post-rewrite", "post-index-change", "reference-transaction", "pre-merge-commit"];
    for (const hook of hooks) {
      this.write(`.git/hooks/${hook}`, `#!/bin/sh\necho ${hook} >>"${this.hooksRan}"\n`);
      chmodSync(join(this.root, ".git/hooks", hook), 0o755);
    }
    this.write("hooks-ran", "", this.home);
  }

  /** All that is the user's: files, index, HEAD, branches, stash, logs, configuration, hooks. */
  taken() {
    return {
      files: picture(this.root, { skip: (path) => path === ".git", times: true }),
      git: picture(join(this.root, ".git"), { skip: (path) => notTheUsers.test(path) }),
      hooks: readFileSync(this.hooksRan, "utf8"),
    };
  }

  /** What is not as it was: `but`: paths of files that may be another. */
  changedSince(before, but = () => false) {
    const now = this.taken();
    const wrong = differing(before.files, now.files).filter((path) => !but(path));
    wrong.push(...differing(before.git, now.git).map((path) => `.git/${path}`));
    if (now.hooks !== before.hooks) wrong.push(`hooks ran: ${now.hooks.slice(before.hooks.length).split("\n").join(" ")}`);
    return wrong;
  }

  /** The same after a landing: nothing but what landed, and the branch that went forward. */
  async changedByLanding(before, from) {
    const changed = new Set((await this.git(["diff", "-z", "--name-only", from, "main"])).split("\0"));
    const now = this.taken();
    const wrong = differing(before.files, now.files).filter((path) => !changed.has(path));
    wrong.push(...differing(before.git, now.git).filter((path) => !landed.test(path)).map((path) => `.git/${path}`));
    return wrong;
  }

  /** What the user would see: what is staged, what is not, what is unknown. */
  async standing(root = this.root) {
    const status = await this.git(["status", "--porcelain", "-z", "--untracked-files=all"], root);
    return `${status}\n${await this.git(["diff", "--cached"], root)}`;
  }

  locks() {
    const names = readdirSync(join(this.root, ".git"), { recursive: true });
    return names.filter((path) => path.endsWith(".lock"));
  }
}
