/// MemoryStore: a store that keeps its promises for as long as the process lives.
///
/// For tests and for `--data-dir` less tools; also the model that the durable stores are compared
/// with. It can be told to be full or to have failed.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <deque>
#include <map>
#include <utility>

#include "store/store.h"

namespace lb {

/// Lives on the io thread.
class MemoryStore final : public Store {
 public:
  explicit MemoryStore(asio::any_io_executor io);

  [[nodiscard]] StoreInfo info() const override;
  [[nodiscard]] StoreState state() const override { return state_; }
  void on_state(std::function<void(StoreState)> callback) override;
  asio::awaitable<Result<Catalog>> load_catalog() override;
  asio::awaitable<Result<std::vector<Unfinished>>> load_unfinished() override;
  void write(WriteBatch batch, Done done) override;
  asio::awaitable<Result<EntryPage>> read_since(SessionId session, Revision since, Revision upto,
                                                std::size_t bytes_max) override;
  asio::awaitable<Result<EntryPage>> read_window(SessionId session, std::uint64_t before,
                                                 std::uint64_t count) override;
  asio::awaitable<Result<std::optional<StoredEntry>>> read_entry(SessionId session, EntryKind kind,
                                                                 std::string id) override;
  asio::awaitable<Result<std::optional<std::string>>> read_output(SessionId session,
                                                                  std::string item_id) override;
  asio::awaitable<Result<std::vector<PromptKey>>> read_prompt_keys(SessionId session) override;
  asio::awaitable<Result<std::optional<PromptRecord>>> read_prompt(SessionId session,
                                                                   TurnId turn) override;
  asio::awaitable<Result<std::optional<AttachmentRecord>>> read_attachment(SessionId session,
                                                                           std::string id) override;
  asio::awaitable<Result<std::vector<AuditRow>>> read_audit(std::uint64_t before,
                                                            std::uint64_t count) override;
  asio::awaitable<Result<Logins>> read_logins() override;
  asio::awaitable<Result<std::vector<CheckpointRow>>> read_checkpoints(SessionId session) override;
  asio::awaitable<Result<std::optional<RewindRow>>> read_rewind(std::string id) override;
  asio::awaitable<Result<ReviewRows>> read_review(SessionId session) override;
  asio::awaitable<Result<std::vector<SearchHit>>> search(Search search) override;
  void close() override {}

  /// Full: writes wait until it is ready again. Failed: they are lost.
  void set_state(StoreState state);

 private:
  using Key = std::pair<EntryKind, std::string>;
  struct Shelf {
    std::map<Key, StoredEntry> entries;
    std::map<std::string, std::vector<GrowthPut>> growth;
    std::map<std::string, std::string> outputs;
    std::map<TurnId, PromptRecord> prompts;
    std::vector<TurnId> prompt_order;
  };
  void apply(WriteBatch& batch);
  void apply(SessionWrite& write);
  void apply_work(WriteBatch& batch);
  void add(AuditRow row);
  void drain();

  asio::any_io_executor io_;
  std::string epoch_;
  std::string settings_;
  StoreState state_;
  std::function<void(StoreState)> on_state_;
  std::deque<std::pair<WriteBatch, Done>> waiting_;
  std::map<ProjectId, ProjectRecord> projects_;
  std::map<SessionId, SessionRecord> records_;
  std::map<SessionId, Shelf> shelves_;
  std::map<std::string, AttachmentRecord> attachments_;
  std::vector<AuditRow> audit_;
  std::uint64_t audit_id_ = 0;
  Logins logins_;
  std::vector<WorkspaceRow> workspaces_;
  std::vector<SetupRow> setups_;
  std::vector<CheckpointRow> checkpoints_;
  std::vector<RewindRow> rewinds_;
  std::vector<CommentRow> comments_;
  std::map<std::pair<SessionId, std::string>, std::string> seen_;  // Session and path: oid.
};

}  // namespace lb
