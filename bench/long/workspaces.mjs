// The server killed 500 times in the middle of what it does with git: the long run of tests/torture/workspaces.mjs.
if (!process.argv.includes("--rounds")) process.argv.push("--rounds", process.env.LB_ROUNDS ?? "500");
await import("../../tests/torture/workspaces.mjs");
