#include "store/sqlite/tables.h"

#include <optional>

#include "base/limits.h"
#include "base/metrics.h"
#include "store/growth.h"
#include "store/sqlite/session_row.h"

namespace lb {
namespace {

/// Entries given to the full-text index in one transaction, however short they are.
constexpr std::size_t kIndexedAtOnce = 64;

/// To find where the trail ends costs a walk over all of it: not at every line.
constexpr std::int64_t kTrimEvery = limits::kAuditSlack;

/// Sessions whose row is remembered: more than work at a time.
constexpr std::size_t kKeysMax = 256;

}  // namespace

Tables::Tables(Database& database)
    : database_(database),
      put_project_(database,
                   "INSERT INTO projects(project_id, path, name, added_at, added_order, removed) "
                   "VALUES(?1,?2,?3,?4,?5,?6) ON CONFLICT(project_id) DO UPDATE SET path=?2, "
                   "name=?3, added_at=?4, added_order=?5, removed=?6"),
      put_session_(database, put_session_sql().c_str()),
      find_session_(database, "SELECT id FROM sessions WHERE session_id=?"),
      put_facts_(database, "INSERT OR REPLACE INTO facts VALUES(?,?)"),
      put_entry_(database,
                 "INSERT INTO entries(session, kind, entry_id, rev, pos, open, payload) "
                 "VALUES(?1,?2,?3,?4,?5,?6,?7) ON CONFLICT(session, kind, entry_id) DO UPDATE SET "
                 "rev=?4, open=?6, payload=?7 RETURNING id"),
      put_output_(database,
                  "INSERT INTO outputs(session, item_id, output) VALUES(?1,?2,?3) "
                  "ON CONFLICT(session, item_id) DO UPDATE SET output=?3"),
      put_prompt_(database,
                  "INSERT INTO prompts(session, turn_id, key, content, attachments, settled) "
                  "VALUES(?1,?2,?3,?4,?5,?6) ON CONFLICT(session, turn_id) DO UPDATE SET "
                  "key=?3, content=?4, attachments=?5, settled=?6"),
      put_pending_(database, "INSERT OR IGNORE INTO search_pending VALUES(?)"),
      put_attachment_(database,
                      "INSERT OR REPLACE INTO attachments(attachment_id, session, mime_type, "
                      "bytes) VALUES(?,?,?,?)"),
      find_open_(database,
                 "SELECT id, payload FROM entries WHERE session=? AND kind=0 AND entry_id=? AND "
                 "open"),
      update_payload_(database, "UPDATE entries SET payload=? WHERE id=?"),
      drop_pending_(database, "DELETE FROM search_pending WHERE entry=?"),
      put_search_(database, "INSERT INTO search(rowid, body) VALUES(?,?)"),
      put_checkpoint_(
          database,
          "INSERT INTO checkpoints(session, turn_id, root, before_tree, after_tree, "
          "shared, made_at) VALUES(?1,?2,?3,?4,?5,?6,?7) ON CONFLICT(session, turn_id) "
          "DO UPDATE SET root=?3, before_tree=?4, after_tree=?5, shared=?6, made_at=?7"),
      put_audit_(database, "INSERT INTO audit(stranger, entry) VALUES(?,?)"),
      trim_audit_(database,
                  "DELETE FROM audit WHERE stranger=?1 AND id<=(SELECT id FROM audit WHERE "
                  "stranger=?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)") {}

std::int64_t Tables::key_of(const SessionId& session) {
  const auto known = keys_.find(session.str());
  if (known != keys_.end()) return known->second;
  find_session_.bind(session.str());
  if (!find_session_.step()) {
    throw SqliteError(SQLITE_MISUSE, "an entry of a session that has no record: " + session.str());
  }
  const std::int64_t key = find_session_.integer(0);
  find_session_.reset();
  // Those in use are looked up again in microseconds.
  if (keys_.size() >= kKeysMax) keys_.clear();
  keys_[session.str()] = key;
  return key;
}

void Tables::put_settings(const std::string& settings) {
  Statement(database_, "INSERT OR REPLACE INTO meta VALUES('settings', ?)").run(settings);
}

void Tables::put(const ProjectRecord& project) {
  put_project_.run(project.id.str(), project.path, project.name, project.added_at.ms, project.order,
                   project.removed);
}

void Tables::put(const SessionRecord& record) {
  bind_session(put_session_, record);
  put_session_.run_bound();
}

void Tables::put(const SessionWrite& write) {
  if (write.record) put(*write.record);
  const std::int64_t session = key_of(write.session);
  if (write.facts) put_facts_.run(session, *write.facts);
  if (write.erase) {
    keys_.erase(write.session.str());
    return erase(session);
  }
  for (const EntryPut& entry : write.entries) put(session, entry);
  for (const OutputPut& output : write.outputs)
    put_output_.run(session, output.item_id, output.text);
  for (const PromptRecord& prompt : write.prompts) {
    put_prompt_.run(session, prompt.turn_id.str(), prompt.key, prompt.content, prompt.attachments,
                    prompt.settled);
  }
}

void Tables::put(std::int64_t session, const EntryPut& entry) {
  put_entry_.bind(session, entry.kind, entry.id, entry.form->rev, entry.form->pos, entry.open,
                  entry.form->payload());
  const std::int64_t id = put_entry_.step() ? put_entry_.integer(0) : 0;
  while (put_entry_.step()) {
  }
  put_entry_.reset();
  if (entry.kind == EntryKind::Item && !entry.open) put_pending_.run(id);
}

void Tables::put(const AttachmentRecord& attachment) {
  put_attachment_.run(attachment.id, key_of(attachment.session), attachment.mime_type,
                      attachment.bytes);
}

void Tables::put(const AuditRow& row) {
  static Counter& kept = counter("lb_audit_entries_total", "Lines added to the audit trail.");
  static Counter& dropped =
      counter("lb_audit_dropped_total", "Lines of the audit trail that made room for newer ones.");
  put_audit_.run(row.stranger, row.entry);
  kept.add();
  if (sqlite3_last_insert_rowid(database_.get()) % kTrimEvery != 0) return;
  for (const bool stranger : {false, true}) {
    trim_audit_.run(stranger, stranger ? limits::kAuditStrangersMax : limits::kAuditMax);
    dropped.add(static_cast<std::uint64_t>(sqlite3_changes(database_.get())));
  }
}

void Tables::put(const LoginRow& login) {
  Statement(database_, "INSERT OR REPLACE INTO logins(hash, login) VALUES(?,?)")
      .run(login.hash, login.login);
}

void Tables::end_login(const std::string& hash) {
  Statement(database_, "DELETE FROM logins WHERE hash=?").run(hash);
}

void Tables::logins_known() {
  database_.run("DELETE FROM meta WHERE key='logins_unknown'");
}

void Tables::put(const WorkspaceRow& workspace) {
  if (workspace.workspace.empty()) {
    Statement(database_, "DELETE FROM workspaces WHERE workspace_id=?").run(workspace.id.str());
    return;
  }
  Statement(database_,
            "INSERT INTO workspaces(workspace_id, workspace) VALUES(?1,?2) "
            "ON CONFLICT(workspace_id) DO UPDATE SET workspace=?2")
      .run(workspace.id.str(), workspace.workspace);
}

void Tables::put(const SetupRow& setup) {
  Statement(database_, "INSERT OR IGNORE INTO setups VALUES(?,?)")
      .run(setup.project.str(), setup.setup);
}

void Tables::put(const CheckpointRow& row) {
  put_checkpoint_.run(key_of(row.session), row.turn.str(), row.root, row.before, row.after,
                      row.shared, row.made_at.ms);
}

void Tables::drop(const CheckpointRow& row) {
  Statement(database_, "DELETE FROM checkpoints WHERE session=? AND turn_id=?")
      .run(key_of(row.session), row.turn.str());
}

/// Only the newest can be undone: an old one would be undone over everything that came since.
void Tables::put(const RewindRow& rewind) {
  Statement(database_,
            "INSERT INTO rewinds(rewind_id, open, rewind) VALUES(?1,?2,?3) "
            "ON CONFLICT(rewind_id) DO UPDATE SET open=?2, rewind=?3")
      .run(rewind.id, rewind.open, rewind.rewind);
  Statement(database_, "DELETE FROM rewinds WHERE NOT open AND id<=(SELECT max(id) FROM rewinds)-?")
      .run(limits::kRewindsKept);
}

void Tables::put(const CommentRow& row) {
  if (row.comment.empty()) {
    Statement(database_, "DELETE FROM comments WHERE session=? AND comment_id=?")
        .run(key_of(row.session), row.id.str());
    return;
  }
  Statement(database_,
            "INSERT INTO comments(session, comment_id, comment) VALUES(?1,?2,?3) "
            "ON CONFLICT(session, comment_id) DO UPDATE SET comment=?3")
      .run(key_of(row.session), row.id.str(), row.comment);
}

void Tables::put(const SeenRow& row) {
  if (row.oid.empty()) {
    Statement(database_, "DELETE FROM seen WHERE session=? AND path=?")
        .run(key_of(row.session), row.path);
    return;
  }
  Statement(database_, "INSERT OR REPLACE INTO seen VALUES(?,?,?)")
      .run(key_of(row.session), row.path, row.oid);
}

void Tables::erase(std::int64_t session) {
  // A contentless index forgets a row only when it is told again what the row held.
  Statement indexed(database_,
                    "SELECT id, payload FROM entries WHERE session=? AND kind=0 AND NOT open AND "
                    "id NOT IN (SELECT entry FROM search_pending)");
  Statement forget(database_, "INSERT INTO search(search, rowid, body) VALUES('delete',?,?)");
  indexed.bind(session);
  while (indexed.step()) {
    const std::string text = searchable_text(indexed.view(1));
    if (!text.empty()) forget.run(indexed.integer(0), text);
  }
  Statement(database_,
            "DELETE FROM search_pending WHERE entry IN (SELECT id FROM entries WHERE session=?)")
      .run(session);
  Statement(database_, "DELETE FROM entries WHERE session=?").run(session);
  Statement(database_, "DELETE FROM outputs WHERE session=?").run(session);
  Statement(database_, "DELETE FROM prompts WHERE session=?").run(session);
  Statement(database_, "DELETE FROM attachments WHERE session=?").run(session);
  Statement(database_, "DELETE FROM facts WHERE session=?").run(session);
  Statement(database_, "DELETE FROM checkpoints WHERE session=?").run(session);
  Statement(database_, "DELETE FROM comments WHERE session=?").run(session);
  Statement(database_, "DELETE FROM seen WHERE session=?").run(session);
}

void Tables::fold(const std::string& session, const std::string& item,
                  const std::vector<GrowthPut>& pieces) {
  find_open_.bind(key_of(SessionId(session)), item);
  if (!find_open_.step()) return find_open_.reset();
  const std::int64_t id = find_open_.integer(0);
  const std::string folded = fold_growth(find_open_.text(1), pieces);
  find_open_.reset();
  update_payload_.run(folded, id);
}

std::size_t Tables::index_some(std::size_t bytes_max) {
  std::size_t found = 0;
  // One at a time: a long text is in memory once, not with all that wait behind it. The statement
  // is made for each, because it would keep the longest payload it has seen for as long as it
  // lives.
  for (std::size_t bytes = 0; bytes < bytes_max && found < kIndexedAtOnce; ++found) {
    std::optional<Statement> next;
    next.emplace(database_,
                 "SELECT p.entry, e.payload FROM search_pending p LEFT JOIN entries e ON "
                 "e.id=p.entry LIMIT 1");
    if (!next->step()) break;
    const std::int64_t entry = next->integer(0);
    const std::string text = searchable_text(next->view(1));
    next.reset();
    if (!text.empty()) put_search_.run(entry, text);
    drop_pending_.run(entry);
    bytes += text.size();
  }
  return found;
}

}  // namespace lb
