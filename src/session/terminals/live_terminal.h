/// LiveTerminal: one shell, what it said, and who looks at it.
///
/// The shell is read always, unless a reader that looks has not drawn enough of it yet: then it
/// waits, as it would for a slow screen. A reader is an offset and no queue. Owned by Terminals and
/// by its readers; lives on the io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/terminal.h"
#include "process/pty.h"
#include "session/terminals/scrollback.h"

namespace lb {

class TerminalReader;

class LiveTerminal : public std::enable_shared_from_this<LiveTerminal> {
 public:
  using Clock = std::chrono::steady_clock;
  /// `changed` is called with whatever is another in its description.
  LiveTerminal(const asio::any_io_executor& io, Terminal description,
               std::shared_ptr<PtyProcess> process, std::function<void(const Terminal&)> changed);

  void start();

  [[nodiscard]] const Terminal& description() const { return description_; }
  [[nodiscard]] const Scrollback& scrollback() const { return scrollback_; }
  [[nodiscard]] bool running() const { return description_.state == TerminalState::Running; }
  /// Somebody closed it: nothing of it is told any more.
  [[nodiscard]] bool closed() const { return closed_; }
  void rename(std::string name);
  static Result<void> check_size(std::uint64_t cols, std::uint64_t rows);
  Result<void> resize(std::uint64_t cols, std::uint64_t rows);
  Result<void> type(std::string_view bytes);
  void draw_again() { process_->draw_again(); }
  /// Ends the shell; whoever looks is told.
  void close();
  /// Ends it and tells nobody: the server stops.
  void abandon();
  /// Waits for the end of the shell.
  asio::awaitable<void> ended();

  // For its readers.
  void add(TerminalReader* reader) { readers_.push_back(reader); }
  void remove(TerminalReader* reader);
  [[nodiscard]] std::size_t readers() const { return readers_.size(); }
  /// A reader has drawn more, or looks away: the shell may go on.
  void reader_moved() { moved_.cancel(); }

 private:
  static asio::awaitable<void> run(std::shared_ptr<LiveTerminal> self);
  asio::awaitable<void> wait_for_readers();
  void arrived(std::size_t bytes);
  void tell_readers();

  Terminal description_;
  std::shared_ptr<PtyProcess> process_;
  std::function<void(const Terminal&)> changed_;
  Scrollback scrollback_;
  std::vector<TerminalReader*> readers_;
  asio::steady_timer moved_;
  asio::steady_timer gather_;
  asio::steady_timer end_;  // Never expires: cancelled at the end.
  bool gathering_ = false;
  std::size_t untold_ = 0;  // Bytes.
  Clock::time_point told_at_;
  bool over_ = false;
  bool closed_ = false;
};

}  // namespace lb
