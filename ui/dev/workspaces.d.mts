import type { Workspace } from "../src/wire";
import type { DevSession, World } from "./world.mjs";

export function addWorkspace(
  world: World,
  projectId: string,
  branch: string,
  more?: Partial<Workspace>,
): Workspace;
export function changeWorkspace(world: World, workspace: Workspace, more: Partial<Workspace>): void;
export function putInto(world: World, workspace: Workspace, session: DevSession): void;
