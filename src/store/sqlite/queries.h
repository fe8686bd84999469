/// Queries: what is read from the store file, on connections that only read.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "store/sqlite/database.h"
#include "store/store.h"

namespace lb {

/// One read-only connection and its statements; used by one thread at a time.
class Queries {
 public:
  Queries(const std::string& path, const char* vfs);

  Catalog catalog();
  std::string epoch();
  /// Open entries as stored, without the growth, and prompts nobody answered for.
  std::vector<Unfinished> unfinished();
  EntryPage since(const SessionId& session, Revision since, Revision upto, std::size_t bytes_max);
  EntryPage window(const SessionId& session, std::uint64_t before, std::uint64_t count);
  std::optional<StoredEntry> entry(const SessionId& session, EntryKind kind, const std::string& id);
  std::optional<std::string> output(const SessionId& session, const std::string& item);
  std::vector<PromptKey> prompt_keys(const SessionId& session);
  std::optional<PromptRecord> prompt(const SessionId& session, const TurnId& turn);
  std::optional<AttachmentRecord> attachment(const SessionId& session, const std::string& id);
  std::vector<AuditRow> audit(std::uint64_t before, std::uint64_t count);
  Logins logins();
  std::vector<CheckpointRow> checkpoints(const SessionId& session);
  ReviewRows review(const SessionId& session);
  std::optional<RewindRow> rewind(const std::string& id);
  std::vector<SearchHit> search(const Store::Search& search);

 private:
  std::unique_ptr<Database> database_;
  Statement since_;
  Statement window_;
  Statement entry_;
};

/// As many connections as threads ask at once; each is opened when it is first needed.
class QueryPool {
 public:
  QueryPool(std::string path, std::string vfs) : path_(std::move(path)), vfs_(std::move(vfs)) {}

  /// Runs `query` with a connection; a failure of the file becomes an Error.
  template <class Query>
  auto with(Query query) -> Result<decltype(query(std::declval<Queries&>()))> {
    try {
      std::unique_ptr<Queries> connection = take();
      auto answer = query(*connection);
      give(std::move(connection));
      return answer;
    } catch (const SqliteError& error) {
      return fail(ErrorCode::Internal, std::string("The store cannot be read: ") + error.what());
    }
  }

 private:
  std::unique_ptr<Queries> take();
  void give(std::unique_ptr<Queries> connection);

  std::string path_;
  std::string vfs_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Queries>> free_;
};

}  // namespace lb
