// The tests, and the guardian of the agents that they start.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <string_view>

#include "process/guardian.h"

int main(int argc, char** argv) {
  const std::string_view part = argc > 1 ? argv[1] : "";
  if (part == lb::kGuardianCommand) return lb::run_guardian(argc, argv);
  return doctest::Context(argc, argv).run();
}
