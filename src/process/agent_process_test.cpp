#include "process/agent_process.h"

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "base/limits.h"
#include "tests/support/scripted_process.h"

namespace lb {
namespace {

using test::ScriptedLauncher;
using test::ScriptedProcess;

std::optional<std::string> value_of(
    const std::vector<std::pair<std::string, std::string>>& variables, std::string_view name) {
  std::optional<std::string> found;
  for (const auto& [key, value] : variables) {
    if (key != name) continue;
    CHECK_MESSAGE(!found.has_value(), "twice: " << key);
    found = value;
  }
  return found;
}

asio::awaitable<void> stop_into(std::shared_ptr<AgentProcess> process,
                                std::optional<ExitStatus>& status) {
  status = co_await stop_gracefully(process);
}

asio::awaitable<void> read_into(std::shared_ptr<AgentProcess> process,
                                std::vector<std::string>& lines) {
  while (auto line = co_await process->next_line()) lines.push_back(line->text);
}

asio::awaitable<void> echo(std::shared_ptr<ScriptedProcess> agent) {
  while (auto line = co_await agent->hears()) agent->says("you said " + *line);
}

TEST_CASE("an exit status says how a process ended, for people") {
  CHECK(ExitStatus{.code = 1, .signal = {}}.text() == "exited with code 1");
  CHECK(ExitStatus{.code = {}, .signal = SIGKILL}.text() == "was killed by signal 9 (SIGKILL)");
  CHECK(ExitStatus{}.text() == "ended, and how is not known");
}

TEST_CASE("stopping: a child that ends at the end of its input is not signalled") {
  asio::io_context io;
  auto agent = std::make_shared<ScriptedProcess>(io.get_executor());
  std::optional<ExitStatus> status;
  asio::co_spawn(io, stop_into(agent, status), asio::detached);
  io.run();
  CHECK(status == ExitStatus{.code = 0, .signal = {}});
  CHECK(!agent->terminated());
}

TEST_CASE("E1-TC-5.5b: stopping: SIGTERM after 2 s, SIGKILL after 5 s, for a child that stays") {
  asio::io_context io;
  auto polite = std::make_shared<ScriptedProcess>(io.get_executor());
  polite->ignores_eof();
  auto stubborn = std::make_shared<ScriptedProcess>(io.get_executor());
  stubborn->ignores_eof();
  stubborn->ignores_sigterm();
  std::optional<ExitStatus> first;
  std::optional<ExitStatus> second;
  asio::co_spawn(io, stop_into(polite, first), asio::detached);
  asio::co_spawn(io, stop_into(stubborn, second), asio::detached);
  const auto before = std::chrono::steady_clock::now();
  io.run();
  const auto took = std::chrono::steady_clock::now() - before;
  CHECK(first == ExitStatus{.code = {}, .signal = SIGTERM});
  CHECK(second == ExitStatus{.code = {}, .signal = SIGKILL});
  CHECK(stubborn->terminated());
  CHECK(took >= limits::kStopKillAfter);
}

TEST_CASE("find_program: absolute entries of PATH only, executables only") {
  const std::filesystem::path root =
      std::filesystem::temp_directory_path() / ("lb-find-" + std::to_string(::getpid()));
  std::filesystem::create_directories(root / "first" / "folder");
  std::filesystem::create_directories(root / "second");
  std::ofstream(root / "first" / "plain") << "not for running";
  std::ofstream(root / "second" / "plain") << "#!/bin/sh\n";
  ::chmod((root / "second" / "plain").c_str(), 0755);
  const std::string path = (root / "first").string() + ":::relative:" + (root / "second").string();

  CHECK(find_program("plain", path) == (root / "second" / "plain").string());
  CHECK(find_program("folder", path) == std::nullopt);
  CHECK(find_program("absent", path) == std::nullopt);
  CHECK(find_program("", path) == std::nullopt);
  CHECK(find_program(std::string_view("pla\0in", 6), path) == std::nullopt);
  CHECK(find_program((root / "second" / "plain").string(), "") ==
        (root / "second" / "plain").string());
  CHECK(find_program((root / "first" / "plain").string(), path) == std::nullopt);
  std::filesystem::remove_all(root);
}

TEST_CASE("S24: a child's environment has neither our variables nor those that confuse a CLI") {
  ::setenv("LIMINAL_BUILDER_TOKEN", "secret", 1);
  ::setenv("NODE_OPTIONS", "--inspect", 1);
  ::setenv("CLAUDECODE", "1", 1);
  ::setenv("LB_TEST_KEPT", "kept", 1);
  const auto variables =
      child_environment({{"LB_TEST_KEPT", "changed"}, {"NODE_OPTIONS", "from config"}},
                        {"/opt/agents/bin", "/opt/node/bin"});
  CHECK(value_of(variables, "LIMINAL_BUILDER_TOKEN") == std::nullopt);
  CHECK(value_of(variables, "CLAUDECODE") == std::nullopt);
  CHECK(value_of(variables, "NODE_OPTIONS") == "from config");
  CHECK(value_of(variables, "LB_TEST_KEPT") == "changed");
  CHECK(value_of(variables, "PATH").value_or("").starts_with("/opt/agents/bin:/opt/node/bin:/"));
  ::unsetenv("LIMINAL_BUILDER_TOKEN");
  ::unsetenv("NODE_OPTIONS");
  ::unsetenv("CLAUDECODE");
  ::unsetenv("LB_TEST_KEPT");
}

TEST_CASE("a scripted agent hears, answers, fails to start and dies with its owner") {
  asio::io_context io;
  ScriptedLauncher launcher(io.get_executor());
  launcher.on_launch([&](std::shared_ptr<ScriptedProcess> agent) {
    asio::co_spawn(io, echo(agent), asio::detached);
  });
  launcher.fails_with({ErrorCode::AgentUnavailable, "no such program"});
  CHECK(!launcher.launch({.argv = {"agent"}, .cwd = "/", .env = {}}).has_value());

  auto process = launcher.launch({.argv = {"agent"}, .cwd = "/", .env = {}});
  REQUIRE(process.has_value());
  std::vector<std::string> lines;
  asio::co_spawn(io, read_into(*process, lines), asio::detached);
  CHECK((*process)->write_line("one").has_value());
  CHECK((*process)->write_line("two").has_value());
  io.poll();
  CHECK(lines == std::vector<std::string>{"you said one", "you said two"});
  CHECK(launcher.agents().front()->heard() == std::vector<std::string>{"one", "two"});

  (*process)->close_stdin();
  io.run();
  CHECK(!(*process)->alive());
  CHECK((*process)->write_line("three").error().code == ErrorCode::ProcessCrash);

  io.restart();
  auto second = launcher.launch({.argv = {"agent"}, .cwd = "/", .env = {}});
  REQUIRE(second.has_value());
  second->reset();
  io.run();
  CHECK(launcher.agents().back()->killed());
}

}  // namespace
}  // namespace lb
