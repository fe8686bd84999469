// Code that is fetched when it is opened.
import { Later } from "../later";

export const workbench = new Later(() => import("./index"));
/** An emulator of terminals is much code of its own. */
export const terminal = new Later(() => import("../terminal"));
