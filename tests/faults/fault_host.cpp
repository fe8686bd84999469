#include "tests/faults/fault_host.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "process/children.h"
#include "process/guarded_process.h"
#include "process/spawn.h"
#include "tests/faults/marked.h"

namespace lb::test {
namespace {

using namespace std::chrono_literals;

asio::awaitable<void> await_ready(std::shared_ptr<AgentProcess> agent, std::size_t& waiting) {
  while (auto line = co_await agent->next_line()) {
    if (line->text == "ready" && --waiting == 0) std::cout << "ready\n" << std::flush;
  }
}

std::string self() {
  return std::filesystem::read_symlink("/proc/self/exe");
}

/// A host that is ready, with our end of its stdout.
struct Host {
  Spawned process;
  Fd output;
};

Result<Host> start_host(const std::string& mark) {
  auto output = make_pipe();
  if (!output) return std::unexpected(output.error());
  SpawnOptions options;
  options.program = self();
  options.argv = {"fault_tests", "host", mark, "1"};
  options.env = child_environment({}, {});
  options.descriptors = {0, output->second.get(), 2};
  options.death_signal = SIGKILL;
  auto process = spawn(options);
  if (!process) return std::unexpected(process.error());
  output->second.reset();
  std::string said;
  char byte = 0;
  while (!said.ends_with("ready\n") && ::read(output->first.get(), &byte, 1) == 1) said += byte;
  if (!said.ends_with("ready\n")) return fail(ErrorCode::ProcessCrash, "the host did not start");
  return Host{std::move(*process), std::move(output->first)};
}

void kill_and_reap(const Spawned& process) {
  ::kill(process.pid, SIGKILL);
  while (::waitpid(process.pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  forget_own_child(process.pid);
}

std::size_t open_descriptors() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++count;
  }
  return count;
}

std::int64_t resident_kib() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t size = 0;
  std::int64_t resident = 0;
  statm >> size >> resident;
  return resident * ::sysconf(_SC_PAGESIZE) / 1024;
}

/// One life: some end by themselves, some are stopped, killed in the middle or dropped.
asio::awaitable<void> one_cycle(GuardedLauncher& launcher, std::size_t number) {
  static const std::vector<std::vector<std::string>> kParts = {
      {"echo"}, {"exit", "1"}, {"family"}, {"leaver"}};
  auto agent = launcher.launch(agent_options("cycles", kParts.at(number % kParts.size())));
  if (!agent) {
    std::cerr << agent.error().message << '\n';
    std::abort();
  }
  const std::size_t way = number / kParts.size() % 3;
  if (way == 0) {
    static_cast<void>((*agent)->write_line("hello"));
    co_await (*agent)->next_line();
    co_await stop_gracefully(*agent);
  } else if (way == 1) {
    (*agent)->kill();
    co_await (*agent)->exited();
  }
  agent->reset();
}

asio::awaitable<void> some_cycles(GuardedLauncher& launcher, std::size_t first, std::size_t last) {
  for (std::size_t i = first; i < last; ++i) co_await one_cycle(launcher, i);
}

/// Runs cycles on `io`, four at a time, and returns when all of them are over and reaped.
void run_cycles(asio::io_context& io, GuardedLauncher& launcher, std::size_t cycles) {
  for (std::size_t lane = 0; lane < 4; ++lane) {
    asio::co_spawn(io, some_cycles(launcher, cycles * lane / 4, cycles * (lane + 1) / 4),
                   asio::detached);
  }
  io.run();
  io.restart();
}

}  // namespace

std::vector<std::pair<std::string, std::string>> marked_environment(const std::string& mark) {
  return child_environment({{std::string(kMarkVariable), mark}}, {});
}

LaunchOptions agent_options(const std::string& mark, std::vector<std::string> part) {
  LaunchOptions options;
  options.argv = {self(), "agent"};
  options.argv.insert(options.argv.end(), part.begin(), part.end());
  options.cwd = "/";
  options.env = marked_environment(mark);
  return options;
}

int run_fault_host(const std::string& mark, std::size_t agents) {
  asio::io_context io;
  GuardedLauncher launcher(io.get_executor());
  std::size_t waiting = agents;
  for (std::size_t i = 0; i < agents; ++i) {
    auto agent = launcher.launch(agent_options(mark, {"family"}));
    if (!agent) {
      std::cerr << agent.error().message << '\n';
      return 1;
    }
    asio::co_spawn(io, await_ready(std::move(*agent), waiting), asio::detached);
  }
  const auto forever = asio::make_work_guard(io);
  io.run();
  return 0;
}

std::int64_t survivor_round(Victim victim) {
  const std::string mark = new_mark();
  auto host = start_host(mark);
  if (!host) {
    std::cerr << host.error().message << '\n';
    return -1;
  }
  if (victim == Victim::Host) {
    kill_and_reap(host->process);
    return ms_until_gone(mark, 30s);
  }
  for (const pid_t guardian : marked_named(mark, "lb-guardian")) ::kill(guardian, SIGKILL);
  const std::int64_t ms = ms_until_gone(mark, 30s);
  kill_and_reap(host->process);
  return ms;
}

CyclesResult start_stop_cycles(std::size_t cycles) {
  asio::io_context io;
  GuardedLauncher launcher(io.get_executor());
  run_cycles(io, launcher, std::max<std::size_t>(cycles / 5, 12));  // What grows once has grown.
  const std::size_t descriptors = open_descriptors();
  const std::int64_t resident = resident_kib();
  run_cycles(io, launcher, cycles);
  CyclesResult result;
  result.zombies = direct_children().size();
  result.descriptors = open_descriptors() - descriptors;
  result.grown_kib = resident_kib() - resident;
  return result;
}

}  // namespace lb::test
