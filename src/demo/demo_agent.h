/// `liminal-builder demo-agent`: an ACP agent on stdio, in our own binary.
///
/// Without an account it shows what the product can do; by prompt or flag it is also the load
/// generator of the benchmarks and the faulty agent of the tests (faults.h).
#pragma once

namespace lb {

/// Runs until stdin ends; the result is the exit code. `argv[1]` is `demo-agent`.
int run_demo_agent(int argc, char** argv);

}  // namespace lb
