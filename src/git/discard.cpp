#include "git/discard.h"

#include <fmt/format.h>

#include <vector>

#include "base/json.h"
#include "git/review.h"
#include "git/tree_entry.h"

namespace lb::git {
namespace {

/// With what ends each.
std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

/// As `@@ -start,count @@` counts: without lines, `start` is the line before.
struct LineRange {
  std::uint64_t first = 0;  // From 0.
  std::uint64_t end = 0;
};
std::optional<LineRange> range_of(std::uint64_t start, std::uint64_t count, std::uint64_t lines) {
  if (start > lines || count > lines || (count > 0 && start == 0)) return std::nullopt;
  const std::uint64_t first = count == 0 ? start : start - 1;
  if (first + count > lines) return std::nullopt;
  return LineRange{first, first + count};
}

/// What a tree has at a path.
Result<TreeFile> file_in(const Git& git, WorkTree& files, const std::string& tree,
                         const std::string& path) {
  auto text = git.out(files.call({"ls-tree", "-z", "--full-tree", tree, "--", path}));
  if (!text) return std::unexpected(std::move(text.error()));
  for (const std::string& line : split_nul(*text)) {
    ListedFile listed = read_listed(line);
    if (listed.path == path) return std::move(listed.file);
  }
  return TreeFile{};
}

std::unexpected<Error> changed_since(const std::string& path) {
  Error error{ErrorCode::RewindConflict,
              fmt::format("{} was changed since. Look at it again first.", shown_path(path))};
  error.members = "\"paths\":[";
  append_quoted(error.members, shown_path(path));
  error.members += ']';
  return std::unexpected(std::move(error));
}

/// The repository has only a pointer to the bytes, and a filter puts them there: we do not run
/// it.
bool is_lfs_pointer(std::string_view bytes) {
  return bytes.starts_with("version https://git-lfs.github.com/spec/");
}

Result<std::string> bytes_in(WorkTree& files, const std::string& tree, const std::string& path) {
  auto found = files.file(tree, path);
  if (!found) return std::unexpected(std::move(found.error()));
  return std::move(*found).value_or("");
}

Result<void> check_lfs_pointer(WorkTree& files, const Discarding& wish, const std::string& before) {
  auto old = bytes_in(files, wish.from, before);
  if (!old || !is_lfs_pointer(*old)) return {};  // One that is too large to read is none.
  auto now = bytes_in(files, wish.seen, wish.path);
  if (now && is_lfs_pointer(*now)) return {};
  return fail(ErrorCode::NotSupported,
              fmt::format("{} is kept by git LFS, and only git can bring it back. Run: git "
                          "checkout -- FILE",
                          shown_path(wish.path)));
}

/// Where the file was, what it is, and the snapshot that it is in.
struct FileNow {
  std::string before;
  TreeFile seen;
  std::string tree;
};

Result<std::string> target_of(WorkTree& files, const Discarding& wish, const FileNow& file) {
  const auto& [before, seen, now] = file;
  if (!wish.hunk) {
    std::vector<std::string> paths = {wish.path};
    if (before != wish.path) paths.push_back(before);
    return files.with_paths(now, wish.from, paths);
  }
  if (!seen.there() || seen.is_link() || seen.is_repository()) {
    return fail(ErrorCode::InvalidRequest, "This is no file with lines. Discard all of it.");
  }
  auto old_bytes = bytes_in(files, wish.from, before);
  if (!old_bytes) return old_bytes;
  auto new_bytes = bytes_in(files, wish.seen, wish.path);
  if (!new_bytes) return new_bytes;
  auto bytes = without_hunk(*old_bytes, *new_bytes, *wish.hunk);
  if (!bytes) return bytes;
  return files.with_bytes(now, wish.path, seen.mode, std::move(*bytes));
}

}  // namespace

Result<std::string> without_hunk(std::string_view old, std::string_view now,
                                 const HunkRange& hunk) {
  const std::vector<std::string_view> olds = lines_of(old);
  const std::vector<std::string_view> news = lines_of(now);
  const auto from = range_of(hunk.old_start, hunk.old_lines, olds.size());
  const auto to = range_of(hunk.new_start, hunk.new_lines, news.size());
  if (!from || !to) {
    return fail(ErrorCode::InvalidRequest, "The file has no such lines. Look at it again.");
  }
  std::string bytes;
  const auto put = [&](std::string_view line) {
    if (!bytes.empty() && !bytes.ends_with('\n')) return false;
    bytes += line;
    return true;
  };
  bool whole = true;
  for (std::uint64_t at = 0; at < to->first; ++at) whole = put(news[at]) && whole;
  for (std::uint64_t at = from->first; at < from->end; ++at) whole = put(olds[at]) && whole;
  for (std::uint64_t at = to->end; at < news.size(); ++at) whole = put(news[at]) && whole;
  if (whole) return bytes;
  return fail(ErrorCode::InvalidRequest,
              "These lines would run into each other. Discard the whole hunk.");
}

Result<RewindPlan> plan_discard(const Git& git, WorkTree& files, const Discarding& wish) {
  auto before = path_before(git, files, {wish.from, wish.seen, wish.path});
  if (!before) return std::unexpected(std::move(before.error()));
  if (before->empty()) {
    return fail(ErrorCode::InvalidRequest,
                fmt::format("Nothing was done to {}.", shown_path(wish.path)));
  }
  RewindPlan plan;
  auto now = files.snapshot();
  if (!now) return std::unexpected(std::move(now.error()));
  plan.now = std::move(*now);
  TreeFile seen;
  for (const std::string& path : {*before, wish.path}) {
    auto expected = file_in(git, files, wish.seen, path);
    if (!expected) return std::unexpected(std::move(expected.error()));
    auto there = file_in(git, files, plan.now, path);
    if (!there) return std::unexpected(std::move(there.error()));
    if (there->mode != expected->mode || there->id != expected->id) return changed_since(path);
    seen = std::move(*expected);
  }
  if (auto good = check_lfs_pointer(files, wish, *before); !good) {
    return std::unexpected(std::move(good.error()));
  }
  auto target = target_of(files, wish, {*before, seen, plan.now});
  if (!target) return std::unexpected(std::move(target.error()));
  plan.target = std::move(*target);
  auto changes = files.diff(plan.now, plan.target);
  if (!changes) return std::unexpected(std::move(changes.error()));
  plan.changes = std::move(*changes);
  return plan;
}

}  // namespace lb::git
