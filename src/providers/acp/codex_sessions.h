/// Sessions that Codex keeps on disk: $CODEX_HOME/sessions/YYYY/MM/DD/rollout-….jsonl.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "process/agent_process.h"
#include "providers/provider.h"

namespace lb::acp {

/// Where Codex keeps everything: $CODEX_HOME, else ~/.codex.
std::string codex_home(const Environment& environment);

/// When it last began a session, as far as the folders of days tell. Reads the disk: for a worker.
std::int64_t codex_changed_at(const std::string& home);

/// Lists them without starting Codex. Reads only the beginning of each file, and that once: a
/// file's beginning never changes. Safe from any thread, one at a time.
class CodexSessions {
 public:
  /// `home` is that of Codex.
  explicit CodexSessions(std::string home) : home_(std::move(home)) {}

  /// The sessions of a project, newest first.
  std::vector<DiscoveredSession> find(const std::string& project_dir);

 private:
  struct Known {
    std::string cli_session_id;  // Empty: no session of a user, or not readable.
    std::string cwd;
    std::string title;  // Empty: no prompt yet, look again.
    Timestamp created_at;
  };
  static Known read(const std::string& path);

  std::string home_;
  std::mutex mutex_;
  std::map<std::string, Known> known_;
};

}  // namespace lb::acp
