import type { World } from "./world.mjs";

export function reviewStory(world: World, sessionId: string): void;
export function manyFiles(world: World, sessionId: string, count: number): void;
export function hugeFile(world: World, sessionId: string): void;
