/// ProjectFiles: the files of a project for @-mentions, and directories for adding one.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace lb {

/// How well `path` answers `query`; higher is better, negative is no match. Whoever types a word
/// means a word of the path: of the file's name first, then of its folders; letters strewn over it
/// come last.
int match_score(std::string_view path, std::string_view query);

/// Directories whose path begins with `prefix` (absolute, or with `~/`). Blocks.
std::vector<std::string> complete_directory(const std::string& prefix, std::size_t limit);

/// Remembers the list of a project for a few seconds: an @-mention asks at every key. Safe from any
/// thread; blocks while it looks.
class ProjectFiles {
 public:
  /// Relative paths, best first. What git ignores is left out where the directory is a repository.
  std::vector<std::string> find(const std::string& directory, const std::string& query,
                                std::size_t limit);

 private:
  struct Listing {
    MonoMs at = 0;
    std::vector<std::string> files;
  };
  std::mutex mutex_;
  std::map<std::string, Listing> listings_;
};

}  // namespace lb
