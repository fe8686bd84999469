// Makes the npm packages: `liminal-builder`, which only finds and becomes the program, and the program for one system beside it.
// Nothing runs at install time. Usage: node packaging/npm/pack.mjs PROGRAM DIRECTORY; prints the paths.
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../..", import.meta.url));
const [program, out] = process.argv.slice(2).map((path) => resolve(path));
if (!program || !out) throw new Error("usage: node packaging/npm/pack.mjs PROGRAM DIRECTORY");
const version = /project\(liminal-builder VERSION ([\d.]+)/.exec(readFileSync(join(source, "CMakeLists.txt"), "utf8"))[1];
const platform = "@liminal-builder/linux-x64";

const common = {
  version,
  description: "All your coding agents in one browser window",
  keywords: ["ai", "agents", "acp", "claude-code", "codex", "gemini", "opencode"],
  license: "MIT",
  author: "The Liminal Builder authors",
  os: ["linux"],
  cpu: ["x64"],
};
const packages = [
  {
    json: {
      name: "liminal-builder",
      ...common,
      bin: { "liminal-builder": "bin/liminal-builder" },
      optionalDependencies: { [platform]: version },
    },
    files: { "bin/liminal-builder": "packaging/npm/liminal-builder.sh", "README.md": "README.md", "CHANGELOG.md": "CHANGELOG.md" },
  },
  {
    json: {
      name: platform,
      ...common,
      description: "The program of liminal-builder for Linux on x86-64 with glibc; installed by that package",
      libc: ["glibc"],
      preferUnplugged: true, // A program inside an archive cannot be started.
    },
    files: { "bin/liminal-builder": program, "README.md": "packaging/npm/platform.md" },
  },
];
// Whoever has one of them has the licences of everything in it.
const licences = { LICENSE: "LICENSE", copyright: "packaging/copyright", "apache-2.0.txt": "packaging/apache-2.0.txt" };

function pack({ json, files }) {
  const folder = mkdtempSync(join(tmpdir(), "lb-npm-"));
  try {
    const all = { ...files, ...licences };
    for (const [name, from] of Object.entries(all)) {
      mkdirSync(join(folder, dirname(name)), { recursive: true });
      copyFileSync(resolve(source, from), join(folder, name));
      chmodSync(join(folder, name), name.startsWith("bin/") ? 0o755 : 0o644);
    }
    writeFileSync(join(folder, "package.json"), `${JSON.stringify({ ...json, files: Object.keys(all) }, null, 2)}\n`);
    const made = execFileSync("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", out], { cwd: folder, encoding: "utf8" });
    return join(out, basename(JSON.parse(made)[0].filename));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

mkdirSync(out, { recursive: true });
for (const one of packages) console.log(pack(one));
