// What describes the program a second time (man page, completions, licences, documents) says what the program says.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { program } from "../support/server.mjs";

const source = fileURLToPath(new URL("../..", import.meta.url));
const read = (name) => readFileSync(join(source, name), "utf8");
const help = (...command) => execFileSync(program, [...command, "--help"], { encoding: "utf8" });
const sorted = (words) => [...new Set(words)].sort();
const optionsOf = (text) => sorted([...text.matchAll(/^ {2}(?:-\w,)?(--[\w-]+)/gm)].map(([, name]) => name));
const commandsOf = (text) => [...text.slice(text.indexOf("\nSubcommands:")).matchAll(/^ {2}([a-z][\w-]*) {2}/gm)].map(([, name]) => name);

const options = optionsOf(help());
const commands = sorted([...commandsOf(help()), "demo-agent"]);
const exportOptions = optionsOf(help("export"));
const variables = sorted([...[...help().matchAll(/\(Env:(\w+)\)/g)].map(([, name]) => name), "LIMINAL_BUILDER_TOKEN"]);

test("--help is read as it is meant", () => {
  assert.ok(options.length >= 13 && options.includes("--data-dir"), options.join(" "));
  assert.deepEqual(commands, ["demo-agent", "doctor", "export", "open", "serve"]);
  assert.ok(exportOptions.includes("--format"));
  assert.ok(variables.length >= 7);
});

test("the man page has every option, command and variable, and no other", () => {
  const page = read("packaging/liminal-builder.1.in").replaceAll("\\-", "-");
  const part = (title) => new RegExp(`^\\.SH ${title}\\n([\\s\\S]*?)(?=^\\.SH )`, "m").exec(page)[1];
  const heads = (title) => [...part(title).matchAll(/^\.TP\n\.\w+ (.*)$/gm)].map(([, head]) => head);
  const words = (texts, pattern) => sorted(texts.flatMap((text) => text.match(pattern) ?? []));
  assert.deepEqual(words(heads("OPTIONS"), /--[a-z-]+/g), options);
  assert.deepEqual(sorted(heads("COMMANDS").map((head) => head.split(" ")[0])), commands);
  assert.deepEqual(words([part("COMMANDS")], /--[a-z-]+/g), exportOptions.filter((name) => name !== "--help"));
  assert.deepEqual(words([part("ENVIRONMENT")], /LIMINAL_BUILDER_\w+/g), variables);
});

test("bash completes every option and command, and no other", () => {
  const complete = (...words) => {
    const script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _liminal_builder; printf "%s\\n" "${COMPREPLY[@]}"';
    const file = join(source, "packaging/completions/liminal-builder.bash");
    return sorted(execFileSync("bash", ["-c", script, "bash", file, "liminal-builder", ...words], { encoding: "utf8" }).trim().split("\n"));
  };
  assert.deepEqual(complete("--"), options);
  assert.deepEqual(complete(""), sorted([...options, ...commands]));
  assert.deepEqual(complete("export", "--"), sorted([...options, ...exportOptions]));
  assert.deepEqual(complete("--log-level", ""), ["debug", "error", "info", "off", "warn"]);
  assert.deepEqual(complete("export", "--format", ""), ["json", "md"]);
  for (const [option, values] of help().matchAll(/--[\w-]+ TEXT:\{[\w,]+\}/g).map(([text]) => [text.split(" ")[0], text.slice(text.indexOf("{") + 1, -1).split(",")])) {
    assert.deepEqual(complete(option, ""), sorted(values), option);
  }
});

test("zsh completes every option and command, and no other", (t) => {
  const file = "packaging/completions/_liminal-builder";
  const text = read(file);
  const list = (name) => new RegExp(`^${name}=\\(\\n([\\s\\S]*?)^\\)`, "m").exec(text)[1];
  assert.deepEqual(sorted([...list("options").matchAll(/'[*]?(--[\w-]+)\[|,(--[\w-]+)\}/g)].map(([, a, b]) => a ?? b)), options);
  assert.deepEqual(sorted([...list("commands").matchAll(/^ *'([\w-]+):/gm)].map(([, name]) => name)), commands);
  assert.ok(text.includes("'--format["));
  if (spawnSync("zsh", ["--version"]).status !== 0) return t.diagnostic("zsh is not installed: its syntax was not checked");
  assert.equal(spawnSync("zsh", ["-n", join(source, file)]).status, 0);
});

test("--licenses names every library that is linked and every package that is in the page", () => {
  const text = execFileSync(program, ["--licenses"], { encoding: "utf8" });
  assert.ok(text.includes(read("packaging/copyright").trim()));
  const named = [...text.matchAll(/^Files: (.*)$/gm)].flatMap(([, names]) => names.split(" "));
  const licences = [...text.matchAll(/^License: (.*)\n /gm)].map(([, name]) => name);
  for (const [, used] of text.matchAll(/^License: (.*)$/gm)) {
    for (const one of used.split(" and ")) assert.ok(licences.includes(one), `the text of ${one} is missing`);
  }
  const locked = JSON.parse(read("ui/package-lock.json")).packages;
  const commandLineOnly = ["commander"]; // Of katex, whose command is not in the page.
  for (const [path, { dev, version }] of Object.entries(locked)) {
    const name = path.replace(/^.*node_modules\//, "");
    // Types leave nothing behind when they are compiled.
    if (name === "" || dev || name.startsWith("@types/")) continue;
    if (commandLineOnly.includes(name)) continue;
    assert.ok(named.includes(name), `${name} ${version} is in the page and not in packaging/copyright`);
  }
  // What the sources include from outside of the standard library and the system.
  const libraries = { boost: "boost", CLI: "cli11", "toml++": "tomlplusplus", fmt: "fmt", "sqlite3.h": "sqlite" };
  const system = /^(sys|linux|netinet|arpa|net|doctest)$/;
  for (const file of readdirSync(join(source, "src"), { recursive: true })) {
    if (!/\.(cpp|h)$/.test(file)) continue;
    for (const [, include] of read(join("src", file)).matchAll(/^#include <([^>]+)>/gm)) {
      const first = include.split("/")[0];
      if ((include.includes("/") && !system.test(first)) || first in libraries) {
        assert.ok(named.includes(libraries[first]), `${file} includes ${include}, which is not in packaging/copyright`);
      }
    }
  }
});

test("the version is written once, in CMakeLists.txt", () => {
  const [, version] = /project\(liminal-builder VERSION ([\d.]+)/.exec(read("CMakeLists.txt"));
  assert.equal(execFileSync(program, ["--version"], { encoding: "utf8" }), `liminal-builder ${version}\n`);
  assert.equal(JSON.parse(read("ui/package.json")).version, undefined);
  assert.match(read("CHANGELOG.md"), new RegExp(`^## ${version.replaceAll(".", "\\.")}, \\d{4}-\\d\\d-\\d\\d$`, "m"));
});

test("docs/configuration.md has every key, option and variable, and no other", () => {
  const text = read("docs/configuration.md");
  const code = read("src/app/config.cpp");
  const [agentCode, fileCode] = [code.slice(code.indexOf("read_agent("), code.indexOf("read_agents(")), code.slice(code.indexOf("parse_config("))];
  const keysRead = (source) => sorted([...source.matchAll(/reader\.\w+\("(\w+)"/g)].map(([, key]) => key));
  // The first cell of each row of the table below a heading.
  const table = (head) => {
    const rows = text.slice(text.indexOf(`| ${head} |`)).split("\n\n")[0].split("\n").slice(2);
    return rows.map((row) => row.split("|").slice(1, -1).map((cell) => cell.trim()));
  };
  const key = (cell) => /^`\[?(\w+)/.exec(cell)[1];
  const settings = table("key");
  const agentKeys = sorted(table("key of `[agents.NAME]`").map(([first]) => key(first)));
  assert.ok(settings.length >= 10 && agentKeys.length >= 6);
  assert.deepEqual(sorted(settings.map(([first]) => key(first))), keysRead(fileCode));
  assert.deepEqual(agentKeys, keysRead(agentCode));
  for (const [, ignored] of /for \(const std::string_view key :\s*\{([^}]*)\}/.exec(agentCode)[1].matchAll(/"(\w+)"/g)) {
    assert.ok(text.includes(`\`${ignored}\``), ignored);
  }
  assert.deepEqual(sorted(text.match(/LIMINAL_BUILDER_\w+/g)), variables);
  const others = ["--user", "--now", "--acp"]; // of systemctl, and of an agent
  assert.deepEqual(sorted(text.match(/(?<![\w-])--[a-z][\w-]+/g)).filter((name) => !others.includes(name)), sorted([...options, ...exportOptions]));
  // What an option, a variable and a key mean together stands in one row.
  for (const [, option, variable] of help().matchAll(/^ {2}(--[\w-]+).*\(Env:(\w+)\)/gm)) {
    assert.ok(text.split("\n").some((line) => line.includes(`\`${option}`) && line.includes(variable)), `${option} and ${variable}`);
  }
});
