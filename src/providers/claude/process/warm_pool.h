/// WarmPool: processes of Claude Code that were started before a session needs them.
///
/// One per directory, confined and not, and environment. Each has answered `initialize` and waits
/// for a session to take it; the CLI writes no file before its first prompt, so one that nobody
/// takes leaves nothing behind. How many there may be and for how long is decided by who asks for
/// them. Owned by the provider; lives on the io thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "providers/claude/process/claude_session.h"

namespace lb::claude {

class WarmPool {
 public:
  /// `changed` is called when a process came or went.
  WarmPool(std::shared_ptr<const ClaudeConfig> config, const ProviderDeps& deps,
           std::function<void()> changed);
  ~WarmPool();
  WarmPool(const WarmPool&) = delete;
  WarmPool& operator=(const WarmPool&) = delete;

  void start(const WarmPlace& place);
  /// The session whose process waits at `place` or is starting there; from now on the caller's.
  /// Null when there is none.
  [[nodiscard]] std::shared_ptr<ClaudeSession> take(const WarmPlace& place);
  /// Ends the one that waits there.
  void end(const WarmPlace& place);
  [[nodiscard]] std::size_t count() const { return sessions_.size(); }
  /// Everything that waits, no longer ours.
  [[nodiscard]] std::vector<std::shared_ptr<ClaudeSession>> take_all();

 private:
  static asio::awaitable<void> run(std::shared_ptr<ClaudeSession> session);
  void drop_dead();
  void show_count();

  std::shared_ptr<const ClaudeConfig> config_;
  ProviderDeps deps_;
  std::function<void()> changed_;
  std::map<WarmPlace, std::shared_ptr<ClaudeSession>> sessions_;
  std::int64_t shown_ = 0;
  std::shared_ptr<bool> living_ = std::make_shared<bool>(true);
};

}  // namespace lb::claude
