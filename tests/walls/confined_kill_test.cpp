#include <doctest/doctest.h>

#include "tests/walls/owner.h"

namespace lb::test {
namespace {

TEST_CASE("server and guardian killed at the same moment leave nothing of a confined agent") {
  for (int round = 0; round < 20; ++round) {
    INFO("round " << round);
    REQUIRE(confined_kill_round() >= 0);
  }
}

}  // namespace
}  // namespace lb::test
