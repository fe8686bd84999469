// All parts of the fault tests; see CMakeLists.txt.

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <string_view>

#include "demo/demo_agent.h"
#include "process/guardian.h"
#include "tests/faults/fault_agent.h"
#include "tests/faults/fault_host.h"

namespace {

/// The long runs: figures on stdout, 1 when a promise was broken.
int run_rounds(std::size_t rounds) {
  std::vector<std::int64_t> took;
  for (std::size_t i = 0; i < rounds; ++i) {
    const auto victim = i % 2 == 0 ? lb::test::Victim::Host : lb::test::Victim::Guardian;
    took.push_back(lb::test::survivor_round(victim));
    if (took.back() < 0) {
      std::cerr << "round " << i << ": something survived the kill of the "
                << (victim == lb::test::Victim::Host ? "host" : "guardian") << '\n';
    }
  }
  const auto survived = std::ranges::count(took, -1);
  std::ranges::sort(took);
  fmt::print(R"({{"bench":"survivors","rounds":{},"rounds_with_survivors":{},"target_max":0,)"
             R"("ms_to_empty_p50":{},"ms_to_empty_p99":{},"ms_to_empty_max":{}}})"
             "\n",
             rounds, survived, took[took.size() / 2], took[took.size() * 99 / 100], took.back());
  return survived == 0 ? 0 : 1;
}

int run_cycles(std::size_t cycles) {
  const auto left = lb::test::start_stop_cycles(cycles);
  fmt::print(R"({{"bench":"start_stop","cycles":{},"zombies":{},"descriptors_left":{},)"
             R"("resident_grown_kib":{}}})"
             "\n",
             cycles, left.zombies, left.descriptors, left.grown_kib);
  return left.zombies == 0 && left.descriptors == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view part = argc > 1 ? argv[1] : "";
  if (part == lb::kGuardianCommand) return lb::run_guardian(argc, argv);
  if (part == "demo-agent") return lb::run_demo_agent(argc, argv);
  if (part == "agent") return lb::test::run_fault_agent({argv + 2, argv + argc});
  if (part == "host" && argc > 3) return lb::test::run_fault_host(argv[2], std::stoul(argv[3]));
  if (part == "rounds" && argc > 2) return run_rounds(std::stoul(argv[2]));
  if (part == "cycles" && argc > 2) return run_cycles(std::stoul(argv[2]));
  return doctest::Context(argc, argv).run();
}
