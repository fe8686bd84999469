#include <doctest/doctest.h>

#include <csignal>

#include "base/limits.h"
#include "tests/faults/stage.h"

namespace lb::test {
namespace {

using namespace std::chrono_literals;

/// Sends lines until `bytes` are accepted, waiting whenever the child has too much unread.
asio::awaitable<bool> send_all(std::shared_ptr<AgentProcess> agent, std::size_t bytes) {
  const std::string line(64U << 10U, 'i');
  for (std::size_t sent = 0; sent < bytes;) {
    if (agent->write_line(line)) {
      sent += line.size() + 1;
      continue;
    }
    const auto flushed = co_await agent->flushed();
    if (!flushed) co_return false;
  }
  agent->close_stdin();
  co_return true;
}

struct Counted {
  std::size_t lines = 0;
  std::string last;
};
asio::awaitable<Counted> count_lines(std::shared_ptr<AgentProcess> agent) {
  Counted counted;
  while (auto line = co_await agent->next_line()) {
    ++counted.lines;
    counted.last = std::move(line->text);
  }
  co_return counted;
}

TEST_CASE("F18: a child that does not read costs a bounded queue, and its other side still works") {
  Stage stage;
  auto agent = stage.launch({"deaf"});
  std::size_t accepted = 0;
  const std::string line(100'000, 'x');
  Result<void> written;
  while (accepted < 4 * limits::kStdinQueueBytesMax && (written = agent->write_line(line))) {
    accepted += line.size();
    stage.io.poll();
  }
  REQUIRE(!written.has_value());
  CHECK(written.error().code == ErrorCode::Busy);
  CHECK(accepted <= limits::kStdinQueueBytesMax + (1U << 20U));
  CHECK(stage.run(Stage::one_line(agent)) == "ready");
  agent->kill();
  CHECK(stage.run(agent->exited(), 30s) == ExitStatus{.code = {}, .signal = SIGKILL});
}

TEST_CASE("F18: a line that a child does not take in time is taken back, or the child is ended") {
  Stage stage;
  auto agent = stage.launch({"deaf"});
  REQUIRE(stage.run(Stage::one_line(agent)) == "ready");
  // So small that the pipe takes it as a whole or not at all.
  const auto answer = [&] { return stage.run(agent->deliver_line(std::string(1023, 'x'), 100ms)); };
  SUBCASE("the pipe is full: nothing of it was written") {
    Result<void> taken;
    for (int i = 0; i < 4096 && (taken = answer()); ++i) {
    }
    REQUIRE_FALSE(taken.has_value());
    CHECK(taken.error().code == ErrorCode::Busy);
    CHECK(stage.run(agent->flushed()).has_value());  // It does not wait in the queue either.
    CHECK(agent->alive());
    agent->kill();
  }
  SUBCASE("it stands behind another line") {
    REQUIRE(agent->write_line(std::string(1U << 20U, 'x')).has_value());
    CHECK(answer().error().code == ErrorCode::Busy);
    CHECK(agent->alive());
    agent->kill();
  }
  SUBCASE("half of it is written, which cannot be taken back") {
    const auto taken = stage.run(agent->deliver_line(std::string(1U << 20U, 'x'), 100ms));
    REQUIRE_FALSE(taken.has_value());
    CHECK(taken.error().code == ErrorCode::ProcessCrash);
  }
  CHECK(stage.run(agent->exited(), 30s) == ExitStatus{.code = {}, .signal = SIGKILL});
}

TEST_CASE("P8: 64 MB each way at once, stderr too: nothing deadlocks, nothing is lost") {
  Stage stage;
  auto agent = stage.launch({"flood", "64"});
  bool sent = false;
  asio::co_spawn(stage.io, send_all(agent, 64U << 20U),
                 [&](std::exception_ptr, bool all) { sent = all; });
  const Counted counted = stage.run(count_lines(agent), 60s);
  CHECK(sent);
  CHECK(counted.lines == (64U << 10U) + 1);
  const std::size_t per_line = (64U << 10U) + 1;
  const std::size_t expected = ((64U << 20U) + per_line - 1) / per_line * per_line;
  CHECK(counted.last == "read " + std::to_string(expected));
  CHECK(stage.run(agent->exited()) == ExitStatus{.code = 0, .signal = {}});
  CHECK(agent->stderr_tail().size() == limits::kStderrTailBytes);
}

TEST_CASE("F17, F19: a child that nobody reads waits; it can still be ended at once") {
  Stage stage;
  auto agent = stage.launch({"flood", "64"});
  CHECK(stage.run(Stage::one_line(agent)).size() == 1023);
  stage.io.run_for(200ms);  // Held back: only stderr is drained.
  CHECK(agent->alive());
  CHECK(agent->stderr_tail().size() <= limits::kStderrTailBytes);
  agent->kill();
  stage.run(agent->exited(), 30s);
  CHECK(stage.run(count_lines(agent)).lines < 10'000);  // What the pipe held, no more.
}

TEST_CASE("F6: a child that closes its output and stays is seen: the output ends, it is alive") {
  Stage stage;
  auto agent = stage.launch({"closer"});
  CHECK(stage.run(count_lines(agent), 30s).lines == 1);
  CHECK(agent->alive());
  agent->kill();
  stage.run(agent->exited(), 30s);
}

}  // namespace
}  // namespace lb::test
