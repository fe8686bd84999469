// What the development server begins with when changes are looked at.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { addComment, putFile, tell } from "./review.mjs";

const before = `/** Prices are integers of the smallest coin. */
import type { Item } from "./item";

export const currency = "EUR";

const rounding = "half-even";

export const format = (n: number) => \`\${(n / 100).toFixed(2)} \${currency}\`;

/** What the customer pays. */
export function total(items: Item[]): number {
  return items.reduce((s, i) => s + i.price * i.count, 0);
}

${Array.from({ length: 28 }, (_, n) => `export const step${n} = (value: number) => value + ${n};`).join("\n")}
`;
const now = before
  .replace("total(items: Item[]): number", "total(items: readonly Item[]): Cents")
  .replace("i.price * i.count", "i.cents * i.count")
  .replace(
    "}\n\nexport const step0",
    "}\n\nexport const toCents = (x: number) => Math.round(x * 100);\n\nexport const step0",
  )
  .replace("value + 21;", "value + 22; // Off by one before.");
const cart = Array.from({ length: 60 }, (_, n) => `  row${n}: { label: "Row ${n}", price: ${n * 10} },`);
const test = `import { total } from "./total";

test("refunds are negative", () => {
  expect(total([{ cents: -100, count: 2 }])).toBe(-200);
});
`;
const here = dirname(fileURLToPath(import.meta.url));
const icon = (name) => readFileSync(join(here, "../public", `${name}.png`));

/** A review of a few files of all kinds. */
export function reviewStory(world, sessionId) {
  const put = (...args) => putFile(world, sessionId, ...args);
  put("src/pricing/total.ts", before, now);
  put(
    "src/cart/index.ts",
    `export const rows = {\n${cart.join("\n")}\n};\n`,
    `export const rows = {\n${cart.slice(0, 20).join("\n")}\n${cart.slice(34).join("\n").replaceAll("price:", "cents:")}\n};\n`,
  );
  put("test/total.test.ts", undefined, test);
  put("src/pricing/money.ts", "export type Money = number;\n", "export type Money = number;\n", {
    oldPath: "src/money.ts",
  });
  put("assets/icon.png", icon("icon-180"), icon("icon-192"));
  put("docs/old-prices.md", "# Prices\n\nThey were floats.\n", undefined);
  const review = world.reviews.get(sessionId);
  review.viewed.set("src/cart/index.ts", "seen before");
  addComment(world, sessionId, {
    path: "src/pricing/total.ts",
    side: "new",
    oid: "x",
    line: 12,
    quote: "  return items.reduce((s, i) => s + i.cents * i.count, 0);",
    body: "What about refunds? They are negative: add a test.",
  });
  tell(world, sessionId, { needsReview: true });
}

/** As many files as a careless script changes; each with a few lines. */
export function manyFiles(world, sessionId, count) {
  for (let n = 0; n < count; n++) {
    const lines = Array.from({ length: 24 }, (_, line) => `export const value${line} = ${line * n};`);
    const changed = lines.with(4, `export const value4 = "${n}";`).with(18, "export const value18 = null;");
    const path = `packages/part-${Math.floor(n / 50)}/src/file-${n}.ts`;
    putFile(world, sessionId, path, `${lines.join("\n")}\n`, `${changed.join("\n")}\n`);
  }
  tell(world, sessionId, { needsReview: true });
}

/** One file of about five million letters, all of them new. */
export function hugeFile(world, sessionId) {
  const lines = Array.from(
    { length: 100_000 },
    (_, n) => `export const value${n} = "${"x".repeat(24)}${n}";`,
  );
  putFile(world, sessionId, "src/generated.ts", undefined, `${lines.join("\n")}\n`);
}
