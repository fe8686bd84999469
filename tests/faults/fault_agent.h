/// The agent of the fault tests: does the one bad thing it is told to.
#pragma once

#include <string>
#include <vector>

namespace lb::test {

/// `args` is what follows `agent` on the command line; see kParts in fault_agent.cpp.
int run_fault_agent(const std::vector<std::string>& args);

}  // namespace lb::test
