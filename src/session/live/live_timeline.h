/// LiveTimeline: a session's timeline on its way to the store and to its readers.
///
/// Everything that changes a conversation is `put` here. A final form goes to the store at once and
/// becomes visible when it is durable; growing text is visible at once and stored within
/// limits::kFlushMs. Readers are told from the loop, once per turn of it, whatever happened in it.
///
/// Revisions and positions are reserved in blocks in the session's record before they are used, so
/// that after a crash numbering goes on above everything ever handed out.
///
/// The source of everyone who reads a session that runs here (timeline_source.h). Owned by its
/// Session and kept by its readers; lives on the io thread.
#pragma once

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/clock.h"
#include "session/dormant_session.h"
#include "session/event.h"
#include "session/live/timeline_source.h"
#include "store/store.h"
#include "timeline/timeline.h"

namespace lb {

struct LiveTimelineDeps {
  asio::any_io_executor io;
  Store& store;
  const Clock& clock;
};

class LiveTimeline final : public TimelineSource,
                           public std::enable_shared_from_this<LiveTimeline> {
 public:
  /// The record is shared with the Session, which changes it and calls `save_record`.
  LiveTimeline(LiveTimelineDeps deps, const std::shared_ptr<DormantSession>& kept);

  /// Reserves revisions. Before the first `put`; later calls cost nothing.
  asio::awaitable<Result<void>> activate();
  [[nodiscard]] bool active() const { return active_; }

  // --- Writing ------------------------------------------------------------------------------
  Timeline::Put put(Item item);
  Timeline::Put put(Turn turn);
  void put_output(OutputPut output);
  void put_prompt(PromptRecord prompt);
  void save_record();
  void save_facts(std::string facts);
  /// While a history is brought in, which its agent has as well: it goes to the store with the
  /// clock and not with every end in it, so that there is one commit and not one after another.
  void bulk(bool on) { bulk_ = on; }
  /// Hands everything to the store now instead of a little later.
  void flush();
  /// Waits until everything put so far is durable and visible. Gives up when the store cannot
  /// write, unless `patient` and it may heal: what was put is then shown late, never wrong. One
  /// that has failed never says that anything is durable: nobody waits for it.
  asio::awaitable<Result<void>> durable(bool patient = false);
  /// The same for entries alone: the record may follow a little later.
  asio::awaitable<Result<void>> entries_durable();
  /// Nothing is in memory that the store lacks, nothing is on its way and nobody reads.
  [[nodiscard]] bool idle();
  /// Where another one goes on, once this one is idle.
  [[nodiscard]] TimelineNumbers numbers() const;
  /// No more revisions: the server stops, and those that were reserved are given back.
  void deactivate() { active_ = false; }

  // --- Reading ------------------------------------------------------------------------------
  Answer next(const Ask& ask) override;
  bool has_news(const Ask& ask) override;
  asio::awaitable<Result<Page>> read_older(Revision since) override;
  std::optional<Error> follow(std::shared_ptr<TimelineFollower> follower) override;
  void leave(const TimelineFollower& follower) override;
  asio::awaitable<Result<History>> window(std::uint64_t before, std::uint64_t count) override;
  asio::awaitable<Result<History>> changes(Revision since) override;
  asio::awaitable<Result<bool>> remembers(Revision since) override;
  asio::awaitable<void> settle() override;
  /// An entry of an earlier life was found at this revision, before it gets another one.
  void found(Revision rev) { found_ = std::max(found_, rev); }
  [[nodiscard]] Revision visible() const override { return timeline_.visible(); }
  [[nodiscard]] asio::any_io_executor executor() const override { return deps_.io; }
  [[nodiscard]] const Timeline& timeline() const { return timeline_; }
  [[nodiscard]] const SessionId& id() const override { return record_->id; }

  /// There will be nothing more: every reader is told why.
  void end(Error why);
  /// Keeps nothing in memory that the store has, when nobody reads.
  void release();

 private:
  struct Dirty {
    bool form = false;  // More than growth.
  };

  void after_put(const Timeline::Put& put);
  asio::awaitable<Result<void>> all_written(bool patient);
  void reserve_ahead();
  void flush_soon(bool now);
  void on_stored(Revision upto);
  void notify();
  /// True while only known text grows and this reader had its share of it.
  bool must_wait(const Ask& ask);
  /// True when a reader without appends at `cursor` may have text that only grew; otherwise readers
  /// are woken when the next step begins.
  bool may_show_growth(Revision cursor);
  EntryPut entry_put(const ItemId& item);
  std::optional<GrowthPut> growth_put(const ItemId& item);

  LiveTimelineDeps deps_;
  std::shared_ptr<SessionRecord> record_;
  Timeline timeline_;
  const Revision first_;  // Where this life of the server began to number.
  Revision found_ = 0;    // The newest that an earlier life left open and stored.
  bool active_ = false;
  AsyncMutex activating_;

  SessionWrite pending_;  // Records, prompts and outputs for the next flush.
  std::vector<ItemId> dirty_items_order_;
  std::unordered_map<ItemId, Dirty> dirty_items_;
  std::vector<TurnId> dirty_turns_;
  std::unordered_map<ItemId, std::size_t> stored_text_;  // Bytes of an open item's text on disk.
  std::uint64_t written_ = 0;                            // Batches handed to the store,
  std::uint64_t durable_ = 0;                            // and how many of them are durable.
  bool bulk_ = false;
  bool flush_posted_ = false;
  bool flush_timed_ = false;
  asio::steady_timer flush_timer_;
  Event stored_;

  std::vector<std::shared_ptr<TimelineFollower>> readers_;
  bool notify_posted_ = false;
  // The steps in which growing text is shown to readers without appends. They are the session's and
  // not each reader's, so that one whole form is made for all of them: fifty readers that stop hold
  // one frame, not fifty.
  MonoMs step_at_;
  Revision step_rev_ = 0;
  bool step_timed_ = false;
  asio::steady_timer step_timer_;
  std::optional<Error> ended_;
};

}  // namespace lb
