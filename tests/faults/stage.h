/// Stage: an io_context with a real launcher and a marker, that runs one coroutine to its end.
#pragma once

#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "process/guarded_process.h"
#include "tests/faults/fault_host.h"
#include "tests/faults/marked.h"

namespace lb::test {

struct Stage {
  asio::io_context io;
  GuardedLauncher launcher{io.get_executor()};
  std::string mark = new_mark();

  ~Stage() { CHECK(ms_until_gone(mark, std::chrono::seconds(2)) >= 0); }

  std::shared_ptr<AgentProcess> launch(std::vector<std::string> part) {
    auto agent = launcher.launch(agent_options(mark, std::move(part)));
    REQUIRE_MESSAGE(agent.has_value(), (agent ? "" : agent.error().message));
    return std::move(*agent);
  }

  /// Runs until the coroutine is done; a test that hangs fails.
  template <class T>
  T run(asio::awaitable<T> work, std::chrono::seconds limit = std::chrono::seconds(30)) {
    std::optional<T> result;
    std::exception_ptr thrown;
    asio::co_spawn(io, std::move(work), [&](std::exception_ptr error, T value) {
      thrown = error;
      result = std::move(value);
    });
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!result && std::chrono::steady_clock::now() < deadline) {
      io.restart();
      io.run_one_for(std::chrono::milliseconds(100));
    }
    if (thrown) std::rethrow_exception(thrown);
    REQUIRE_MESSAGE(result.has_value(), "nothing came within the limit");
    return std::move(*result);
  }

  /// Polls: true as soon as the condition holds, false when it does not in time.
  template <class Condition>
  bool until(Condition condition, std::chrono::seconds limit = std::chrono::seconds(10)) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!condition()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      io.restart();
      io.run_one_for(std::chrono::milliseconds(10));
    }
    return true;
  }

  /// What the agent says until its output ends.
  static asio::awaitable<std::vector<Line>> all_lines(std::shared_ptr<AgentProcess> agent) {
    std::vector<Line> lines;
    while (auto line = co_await agent->next_line()) lines.push_back(std::move(*line));
    co_return lines;
  }
  static asio::awaitable<std::string> one_line(std::shared_ptr<AgentProcess> agent) {
    const auto line = co_await agent->next_line();
    co_return line ? line->text : "(end)";
  }
};

}  // namespace lb::test
