/// What git says of files of trees: ids, and lines of `diff-tree --raw` and `ls-tree`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "git/files.h"

namespace lb::git {

/// The full name of an object, and never an option or an expression.
bool is_id(std::string_view text);
Result<void> check_ids(std::initializer_list<std::string_view> ids);

/// One file that differs between two trees.
struct RawEntry {
  std::string path;
  std::string old_path;  // Of a renamed one.
  TreeFile from;
  TreeFile to;
  /// Another repository (a submodule) is none of our files.
  [[nodiscard]] bool was_file() const { return from.there() && !from.is_repository(); }
  [[nodiscard]] bool is_file() const { return to.there() && !to.is_repository(); }
};

/// Reads the entry that begins at `at` of what `diff-tree -z --raw` said, and goes behind it.
/// Nothing: there begins none.
std::optional<RawEntry> read_raw(const std::vector<std::string>& parts, std::size_t& at);

/// A line of `ls-tree -z`: `100644 blob ID\tpath`.
struct ListedFile {
  TreeFile file;
  std::string path;
};
ListedFile read_listed(std::string_view line);

}  // namespace lb::git
