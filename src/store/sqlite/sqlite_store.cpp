#include "store/sqlite/sqlite_store.h"

#include <boost/asio/thread_pool.hpp>
#include <map>
#include <mutex>
#include <utility>

#include "base/run_on.h"
#include "store/growth.h"
#include "store/sqlite/queries.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/writer.h"

namespace lb {
namespace {

constexpr std::size_t kReadThreads = 2;  // One slow page must not delay the next.

class SqliteStore final : public Store {
 public:
  // Called once, by open_sqlite_store, with what that has made.
  // NOLINTNEXTLINE(readability-function-size)
  SqliteStore(asio::any_io_executor io, std::string path, std::string vfs,
              std::unique_ptr<Database> database, GrowthLog log)
      : queries_(path, std::move(vfs)), pool_(kReadThreads) {
    for (GrowthPiece& piece : log.read_all()) {
      auto& pieces = growth_[{piece.session, piece.put.item_id}];
      pieces.push_back(std::move(piece.put));
    }
    epoch_ = queries_.with([](Queries& q) { return q.epoch(); }).value_or("");
    shared_ = std::make_shared<Shared>();
    writer_ = std::make_unique<Writer>(std::move(io), std::move(database), std::move(log),
                                       [shared = shared_](StoreState state) {
                                         shared->state = std::move(state);
                                         if (shared->on_state) shared->on_state(shared->state);
                                       });
  }
  ~SqliteStore() override { close(); }

  [[nodiscard]] StoreInfo info() const override { return {"sqlite", "full", epoch_}; }
  [[nodiscard]] StoreState state() const override { return shared_->state; }
  void on_state(std::function<void(StoreState)> callback) override {
    shared_->on_state = std::move(callback);
  }

  asio::awaitable<Result<Catalog>> load_catalog() override {
    return read([](Queries& q) { return q.catalog(); });
  }
  asio::awaitable<Result<std::vector<Unfinished>>> load_unfinished() override {
    return read([growth = std::exchange(growth_, {})](Queries& q) {
      std::vector<Unfinished> all = q.unfinished();
      for (Unfinished& left : all) fold_all(left, growth);
      return all;
    });
  }

  void write(WriteBatch batch, Done done) override {
    writer_->write(std::move(batch), std::move(done));
  }

  asio::awaitable<Result<EntryPage>> read_since(SessionId session, Revision since, Revision upto,
                                                std::size_t bytes_max) override {
    return read([=](Queries& q) { return q.since(session, since, upto, bytes_max); });
  }
  asio::awaitable<Result<EntryPage>> read_window(SessionId session, std::uint64_t before,
                                                 std::uint64_t count) override {
    return read([=](Queries& q) { return q.window(session, before, count); });
  }
  asio::awaitable<Result<std::optional<StoredEntry>>> read_entry(SessionId session, EntryKind kind,
                                                                 std::string id) override {
    return read([=](Queries& q) { return q.entry(session, kind, id); });
  }
  asio::awaitable<Result<std::optional<std::string>>> read_output(SessionId session,
                                                                  std::string item_id) override {
    return read([=](Queries& q) { return q.output(session, item_id); });
  }
  asio::awaitable<Result<std::vector<PromptKey>>> read_prompt_keys(SessionId session) override {
    return read([=](Queries& q) { return q.prompt_keys(session); });
  }
  asio::awaitable<Result<std::optional<PromptRecord>>> read_prompt(SessionId session,
                                                                   TurnId turn) override {
    return read([=](Queries& q) { return q.prompt(session, turn); });
  }
  asio::awaitable<Result<std::optional<AttachmentRecord>>> read_attachment(
      SessionId session, std::string id) override {
    return read([=](Queries& q) { return q.attachment(session, id); });
  }
  asio::awaitable<Result<std::vector<AuditRow>>> read_audit(std::uint64_t before,
                                                            std::uint64_t count) override {
    return read([=](Queries& q) { return q.audit(before, count); });
  }
  asio::awaitable<Result<Logins>> read_logins() override {
    return read([](Queries& q) { return q.logins(); });
  }
  asio::awaitable<Result<std::vector<CheckpointRow>>> read_checkpoints(SessionId session) override {
    return read([=](Queries& q) { return q.checkpoints(session); });
  }
  asio::awaitable<Result<std::optional<RewindRow>>> read_rewind(std::string id) override {
    return read([=](Queries& q) { return q.rewind(id); });
  }
  asio::awaitable<Result<ReviewRows>> read_review(SessionId session) override {
    return read([=](Queries& q) { return q.review(session); });
  }
  asio::awaitable<Result<std::vector<SearchHit>>> search(Search search) override {
    return read([search = std::move(search)](Queries& q) { return q.search(search); });
  }

  void close() override {
    if (closed_) return;
    closed_ = true;
    shared_->on_state = nullptr;
    pool_.join();
    writer_->close();
  }

 private:
  /// What the writer's reports change, on the io thread.
  struct Shared {
    StoreState state;
    std::function<void(StoreState)> on_state;
  };

  /// By session and item.
  using Growth = std::map<std::pair<std::string, std::string>, std::vector<GrowthPut>>;

  static void fold_all(Unfinished& left, const Growth& growth) {
    for (StoredEntry& entry : left.entries) {
      const auto pieces = growth.find({left.session.str(), entry.id});
      if (entry.kind == EntryKind::Item && pieces != growth.end()) {
        entry.payload = fold_growth(entry.payload, pieces->second);
      }
    }
  }

  template <class Query>
  auto read(Query query) -> asio::awaitable<Result<decltype(query(std::declval<Queries&>()))>> {
    co_return co_await run_on(pool_, [this, query = std::move(query)]() mutable {
      return queries_.with(std::move(query));
    });
  }

  QueryPool queries_;
  asio::thread_pool pool_;
  std::string epoch_;
  Growth growth_;  // Of the last life, until it is loaded.
  std::shared_ptr<Shared> shared_;
  std::unique_ptr<Writer> writer_;
  bool closed_ = false;
};

}  // namespace

Result<std::unique_ptr<Store>> open_sqlite_store(asio::any_io_executor io, SqliteOptions options) {
  const StoreFiles files(options.directory);
  auto database = open_for_writing(files, options.vfs.empty() ? nullptr : options.vfs.c_str());
  if (!database) return std::unexpected(std::move(database.error()));
  auto log = GrowthLog::open(files.growing);
  if (!log) return std::unexpected(std::move(log.error()));
  return std::make_unique<SqliteStore>(std::move(io), files.database, std::move(options.vfs),
                                       std::move(*database), std::move(*log));
}

}  // namespace lb
