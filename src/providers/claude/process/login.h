/// LoginCheck: whether Claude Code has a login, without a message to its model.
///
/// The CLI says so itself (`claude auth status`). It is asked again when a file that holds logins
/// has changed, and now and then while it has none. Lives on the io thread.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "providers/claude/process/other_writers.h"
#include "providers/provider_base.h"

namespace lb::claude {

/// Older ones are not asked: they may take the words for a prompt.
inline const std::vector<int> kAuthStatusVersion = {2, 1, 325};

/// The files where a login may come from, as they are now.
std::vector<FileMark> login_marks(const std::filesystem::path& config);

class LoginCheck {
 public:
  /// Nothing when the CLI does not say.
  asio::awaitable<std::optional<LoginState>> ask(std::string program, Environment environment,
                                                 ProviderDeps deps);

 private:
  struct Known {
    std::string program;
    std::vector<FileMark> marks;
    MonoMs asked_at = 0;
    std::optional<LoginState> said;
  };
  std::optional<Known> known_;
};

}  // namespace lb::claude
