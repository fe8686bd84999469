#include "process/mount_table.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <optional>

namespace lb {
namespace {

/// Spaces, tabs, line ends and backslashes are written as \ooo.
std::string plain(std::string_view field) {
  std::string out;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] == '\\' && i + 3 < field.size()) {
      const auto digit = [&](std::size_t at) { return field[i + at] - '0'; };
      out += static_cast<char>(digit(1) * 64 + digit(2) * 8 + digit(3));
      i += 3;
    } else {
      out += field[i];
    }
  }
  return out;
}

/// What is left of `path` below `folder`, beginning with a slash or empty; nothing when it is not
/// below.
std::optional<std::string_view> below(std::string_view path, std::string_view folder) {
  if (folder == "/") return path == "/" ? std::string_view() : path;
  if (!path.starts_with(folder)) return {};
  path.remove_prefix(folder.size());
  if (!path.empty() && path.front() != '/') return {};
  return path;
}

std::string joined(std::string_view folder, std::string_view rest) {
  if (rest.empty()) return std::string(folder);
  return folder == "/" ? std::string(rest) : std::string(folder).append(rest);
}

}  // namespace

MountTable::MountTable(std::string_view mountinfo) {
  // "36 35 98:0 /root /point options …"
  while (!mountinfo.empty()) {
    const std::size_t end = std::min(mountinfo.find('\n'), mountinfo.size());
    std::string_view line = mountinfo.substr(0, end);
    mountinfo.remove_prefix(std::min(end + 1, mountinfo.size()));
    std::vector<std::string_view> fields;
    while (fields.size() < 5 && !line.empty()) {
      const std::size_t space = std::min(line.find(' '), line.size());
      fields.push_back(line.substr(0, space));
      line.remove_prefix(std::min(space + 1, line.size()));
    }
    if (fields.size() < 5) continue;
    mounts_.push_back({std::string(fields[2]), plain(fields[3]), plain(fields[4])});
  }
}

MountTable MountTable::read() {
  std::ifstream file("/proc/self/mountinfo");
  return MountTable(std::string(std::istreambuf_iterator<char>(file), {}));
}

std::vector<std::string> MountTable::other_names(std::string_view path) const {
  const Mount* holder = nullptr;
  for (const Mount& mount : mounts_) {  // The last of the longest lies on top.
    if (!below(path, mount.point)) continue;
    if (holder == nullptr || mount.point.size() >= holder->point.size()) holder = &mount;
  }
  std::vector<std::string> names;
  if (holder == nullptr) return names;
  const std::string inside = joined(holder->root, *below(path, holder->point));
  for (const Mount& mount : mounts_) {
    if (&mount == holder || mount.device != holder->device) continue;
    const auto rest = below(inside, mount.root);
    if (!rest) continue;
    std::string name = joined(mount.point, *rest);
    if (name != path && std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  return names;
}

}  // namespace lb
