// Readers cut for some minutes: the long run of tests/torture/reconnect.mjs.
if (!process.argv.includes("--rounds")) process.argv.push("--rounds", "40");
await import("../../tests/torture/reconnect.mjs");
