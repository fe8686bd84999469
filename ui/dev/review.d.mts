import type { Comment } from "../src/wire";
import type { World } from "./world.mjs";

export function putFile(
  world: World,
  sessionId: string,
  path: string,
  before: string | Uint8Array | undefined,
  now: string | Uint8Array | undefined,
  more?: { oldPath?: string; modes?: string[] },
): void;
export function fileNow(world: World, sessionId: string, path: string): string | Uint8Array | undefined;
export function changeFile(world: World, sessionId: string, path: string, now: string | undefined): void;
export function tell(world: World, sessionId: string, more?: Record<string, unknown>): void;
export function addComment(
  world: World,
  sessionId: string,
  comment: Partial<Comment> & Pick<Comment, "line" | "quote" | "body">,
): { comment: Comment };
