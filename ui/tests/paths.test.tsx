// Files that an agent names are links to what can be done with them, and nothing else.
import { afterEach, describe, expect, it, vi } from "vitest";
import { World } from "../dev/world.mjs";
import { renderBlock } from "../src/markdown/sanitise";
import { MarkdownView } from "../src/markdown/view";
import { absolute, editors } from "../src/editors";
import { placeOf, prosePlaces, wordPlace } from "../src/paths";
import { $, $$, press, startPage, texts, until, type Harness } from "./harness";

let page: Harness | undefined;
afterEach(() => {
  page?.close();
  page = undefined;
});

describe("a link leads to a file", () => {
  it.each([
    ["src/cart/index.ts#L3", { path: "src/cart/index.ts", line: 3 }],
    ["src/cart/index.ts#L3-L9", { path: "src/cart/index.ts", line: 3 }],
    ["src/cart/index.ts#L3C7-L9C2", { path: "src/cart/index.ts", line: 3, column: 7 }],
    ["/home/ada/shop/a.ts:12", { path: "/home/ada/shop/a.ts", line: 12 }],
    ["a.ts:12:4", { path: "a.ts", line: 12, column: 4 }],
    ["a.ts:12-20", { path: "a.ts", line: 12 }],
    ["./README.md", { path: "./README.md" }],
    ["README.md#usage", { path: "README.md" }],
    ["src/my%20file.ts", { path: "src/my file.ts" }],
    ["file:///home/ada/a.ts", { path: "/home/ada/a.ts" }],
    ["Makefile", { path: "Makefile" }],
    ["src/100%.ts", { path: "src/100%.ts" }],
  ])("%s", (target, place) => {
    expect(placeOf(target)).toEqual(place);
  });

  it.each([
    "https://example.com/a.ts",
    "mailto:a@example.com",
    "javascript:alert(1)",
    "javascript:1",
    "JavaScript:1:2",
    "data:text/html,x",
    "vscode://file/etc/passwd",
    "//example.com/a.ts",
    "#section",
    "?q=1",
    "",
    "localhost:3000",
    "file://server/share/a.ts",
    "java%0ascript:x",
    "a\0b",
  ])("not %s", (target) => {
    expect(placeOf(target)).toBeUndefined();
  });
});

describe("words name a file", () => {
  it("with a folder, and a line or an ending", () => {
    const words = (text: string) => prosePlaces(text).map((found) => found.text);
    expect(words("See src/total.ts:1, and (lib/a.py) or ./b/c.rs:3:7.")).toEqual([
      "src/total.ts:1",
      "lib/a.py",
      "./b/c.rs:3:7",
    ]);
    for (const none of [
      "and/or",
      "TCP/IP.The next",
      "example.com/a.ts",
      "https://example.com/a.ts",
      "a.ts",
      "1/2",
      "src/a.ts/",
    ])
      expect(words(none), none).toEqual([]);
  });

  it("outside of code and links, and the text stays what it was", () => {
    const view = new MarkdownView();
    view.show(
      "Look at src/a.ts:3 and **lib/b.ts**, not [src/c.ts](https://example.com) nor `x src/d.ts`.",
      true,
    );
    const links = [...view.element.querySelectorAll("span.file-link")].map((one) => one.textContent);
    expect(links).toEqual(["src/a.ts:3", "lib/b.ts"]);
    expect(view.element.textContent!.trim()).toBe(
      "Look at src/a.ts:3 and lib/b.ts, not src/c.ts nor x src/d.ts.",
    );
  });
});

describe("a word in code names a file", () => {
  it.each([
    "src/a.ts",
    "./a/b.tsx:3",
    "/etc/nginx/nginx.conf",
    "a.ts:3:7",
    "~/x/.bashrc",
    "lib/@scope/x.d.ts",
  ])("%s", (text) => {
    expect(wordPlace(text)).toBeDefined();
  });
  it.each([
    "total()",
    "console.log",
    "a.ts",
    "application/json",
    "github.com/ada/shop.git",
    "npm test",
    "https://example.com/a.ts",
    "a/b c.ts",
    "1/2",
    "x => y.z:1 ",
    "src/\u202ets.exe",
  ])("not %s", (text) => {
    expect(wordPlace(text)).toBeUndefined();
  });
});

describe("where a file is", () => {
  it("is told from the root of the file system", () => {
    expect(absolute("/home/ada/shop", "src/./a.ts")).toBe("/home/ada/shop/src/a.ts");
    expect(absolute("/home/ada/shop", "../../../../../etc/passwd")).toBe("/etc/passwd");
    expect(absolute("/home/ada/shop", "/tmp/x")).toBe("/tmp/x");
    expect(absolute("", "a.ts")).toBeUndefined();
    expect(absolute("/home/ada", "~/a.ts")).toBeUndefined();
  });

  it("goes into an editor's address whole, whatever its name", () => {
    const [code] = editors;
    expect(code!.address("/home/ada/a b.ts", { path: "", line: 3, column: 7 })).toBe(
      "vscode://file/home/ada/a%20b.ts:3:7",
    );
    expect(code!.address('/x?y#z:9"<', { path: "" })).toBe("vscode://file/x%3Fy%23z%3A9%22%3C");
    for (const { address } of editors)
      expect(new URL(address("/../javascript:x", { path: "" })).protocol).toMatch(/^(vscode|cursor|zed):$/);
  });
});

describe("files in an answer", () => {
  const drawn = (text: string) => {
    const view = new MarkdownView();
    view.show(text, true);
    return view.element;
  };

  it("keep where they lead, and are no addresses", () => {
    const link = drawn("See [the cart](src/cart/index.ts#L3).").querySelector<HTMLElement>("a")!;
    expect([link.textContent, link.dataset["path"], link.dataset["line"]]).toEqual([
      "the cart",
      "src/cart/index.ts",
      "3",
    ]);
    expect(link.hasAttribute("href")).toBe(false);
    expect([link.getAttribute("role"), link.tabIndex]).toEqual(["button", 0]);
    const code = drawn("In `src/a.ts:41` and `total()`.").querySelectorAll<HTMLElement>("code");
    expect([...code].map((one) => one.dataset["path"])).toEqual(["src/a.ts", undefined]);
    expect(drawn("```\nsrc/a.ts:41\n```").querySelector("[data-path]")).toBeNull();
  });

  it("with hostile names are text", () => {
    const box = document.createElement("div");
    box.append(
      renderBlock(
        "[x](src/%22onclick=%22hit()%22/%3Cimg%20src=x%20onerror=hit()%3E.ts) [y](javascript:hit) [z](<a\u202eb.ts>)",
        {},
      ),
    );
    expect(box.querySelector("img, [onclick], [onerror], a[href]")).toBeNull();
    const [x, y, z] = box.querySelectorAll<HTMLElement>("a");
    expect(x!.dataset["path"]).toContain("<img src=x");
    expect(y!.dataset["path"]).toBeUndefined();
    expect(z!.title).toBe("a\\u202eb.ts");
  });

  it("cannot be made by the text itself", () => {
    const box = document.createElement("div");
    box.append(renderBlock('<a data-path="/etc/passwd" class="file-link">x</a>', {}));
    expect(box.querySelector("[data-path], .file-link")).toBeNull();
  });
});

describe("the menu of a file", () => {
  const open = async () => {
    page = await startPage(new World("busy"));
    page.app.nav.navigate({ page: "session", sessionId: "s-7" });
    await until(() => page!.app.timelines.of("s-7").loaded.value);
    return { root: page.root, timeline: page.world.session("s-7").timeline };
  };

  it("copies the path and opens editors, from an answer, by mouse and by key", async () => {
    const { root, timeline } = await open();
    const writeText = vi.fn(async () => {});
    Object.assign(navigator, { clipboard: { writeText } });
    const content = "See [the cart](src/cart/index.ts#L3).";
    timeline.item("m", { turnId: "t", type: "message", origin: "agent", content, status: "complete" });
    const link = await until(() => $(root, ".md [data-path]"));
    link.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, altKey: true }));
    const menu = await until(() => $(root, ".popup"));
    expect($(menu, ".place-name")!.textContent).toBe("/home/ada/engine/src/cart/index.ts:3");
    expect(texts(menu, "[role=menuitem]")).toEqual([
      "Open here",
      "Copy path",
      "Copy relative path",
      "Open in VS Code",
      "Open in Cursor",
      "Open in Zed",
    ]);
    expect($(menu, "a")!.getAttribute("href")).toBe("vscode://file/home/ada/engine/src/cart/index.ts:3");
    $$(menu, "button")[2]!.click();
    await until(() => !$(root, ".popup"));
    expect(writeText).toHaveBeenCalledWith("src/cart/index.ts");
    await press(link, "Enter", { altKey: true });
    await until(() => $(root, ".popup"));
    await press($(root, ".popup [role=menuitem]")!, "Escape");
    await until(() => !$(root, ".popup"));
  });

  it("stands at the places of a tool and at its diffs, with what hides in their names", async () => {
    const { root, timeline } = await open();
    const call = { turnId: "t", type: "tool_call", toolArguments: {}, status: "complete" };
    timeline.item("r", {
      ...call,
      toolName: "Read",
      kind: "read",
      callId: "r",
      locations: [{ path: "/home/ada/engine/src/\u202ea.ts", line: 3 }],
    });
    timeline.item("e", {
      ...call,
      toolName: "Edit",
      kind: "edit",
      callId: "e",
      diffs: [
        { path: "a.ts", newText: "a\n" },
        { path: "/etc/hosts", newText: "b\n" },
      ],
    });
    (await until(() => $(root, ".tool-head"))).click();
    const place = await until(() => $(root, ".places .file-link"));
    expect(place.textContent).toBe("src/\\u202ea.ts:3");
    await until(() => $$(root, ".diff-head .icon-button").length === 2);
    $$(root, ".diff-head .icon-button")[1]!.click();
    await until(() => $(root, ".popup .place-name")?.textContent === "/etc/hosts");
    expect(texts(root, ".popup [role=menuitem]")).not.toContain("Copy relative path");
  });
});
