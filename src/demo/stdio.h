/// Stdio: our own stdin and stdout as an AgentProcess, so that the demo agent speaks through the
/// same JsonRpcPeer from the other side.
///
/// Reading happens on a thread of its own and writing blocks: that works on pipes, terminals and
/// files alike, and leaves the descriptors' flags alone. At most one piece of input waits.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>

#include "process/agent_process.h"
#include "process/line_reader.h"

namespace lb::demo {

class Stdio final : public AgentProcess, public std::enable_shared_from_this<Stdio> {
 public:
  explicit Stdio(const asio::any_io_executor& executor)
      : changed_(executor, asio::steady_timer::time_point::max()) {}
  ~Stdio() override;

  /// Begins to read. Once, after it is held by a shared_ptr.
  void start();

  asio::awaitable<std::optional<Line>> next_line() override;
  Result<void> write_line(std::string line) override;
  /// Writing blocks: there is nothing to wait for.
  asio::awaitable<Result<void>> deliver_line(std::string line,
                                             std::chrono::milliseconds limit) override;
  asio::awaitable<Result<void>> flushed() override;
  void close_stdin() override {}
  void terminate() override {}
  void kill() override {}
  /// Until stdin ends.
  [[nodiscard]] bool alive() const override { return !ended_; }
  asio::awaitable<ExitStatus> exited() override;
  [[nodiscard]] std::string stderr_tail() const override { return {}; }

 private:
  static void read_input(std::weak_ptr<Stdio> weak, asio::any_io_executor executor,
                         std::shared_ptr<std::binary_semaphore> taken);

  asio::steady_timer changed_;  // Never expires: cancelling it wakes everyone who waits.
  LineReader lines_;
  std::shared_ptr<std::binary_semaphore> taken_ = std::make_shared<std::binary_semaphore>(0);
  bool waiting_for_more_ = true;
  bool ended_ = false;
  bool broken_ = false;  // Nobody reads our stdout.
};

}  // namespace lb::demo
