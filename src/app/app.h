/// The program: flags and configuration in, exit code out.
#pragma once

namespace lb {

/// Exit codes: 0 stopped by request, 1 failure with one clear line, 2 usage.
int run_program(int argc, char** argv);

}  // namespace lb
