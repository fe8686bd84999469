// Rowid tables with unique indexes: a clustered WITHOUT ROWID table of 1 KB rows is four times
// slower and three times larger.
//
// Only the connection opened for writing checkpoints. SQLite before 3.51.3 can corrupt a file when
// several connections of one process reset the WAL at once (Debian 12 has 3.40.1); with one
// checkpointing connection, and the data directory locked for one process, that cannot happen.
#include "store/sqlite/schema.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

#include "base/fd.h"
#include "base/id.h"
#include "base/log.h"
#include "store/file_copy.h"

namespace lb {
namespace {

constexpr const char* kVersion1 = R"sql(
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE projects(
  id INTEGER PRIMARY KEY, project_id TEXT NOT NULL UNIQUE, path TEXT NOT NULL, name TEXT NOT NULL,
  added_at INTEGER NOT NULL, added_order INTEGER NOT NULL, removed INTEGER NOT NULL);
CREATE TABLE sessions(
  id INTEGER PRIMARY KEY, session_id TEXT NOT NULL UNIQUE, project_id TEXT NOT NULL,
  cli_type TEXT NOT NULL, cli_session_id TEXT NOT NULL, title TEXT NOT NULL,
  title_source INTEGER NOT NULL, created_at INTEGER NOT NULL, last_active_at INTEGER NOT NULL,
  archived INTEGER NOT NULL, external INTEGER NOT NULL, imported INTEGER NOT NULL,
  deleted INTEGER NOT NULL, unread INTEGER NOT NULL, failed INTEGER NOT NULL,
  last_turn TEXT NOT NULL, model TEXT NOT NULL, mode TEXT NOT NULL, reserved INTEGER NOT NULL,
  next_pos INTEGER NOT NULL);
CREATE TABLE facts(session INTEGER PRIMARY KEY, facts TEXT NOT NULL);
CREATE TABLE entries(
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL, kind INTEGER NOT NULL, entry_id TEXT NOT NULL,
  rev INTEGER NOT NULL, pos INTEGER NOT NULL, open INTEGER NOT NULL, payload TEXT NOT NULL);
CREATE UNIQUE INDEX entries_key ON entries(session, kind, entry_id);
CREATE INDEX entries_rev ON entries(session, rev);
CREATE INDEX entries_pos ON entries(session, pos);
CREATE INDEX entries_open ON entries(session) WHERE open;
CREATE TABLE outputs(
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL, item_id TEXT NOT NULL, output TEXT NOT NULL);
CREATE UNIQUE INDEX outputs_key ON outputs(session, item_id);
CREATE TABLE prompts(
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL, turn_id TEXT NOT NULL, key TEXT NOT NULL,
  content TEXT NOT NULL, attachments TEXT NOT NULL, settled INTEGER NOT NULL);
CREATE UNIQUE INDEX prompts_key ON prompts(session, turn_id);
CREATE INDEX prompts_unsettled ON prompts(session) WHERE NOT settled;
CREATE TABLE credentials(
  id TEXT PRIMARY KEY, hash TEXT NOT NULL, created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL);
CREATE TABLE attachments(
  id INTEGER PRIMARY KEY, attachment_id TEXT NOT NULL UNIQUE, session INTEGER NOT NULL,
  mime_type TEXT NOT NULL, bytes BLOB NOT NULL);
CREATE INDEX attachments_session ON attachments(session);
CREATE VIRTUAL TABLE search USING fts5(
  body, content='', tokenize="unicode61 remove_diacritics 2");
INSERT INTO search(search, rank) VALUES('hashsize', 262144); -- A quarter of the usual memory.
CREATE TABLE search_pending(entry INTEGER PRIMARY KEY);
)sql";

/// Credentials are in a file of their own and never were in this table.
constexpr const char* kVersion2 = R"sql(
DROP TABLE credentials;
ALTER TABLE sessions ADD COLUMN owner TEXT NOT NULL DEFAULT '';
)sql";

constexpr const char* kVersion3 = R"sql(
CREATE TABLE audit(id INTEGER PRIMARY KEY, stranger INTEGER NOT NULL, entry TEXT NOT NULL);
CREATE INDEX audit_stranger ON audit(stranger, id);
CREATE TABLE logins(id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, login TEXT NOT NULL);
)sql";

/// Logins of an older version are nowhere but in the file of grants: the server takes them over
/// once.
constexpr const char* kOldLogins = "INSERT INTO meta VALUES('logins_unknown', '1')";

/// Whether a session's agent runs behind walls.
constexpr const char* kVersion4 = R"sql(
ALTER TABLE sessions ADD COLUMN confined INTEGER NOT NULL DEFAULT 0;
)sql";

/// Workspaces, and the files before and after turns.
constexpr const char* kVersion5 = R"sql(
ALTER TABLE sessions ADD COLUMN workspace_id TEXT NOT NULL DEFAULT '';
CREATE TABLE workspaces(
  id INTEGER PRIMARY KEY, workspace_id TEXT NOT NULL UNIQUE, workspace TEXT NOT NULL);
CREATE TABLE setups(project_id TEXT NOT NULL, setup TEXT NOT NULL, UNIQUE(project_id, setup));
CREATE TABLE checkpoints(
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL, turn_id TEXT NOT NULL, root TEXT NOT NULL,
  before_tree TEXT NOT NULL, after_tree TEXT NOT NULL, shared INTEGER NOT NULL,
  made_at INTEGER NOT NULL);
CREATE UNIQUE INDEX checkpoints_key ON checkpoints(session, turn_id);
CREATE TABLE rewinds(
  id INTEGER PRIMARY KEY, rewind_id TEXT NOT NULL UNIQUE, open INTEGER NOT NULL,
  rewind TEXT NOT NULL);
)sql";

/// What the user says about changes, and which of them he has seen.
constexpr const char* kVersion6 = R"sql(
CREATE TABLE comments(
  id INTEGER PRIMARY KEY, session INTEGER NOT NULL, comment_id TEXT NOT NULL,
  comment TEXT NOT NULL);
CREATE UNIQUE INDEX comments_key ON comments(session, comment_id);
CREATE TABLE seen(
  session INTEGER NOT NULL, path TEXT NOT NULL, oid TEXT NOT NULL, PRIMARY KEY(session, path));
)sql";

/// What the first 100 bytes of a file say, read without SQLite so that nothing is touched.
struct Header {
  bool empty = true;
  bool sqlite = false;
  std::uint32_t version = 0;
  std::uint32_t application = 0;
};

Result<Header> read_header(const std::string& path) {
  // Made here and not by SQLite: its mode decides the mode of the files beside it.
  const Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid()) {
    return fail(ErrorCode::StoreFull,
                fmt::format("Cannot open {}: {}", path,
                            std::error_code(errno, std::generic_category()).message()));
  }
  std::array<unsigned char, 100> bytes{};
  const ssize_t got = ::pread(file.get(), bytes.data(), bytes.size(), 0);
  Header header;
  header.empty = got == 0;
  if (got < static_cast<ssize_t>(bytes.size())) return header;
  const auto number = [&](std::size_t at) {
    return std::uint32_t{bytes[at]} << 24U | std::uint32_t{bytes[at + 1]} << 16U |
           std::uint32_t{bytes[at + 2]} << 8U | bytes[at + 3];
  };
  header.sqlite =
      std::string_view(reinterpret_cast<const char*>(bytes.data()), 15) == "SQLite format 3";
  header.version = number(60);
  header.application = number(68);
  return header;
}

Result<void> refuse_foreign(const std::string& path) {
  const auto header = read_header(path);
  if (!header) return std::unexpected(header.error());
  if (header->empty) return {};
  if (!header->sqlite || header->application != std::uint32_t{kApplicationId}) {
    return fail(ErrorCode::InvalidRequest,
                fmt::format("{} is damaged or not a Liminal Builder store. Move it away or bring "
                            "back a copy; nothing was changed.",
                            path));
  }
  if (header->version > std::uint32_t{kSchemaVersion}) {
    return fail(ErrorCode::InvalidRequest,
                fmt::format("{} was written by a newer Liminal Builder (store version {}, this one "
                            "knows {}). Update the program; nothing was changed.",
                            path, header->version, kSchemaVersion));
  }
  return {};
}

/// What 0.1 knows how to open stays beside what it does not: nobody has to go on with us.
Result<void> keep_old(Database& database, const StoreFiles& files, std::int64_t version) {
  // With an empty WAL the file alone is the whole store.
  if (database.number("PRAGMA wal_checkpoint(TRUNCATE)") != 0) {
    return fail(ErrorCode::StoreFull,
                fmt::format("Cannot copy {}, which is done before its format changes: somebody "
                            "else reads it. Nothing was changed.",
                            files.database));
  }
  auto copies = copy_beside({files.database, files.growing}, fmt::format("v{}", version));
  if (!copies) return std::unexpected(std::move(copies.error()));
  log_info("store_copied", {{"version", std::to_string(version)}, {"to", copies->front()}});
  return {};
}

Result<void> migrate(Database& database, const StoreFiles& files) {
  const std::int64_t version = database.number("PRAGMA user_version");
  if (version == kSchemaVersion) return {};
  if (version > 0) {
    if (auto kept = keep_old(database, files, version); !kept) return kept;
  }
  Transaction transaction(database);
  if (version < 1) {
    database.run(kVersion1);
    Statement(database, "INSERT INTO meta VALUES('epoch', ?)").run(make_uuid());
  }
  if (version < 2) database.run(kVersion2);
  if (version < 3) database.run(kVersion3);
  if (version > 0 && version < 3) database.run(kOldLogins);
  if (version < 4) database.run(kVersion4);
  if (version < 5) database.run(kVersion5);
  if (version < 6) database.run(kVersion6);
  database.run(fmt::format("PRAGMA user_version = {}", kSchemaVersion).c_str());
  transaction.commit();
  return {};
}

}  // namespace

Result<std::unique_ptr<Database>> open_for_writing(const StoreFiles& files, const char* vfs) {
  const std::string& path = files.database;
  if (auto known = refuse_foreign(path); !known) return std::unexpected(known.error());
  try {
    auto database =
        std::make_unique<Database>(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, vfs);
    if (database->number("PRAGMA user_version") > kSchemaVersion) {  // Newer, and only in its WAL.
      return fail(ErrorCode::InvalidRequest,
                  fmt::format("{} was written by a newer Liminal Builder. Update the program; "
                              "nothing was changed.",
                              path));
    }
    database->run(fmt::format("PRAGMA page_size = {}", kPageBytes).c_str());  // Of a new file.
    if (database->number("PRAGMA application_id") == 0) {
      database->run(fmt::format("PRAGMA application_id = {}", kApplicationId).c_str());
    }
    database->run(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0;"
        "PRAGMA temp_store = MEMORY; PRAGMA cache_size = -512; PRAGMA journal_size_limit = "
        "8388608;");
    if (auto migrated = migrate(*database, files); !migrated) {
      return std::unexpected(std::move(migrated.error()));
    }
    return database;
  } catch (const SqliteError& error) {
    return fail(ErrorCode::StoreFull, fmt::format("Cannot open {}: {}", path, error.what()));
  }
}

std::unique_ptr<Database> open_for_reading(const std::string& path, const char* vfs) {
  auto database = std::make_unique<Database>(path, SQLITE_OPEN_READONLY, vfs);
  database->run("PRAGMA wal_autocheckpoint = 0; PRAGMA query_only = 1; PRAGMA cache_size = -1024;");
  sqlite3_busy_timeout(database->get(), 1000);
  return database;
}

}  // namespace lb
