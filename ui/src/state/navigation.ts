// What is on screen: the page, the tabs, what opens above them. Nothing else changes it.
import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import { stored } from "./stored";
import { closeTabs, isTabs, moveTab, neighbour, noTabs, openTab, renameTab, type Tabs } from "./tabs";
import type { Dialog, Page, Place } from "./types";

export class Navigation {
  private readonly row = stored<Tabs>("lb.tabs", noTabs, isTabs);
  private readonly onPage = signal<Page>("session");
  private readonly above = signal<Dialog | undefined>(undefined);
  private readonly drawn = signal(false);
  private readonly target = signal<{ sessionId: string; itemId: string } | undefined>(undefined);

  readonly tabs: ReadonlySignal<Tabs> = this.row;
  /** "session" without a tab is the overview. */
  readonly page: ReadonlySignal<Page> = this.onPage;
  readonly dialog: ReadonlySignal<Dialog | undefined> = this.above;
  /** The sidebar, where it has no place of its own. */
  readonly drawer: ReadonlySignal<boolean> = this.drawn;
  /** An item to bring into view; whoever does it says `arrived`. */
  readonly jump: ReadonlySignal<{ sessionId: string; itemId: string } | undefined> = this.target;
  /** The session on screen. */
  readonly session = computed(() => (this.onPage.value === "session" ? this.row.value.active : undefined));

  /** The one way to another place. A session has one tab: a second time only brings that tab to the front. */
  navigate(to: Place): void {
    if (to.page !== "session") return this.show(this.row.peek(), to.page);
    batch(() => {
      this.show(openTab(this.row.peek(), to.sessionId), "session");
      if (to.itemId !== undefined) this.target.value = { sessionId: to.sessionId, itemId: to.itemId };
    });
  }

  /** The tab beside the active one, around the ends. */
  step(step: 1 | -1): void {
    const next = neighbour(this.row.peek(), step);
    if (next !== undefined) this.navigate({ page: "session", sessionId: next });
  }

  /** The tab beside a closed one comes to the front, on whatever page. */
  closeTabs(ids: readonly string[]): void {
    this.row.value = closeTabs(this.row.peek(), ids);
  }
  moveTab(id: string, index: number): void {
    this.row.value = moveTab(this.row.peek(), id, index);
  }
  renameTab(from: string, to: string): void {
    this.row.value = renameTab(this.row.peek(), from, to);
  }

  openDialog(dialog: Dialog): void {
    this.above.value = dialog;
  }
  closeDialog(): void {
    this.above.value = undefined;
  }
  showDrawer(open: boolean): void {
    this.drawn.value = open;
  }
  arrived(): void {
    this.target.value = undefined;
  }

  private show(tabs: Tabs, page: Page): void {
    batch(() => {
      this.row.value = tabs;
      this.onPage.value = page;
      this.drawn.value = false;
    });
  }
}
