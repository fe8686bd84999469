import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { World } from "../dev/world.mjs";
import { byWhom, told } from "../src/audit";
import type { AuditEntry } from "../src/wire";
import { $, $$, button, startPage, texts, until, type Harness } from "./harness";

let page: Harness;
beforeEach(() => localStorage.clear());
afterEach(() => page?.close());

const at = "2026-01-01T00:00:00.000Z";
const start = async () => {
  page = await startPage(new World("busy"));
};
const open = async () => {
  page.app.nav.navigate({ page: "audit" });
  await until(() => $(page.root, 'ul[aria-label="Audit trail"] li'));
  await until(() => $(page.root, 'ul[aria-label="Logins"] li'));
};
const rows = (list: string) => texts(page.root, `ul[aria-label="${list}"] li`);

describe("a line of the audit trail", () => {
  it("says what was chosen, by whom and from where", () => {
    const by = { kind: "login", id: "1", name: "Firefox on Linux" } as const;
    const answered: AuditEntry = { id: 1, at, kind: "answered", by, answer: "Allow once" };
    expect(told({ ...answered, optionKind: "allow_once" })).toMatchObject({
      tone: "good",
      words: "Allow once",
    });
    expect(told({ ...answered, optionKind: "reject_always" }).tone).toBe("bad");
    expect(told(answered).tone).toBe("");
    expect(byWhom({ by, address: "10.0.0.7" })).toBe("Firefox on Linux · 10.0.0.7");
    expect(byWhom({ by, address: "::1" })).toBe("Firefox on Linux · this machine");
    expect(byWhom({ by: { kind: "unknown" } })).toBe("");
  });

  it("of a server that knows more is still a line", () => {
    const newer = { id: 1, at, kind: "rule_added", by: { kind: "rule", name: "Tests may run" } };
    expect(told(newer as unknown as AuditEntry).words).toBe("rule added");
    expect(byWhom(newer as unknown as AuditEntry)).toBe("Tests may run");
  });
});

describe("the page of logins and the audit trail", () => {
  it("is reached from the settings and by its address", async () => {
    await start();
    button(page.root, "Settings").click();
    await until(() => $(page.root, "main.settings"));
    button(page.root, "Logins and audit trail").click();
    await until(() => $(page.root, "main.audit"));
  });

  it("puts what this server did not issue first, and removes it with one press", async () => {
    await start();
    await open();
    expect(rows("Logins")[0]).toContain("Not issued by this server");
    expect($$(page.root, 'ul[aria-label="Logins"] li.tone-bad').length).toBe(1);
    expect(rows("Logins")[1]).toContain("This browser");
    expect(rows("Audit trail")[0]).toContain("did not issue");
    button(page.root, "Remove: Not issued by this server").click();
    await until(() => !rows("Logins").join().includes("Not issued"));
    expect(page.world.audit.logins.some(({ origin }) => origin === "unknown")).toBe(false);
    await until(() => rows("Audit trail")[0]!.includes("Logged out"));
  });

  it("asks before it logs somebody else out; the token cannot be", async () => {
    await start();
    await open();
    button(page.root, "Log out: Safari on iPhone").click();
    const dialog = await until(() => $(page.root, "dialog.modal"));
    expect(dialog!.textContent).toContain("Log out Safari on iPhone?");
    expect(page.world.audit.logins.some(({ loginId }) => loginId === "b2e1")).toBe(true);
    button(dialog!, "Log out").click();
    await until(() => !rows("Logins").join().includes("Safari"));
    const token = $$(page.root, 'ul[aria-label="Logins"] li').find((row) =>
      row.textContent!.includes("TOKEN"),
    );
    expect(token!.querySelector("button")).toBeNull();
  });

  it("shows older lines when asked, and what hides in them", async () => {
    await start();
    const title = "rm -rf \u202egnp.exe";
    page.world.audit.trail = Array.from({ length: 150 }, (_, index) => ({
      id: index + 1,
      at,
      kind: "answered" as const,
      by: { kind: "login" as const, name: `Browser ${index + 1}` },
      title,
    }));
    await open();
    expect(rows("Audit trail").length).toBe(100);
    expect(rows("Audit trail")[0]).toContain("Browser 150");
    expect(rows("Audit trail")[0]).toContain("\\u202e");
    button(page.root, "Show older").click();
    await until(() => rows("Audit trail").length === 150);
    expect(rows("Audit trail")[149]).toContain("Browser 1");
    expect(texts(page.root, ".audit-older")).toEqual([]);
  });
});
