/// MountTable: the volumes that a process sees, and by which other names a path can be
/// reached.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lb {

class MountTable {
 public:
  /// From the text of /proc/self/mountinfo.
  explicit MountTable(std::string_view mountinfo);
  static MountTable read();

  /// The same file or folder by way of other mounts of its volume (bind mounts, a volume that
  /// is mounted twice). `path` is real: without symbolic links. Only names: they may not exist, or
  /// be covered by another mount.
  [[nodiscard]] std::vector<std::string> other_names(std::string_view path) const;

 private:
  struct Mount {
    std::string device;  // major:minor
    std::string root;    // The folder of the volume that is mounted,
    std::string point;   // and where.
  };
  std::vector<Mount> mounts_;
};

}  // namespace lb
