// A throwaway root that holds nothing but the files of some Debian packages of this machine, and a sandbox to run programs in it.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";

const tool = (command, ...args) => execFileSync(command, args, { encoding: "utf8", maxBuffer: 1 << 26 });
const path = `${process.env.PATH}:/usr/sbin:/sbin`;
export const user = "/home/user";

/** Packages of a `Depends` field: the first of each alternative, without versions. */
export const namesIn = (depends) =>
  depends.split(",").flatMap((one) => {
    const name = one.split("|")[0].trim().split(/[\s:(]/)[0];
    return name === "" ? [] : [name];
  });

/** A root with the files of `packages`, known to dpkg as installed; nothing else. */
export function makeRoot(packages) {
  const root = mkdtempSync(join(tmpdir(), "lb-root-"));
  for (const folder of ["etc", "proc", "dev", "tmp", "usr/lib", "usr/lib64", "var/lib/dpkg/info", "var/lib/dpkg/updates", user]) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const folder of ["bin", "sbin", "lib", "lib64"]) symlinkSync(`usr/${folder}`, join(root, folder));
  let status = "";
  for (const name of packages) {
    const stanza = tool("dpkg-query", "--status", name).trim();
    const files = tool("dpkg-query", "--listfiles", name);
    status += `${stanza}\n\n`;
    const full = /^Multi-Arch: same$/m.test(stanza) ? `${name}:${/^Architecture: (.*)$/m.exec(stanza)[1]}` : name;
    writeFileSync(join(root, "var/lib/dpkg/info", `${full}.list`), files);
    for (const file of files.split("\n")) {
      if (/^\/usr\/share\/|^$/.test(file) || statSync(file).isDirectory()) continue;
      // Files below /lib are listed so and lie below /usr/lib.
      const target = join(root, realpathSync(dirname(file)), basename(file));
      mkdirSync(dirname(target), { recursive: true });
      cpSync(file, target, { verbatimSymlinks: true });
    }
  }
  writeFileSync(join(root, "var/lib/dpkg/status"), status);
  return { path: root, remove: () => rmSync(root, { recursive: true, force: true }) };
}

/** dpkg on that root, with its dependencies really checked. Without root's rights: in a namespace where we are root. */
export function dpkg(root, ...args) {
  const command = ["dpkg", `--root=${root}`, ...args];
  if (process.getuid() !== 0) command.unshift("bwrap", "--unshare-user", "--uid", "0", "--gid", "0", "--dev-bind", "/", "/", "--");
  return execFileSync(command[0], command.slice(1), { encoding: "utf8", env: { PATH: path, LANG: "C.UTF-8" }, stdio: ["ignore", "pipe", "pipe"] });
}

/** The command that runs `program` as an ordinary user who sees that root and nothing else. It ends with us. */
export const inside = (root, program) => [
  "bwrap", "--die-with-parent", "--unshare-user", "--uid", "1000", "--gid", "1000", "--unshare-ipc",
  "--bind", root, "/", "--dev-bind", "/proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--chdir", user, "--", program,
]; // prettier-ignore

/** Ends what runs in a sandbox in good order: a signal to bwrap itself would not reach it. */
export function terminate(sandbox) {
  const [child] = readFileSync(`/proc/${sandbox}/task/${sandbox}/children`, "utf8").trim().split(" ");
  process.kill(Number(child), "SIGTERM");
}

/** Why nothing can be run in a sandbox here; false when it can. */
export function noSandbox() {
  try {
    execFileSync("bwrap", ["--unshare-user", "--uid", "1000", "--gid", "1000", "--dev-bind", "/", "/", "--", "true"], { stdio: "pipe" });
    return false;
  } catch (error) {
    return `bwrap cannot make a sandbox here: ${String(error.stderr ?? error.message).trim()}`;
  }
}

/** Every path below a folder, as `kind path`. */
export function tree(root, except = () => false) {
  const found = [];
  const walk = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const full = join(folder, entry.name);
      const name = relative(root, full);
      if (except(name)) continue;
      found.push(`${entry.isDirectory() ? "d" : "f"} ${name}`);
      if (entry.isDirectory()) walk(full);
    }
  };
  walk(root);
  return found.sort();
}
