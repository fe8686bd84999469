#include "store/sqlite/queries.h"

#include <algorithm>
#include <unordered_set>

#include "store/growth.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/session_row.h"

namespace lb {
namespace {

constexpr const char* kEntryColumns = "kind, entry_id, rev, pos, open, payload";

StoredEntry read_entry(const Statement& row, int column) {
  StoredEntry entry;
  entry.kind = static_cast<EntryKind>(row.integer(column));
  entry.id = row.text(column + 1);
  entry.rev = row.unsigned_integer(column + 2);
  entry.pos = row.unsigned_integer(column + 3);
  entry.open = row.integer(column + 4) != 0;
  entry.payload = row.text(column + 5);
  return entry;
}

PromptRecord read_prompt(const Statement& row, int column) {
  PromptRecord prompt;
  prompt.turn_id = TurnId(row.text(column));
  prompt.key = row.text(column + 1);
  prompt.content = row.text(column + 2);
  prompt.attachments = row.text(column + 3);
  prompt.settled = row.integer(column + 4) != 0;
  return prompt;
}

/// The words as an FTS5 expression: all of them, the last one as a beginning.
std::string match_expression(const std::vector<std::string>& words) {
  std::string expression;
  for (const std::string& word : words) {
    if (!expression.empty()) expression += ' ';
    expression += '"' + word + '"';
  }
  return expression + '*';
}

}  // namespace

Queries::Queries(const std::string& path, const char* vfs)
    : database_(open_for_reading(path, vfs)),
      since_(*database_,
             (std::string("SELECT ") + kEntryColumns +
              " FROM entries WHERE session=(SELECT id FROM sessions WHERE session_id=?) AND "
              "rev>? AND rev<=? AND NOT open ORDER BY rev")
                 .c_str()),
      window_(*database_,
              (std::string("SELECT ") + kEntryColumns +
               " FROM entries WHERE session=(SELECT id FROM sessions WHERE session_id=?) AND "
               "pos<? AND NOT open ORDER BY pos DESC LIMIT ?")
                  .c_str()),
      entry_(*database_,
             (std::string("SELECT ") + kEntryColumns +
              " FROM entries WHERE session=(SELECT id FROM sessions WHERE session_id=?) AND "
              "kind=? AND entry_id=?")
                 .c_str()) {}

std::string Queries::epoch() {
  Statement query(*database_, "SELECT value FROM meta WHERE key='epoch'");
  return query.step() ? query.text(0) : std::string();
}

Catalog Queries::catalog() {
  Catalog catalog;
  Statement settings(*database_, "SELECT value FROM meta WHERE key='settings'");
  if (settings.step()) catalog.settings = settings.text(0);
  Statement projects(*database_,
                     "SELECT project_id, path, name, added_at, added_order, removed FROM projects "
                     "ORDER BY added_order");
  while (projects.step()) {
    catalog.projects.push_back({ProjectId(projects.text(0)), projects.text(1), projects.text(2),
                                Timestamp{projects.integer(3)}, projects.unsigned_integer(4),
                                projects.integer(5) != 0});
  }
  const std::string all = "SELECT " + session_columns() +
                          ", coalesce(facts, '') FROM sessions LEFT JOIN facts ON "
                          "facts.session=id";
  Statement sessions(*database_, all.c_str());
  const int facts = session_column_count();
  while (sessions.step()) {
    catalog.sessions.push_back(read_session(sessions));
    catalog.sessions.back().facts = sessions.text(facts);
  }
  Statement workspaces(*database_, "SELECT workspace_id, workspace FROM workspaces ORDER BY id");
  while (workspaces.step()) {
    catalog.workspaces.push_back({WorkspaceId(workspaces.text(0)), workspaces.text(1)});
  }
  Statement setups(*database_, "SELECT project_id, setup FROM setups");
  while (setups.step()) catalog.setups.push_back({ProjectId(setups.text(0)), setups.text(1)});
  Statement rewinds(*database_, "SELECT rewind_id, rewind FROM rewinds WHERE open ORDER BY id");
  while (rewinds.step()) {
    catalog.open_rewinds.push_back({rewinds.text(0), true, rewinds.text(1)});
  }
  Statement reviewed(*database_,
                     "SELECT s.session_id, seen.oid FROM seen JOIN sessions s ON s.id=seen.session "
                     "WHERE path='' ORDER BY s.id");
  while (reviewed.step()) {
    catalog.reviewed.push_back({SessionId(reviewed.text(0)), "", reviewed.text(1)});
  }
  return catalog;
}

std::vector<Unfinished> Queries::unfinished() {
  std::vector<Unfinished> all;
  const auto of = [&](std::string session) -> Unfinished& {
    const auto found = std::ranges::find(
        all, session, [](const Unfinished& u) -> const auto& { return u.session.str(); });
    if (found != all.end()) return *found;
    all.push_back({SessionId(std::move(session)), {}, {}});
    return all.back();
  };
  Statement open(*database_,
                 "SELECT s.session_id, e.kind, e.entry_id, e.rev, e.pos, e.open, e.payload FROM "
                 "entries e INDEXED BY entries_open JOIN sessions s ON s.id=e.session WHERE e.open "
                 "ORDER BY e.session, e.pos");
  while (open.step()) of(open.text(0)).entries.push_back(read_entry(open, 1));
  Statement prompts(*database_,
                    "SELECT s.session_id, p.turn_id, p.key, p.content, p.attachments, p.settled "
                    "FROM prompts p INDEXED BY prompts_unsettled JOIN sessions s ON s.id=p.session "
                    "WHERE NOT p.settled ORDER BY p.id");
  while (prompts.step()) of(prompts.text(0)).prompts.push_back(read_prompt(prompts, 1));
  return all;
}

EntryPage Queries::since(const SessionId& session, Revision since, Revision upto,
                         std::size_t bytes_max) {
  EntryPage page;
  std::size_t bytes = 0;
  since_.bind(session.str(), since, upto);
  while (since_.step()) {
    if (bytes >= bytes_max && !page.entries.empty()) {
      page.more = true;
      break;
    }
    page.entries.push_back(read_entry(since_, 0));
    bytes += page.entries.back().payload.size();
  }
  since_.reset();
  return page;
}

EntryPage Queries::window(const SessionId& session, std::uint64_t before, std::uint64_t count) {
  EntryPage page;
  // Positions are small; a bound above SQLite's integers means "no bound".
  const std::uint64_t below = std::min<std::uint64_t>(before, INT64_MAX);
  window_.bind(session.str(), below, std::min<std::uint64_t>(count, INT64_MAX - 1) + 1);
  while (window_.step()) {
    if (page.entries.size() == count) {
      page.more = true;
      break;
    }
    page.entries.push_back(read_entry(window_, 0));
  }
  window_.reset();
  std::ranges::reverse(page.entries);
  return page;
}

std::optional<StoredEntry> Queries::entry(const SessionId& session, EntryKind kind,
                                          const std::string& id) {
  entry_.bind(session.str(), kind, id);
  std::optional<StoredEntry> found;
  if (entry_.step()) found = read_entry(entry_, 0);
  entry_.reset();
  return found;
}

std::optional<std::string> Queries::output(const SessionId& session, const std::string& item) {
  Statement query(*database_,
                  "SELECT output FROM outputs WHERE session=(SELECT id FROM sessions WHERE "
                  "session_id=?) AND item_id=?");
  query.bind(session.str(), item);
  if (!query.step()) return std::nullopt;
  return query.text(0);
}

std::vector<PromptKey> Queries::prompt_keys(const SessionId& session) {
  Statement query(*database_,
                  "SELECT turn_id, key FROM prompts WHERE session=(SELECT id FROM sessions WHERE "
                  "session_id=?) AND key<>'' ORDER BY id");
  query.bind(session.str());
  std::vector<PromptKey> keys;
  while (query.step()) keys.push_back({TurnId(query.text(0)), query.text(1)});
  return keys;
}

std::optional<PromptRecord> Queries::prompt(const SessionId& session, const TurnId& turn) {
  Statement query(*database_,
                  "SELECT turn_id, key, content, attachments, settled FROM prompts WHERE "
                  "session=(SELECT id FROM sessions WHERE session_id=?) AND turn_id=?");
  query.bind(session.str(), turn.str());
  if (!query.step()) return std::nullopt;
  return read_prompt(query, 0);
}

std::optional<AttachmentRecord> Queries::attachment(const SessionId& session,
                                                    const std::string& id) {
  Statement query(*database_,
                  "SELECT mime_type, bytes FROM attachments WHERE attachment_id=? AND "
                  "session=(SELECT id FROM sessions WHERE session_id=?)");
  query.bind(id, session.str());
  if (!query.step()) return std::nullopt;
  return AttachmentRecord{id, session, query.text(0), query.text(1)};
}

std::vector<AuditRow> Queries::audit(std::uint64_t before, std::uint64_t count) {
  Statement query(*database_,
                  "SELECT id, stranger, entry FROM audit WHERE id<? ORDER BY id DESC LIMIT ?");
  query.bind(std::min<std::uint64_t>(before, INT64_MAX), count);
  std::vector<AuditRow> rows;
  while (query.step()) {
    rows.push_back({query.unsigned_integer(0), query.integer(1) != 0, query.text(2)});
  }
  return rows;
}

Logins Queries::logins() {
  Logins all;
  Statement query(*database_, "SELECT hash, login FROM logins ORDER BY id");
  while (query.step()) all.rows.push_back({query.text(0), query.text(1)});
  all.known = database_->number("SELECT count(*) FROM meta WHERE key='logins_unknown'") == 0;
  return all;
}

std::vector<CheckpointRow> Queries::checkpoints(const SessionId& session) {
  Statement query(*database_,
                  "SELECT turn_id, root, before_tree, after_tree, shared, made_at FROM checkpoints "
                  "WHERE session=(SELECT id FROM sessions WHERE session_id=?) ORDER BY id");
  query.bind(session.str());
  std::vector<CheckpointRow> rows;
  while (query.step()) {
    rows.push_back({session, TurnId(query.text(0)), query.text(1), query.text(2), query.text(3),
                    query.integer(4) != 0, Timestamp{query.integer(5)}});
  }
  return rows;
}

std::optional<RewindRow> Queries::rewind(const std::string& id) {
  Statement query(*database_, "SELECT open, rewind FROM rewinds WHERE rewind_id=?");
  query.bind(id);
  if (!query.step()) return std::nullopt;
  return RewindRow{id, query.integer(0) != 0, query.text(1)};
}

ReviewRows Queries::review(const SessionId& session) {
  ReviewRows rows;
  Statement comments(*database_,
                     "SELECT comment_id, comment FROM comments WHERE session="
                     "(SELECT id FROM sessions WHERE session_id=?) ORDER BY id");
  comments.bind(session.str());
  while (comments.step()) {
    rows.comments.push_back({session, CommentId(comments.text(0)), comments.text(1)});
  }
  Statement seen(*database_,
                 "SELECT path, oid FROM seen WHERE session=(SELECT id FROM sessions WHERE "
                 "session_id=?) AND path<>'' ORDER BY path");
  seen.bind(session.str());
  while (seen.step()) rows.seen.push_back({session, seen.text(0), seen.text(1)});
  return rows;
}

std::vector<SearchHit> Queries::search(const Store::Search& search) {
  const std::vector<std::string> words = search_words(search.text);
  std::vector<SearchHit> hits;
  if (words.empty()) return hits;
  std::unordered_set<std::string> wanted;
  for (const SessionId& session : search.sessions) wanted.insert(session.str());
  Statement query(*database_,
                  "SELECT s.session_id, e.entry_id, e.payload FROM search JOIN entries e ON "
                  "e.id=search.rowid JOIN sessions s ON s.id=e.session WHERE search MATCH ? "
                  "ORDER BY search.rank");
  const std::string expression = match_expression(words);
  query.bind(expression);
  while (hits.size() < search.limit && query.step()) {
    std::string session = query.text(0);
    if (!wanted.contains(session)) continue;
    hits.push_back({SessionId(std::move(session)), query.text(1), query.text(2)});
  }
  return hits;
}

std::unique_ptr<Queries> QueryPool::take() {
  {
    const std::scoped_lock lock(mutex_);
    if (!free_.empty()) {
      auto connection = std::move(free_.back());
      free_.pop_back();
      return connection;
    }
  }
  return std::make_unique<Queries>(path_, vfs_.empty() ? nullptr : vfs_.c_str());
}

void QueryPool::give(std::unique_ptr<Queries> connection) {
  const std::scoped_lock lock(mutex_);
  free_.push_back(std::move(connection));
}

}  // namespace lb
