/// GuardedLauncher and GuardedProcess: real CLIs, each below a guardian of its own.
///
/// Everything is non-blocking: a child that does not read, floods or hangs costs a bounded buffer
/// and nothing else. Letting go of a GuardedProcess ends the child and all it started; so does the
/// end of the io_context, and the end of our process in whatever way.
///
/// Lives on the io thread, which must be the one thread that launches.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "process/agent_process.h"

namespace lb {

class GuardedLauncher final : public Launcher {
 public:
  /// Makes this process a subreaper and makes it ignore SIGPIPE. `guardian` is the program that
  /// runs as a guardian when its first argument says so: normally ourselves, also when our file
  /// was replaced by a newer one meanwhile.
  explicit GuardedLauncher(asio::any_io_executor executor, std::string guardian = "/proc/self/exe");

  Result<std::shared_ptr<AgentProcess>> launch(LaunchOptions options) override;

 private:
  asio::any_io_executor executor_;
  std::string guardian_;
};

}  // namespace lb
