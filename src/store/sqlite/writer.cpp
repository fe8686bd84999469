#include "store/sqlite/writer.h"

#include <fmt/format.h>

#include <boost/asio/post.hpp>
#include <cerrno>
#include <map>
#include <system_error>

#include "base/limits.h"
#include "base/log.h"
#include "base/metrics.h"
#include "store/sqlite/schema.h"

namespace lb {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// The limit is for pages of 4 KiB.
constexpr int kWalPagesMax = limits::kWalPagesMax * (4096 / kPageBytes);
/// Transactions of the index in a row, while nobody waits: with many long answers at once it keeps
/// up although it gets its turn only every kStoreIdleMaxMs.
constexpr int kIndexRounds = 8;

std::string reason_of(int error) {
  return std::error_code(error, std::generic_category()).message();
}

struct Meters {
  Counter& commits = counter("lb_store_commits_total", "Transactions made durable.");
  Counter& batches = counter("lb_store_batches_total", "Batches written.");
  Counter& errors = counter("lb_store_write_errors_total", "Commits that failed.");
  Counter& growth = counter("lb_store_growth_bytes_total", "Bytes of growing text written.");
  Counter& indexed = counter("lb_store_indexed_total", "Items given to the full-text index.");
  Histogram& commit_time = histogram("lb_store_commit_seconds", "Time of one transaction.");
};
Meters& meters() {
  static Meters all;
  return all;
}

}  // namespace

Writer::Writer(asio::any_io_executor io, std::unique_ptr<Database> database, GrowthLog log,
               Report report)
    : io_(std::move(io)),
      database_(std::move(database)),
      log_(std::move(log)),
      tables_(*database_),
      report_(std::move(report)),
      last_sync_(steady_clock::now()),
      last_write_(steady_clock::now()),
      last_idle_(steady_clock::now()) {
  sqlite3_wal_hook(
      database_->get(),
      [](void* self, sqlite3*, const char*, int pages) {
        static_cast<Writer*>(self)->wal_pages_ = pages;
        return SQLITE_OK;
      },
      this);
  thread_ = std::thread([this] { run(); });
}

Writer::~Writer() {
  close();
}

void Writer::write(WriteBatch batch, Store::Done done) {
  bool first = false;
  {
    const std::scoped_lock lock(mutex_);
    first = queue_.empty();
    queue_.push_back({std::move(batch), std::move(done)});
  }
  if (first) wake_.notify_one();  // Otherwise it was told, and takes all of them.
}

void Writer::close() {
  {
    const std::scoped_lock lock(mutex_);
    closing_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Writer::run() {
  for (bool closing = false; !closing;) {
    {
      std::unique_lock lock(mutex_);
      wait_for_work(lock);
      closing = closing_;
      for (Job& job : queue_) jobs_.push_back(std::move(job));
      if (!queue_.empty()) growth_written_ = false;
      queue_.clear();
    }
    if (state_ == StoreState::Kind::Failed) {
      jobs_.clear();
      continue;
    }
    if (!jobs_.empty()) {
      const Outcome outcome = commit();
      if (outcome == Outcome::Done) finish_jobs();
      last_write_ = steady_clock::now();
    }
    if (sync_growth(closing) == Outcome::Done) idle_work();
  }
  try {
    if (state_ == StoreState::Kind::Ready) checkpoint(SQLITE_CHECKPOINT_TRUNCATE);
  } catch (const SqliteError& error) {
    log_warn("store_checkpoint", {{"why", error.what()}});  // The WAL holds everything.
  }
}

void Writer::wait_for_work(std::unique_lock<std::mutex>& lock) {
  const auto has_work = [this] { return closing_ || !queue_.empty(); };
  if (!jobs_.empty()) {  // The disk was full: try again, also when nothing new comes.
    wake_.wait_for(lock, milliseconds(limits::kStoreRetryMs), [this] { return closing_; });
  } else if (log_.unsynced()) {
    wake_.wait_until(lock, last_sync_ + milliseconds(limits::kGrowthSyncMs), has_work);
  } else if (maybe_unindexed_) {
    wake_.wait_for(lock, milliseconds(limits::kStoreIdleMs), has_work);
  } else {
    wake_.wait(lock, has_work);
  }
}

Writer::Outcome Writer::commit() {
  const auto began = steady_clock::now();
  try {
    append_growth();
    commit_jobs();
  } catch (const SqliteError& error) {
    meters().errors.add();
    tables_.forget_keys();
    const Outcome outcome = outcome_of(error.code());
    set_state(outcome == Outcome::Failed ? StoreState::Kind::Failed : StoreState::Kind::Full,
              error.what());
    return outcome;
  }
  const auto took =
      std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - began);
  meters().commit_time.observe_us(static_cast<std::uint64_t>(took.count()));
  meters().commits.add();
  set_state(StoreState::Kind::Ready, "");
  return Outcome::Done;
}

/// Growth goes first: a whole form that voids it is in the same batch or a later one.
void Writer::append_growth() {
  if (growth_written_) return;
  std::vector<std::pair<std::string_view, const GrowthPut*>> pieces;
  for (const Job& job : jobs_) {
    for (const SessionWrite& write : job.batch.sessions) {
      for (const GrowthPut& put : write.growth) {
        pieces.emplace_back(write.session.str(), &put);
        meters().growth.add(put.text.size());
      }
    }
  }
  if (!pieces.empty()) {
    if (const int error = log_.append(pieces); error != 0) {
      throw SqliteError(SQLITE_FULL, "growing text: " + reason_of(error));
    }
  }
  growth_written_ = true;
}

void Writer::commit_jobs() {
  const auto writes_rows = [](const WriteBatch& batch) {
    if (batch.settings || !batch.projects.empty() || !batch.attachments.empty()) return true;
    if (!batch.audit.empty() || !batch.logins.empty() || !batch.ended_logins.empty() ||
        batch.logins_known) {
      return true;
    }
    if (!batch.workspaces.empty() || !batch.setups.empty() || !batch.checkpoints.empty() ||
        !batch.dropped_checkpoints.empty() || !batch.rewinds.empty() || !batch.comments.empty() ||
        !batch.seen.empty()) {
      return true;
    }
    for (const SessionWrite& write : batch.sessions) {
      if (write.record || write.facts || write.erase || !write.entries.empty() ||
          !write.outputs.empty() || !write.prompts.empty()) {
        return true;
      }
    }
    return false;
  };
  if (std::ranges::none_of(jobs_, [&](const Job& job) { return writes_rows(job.batch); })) return;
  Transaction transaction(*database_);
  for (const Job& job : jobs_) {
    if (job.batch.settings) tables_.put_settings(*job.batch.settings);
    for (const ProjectRecord& project : job.batch.projects) tables_.put(project);
    for (const SessionWrite& write : job.batch.sessions) tables_.put(write);
    for (const AttachmentRecord& attachment : job.batch.attachments) tables_.put(attachment);
    for (const AuditRow& row : job.batch.audit) tables_.put(row);
    for (const LoginRow& login : job.batch.logins) tables_.put(login);
    for (const std::string& hash : job.batch.ended_logins) tables_.end_login(hash);
    if (job.batch.logins_known) tables_.logins_known();
    for (const WorkspaceRow& row : job.batch.workspaces) tables_.put(row);
    for (const SetupRow& row : job.batch.setups) tables_.put(row);
    for (const CheckpointRow& row : job.batch.checkpoints) tables_.put(row);
    for (const CheckpointRow& row : job.batch.dropped_checkpoints) tables_.drop(row);
    for (const RewindRow& row : job.batch.rewinds) tables_.put(row);
    for (const CommentRow& row : job.batch.comments) tables_.put(row);
    for (const SeenRow& row : job.batch.seen) tables_.put(row);
  }
  transaction.commit();
  maybe_unindexed_ = true;
}

void Writer::finish_jobs() {
  std::vector<Store::Done> done;
  for (Job& job : jobs_) {
    for (const SessionWrite& write : job.batch.sessions) {
      if (write.erase) log_.void_session(write.session.str());
      for (const EntryPut& entry : write.entries) {
        if (entry.kind == EntryKind::Item) log_.void_pieces(write.session.str(), entry.id);
      }
    }
    if (job.done) done.push_back(std::move(job.done));
  }
  meters().batches.add(jobs_.size());
  jobs_.clear();
  if (!done.empty()) {
    asio::post(io_, [done = std::move(done)] {
      for (const Store::Done& call : done) call();
    });
  }
}

/// Nobody knows what a disk holds after a failed sync, and a damaged file must not be written to.
Writer::Outcome Writer::outcome_of(int code) const {
  switch (code) {
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_DIR_FSYNC:
    case SQLITE_IOERR_CHECKRESERVEDLOCK:
    case SQLITE_MISUSE:
      return Outcome::Failed;
    default:
      break;
  }
  const int primary = code & 0xff;
  const bool heals = primary == SQLITE_FULL || primary == SQLITE_IOERR || primary == SQLITE_BUSY ||
                     primary == SQLITE_LOCKED || primary == SQLITE_CANTOPEN ||
                     primary == SQLITE_READONLY || primary == SQLITE_NOMEM;
  return heals ? Outcome::Full : Outcome::Failed;
}

void Writer::set_state(StoreState::Kind kind, const std::string& message) {
  if (state_ == kind) return;
  state_ = kind;
  if (kind == StoreState::Kind::Ready) {
    log_info("store_ready");
  } else {
    log_error(kind == StoreState::Kind::Full ? "store_full" : "store_failed", {{"why", message}});
  }
  asio::post(io_, [report = report_, state = StoreState{kind, message}] { report(state); });
}

Writer::Outcome Writer::sync_growth(bool now) {
  const auto due = last_sync_ + milliseconds(limits::kGrowthSyncMs);
  if (!log_.unsynced() || (!now && steady_clock::now() < due)) return Outcome::Done;
  last_sync_ = steady_clock::now();
  const int error = log_.sync();
  if (error == 0) return Outcome::Done;
  set_state(StoreState::Kind::Failed, "syncing growing text: " + reason_of(error));
  return Outcome::Failed;
}

bool Writer::somebody_waits() {
  const std::scoped_lock lock(mutex_);
  return closing_ || !queue_.empty();
}

/// What can wait: done when nothing was written for a while, or at the latest every
/// kStoreIdleMaxMs.
void Writer::idle_work() {
  const bool due =
      maybe_unindexed_ || log_.size() >= limits::kGrowthLogMax || wal_pages_ >= kWalPagesMax;
  if (state_ != StoreState::Kind::Ready || !due) return;
  const auto now = steady_clock::now();
  const bool quiet = now - last_write_ >= milliseconds(limits::kStoreIdleMs);
  if (!quiet && now - last_idle_ < milliseconds(limits::kStoreIdleMaxMs)) return;
  last_idle_ = now;
  try {
    for (int round = 0; round < kIndexRounds && maybe_unindexed_ && !somebody_waits(); ++round) {
      Transaction transaction(*database_);
      const std::size_t indexed = tables_.index_some(limits::kIndexBytesMax);
      transaction.commit();
      meters().indexed.add(indexed);
      maybe_unindexed_ = indexed > 0;
    }
    fold_if_large();
    if (const int error = log_.tidy(); error != 0) {
      log_warn("growth_log", {{"why", reason_of(error)}});
    }
    if (wal_pages_ >= kWalPagesMax) checkpoint(SQLITE_CHECKPOINT_PASSIVE);
  } catch (const SqliteError& error) {
    // The index and the checkpoint can wait; a full disk shows itself at the next commit.
    log_warn("store_idle_work", {{"why", error.what()}});
    if (outcome_of(error.code()) == Outcome::Failed) {
      set_state(StoreState::Kind::Failed, error.what());
    }
  }
}

/// The log of many long answers at once: their text goes into their rows, and the log begins again.
void Writer::fold_if_large() {
  if (log_.size() < limits::kGrowthLogMax) return;
  std::map<std::pair<std::string, std::string>, std::vector<GrowthPut>> items;
  for (GrowthPiece& piece : log_.read_alive()) {
    auto& pieces = items[{piece.session, piece.put.item_id}];
    pieces.push_back(std::move(piece.put));
  }
  Transaction transaction(*database_);
  for (const auto& [key, pieces] : items) tables_.fold(key.first, key.second, pieces);
  transaction.commit();
  if (const int error = log_.clear(); error != 0) {
    throw SqliteError(SQLITE_FULL, "growing text: " + reason_of(error));
  }
}

void Writer::checkpoint(int mode) {
  const int code = sqlite3_wal_checkpoint_v2(database_->get(), "main", mode, nullptr, nullptr);
  if (code == SQLITE_OK) {
    wal_pages_ = 0;
  } else if ((code & 0xff) != SQLITE_BUSY) {  // Busy: a reader is in the way; the next one does it.
    throw SqliteError(sqlite3_extended_errcode(database_->get()), sqlite3_errmsg(database_->get()));
  }
}

}  // namespace lb
