#include "tests/faults/fault_agent.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iostream>
#include <string_view>
#include <utility>

extern char** environ;

namespace lb::test {
namespace {

using Args = std::vector<std::string>;

[[noreturn]] void sleep_for_ever() {
  for (;;) ::pause();
}

void say(const std::string& line) {
  std::cout << line << '\n' << std::flush;
}

/// Waits until `count` descendants have said that they are there.
void await_births(int read_end, int count) {
  char byte = 0;
  for (int i = 0; i < count; ++i) {
    if (::read(read_end, &byte, 1) != 1) return;
  }
}

/// A process of each kind that is hard to get rid of, all asleep; then reads until the end.
int family(const Args&) {
  int born[2];
  if (::pipe(born) != 0) return 1;
  const auto live = [&] {
    static_cast<void>(!::write(born[1], "x", 1));
    sleep_for_ever();
  };
  if (::fork() == 0) live();  // plain
  if (::fork() == 0) {        // a session of its own
    ::setsid();
    live();
  }
  if (::fork() == 0) {  // a daemon: its parent is gone
    ::setsid();
    if (::fork() == 0) live();
    ::_exit(0);
  }
  if (::fork() == 0) {  // deaf to polite signals, with a child of its own
    for (const int signal : {SIGTERM, SIGHUP, SIGINT, SIGQUIT}) ::signal(signal, SIG_IGN);
    ::setsid();
    if (::fork() == 0) live();
    live();
  }
  await_births(born[0], 5);
  say("ready");
  for (std::string line; std::getline(std::cin, line);) say(line);
  return 0;
}

/// Processes that replace themselves all the time, each in a session of its own.
int forking(const Args&) {
  for (int i = 0; i < 4; ++i) {
    if (::fork() != 0) continue;
    for (;;) {
      ::setsid();
      const pid_t next = ::fork();
      if (next > 0) ::_exit(0);
      ::usleep(200);
    }
  }
  say("ready");
  sleep_for_ever();
}

int echo(const Args&) {
  for (std::string line; std::getline(std::cin, line);) say(line);
  return 0;
}

/// Says how long each line was and whether it was all the same byte.
int measure(const Args&) {
  for (std::string line; std::getline(std::cin, line);) {
    const bool same = line.find_first_not_of(line.empty() ? 'x' : line.front()) == line.npos;
    say(fmt::format("{} {}", line.size(), same ? "same" : "mixed"));
  }
  return 0;
}

int deaf(const Args&) {
  say("ready");
  sleep_for_ever();
}

int stubborn(const Args&) {
  ::signal(SIGTERM, SIG_IGN);
  say("ready");
  sleep_for_ever();
}

/// Writes so many MiB to stdout and stderr before it reads a byte, then counts what it reads.
int flood(const Args& args) {
  const std::size_t lines = static_cast<std::size_t>(std::stoul(args.at(0))) << 10U;
  const std::string line = std::string(1023, 'f') + "\n";
  for (std::size_t i = 0; i < lines; ++i) {
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) return 1;
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) return 1;
  }
  std::size_t bytes = 0;
  std::array<char, 65536> buffer{};
  for (ssize_t got = 0; (got = ::read(STDIN_FILENO, buffer.data(), buffer.size())) > 0;) {
    bytes += static_cast<std::size_t>(got);
  }
  say(fmt::format("read {}", bytes));
  return 0;
}

/// Leaves a daemon behind that keeps stdout and stderr open.
int leaver(const Args&) {
  if (::fork() == 0) {
    ::setsid();
    sleep_for_ever();
  }
  say("left");
  return 3;
}

int partial(const Args&) {
  std::cout << "whole\nhalf" << std::flush;
  std::cerr << "why it ended" << std::flush;
  ::signal(SIGSEGV, SIG_DFL);  // A sanitizer would catch it.
  ::raise(SIGSEGV);
  return 0;
}

int closer(const Args&) {
  say("last");
  ::close(STDOUT_FILENO);
  sleep_for_ever();
}

int leave(const Args& args) {
  return std::stoi(args.at(0));
}

/// S24: everything it was given, one fact per line.
int dump(const Args& args) {
  for (const std::string& arg : args) say("arg " + arg);
  for (char** entry = environ; *entry != nullptr; ++entry) say("env " + std::string(*entry));
  for (int fd = 0; fd < 4096; ++fd) {
    if (::fcntl(fd, F_GETFD) >= 0) say(fmt::format("fd {}", fd));
  }
  sigset_t mask;
  ::sigprocmask(SIG_SETMASK, nullptr, &mask);
  for (int signal = 1; signal < NSIG; ++signal) {
    if (sigismember(&mask, signal) == 1) say(fmt::format("masked {}", signal));
    struct sigaction action{};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_DFL) {
      say(fmt::format("handled {}", signal));
    }
  }
  rlimit core{};
  ::getrlimit(RLIMIT_CORE, &core);
  say(fmt::format("core {}", core.rlim_cur));
  say(fmt::format("cwd {}", std::filesystem::current_path().string()));
  say(fmt::format("leads {}", ::getsid(0) == ::getpid() ? "session" : "nothing"));
  return 0;
}

constexpr std::array<std::pair<std::string_view, int (*)(const Args&)>, 12> kParts = {{
    {"family", family},
    {"forking", forking},
    {"echo", echo},
    {"measure", measure},
    {"deaf", deaf},
    {"stubborn", stubborn},
    {"flood", flood},
    {"leaver", leaver},
    {"partial", partial},
    {"closer", closer},
    {"exit", leave},
    {"dump", dump},
}};

}  // namespace

int run_fault_agent(const std::vector<std::string>& args) {
  for (const auto& [name, part] : kParts) {
    if (!args.empty() && name == args.front()) return part({args.begin() + 1, args.end()});
  }
  std::cerr << "no such part\n";
  return 2;
}

}  // namespace lb::test
