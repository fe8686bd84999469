// The page in headless Chromium, against its budgets. The measurements live with the page.
process.argv.push("--json");
await import("../ui/bench/run.mjs");
