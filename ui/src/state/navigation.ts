// What is on screen: the page, the tabs, what opens above them. Nothing else changes it.
import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import { goodOf, isId, salvaged } from "./stored";
import { closeTabs, inRow, moveTab, neighbour, openTab, renameTab, salvageTabs, type Tabs } from "./tabs";
import type { Dialog, Page, Place } from "./types";
import { write } from "./write";

/** As many as anybody goes back to. */
const kVisited = 50;
const salvageIds = (found: unknown) => [...new Set(goodOf(found, isId))];

export class Navigation {
  readonly tabs: ReadonlySignal<Tabs> = salvaged("lb.tabs", salvageTabs);
  /** Sessions that the user wants to have at hand: first among the tabs, first in the list. */
  readonly pinned: ReadonlySignal<readonly string[]> = salvaged("lb.pinned", salvageIds);
  /** Sessions in the order in which they were last on screen. */
  readonly visited: ReadonlySignal<readonly string[]> = salvaged("lb.visited", salvageIds);
  /** The tabs as they stand in the row. */
  readonly row = computed(() => inRow(this.tabs.value, this.pinned.value));
  /** "session" without a tab is the overview. */
  readonly page: ReadonlySignal<Page> = signal("session");
  readonly dialog: ReadonlySignal<Dialog | undefined> = signal(undefined);
  /** The sidebar, where it has no place of its own. */
  readonly drawer: ReadonlySignal<boolean> = signal(false);
  /** An item to bring into view; whoever does it says `arrived`. */
  readonly jump: ReadonlySignal<{ sessionId: string; itemId: string } | undefined> = signal(undefined);
  /** The session on screen. */
  readonly session = computed(() => (this.page.value === "session" ? this.tabs.value.active : undefined));
  /** The session that is not there, while the page says so. */
  private readonly missing = signal("");
  /** What is on screen, as something that can be gone to. */
  readonly place = computed((): Place => {
    const [page, sessionId] = [this.page.value, this.session.value];
    if (page === "missing") return { page, sessionId: this.missing.value };
    if (page !== "session") return { page };
    return sessionId === undefined ? { page: "home" } : { page, sessionId };
  });
  private cameBack = false;
  /** The place on screen was not gone to: it took the place of what was there, or was come back to. */
  get replaced(): boolean {
    return this.cameBack;
  }

  /** The one way to another place. A session has one tab: a second time only brings that tab to the front. */
  navigate(to: Place): void {
    this.cameBack = false;
    this.go(to);
  }
  /** The browser's Back and Forward. */
  comeBack(to: Place): void {
    this.cameBack = true;
    this.go(to);
  }
  private go(to: Place): void {
    batch(() => {
      if (to.page === "missing") this.missing.value = to.sessionId;
      if (to.page !== "session") return this.show(this.tabs.peek(), to.page);
      this.show(openTab(this.tabs.peek(), to.sessionId), "session");
      if (to.itemId !== undefined) write(this.jump, { sessionId: to.sessionId, itemId: to.itemId });
    });
  }

  /** The tab beside the active one, around the ends. */
  step(step: 1 | -1): void {
    const next = neighbour(this.inRow(), step);
    if (next !== undefined) this.navigate({ page: "session", sessionId: next });
  }

  /** The tab beside a closed one comes to the front, on whatever page. */
  closeTabs(ids: readonly string[]): void {
    this.cameBack = true;
    write(this.tabs, closeTabs(this.inRow(), ids));
  }
  moveTab(id: string, index: number): void {
    write(this.tabs, moveTab(this.inRow(), id, index));
  }
  renameTab(from: string, to: string): void {
    this.cameBack = true;
    write(
      this.visited,
      this.visited.peek().map((id) => (id === from ? to : id)),
    );
    write(this.tabs, renameTab(this.tabs.peek(), from, to));
  }

  /** As the user sees them: what is beside a tab, and where one is moved to, is meant so. */
  private inRow(): Tabs {
    return { ...this.tabs.peek(), ids: this.row.peek() };
  }

  pin(id: string, pinned: boolean): void {
    const others = this.pinned.peek().filter((other) => other !== id);
    write(this.pinned, pinned ? [...others, id] : others);
  }
  /** The session is gone for good. */
  unpin(ids: readonly string[]): void {
    if (this.pinned.peek().some((id) => ids.includes(id)))
      write(
        this.pinned,
        this.pinned.peek().filter((id) => !ids.includes(id)),
      );
  }

  openDialog(dialog: Dialog): void {
    write(this.dialog, dialog);
  }
  closeDialog(): void {
    write(this.dialog, undefined);
  }
  showDrawer(open: boolean): void {
    write(this.drawer, open);
  }
  arrived(): void {
    write(this.jump, undefined);
  }

  private show(tabs: Tabs, page: Page): void {
    batch(() => {
      write(this.tabs, tabs);
      write(this.page, page);
      write(this.drawer, false);
      const shown = page === "session" ? tabs.active : undefined;
      if (shown !== undefined && shown !== this.visited.peek()[0])
        write(this.visited, [shown, ...this.visited.peek().filter((id) => id !== shown)].slice(0, kVisited));
    });
  }
}
