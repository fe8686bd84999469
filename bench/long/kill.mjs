// The server killed 2,000 times under load: the long run of tests/torture/kill.mjs.
if (!process.argv.includes("--kills")) process.argv.push("--kills", "2000");
await import("../../tests/torture/kill.mjs");
