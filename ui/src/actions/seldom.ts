// What commands do that nobody begins with: in the code of the dialogs.
export * from "./answer";
export * from "./forks";
export * from "./projects";
export * from "./sessions";
export { openFolder, push, restore } from "./workspaces";
