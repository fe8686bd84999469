/// ScriptedProcess and ScriptedLauncher: an AgentProcess in memory, played by a test.
///
/// The provider under test sees an AgentProcess. The test holds the other end: `says` is what the
/// agent writes, `hears` (or `heard`) what the provider wrote to it, `exits` how it ends. All on
/// one io_context, nothing real is started.
///
///     ScriptedLauncher launcher(io.get_executor());
///     launcher.on_launch([](std::shared_ptr<ScriptedProcess> agent) {
///       asio::co_spawn(agent->executor(), play(agent), asio::detached);
///     });
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "process/agent_process.h"

namespace lb::test {

class ScriptedProcess final : public AgentProcess,
                              public std::enable_shared_from_this<ScriptedProcess> {
 public:
  explicit ScriptedProcess(asio::any_io_executor executor)
      : changed_(executor, asio::steady_timer::time_point::max()) {}

  [[nodiscard]] asio::any_io_executor executor() { return changed_.get_executor(); }

  // --- What the test does -----------------------------------------------------------------------

  /// The agent writes one line.
  void says(std::string text) {
    Line line;
    line.bytes = text.size();
    line.text = std::move(text);
    says(std::move(line));
  }
  void says(Line line) {
    output_.push_back(std::move(line));
    wake();
  }
  /// stdout ends; the agent lives on.
  void ends_output() {
    output_ended_ = true;
    wake();
  }
  void complains(std::string_view text) { stderr_ += text; }
  /// The agent ends. What it said before is still read.
  void exits(ExitStatus status) {
    if (status_) return;
    status_ = status;
    output_ended_ = true;
    wake();
  }
  /// From now on every write is refused, as by a child that does not read.
  void stops_reading() { reading_ = false; }
  void reads_again() { reading_ = true; }
  /// By default the agent ends when stdin closes (code 0) or SIGTERM comes (signal 15).
  void ignores_eof() { ends_on_eof_ = false; }
  void ignores_sigterm() { ends_on_sigterm_ = false; }

  /// Everything written to the agent so far.
  [[nodiscard]] const std::vector<std::string>& heard() const { return input_; }
  /// The next line written to the agent, in order; nothing when no more will come.
  asio::awaitable<std::optional<std::string>> hears() {
    const auto self = shared_from_this();
    while (input_taken_ == input_.size()) {
      if (stdin_closed_ || status_) co_return std::nullopt;
      co_await changed_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    co_return input_[input_taken_++];
  }
  [[nodiscard]] bool stdin_closed() const { return stdin_closed_; }
  [[nodiscard]] bool terminated() const { return terminated_; }
  [[nodiscard]] bool killed() const { return killed_; }
  /// How many lines nobody has read yet.
  [[nodiscard]] std::size_t unread() const { return output_.size(); }

  // --- What the provider sees -------------------------------------------------------------------

  asio::awaitable<std::optional<Line>> next_line() override {
    const auto self = shared_from_this();
    while (output_.empty()) {
      if (output_ended_) co_return std::nullopt;
      co_await changed_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    Line line = std::move(output_.front());
    output_.pop_front();
    co_return line;
  }
  Result<void> write_line(std::string line) override {
    if (status_ || stdin_closed_) {
      return fail(ErrorCode::ProcessCrash, "the agent does not take input any more");
    }
    if (!reading_) return fail(ErrorCode::Busy, "the agent does not read its input");
    input_.push_back(std::move(line));
    wake();
    return {};
  }
  /// A process that does not read lets the time pass, which is now.
  asio::awaitable<Result<void>> deliver_line(std::string line, std::chrono::milliseconds) override {
    co_return write_line(std::move(line));
  }
  asio::awaitable<Result<void>> flushed() override {
    if (status_) co_return fail(ErrorCode::ProcessCrash, "the agent " + status_->text());
    co_return Result<void>();
  }
  void close_stdin() override {
    stdin_closed_ = true;
    wake();
    if (ends_on_eof_) exits({.code = 0, .signal = {}});
  }
  void terminate() override {
    terminated_ = true;
    if (ends_on_sigterm_) exits({.code = {}, .signal = SIGTERM});
  }
  void kill() override {
    killed_ = true;
    exits({.code = {}, .signal = SIGKILL});
  }
  [[nodiscard]] bool alive() const override { return !status_; }
  asio::awaitable<ExitStatus> exited() override {
    const auto self = shared_from_this();
    while (!status_) co_await changed_.async_wait(asio::as_tuple(asio::use_awaitable));
    co_return *status_;
  }
  [[nodiscard]] std::string stderr_tail() const override { return stderr_; }

 private:
  void wake() { changed_.cancel(); }

  asio::steady_timer changed_;  // Never expires: cancelling it wakes everyone who waits.
  std::deque<Line> output_;
  std::vector<std::string> input_;
  std::size_t input_taken_ = 0;
  std::string stderr_;
  std::optional<ExitStatus> status_;
  bool output_ended_ = false;
  bool stdin_closed_ = false;
  bool terminated_ = false;
  bool killed_ = false;
  bool reading_ = true;
  bool ends_on_eof_ = true;
  bool ends_on_sigterm_ = true;
};

class ScriptedLauncher final : public Launcher {
 public:
  explicit ScriptedLauncher(asio::any_io_executor executor) : executor_(std::move(executor)) {}

  /// Called with every agent that was launched, before its owner sees it.
  void on_launch(std::function<void(std::shared_ptr<ScriptedProcess>)> callback) {
    on_launch_ = std::move(callback);
  }
  /// The next launches fail, one error each.
  void fails_with(Error error) { failures_.push_back(std::move(error)); }

  [[nodiscard]] const std::vector<LaunchOptions>& launches() const { return launches_; }
  [[nodiscard]] const std::vector<std::shared_ptr<ScriptedProcess>>& agents() const {
    return agents_;
  }

  Result<std::shared_ptr<AgentProcess>> launch(LaunchOptions options) override {
    launches_.push_back(std::move(options));
    if (!failures_.empty()) {
      Error error = std::move(failures_.front());
      failures_.pop_front();
      return std::unexpected(std::move(error));
    }
    auto agent = std::make_shared<ScriptedProcess>(executor_);
    agents_.push_back(agent);
    if (on_launch_) on_launch_(agent);
    // The test keeps the agent; for its owner, letting go of it kills it, as with a real one.
    return std::shared_ptr<AgentProcess>(agent.get(), [agent](AgentProcess*) {
      if (agent->alive()) agent->kill();
    });
  }

 private:
  asio::any_io_executor executor_;
  std::function<void(std::shared_ptr<ScriptedProcess>)> on_launch_;
  std::deque<Error> failures_;
  std::vector<LaunchOptions> launches_;
  std::vector<std::shared_ptr<ScriptedProcess>> agents_;
};

}  // namespace lb::test
