/// TimelineSource: what is read of a session's timeline, wherever that timeline is made.
///
/// Readers, histories and exports ask only this: they do not know whether the session runs here
/// (LiveTimeline) or a timeline is followed that another server makes. A reader that is pumped asks
/// one virtual question, however many frames the answer has.
///
/// Lives on the io thread; whoever reads keeps it alive.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "session/live/history.h"
#include "timeline/timeline.h"

namespace lb {

namespace asio = boost::asio;

/// Somebody who follows a source and is told when there may be something to read.
class TimelineFollower {
 public:
  TimelineFollower() = default;
  TimelineFollower(const TimelineFollower&) = delete;
  TimelineFollower& operator=(const TimelineFollower&) = delete;
  virtual ~TimelineFollower() = default;
  virtual void wake() = 0;
  /// There will never be anything more.
  virtual void end(const Error& why) = 0;
};

class TimelineSource {
 public:
  TimelineSource() = default;
  TimelineSource(const TimelineSource&) = delete;
  TimelineSource& operator=(const TimelineSource&) = delete;
  virtual ~TimelineSource() = default;

  [[nodiscard]] virtual const SessionId& id() const = 0;
  /// The newest revision that anyone may see.
  [[nodiscard]] virtual Revision visible() const = 0;
  [[nodiscard]] virtual asio::any_io_executor executor() const = 0;

  // --- Following ----------------------------------------------------------------------------
  struct Ask {
    Revision cursor = 0;
    ReadForm form = ReadForm::Whole;
    bool caught_up = false;  // It had everything up to its cursor, and then to some moment's end.
    std::size_t bytes_max = SIZE_MAX;
  };
  enum class Have {
    Nothing,  // Yet; the follower will be woken.
    Changes,
    Older,  // What this reader lacks is in memory no more: `read_older`.
  };
  struct Answer {
    Have have = Have::Nothing;
    Timeline::Changes changes;  // With Have::Changes.
  };
  virtual Answer next(const Ask& ask) = 0;
  /// Whether `next` would have something. Where it is only a matter of pace, the follower is woken
  /// when it is time.
  virtual bool has_news(const Ask& ask) = 0;

  struct Page {
    std::vector<FramePtr> frames;  // In revision order.
    Revision upto = 0;             // The reader's cursor when it had them.
  };
  /// Some of what changed after `since` and is not in memory any more.
  virtual asio::awaitable<Result<Page>> read_older(Revision since) = 0;

  /// Until `leave`. Set when the source has ended already.
  virtual std::optional<Error> follow(std::shared_ptr<TimelineFollower> follower) = 0;
  virtual void leave(const TimelineFollower& follower) = 0;

  // --- Reading as a whole -------------------------------------------------------------------
  /// The newest `count` entries before position `before`.
  virtual asio::awaitable<Result<History>> window(std::uint64_t before, std::uint64_t count) = 0;
  /// What changed after `since`, in revision order.
  virtual asio::awaitable<Result<History>> changes(Revision since) = 0;
  /// Whether a reader who had everything up to `since` has only what the store still knows. False
  /// for revisions that an earlier life of the server showed and a crash took.
  virtual asio::awaitable<Result<bool>> remembers(Revision since) = 0;
  /// Waits for final forms that are on their way to the disk, so that who asks after an end was
  /// announced sees it. Does not wait for a store that cannot write.
  virtual asio::awaitable<void> settle() = 0;
};

}  // namespace lb
