import { describe, expect, it } from "vitest";
import { branchName } from "../src/branch_name";
import { aheadWords, size, unusedWords } from "../src/disk";

describe("the name of a branch", () => {
  it("is what the message is about, in words that git and people can read", () => {
    expect(branchName("Fix the login redirect, please", [])).toBe("fix-login-redirect");
    expect(branchName("Größe des Bildes ändern", [])).toBe("grosse-des-bildes-andern");
    expect(branchName("Don't log the user's password\nMore about it", [])).toBe("dont-log-users-password");
    expect(branchName("one two three four five six seven", [])).toBe("one-two-three-four-five");
    expect(branchName("x".repeat(90), []).length).toBe(40);
    expect(branchName("日本語", [])).toBe("");
    expect(branchName("  ", [])).toBe("");
  });

  it("is not one that is there already", () => {
    expect(branchName("Fix rounding", ["fix-rounding", "fix-rounding-2"])).toBe("fix-rounding-3");
  });
});

describe("words", () => {
  it("sizes are as people read them", () => {
    expect([12, 4200, 9_400_000, 412_000_000, 1_240_000_000].map(size)).toEqual([
      "12 B",
      "4 kB",
      "9.4 MB",
      "412 MB",
      "1.2 GB",
    ]);
  });

  it("ahead and behind are said where there is something to say", () => {
    const of = (ahead: number, behind: number) => aheadWords({ ahead, behind } as never);
    expect([of(0, 0), of(1, 0), of(3, 1), of(0, 1), of(0, 5)]).toEqual([
      "",
      "1 commit ahead",
      "3 commits ahead, 1 behind",
      "1 commit behind",
      "5 commits behind",
    ]);
  });

  it("what nobody used for weeks is one gentle sentence", () => {
    expect(unusedWords([])).toBe("");
    expect(unusedWords([{ bytes: 3e8 }, { bytes: 9e8 }] as never)).toBe(
      "Not used for weeks: 2 worktrees, 1.2 GB.",
    );
  });
});
