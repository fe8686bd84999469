/// Reader: one follower of a session's timeline: a cursor and nothing else.
///
/// There is no queue per reader. `next` answers what changed after the cursor, in revision order;
/// when it answers nothing, `on_ready` is called once something may be sent. A reader that is far
/// behind is served from the store first: `next` then answers nothing, the pool reads a page, and
/// `on_ready` follows. A reader without appends is paced: while only known text grows it is woken
/// at most every limits::kReaderPaceMs and takes everything then; anything else wakes it at once.
///
///     reader->on_ready([this] { pump(); });
///     pump: if the socket is free: frames = reader->next(64 KiB); empty → wait; else send them,
///           and pump again when they have left.
///
/// Owned by a connection; lives on the io thread; destroying it is all it takes to stop reading.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/result.h"
#include "timeline/timeline.h"

namespace lb {

class TimelineSource;

class Reader {
 public:
  struct Start {
    Revision since = 0;
    ReadForm form = ReadForm::Whole;
    /// It has every entry as of `since`, in whole forms (a history). Otherwise the catch-up is in
    /// whole forms, whatever was asked for: nobody knows where the last connection was cut.
    bool has_everything = false;
  };
  Reader(std::shared_ptr<TimelineSource> source, Start start);
  ~Reader();
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  /// Called from the io loop, never from inside `next`, and at most once until `next` was called.
  void on_ready(std::function<void()> callback);

  /// What may be sent now, in revision order; stops after the frame that reaches `bytes_max`.
  /// Empty: nothing yet, on_ready will tell.
  [[nodiscard]] std::vector<FramePtr> next(std::size_t bytes_max);

  /// Everything up to this revision has been handed out by `next` (or was there before).
  [[nodiscard]] Revision cursor() const;

  /// What `next` gave last was new: the reader was up to date before, nothing of it is catching up.
  [[nodiscard]] bool live() const;

  /// Set when there will never be anything more: the session was deleted, or its history cannot be
  /// read. on_ready tells when that happens.
  [[nodiscard]] const std::optional<Error>& ended() const;

 private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace lb
