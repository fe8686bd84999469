/// Starting the user's editor: the command of the configuration, and nothing that a request names.
///
/// The server ends every process below it that it does not know, and an editor stays. So it is
/// started by a process that is not below the server (see browser.h), and lives on without us.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "session/service/session_service.h"

namespace lb {

/// The command with `{path}`, `{line}` and `{folder}` filled in; the program itself has none.
std::vector<std::string> editor_command(const std::vector<std::string>& words,
                                        const EditorWish& wish);

class EditorHelper {
 public:
  /// Call it before there is a second thread. `words`: the configured command; empty: there is no
  /// helper then. `path` is put before PATH.
  EditorHelper(std::vector<std::string> words, const std::vector<std::string>& path);

  [[nodiscard]] bool ready() const { return orders_.valid(); }
  /// Blocks until the program runs, or has failed. Safe from any thread.
  Result<void> open(const EditorWish& wish);

 private:
  Result<std::string> answer_to(std::uint64_t order);

  std::vector<std::string> words_;
  std::mutex mutex_;
  Fd orders_;
  std::uint64_t last_ = 0;
};

}  // namespace lb
