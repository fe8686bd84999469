#include <doctest/doctest.h>

#include "tests/faults/fault_host.h"

namespace lb::test {
namespace {

TEST_CASE("P4: kill -9 of the program that owns agents leaves no process of theirs") {
  for (int round = 0; round < 50; ++round) {
    INFO("round " << round);
    REQUIRE(survivor_round(Victim::Host) >= 0);
  }
}

TEST_CASE("P4, F8: kill -9 of the guardian leaves no process either: the owner sweeps") {
  for (int round = 0; round < 50; ++round) {
    INFO("round " << round);
    REQUIRE(survivor_round(Victim::Guardian) >= 0);
  }
}

}  // namespace
}  // namespace lb::test
