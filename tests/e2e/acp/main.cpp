// The tests, the guardian of the agents that they start, and one of those agents.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <string_view>

#include "demo/demo_agent.h"
#include "process/guardian.h"

int main(int argc, char** argv) {
  const std::string_view part = argc > 1 ? argv[1] : "";
  if (part == lb::kGuardianCommand) return lb::run_guardian(argc, argv);
  if (part == "demo-agent") return lb::run_demo_agent(argc, argv);
  return doctest::Context(argc, argv).run();
}
