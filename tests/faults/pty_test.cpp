// Real shells with a terminal of their own.
#include "process/pty.h"

#include <doctest/doctest.h>

#include <chrono>
#include <csignal>

#include "base/limits.h"
#include "process/ports.h"
#include "tests/faults/stage.h"

namespace lb::test {
namespace {

using namespace std::chrono_literals;
using PtyPtr = std::shared_ptr<PtyProcess>;

PtyPtr shell(Stage& stage, const std::string& script, PtySize size = {80, 24}) {
  LaunchOptions options = agent_options(stage.mark, {});
  options.argv = {"/bin/sh", "-c", script};
  options.owner = std::make_shared<ProcessOwner>(SessionId("s"), TerminalId("t"));
  auto launched = stage.launcher.launch_in_terminal(std::move(options), size);
  REQUIRE(launched.has_value());
  return *launched;
}

/// Reads until it says `what`, or until its end.
asio::awaitable<std::string> said(PtyPtr pty, std::string what) {
  std::string all;
  std::string room(4096, '\0');
  while (what.empty() || !all.contains(what)) {
    const std::size_t got = co_await pty->read(room);
    if (got == 0) break;
    all.append(room, 0, got);
  }
  co_return all;
}

TEST_CASE("a shell has a terminal of its own, its size, and its end is known") {
  Stage stage;
  const PtyPtr pty =
      shell(stage, "tty && stty size && read x </dev/tty && echo got $x; exit 7", {101, 33});
  CHECK(stage.run(said(pty, "33 101")).contains("/dev/pts/"));
  CHECK(pty->write("wo").has_value());
  CHECK(pty->write("rd\r").has_value());
  CHECK(stage.run(said(pty, "")).contains("got word"));
  CHECK(pty->status() == ExitStatus{.code = 7, .signal = {}});
  CHECK(pty->write("late").error().code == ErrorCode::ProcessCrash);
}

TEST_CASE("another size is told to the program, and it can be made to draw again") {
  Stage stage;
  const PtyPtr pty =
      shell(stage, "trap 'echo now $(stty size)' WINCH; echo ready; while :; do sleep 0.02; done");
  stage.run(said(pty, "ready"));
  pty->resize({50, 20});
  CHECK(stage.run(said(pty, "now 20 50")).contains("now 20 50"));
  pty->draw_again();
  CHECK(stage.run(said(pty, "now 20 50")).contains("now 20 50"));
  pty->hang_up();
  stage.run(said(pty, ""));
}

TEST_CASE("whoever hangs up ends everything: also what ignores it and has a session of its own") {
  Stage stage;
  const PtyPtr pty = shell(stage,
                           "trap '' HUP; setsid sh -c 'trap \"\" HUP; sleep 1000' </dev/null "
                           ">/dev/null 2>&1 & echo ready; sleep 1000");
  stage.run(said(pty, "ready"));
  CHECK(marked(stage.mark).size() >= 3);
  const auto began = std::chrono::steady_clock::now();
  pty->hang_up();
  stage.run(said(pty, ""));
  CHECK(marked(stage.mark).empty());
  CHECK(std::chrono::steady_clock::now() - began < 30s);
  CHECK(pty->status().has_value());
}

TEST_CASE("a shell that does not read takes a bounded amount of input") {
  Stage stage;
  const PtyPtr pty = shell(stage, "stty raw -echo; echo ready; sleep 1000");
  stage.run(said(pty, "ready"));
  const std::string burst(limits::kTerminalMessageBytesMax, 'x');
  std::size_t taken = 0;
  Result<void> written;
  while (taken <= 4 * limits::kTerminalInputMax && (written = pty->write(burst))) {
    taken += burst.size();
    stage.io.restart();
    stage.io.poll();
  }
  CHECK(written.error().code == ErrorCode::Busy);
  CHECK(taken >= limits::kTerminalInputMax);
  CHECK(taken <= 2 * limits::kTerminalInputMax);
  pty->hang_up();
  stage.run(said(pty, ""));
}

TEST_CASE("what was queued arrives whole and in order once it is read") {
  Stage stage;
  const PtyPtr pty =
      shell(stage, "stty raw -echo; echo ready; sleep 0.3; head -c 400000 | cksum; exit 0");
  stage.run(said(pty, "ready"));
  std::string text;
  while (text.size() < 400'000) text += std::to_string(text.size()) + ",";
  text.resize(400'000);
  for (std::size_t at = 0; at < text.size(); at += 50'000) {
    CHECK(pty->write(std::string_view(text).substr(at, 50'000)).has_value());
  }
  const std::string sum = stage.run(said(pty, ""));
  CHECK(sum.contains(" 400000"));
  CHECK(pty->status() == ExitStatus{.code = 0, .signal = {}});
}

TEST_CASE("a flood is read whole and leaves room for others") {
  Stage stage;
  const PtyPtr flood = shell(stage, "stty -opost; yes | head -c 8000000");
  const PtyPtr other = shell(stage, "stty -echo; echo ready; while read x; do echo =$x=; done");
  stage.run(said(other, "ready"));
  std::size_t bytes = 0;
  bool over = false;
  asio::co_spawn(
      stage.io,
      [](PtyPtr pty, std::size_t& count) -> asio::awaitable<void> {
        std::string room(16384, '\0');
        while (const std::size_t got = co_await pty->read(room)) count += got;
      }(flood, bytes),
      [&](std::exception_ptr) { over = true; });
  for (int i = 0; i < 5; ++i) {
    CHECK(other->write(std::to_string(i) + "\r").has_value());
    CHECK(stage.run(said(other, "=" + std::to_string(i) + "=")).contains("="));
  }
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  while (!over && std::chrono::steady_clock::now() < deadline) {
    stage.io.restart();
    stage.io.run_one_for(10ms);
  }
  CHECK(bytes == 8'000'000);
  other->hang_up();
  stage.run(said(other, ""));
}

TEST_CASE("what listens below a guardian is found, with whose it is") {
  Stage stage;
  // `exec 3<>` of a shell cannot listen; perl is everywhere that git is.
  const PtyPtr pty = shell(stage,
                           "perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, "
                           "LocalAddr => \"127.0.0.1\") or die; $| = 1; print \"port \", "
                           "$s->sockport, \".\\n\"; sleep 1000'");
  const std::string text = stage.run(said(pty, ".\r"));
  const auto port = std::stoul(text.substr(text.find("port ") + 5));
  const auto found = ports_below(stage.launcher.living());
  REQUIRE(found.size() == 1);
  CHECK(found[0].port == port);
  CHECK(found[0].address == "127.0.0.1");
  CHECK(found[0].program == "perl");
  CHECK(found[0].session_id == SessionId("s"));
  CHECK(found[0].terminal_id == TerminalId("t"));
  CHECK(!found[0].cli_type);
  pty->hang_up();
  stage.run(said(pty, ""));
  CHECK(stage.launcher.living().empty());
}

}  // namespace
}  // namespace lb::test
