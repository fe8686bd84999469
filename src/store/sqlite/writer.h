/// Writer: the one thread that writes, with natural group commit.
///
/// Whatever was handed in while the last commit ran goes into the next one: a lone write is durable
/// after one sync, a thousand at once share it. Completions are posted to the io thread in order.
/// When it has nothing to do it indexes for the search and checkpoints the WAL.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "store/sqlite/growth_log.h"
#include "store/sqlite/tables.h"
#include "store/store.h"

namespace lb {

class Writer {
 public:
  using Report = std::function<void(StoreState)>;

  /// `report` is called on the io thread.
  Writer(asio::any_io_executor io, std::unique_ptr<Database> database, GrowthLog log,
         Report report);
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void write(WriteBatch batch, Store::Done done);
  /// Writes what is left (once more only, when the disk is full), checkpoints and ends the thread.
  void close();

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  struct Job {
    WriteBatch batch;
    Store::Done done;
  };
  enum class Outcome { Done, Full, Failed };

  void run();
  void wait_for_work(std::unique_lock<std::mutex>& lock);
  Outcome commit();
  void commit_jobs();
  void finish_jobs();
  void append_growth();
  Outcome outcome_of(int sqlite_code) const;
  void set_state(StoreState::Kind kind, const std::string& message);
  bool somebody_waits();
  void idle_work();
  void fold_if_large();
  Outcome sync_growth(bool now);
  void checkpoint(int mode);

  asio::any_io_executor io_;
  std::unique_ptr<Database> database_;
  GrowthLog log_;
  Tables tables_;
  Report report_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::vector<Job> queue_;  // Guarded by mutex_, like closing_.
  bool closing_ = false;

  // Of the thread alone:
  std::vector<Job> jobs_;  // Taken from the queue and not yet durable.
  bool growth_written_ =
      false;  // The growth of jobs_ is in the log already (a commit failed after).
  bool maybe_unindexed_ = true;
  StoreState::Kind state_ = StoreState::Kind::Ready;
  int wal_pages_ = 0;
  SteadyTime last_sync_;
  SteadyTime last_write_;
  SteadyTime last_idle_;
  std::thread thread_;
};

}  // namespace lb
