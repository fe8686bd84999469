/// Small questions about files.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <filesystem>

namespace lb {

/// When a file or folder last changed, in nanoseconds; 0 when it is not there. A folder changes
/// when a file is made in it.
inline std::int64_t changed_at(const std::filesystem::path& path) {
  struct stat found = {};
  if (::stat(path.c_str(), &found) != 0) return 0;
  return static_cast<std::int64_t>(found.st_mtim.tv_sec) * 1'000'000'000 + found.st_mtim.tv_nsec;
}

}  // namespace lb
