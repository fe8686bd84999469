/// GuardedLauncher and GuardedProcess: real CLIs, each below a guardian of its own.
///
/// Everything is non-blocking: a child that does not read, floods or hangs costs a bounded buffer
/// and nothing else. Letting go of a GuardedProcess ends the child and all it started; so does the
/// end of the io_context, and the end of our process in whatever way.
///
/// Lives on the io thread, which must be the one thread that launches.
#pragma once

#include <array>
#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "process/agent_process.h"
#include "process/guardian_link.h"
#include "process/pty.h"
#include "process/walls.h"

namespace lb {

class GuardedLauncher final : public Launcher {
 public:
  /// Makes this process a subreaper and makes it ignore SIGPIPE. `guardian` is the program that
  /// runs as a guardian when its first argument says so: normally ourselves, also when our file
  /// was replaced by a newer one meanwhile.
  explicit GuardedLauncher(asio::any_io_executor executor, std::string guardian = "/proc/self/exe");

  Result<std::shared_ptr<AgentProcess>> launch(LaunchOptions options) override;
  Result<std::shared_ptr<PtyProcess>> launch_in_terminal(LaunchOptions options,
                                                         PtySize size) override;
  [[nodiscard]] std::vector<LivingProcess> living() const override;
  /// What confined agents are kept from; asked for at every start of one.
  void build_walls(std::function<std::vector<Wall>()> walls) { walls_ = std::move(walls); }

 private:
  [[nodiscard]] std::vector<std::string> guardian_argv(const LaunchOptions& options,
                                                       const std::string& program) const;
  /// `standard`: what becomes 0, 1 and 2 of the child.
  Result<std::shared_ptr<GuardianLink>> start_guardian(LaunchOptions options,
                                                       const std::string& program,
                                                       std::array<int, 3> standard);

  asio::any_io_executor executor_;
  std::string guardian_;
  std::function<std::vector<Wall>()> walls_;
  std::shared_ptr<LivingGuardians> living_ = std::make_shared<LivingGuardians>();
  std::shared_ptr<PtyPace> pty_pace_ = std::make_shared<PtyPace>();
};

/// Whether this system lets us confine an agent: builds all walls once, for nobody. The error's
/// message says what the kernel refused.
asio::awaitable<Result<void>> check_confinement(Launcher& launcher);

}  // namespace lb
