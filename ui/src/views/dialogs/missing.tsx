// Where a link leads to a session that is not there.
import { run } from "../../commands/table";
import { useApp } from "../context";
import { Icon } from "../icons";

export function MissingPage() {
  const app = useApp();
  return (
    <main class="page missing" id="main">
      <div class="page-column">
        <div class="inbox-empty" role="status">
          <Icon name="search" size={24} />
          <h1>This session is not here</h1>
          <p class="muted">It may have been deleted, or the link belongs to another server.</p>
          <div class="missing-ways">
            <button type="button" class="button primary" onClick={() => app.nav.navigate({ page: "home" })}>
              Overview
            </button>
            <button type="button" class="button" onClick={() => run(app, "search")}>
              Search conversations
            </button>
            <button type="button" class="button" onClick={() => run(app, "archived")}>
              Archived sessions
            </button>
          </div>
        </div>
      </div>
    </main>
  );
}
