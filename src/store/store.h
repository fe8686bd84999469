/// Store: the durable newest form of every entry, and the few records around them.
///
/// The seam behind the timelines: nothing above knows whether SQLite or memory is behind it.
/// Writes are batches; `done` is called on the io thread once the batch will survive a crash, and
/// in the order of the writes. Reads run on a pool and resume on the caller's executor. Ranges of
/// entries have final ones only, since open ones live in the timeline of their session.
///
/// When nothing more can be written (a full disk, an I/O error), what was handed in stays in order
/// and is tried again: `done` is then late, never wrong. A failed sync stops the store for good
/// (nobody knows what is on the disk), `done` is never called again.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "store/records.h"

namespace lb {

namespace asio = boost::asio;

struct StoreState {
  enum class Kind {
    Ready,
    Full,    // Nothing can be written now; it heals by itself when it can.
    Failed,  // Stopped; only a restart helps.
  };
  Kind kind = Kind::Ready;
  std::string message;  // For people; empty when ready.
  friend bool operator==(const StoreState&, const StoreState&) = default;
};

struct StoreInfo {
  std::string kind;        // sqlite, memory
  std::string durability;  // full, none
  std::string epoch;       // Random per store: cursors of another store mean nothing here.
};

class Store {
 public:
  using Done = std::function<void()>;

  Store() = default;
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;
  virtual ~Store() = default;

  [[nodiscard]] virtual StoreInfo info() const = 0;
  [[nodiscard]] virtual StoreState state() const = 0;
  /// Why nothing can be stored now, if so.
  [[nodiscard]] Result<void> writable() const;
  /// Called on the io thread at every change of the state.
  virtual void on_state(std::function<void(StoreState)> callback) = 0;

  /// Both are for the start, once, before the first write.
  virtual asio::awaitable<Result<Catalog>> load_catalog() = 0;
  virtual asio::awaitable<Result<std::vector<Unfinished>>> load_unfinished() = 0;

  virtual void write(WriteBatch batch, Done done) = 0;

  /// Final entries with since < rev <= upto, in revision order; at least one and then until
  /// `bytes_max` of payload are reached.
  virtual asio::awaitable<Result<EntryPage>> read_since(SessionId session, Revision since,
                                                        Revision upto, std::size_t bytes_max) = 0;
  /// The newest `count` final entries with pos < before, oldest first.
  virtual asio::awaitable<Result<EntryPage>> read_window(SessionId session, std::uint64_t before,
                                                         std::uint64_t count) = 0;
  /// One entry as it was stored last, open or final.
  virtual asio::awaitable<Result<std::optional<StoredEntry>>> read_entry(SessionId session,
                                                                         EntryKind kind,
                                                                         std::string id) = 0;
  virtual asio::awaitable<Result<std::optional<std::string>>> read_output(SessionId session,
                                                                          std::string item_id) = 0;
  /// Every prompt that came with a key, oldest first, without what it said.
  virtual asio::awaitable<Result<std::vector<PromptKey>>> read_prompt_keys(SessionId session) = 0;
  virtual asio::awaitable<Result<std::optional<PromptRecord>>> read_prompt(SessionId session,
                                                                           TurnId turn) = 0;
  virtual asio::awaitable<Result<std::optional<AttachmentRecord>>> read_attachment(
      SessionId session, std::string id) = 0;

  /// The newest `count` lines of the audit trail with an id below `before`, newest first.
  virtual asio::awaitable<Result<std::vector<AuditRow>>> read_audit(std::uint64_t before,
                                                                    std::uint64_t count) = 0;
  virtual asio::awaitable<Result<Logins>> read_logins() = 0;
  /// Of one session, oldest first.
  virtual asio::awaitable<Result<std::vector<CheckpointRow>>> read_checkpoints(
      SessionId session) = 0;
  virtual asio::awaitable<Result<std::optional<RewindRow>>> read_rewind(std::string id) = 0;
  virtual asio::awaitable<Result<ReviewRows>> read_review(SessionId session) = 0;

  struct Search {
    std::string text;
    std::vector<SessionId> sessions;  // Only these.
    std::size_t limit = 50;
  };
  /// Best first. Final items become searchable shortly after they are stored.
  virtual asio::awaitable<Result<std::vector<SearchHit>>> search(Search search) = 0;

  /// Waits until everything written so far is durable (or the store has failed) and ends the
  /// threads. Nothing may be called afterwards.
  virtual void close() = 0;

  /// Waits for a batch: an error only when the store cannot take it now.
  asio::awaitable<Result<void>> commit(WriteBatch batch);
};

}  // namespace lb
