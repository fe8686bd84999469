#include <doctest/doctest.h>

#include "tests/faults/fault_host.h"

namespace lb::test {
namespace {

TEST_CASE("P5: 500 agents started and ended leave no zombie, no descriptor and no growth") {
  const CyclesResult left = start_stop_cycles(500);
  CHECK(left.zombies == 0);
  CHECK(left.descriptors == 0);
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  CHECK(left.grown_kib < 2048);
#endif
}

}  // namespace
}  // namespace lb::test
