/// Files of a work tree, looked at and replaced one by one.
///
/// Every way goes from the top of the folder through real folders only: a folder that became a link
/// leads nowhere. A file is replaced in one step, and only while it is what was looked at.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <string>

#include "base/fd.h"
#include "git/blobs.h"

namespace lb::git {

/// A file of a tree: nothing there when `mode` is 0.
struct TreeFile {
  std::uint32_t mode = 0;
  std::string id;
  [[nodiscard]] bool there() const { return mode != 0; }
  [[nodiscard]] bool is_link() const { return mode == 0120000; }
  [[nodiscard]] bool is_repository() const { return mode == 0160000; }
  [[nodiscard]] bool runs() const { return mode == 0100755; }
};

class Files {
 public:
  Files(const std::string& root, Blobs& blobs, bool trusts_modes);

  /// Whether the file is exactly so.
  Result<bool> is(const std::string& path, const TreeFile& file);
  /// Makes it `to` if it is `from` (or `to` already). False: it is something else, or cannot be
  /// written, and was left alone.
  Result<bool> change(const std::string& path, const TreeFile& from, const TreeFile& to);

 private:
  struct Place {
    Fd folder;
    std::string name;
  };
  /// Nothing (an invalid folder) when there is no way.
  Place place_of(const std::string& path, bool make) const;
  Result<bool> matches(const Place& place, const TreeFile& file, struct stat& found);
  /// Writes a file beside the one that it shall replace; its name, or nothing when it could not.
  Result<std::string> written(const Place& place, const TreeFile& file, const struct stat* old);
  bool replace(const Place& place, const std::string& fresh, const struct stat& expected) const;
  bool remove(const Place& place, const struct stat& expected) const;
  void remove_empty_folders_above(const std::string& path) const;

  Fd root_;
  Blobs& blobs_;
  bool trusts_modes_;
  mode_t umask_;
};

}  // namespace lb::git
