/// StdinQueue: the lines on their way to a child's stdin, a bounded number of bytes of them.
///
/// Writing is never waited for, unless somebody asks what became of a line (`deliver`). Owned by
/// the child's handle and by its own coroutine. Lives on the io thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

namespace lb {

namespace asio = boost::asio;

class StdinQueue : public std::enable_shared_from_this<StdinQueue> {
 public:
  /// `on_half_line` is called when the child stopped reading within a line that was to be
  /// delivered: what it reads from then on would make no sense.
  StdinQueue(asio::posix::stream_descriptor pipe, std::function<void()> on_half_line);

  /// See AgentProcess.
  Result<void> write(std::string line) { return add({std::move(line), 0, nullptr}); }
  asio::awaitable<Result<void>> deliver(std::string line, std::chrono::milliseconds limit);
  /// Waits until nothing is queued; an error when the child closed its end.
  asio::awaitable<Result<void>> flushed();
  /// Closes stdin when everything queued is written.
  void close();
  /// Forgets what is queued and closes stdin.
  void discard();

 private:
  /// What became of a line that somebody waits for.
  struct Delivery {
    bool given_up = false;  // Its time is over.
    std::optional<Result<void>> outcome;
  };
  struct Queued {
    std::string bytes;
    std::size_t written = 0;
    std::shared_ptr<Delivery> delivery;  // Null: nobody waits.
  };

  Result<void> add(Queued line);
  static asio::awaitable<void> run(std::shared_ptr<StdinQueue> self);
  void give_up(const std::shared_ptr<Delivery>& delivery);
  void first_is_written();
  /// The first line goes no further: it is taken back, or half of it is with the child.
  void stop_at_first();

  asio::posix::stream_descriptor pipe_;
  std::function<void()> on_half_line_;
  asio::steady_timer changed_;  // Never expires: cancelling it wakes everyone who waits.
  std::list<Queued> lines_;     // The first is being written; it stays where it is meanwhile.
  std::size_t bytes_ = 0;       // Of all lines, not written yet.
  bool closing_ = false;        // Takes no more lines.
  bool broken_ = false;         // The child closed its end.
};

}  // namespace lb
