// The highlighter: its own chunk, loaded when the first closed code block asks for it.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import lua from "highlight.js/lib/languages/lua";
import makefile from "highlight.js/lib/languages/makefile";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import scala from "highlight.js/lib/languages/scala";
import scss from "highlight.js/lib/languages/scss";
import shell from "highlight.js/lib/languages/shell";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

const languages = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  lua,
  makefile,
  markdown,
  php,
  python,
  ruby,
  rust,
  scala,
  scss,
  shell,
  sql,
  swift,
  typescript,
  xml,
  yaml,
};
for (const [name, grammar] of Object.entries(languages)) hljs.registerLanguage(name, grammar);
hljs.registerAliases(["tsx", "jsx"], { languageName: "typescript" });
hljs.registerAliases(["console", "terminal"], { languageName: "shell" });

interface Node {
  scope?: string;
  language?: string;
  children: (Node | string)[];
}

/** Coloured code as DOM nodes with classes: no HTML string, no style attribute. Undefined for a language we do not have. */
export function highlight(code: string, lang: string): DocumentFragment | undefined {
  if (!hljs.getLanguage(lang)) return undefined;
  const result = hljs.highlight(code, { language: lang, ignoreIllegals: true });
  const fragment = document.createDocumentFragment();
  draw((result._emitter as unknown as { root: Node }).root, fragment);
  return fragment;
}

/** The same as pieces of each line. */
export function highlightLines(code: string, lang: string): { text: string; scope: string }[][] | undefined {
  if (!hljs.getLanguage(lang)) return undefined;
  const result = hljs.highlight(code, { language: lang, ignoreIllegals: true });
  const lines: { text: string; scope: string }[][] = [[]];
  const walk = (node: Node, scope: string) => {
    for (const child of node.children) {
      if (typeof child !== "string") {
        walk(child, child.scope ? classOf(child.scope) : scope);
        continue;
      }
      child.split("\n").forEach((text, index) => {
        if (index > 0) lines.push([]);
        if (text !== "") lines.at(-1)!.push({ text, scope });
      });
    }
  };
  walk((result._emitter as unknown as { root: Node }).root, "");
  return lines;
}

const classOf = (scope: string) => `hl-${scope.split(".")[0]!.replace(/[^\w-]/g, "")}`;

function draw(node: Node, into: ParentNode & globalThis.Node): void {
  for (const child of node.children) {
    if (typeof child === "string") {
      into.appendChild(document.createTextNode(child));
      continue;
    }
    const span = document.createElement("span");
    if (child.scope) span.className = classOf(child.scope);
    draw(child, span);
    into.appendChild(span);
  }
}
