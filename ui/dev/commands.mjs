// The commands of a talkative agent: many, with names that begin alike and descriptions longer than any line.
const words = [
  [
    "clear",
    "Start over with an empty context; the conversation so far can still be resumed from the list of sessions",
  ],
  [
    "compact",
    "Summarise the conversation so far and go on with the summary. Say after it what the summary must keep",
  ],
  ["config", "Open the settings of the agent"],
  [
    "context",
    "Show what fills the context: the system prompt, tools, memory files, messages and the room that is left",
  ],
  ["cost", "Show what this session has cost"],
  ["init", "Write a guide to this project for agents, from what is found in its files"],
  [
    "review",
    "Review the current changes and list what should be fixed before they are committed, the worst first",
  ],
  [
    "security-review",
    "Look through the changes on this branch for security problems, with the reason for each of them",
  ],
  [
    "verify",
    "Run the build and the tests and fix what fails, until nothing fails or nothing more can be done",
  ],
  ["version", "Show the version of the agent"],
];
const plugins = ["release", "database", "accessibility"].flatMap((plugin) =>
  ["plan", "check", "run", "explain", "undo-the-last-change-and-say-why"].map((verb) => [
    `${plugin}-tools:${verb}`,
    `From the plugin ${plugin}-tools: ${verb} everything that has to do with ${plugin}, step by step, and ask before anything is changed`,
  ]),
);
const own = Array.from({ length: 40 }, (_, index) => [
  `project:task-${index + 1}`,
  `A command of this project, number ${index + 1}`,
]);

export const manyCommands = [...words, ...plugins, ...own].map(([name, description]) => ({
  name,
  description,
}));
