// All parts of the wall tests; see CMakeLists.txt.

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <string_view>

#include "process/guardian.h"
#include "tests/walls/attacker.h"
#include "tests/walls/owner.h"

namespace {

/// The long run: figures on stdout, 1 when a promise was broken.
int run_rounds(std::size_t rounds) {
  std::vector<std::int64_t> took;
  for (std::size_t i = 0; i < rounds; ++i) took.push_back(lb::test::confined_kill_round());
  const auto survived = std::ranges::count(took, -1);
  std::ranges::sort(took);
  fmt::print(R"({{"bench":"confined_survivors","rounds":{},"rounds_with_survivors":{},)"
             R"("target_max":0,"ms_to_empty_p50":{},"ms_to_empty_max":{}}})"
             "\n",
             rounds, survived, took[took.size() / 2], took.back());
  return survived == 0 ? 0 : 1;
}

[[noreturn]] void sleep_for_ever() {
  std::cout << "ready" << std::endl;
  for (;;) ::pause();
}

/// Daemons in sessions of their own, deaf to what is polite.
int run_family() {
  int born[2];
  if (::pipe(born) != 0) return 1;
  for (int i = 0; i < 4; ++i) {
    if (::fork() != 0) continue;
    ::setsid();
    for (const int signal : {SIGTERM, SIGHUP, SIGINT}) ::signal(signal, SIG_IGN);
    if (::fork() != 0 && i % 2 == 0) ::_exit(0);
    static_cast<void>(!::write(born[1], "x", 1));
    for (;;) ::pause();
  }
  char byte = 0;
  for (int i = 0; i < 6; ++i) {
    if (::read(born[0], &byte, 1) != 1) return 1;
  }
  sleep_for_ever();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view part = argc > 1 ? argv[1] : "";
  if (part == lb::kGuardianCommand) return lb::run_guardian(argc, argv);
  if (part == "owner") return lb::test::run_owner({argv + 2, argv + argc});
  if (part == "kill-owner" && argc > 2) return lb::test::run_kill_owner(argv[2]);
  if (part == "attacker") return lb::test::run_attacker({argv + 2, argv + argc});
  if (part == "sleeper") sleep_for_ever();
  if (part == "family") return run_family();
  if (part == "rounds" && argc > 2) return run_rounds(std::stoul(argv[2]));
  return doctest::Context(argc, argv).run();
}
