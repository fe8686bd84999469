/// PtyProcess: a program with a terminal of its own: the user's shell.
///
/// Started below a guardian like an agent (Launcher::launch_in_terminal), so that nothing of it
/// outlives us. Bytes, not lines: what it writes is read as it comes, what it is told is queued.
/// Whoever has it ends it; else it ends with the io_context. Lives on the io thread.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/fd.h"
#include "process/agent_process.h"
#include "process/guardian_link.h"

namespace lb {

struct PtySize {
  unsigned short cols = 80;
  unsigned short rows = 24;
};

struct PtyEnds {
  Fd master;
  Fd slave;
};
Result<PtyEnds> open_pty(PtySize size);

/// How much was read in the current slice of time.
class PtyPace {
 public:
  using Clock = std::chrono::steady_clock;
  void read(std::size_t bytes);
  /// Until when nothing more is read, where it was more than `most`.
  [[nodiscard]] std::optional<Clock::time_point> full(std::size_t most) const;

 private:
  Clock::time_point slice_;  // Its beginning.
  std::size_t bytes_ = 0;
};

class PtyProcess : public std::enable_shared_from_this<PtyProcess> {
 public:
  PtyProcess(const asio::any_io_executor& executor, Fd master,
             std::shared_ptr<GuardianLink> guardian, std::shared_ptr<PtyPace> all);

  void start();

  /// Waits for something to read and reads what there is, as far as there is room. 0: it has ended,
  /// and everything was read. One caller at a time. Not calling it holds the program back.
  asio::awaitable<std::size_t> read(std::span<char> room);

  /// Queues what the user typed. `Busy` when the program has left limits::kTerminalInputMax unread,
  /// `ProcessCrash` when it is gone.
  Result<void> write(std::string_view bytes);

  void resize(PtySize size);
  /// Lets a program that has the whole screen draw it again.
  void draw_again();

  /// As when a window is closed: SIGHUP, and everything is killed soon after.
  void hang_up();

  /// How it ended, once `read` has answered 0.
  [[nodiscard]] const std::optional<ExitStatus>& status() const { return status_; }

 private:
  static asio::awaitable<void> watch(std::shared_ptr<PtyProcess> self);
  static asio::awaitable<void> write_queued(std::shared_ptr<PtyProcess> self);
  /// Before a read: a pause, when this one floods.
  asio::awaitable<void> leave_room();
  std::size_t read_now(std::span<char> room);

  asio::posix::stream_descriptor master_;
  std::shared_ptr<GuardianLink> guardian_;
  std::shared_ptr<PtyPace> all_;  // Of all terminals together.
  PtyPace own_;
  asio::steady_timer changed_;  // Never expires: cancelling it wakes who waits.
  asio::steady_timer pause_;
  asio::steady_timer grace_;
  bool output_ended_ = false;
  std::string input_;  // Queued, not written yet.
  bool writing_ = false;
  PtySize size_;
  std::optional<ExitStatus> status_;
};

}  // namespace lb
