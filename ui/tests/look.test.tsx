import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { render } from "preact";
import { describe, expect, it } from "vitest";
import { AgentMark, faceOf } from "../src/views/faces";
import { showTheme } from "../src/views/theme";

describe("faces of agents", () => {
  const drawn = (cliType: string) => {
    const root = document.createElement("div");
    render(<AgentMark cliType={cliType} name="An agent" />, root);
    return root;
  };

  it("are drawn, without letters, and carry the agent's name", () => {
    const mark = drawn("claude-code").querySelector<HTMLElement>(".agent-mark")!;
    expect(mark.textContent).toBe("");
    expect(mark.getAttribute("aria-label")).toBe("An agent");
    expect(mark.querySelector("path")!.getAttribute("d")).toMatch(/^M[\d.]/);
  });

  it("differ between the agents that come with the program", () => {
    const all = ["claude-code", "codex", "gemini", "opencode", "demo"].map((name) => drawn(name).innerHTML);
    expect(new Set(all).size).toBe(all.length);
  });

  it("are the same for a name every time; a second agent of a kind has its face in another colour", () => {
    expect(faceOf("my-agent")).toEqual(faceOf("my-agent"));
    expect(faceOf("codex-two").face).toEqual(faceOf("codex").face);
    expect(faceOf("codex-two").tone).not.toBe(faceOf("codex").tone);
    const some = Array.from({ length: 60 }, (_, index) => JSON.stringify(faceOf(`agent-${index}`)));
    expect(new Set(some).size).toBeGreaterThan(20);
  });
});

describe("letters", () => {
  it("are what dev/fonts.mjs makes, and small", () => {
    execFileSync(process.execPath, ["dev/fonts.mjs", "--check"], { stdio: "pipe" });
    const sizes = readdirSync("src/fonts").map((name) => statSync(`src/fonts/${name}`).size);
    expect(sizes.length).toBe(4);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(120_000);
  });

  it("come with the page when the first picture needs them, and never move what is shown", () => {
    const page = readFileSync("index.html", "utf8");
    for (const name of ["inter", "jetbrains-mono"])
      expect(page).toMatch(new RegExp(`<link rel="preload" as="font"[^>]*href="/src/fonts/${name}\\.woff2"`));
    const faces = readFileSync("src/styles/fonts.css", "utf8").match(/@font-face \{[^}]*\}/g)!;
    for (const face of faces)
      if (face.includes("url(")) expect(face).toContain("font-display: optional");
      else expect(face).toMatch(/ascent-override: [\d.]+%;\s+descent-override: [\d.]+%/);
  });
});

it("the frame of the window has the colour of the chosen theme", () => {
  const page = new DOMParser().parseFromString(readFileSync("index.html", "utf8"), "text/html");
  const frames = () =>
    [...page.querySelectorAll<HTMLMetaElement>('meta[name="theme-color"]')].map((one) => one.media);
  showTheme(page, "dark");
  expect(frames()).toEqual(["not all", "all"]);
  expect(page.documentElement.dataset["theme"]).toBe("dark");
  showTheme(page, "light");
  expect(frames()).toEqual(["all", "not all"]);
  showTheme(page, "system");
  expect(frames()).toEqual(["(prefers-color-scheme: light)", "(prefers-color-scheme: dark)"]);
});
