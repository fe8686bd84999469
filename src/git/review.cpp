#include "git/review.h"

#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string_view>
#include <unordered_map>

#include "base/utf8.h"
#include "git/scratch.h"
#include "git/standing.h"
#include "git/tree_entry.h"

namespace lb::git {
namespace {

/// How files of two trees are compared. Renames are looked for among so many files that it takes
/// milliseconds; those with the same bytes are always found. Files above the threshold are not
/// looked into.
std::vector<std::string> diff_tree(std::vector<std::string> args) {
  std::vector<std::string> all = {
      "-c", "core.bigFileThreshold=32m", "diff-tree", "-r", "--no-ext-diff", "--no-textconv"};
  all.insert(all.end(), std::make_move_iterator(args.begin()), std::make_move_iterator(args.end()));
  return all;
}
constexpr const char* kRenames = "-M50%";
constexpr const char* kRenamesMost = "-l200";
constexpr const char* kNotEmpty = "--no-rename-empty";

/// `1\t2\tpath`, or `1\t2\t` and two more parts for a renamed file; `-` for one without lines.
struct LineCount {
  std::string path;
  std::uint64_t added = 0;
  std::uint64_t deleted = 0;
  bool binary = false;
};
LineCount read_count(const std::vector<std::string>& parts, std::size_t& at) {
  const std::string_view text = parts[at++];
  LineCount count;
  const std::size_t first = text.find('\t');
  const std::size_t second = first == std::string_view::npos ? first : text.find('\t', first + 1);
  if (second == std::string_view::npos) return count;
  std::from_chars(text.data(), text.data() + first, count.added);
  std::from_chars(text.data() + first + 1, text.data() + second, count.deleted);
  count.binary = text.starts_with('-');
  count.path = text.substr(second + 1);
  if (count.path.empty() && at + 1 < parts.size()) {
    count.path = parts[at + 1];
    at += 2;
  }
  return count;
}

ChangedFile changed_file(const RawEntry& raw) {
  ChangedFile file;
  file.path = shown_path(raw.path);
  file.oid = raw.is_file() ? raw.to.id : raw.from.id;
  file.status = !raw.was_file()  ? FileStatus::Added
                : !raw.is_file() ? FileStatus::Deleted
                                 : FileStatus::Modified;
  if (!raw.old_path.empty()) {
    file.status = FileStatus::Renamed;
    file.old_path = shown_path(raw.old_path);
  }
  return file;
}

Result<std::vector<RawEntry>> raw_entries(const Git& git, WorkTree& files,
                                          std::vector<std::string> args) {
  args.insert(args.begin(), {"-z", "--raw"});
  auto text = git.out(files.call(diff_tree(std::move(args))));
  if (!text) return std::unexpected(std::move(text.error()));
  std::vector<RawEntry> entries;
  const std::vector<std::string> parts = split_nul(*text);
  for (std::size_t at = 0; at < parts.size();) {
    auto raw = read_raw(parts, at);
    if (!raw) break;
    entries.push_back(std::move(*raw));
  }
  return entries;
}

/// Paths, of files that differ from HEAD or from the index as git itself sees it.
Result<std::set<std::string>> changed_for_git(Scratch& scratch, Committed which) {
  // Our copy of the index learns which files are only younger. It says no when some are others,
  // too.
  auto looked = scratch.run({"update-index", "-q", "--refresh"});
  if (!looked) return std::unexpected(std::move(looked.error()));
  std::vector<std::string> args = {which == Committed::Head ? "diff-index" : "diff-files",
                                   "--name-only", "-z", "--no-renames", "--ignore-submodules=all"};
  if (which == Committed::Head) args.emplace_back("HEAD");
  args.emplace_back("--");
  auto listed = scratch.out(std::move(args));
  if (!listed) return std::unexpected(std::move(listed.error()));
  std::vector<std::string> paths = split_nul(*listed);
  return std::set<std::string>(paths.begin(), paths.end());
}

/// Of these files, which git calls unchanged, those where it looked, and those it leaves out.
Result<std::vector<std::string>> believed(Scratch& scratch,
                                          const std::map<std::string, bool>& quiet) {
  auto listed = scratch.out({"ls-files", "-v", "-z"});
  if (!listed) return std::unexpected(std::move(listed.error()));
  std::vector<std::string> paths;
  for (const std::string& line : split_nul(*listed)) {
    if (line.size() < 3) continue;
    const auto found = quiet.find(line.substr(2));
    if (found == quiet.end()) continue;
    // H: it is looked at. S: it is left out, which says nothing of a file that is there.
    if (line.front() == (found->second ? 'H' : 'S')) paths.push_back(found->first);
  }
  return paths;
}

/// Files of a tree that are others on disk, or not there.
Result<std::vector<RawEntry>> others_on_disk(const Git& git, WorkTree& files,
                                             const std::string& tree, const std::string& now) {
  auto entries = raw_entries(git, files, {"--no-renames", "--diff-filter=MDT", tree, now});
  if (entries) {
    std::erase_if(*entries, [](const RawEntry& entry) { return !entry.was_file(); });
  }
  return entries;
}

/// Whether other bytes on disk may be the same file for git. Where nothing converts any, it need
/// not look at all of them again.
Result<bool> may_convert(Scratch& scratch, const std::vector<RawEntry>& entries) {
  if (!scratch.settings_are_plain()) return true;
  Call call = scratch.call({"check-attr", "-z", "--stdin", "text", "crlf", "eol", "ident", "filter",
                            "working-tree-encoding"});
  for (const RawEntry& entry : entries) call.input += entry.path + '\0';
  auto said = scratch.run(std::move(call));
  if (!said) return std::unexpected(std::move(said.error()));
  if (!said->ok()) return true;
  // Path, attribute and value of each.
  const std::vector<std::string> parts = split_nul(said->out);
  for (std::size_t at = 2; at < parts.size(); at += 3) {
    if (parts[at] != "unspecified" && parts[at] != "unset") return true;
  }
  return false;
}

/// Of these, those that git calls unchanged.
Result<std::vector<std::string>> unchanged_for_git(Scratch& scratch, Committed which,
                                                   const std::vector<RawEntry>& entries) {
  auto converts = may_convert(scratch, entries);
  if (!converts) return std::unexpected(std::move(converts.error()));
  Result<std::set<std::string>> changed;
  if (*converts) changed = changed_for_git(scratch, which);
  if (!changed) return std::unexpected(std::move(changed.error()));
  std::map<std::string, bool> quiet;  // And whether it is on disk.
  for (const RawEntry& entry : entries) {
    const bool differs = *converts ? changed->contains(entry.path) : entry.is_file();
    if (!differs) quiet.emplace(entry.path, entry.is_file());
  }
  if (quiet.empty()) return std::vector<std::string>();
  return believed(scratch, quiet);
}

Result<std::string> tree_of_index(Scratch& scratch) {
  auto unmerged = scratch.out({"ls-files", "--unmerged", "-z"});
  if (!unmerged) return unmerged;
  if (unmerged->empty()) return scratch.line({"write-tree"});
  return fail(ErrorCode::NotSupported,
              "Some files are in conflict, and so nothing can be compared with what is staged. "
              "Resolve them, or compare with HEAD.");
}

}  // namespace

Result<Differences> differences(const Git& git, WorkTree& files, const std::string& from,
                                const std::string& to) {
  if (auto good = check_ids({from, to}); !good) return std::unexpected(std::move(good.error()));
  auto text = git.out(files.call(
      diff_tree({"-z", kRenames, kRenamesMost, kNotEmpty, "--raw", "--numstat", from, to})));
  if (!text) return std::unexpected(std::move(text.error()));
  std::vector<std::pair<std::string, ChangedFile>> all;
  std::unordered_map<std::string, std::size_t> places;
  const std::vector<std::string> parts = split_nul(*text);
  for (std::size_t at = 0; at < parts.size();) {
    if (auto raw = read_raw(parts, at)) {
      if (!raw->was_file() && !raw->is_file()) continue;
      places.emplace(raw->path, all.size());
      all.emplace_back(raw->path, changed_file(*raw));
      continue;
    }
    const LineCount count = read_count(parts, at);
    const auto place = places.find(count.path);
    if (place == places.end()) continue;
    ChangedFile& file = all[place->second].second;
    file.added += count.added;
    file.deleted += count.deleted;
    file.binary |= count.binary;
  }
  std::ranges::sort(all, {}, [](const auto& one) { return std::string_view(one.first); });
  Differences found;
  found.count = all.size();
  for (auto& [path, file] : all) {
    found.added += file.added;
    found.deleted += file.deleted;
    if (found.files.size() < limits::kChangedFilesMax) found.files.push_back(std::move(file));
  }
  return found;
}

Result<std::string> path_before(const Git& git, WorkTree& files, const FileBetween& file) {
  const auto& [from, to, path] = file;
  if (auto good = check_ids({from, to}); !good) return std::unexpected(std::move(good.error()));
  auto own = raw_entries(git, files, {"--no-renames", from, to, "--", path});
  if (!own) return std::unexpected(std::move(own.error()));
  const auto entry = std::ranges::find(*own, path, &RawEntry::path);
  if (entry == own->end() || (!entry->was_file() && !entry->is_file())) return "";
  if (entry->was_file()) return path;
  auto renamed =
      raw_entries(git, files, {kRenames, kRenamesMost, kNotEmpty, "--diff-filter=R", from, to});
  if (!renamed) return std::unexpected(std::move(renamed.error()));
  const auto found = std::ranges::find(*renamed, path, &RawEntry::path);
  return found == renamed->end() ? path : found->old_path;
}

Result<std::string> unified_diff(const Git& git, WorkTree& files, const DiffWish& wish) {
  auto before = path_before(git, files, {wish.from, wish.to, wish.path});
  if (!before || before->empty()) return before;
  const bool plain = is_valid_utf8(wish.path) && is_valid_utf8(*before);
  std::vector<std::string> args = {"-p", "--full-index", "--src-prefix=a/", "--dst-prefix=b/",
                                   fmt::format("-U{}", wish.context)};
  if (*before == wish.path) {
    args.emplace_back("--no-renames");
  } else {
    args.insert(args.end(), {kRenames, kNotEmpty});
  }
  args.insert(args.end(), {wish.from, wish.to, "--"});
  // These files, and none below folders that have such a name on one of the sides.
  for (const std::string& path : std::set<std::string>{wish.path, *before}) {
    args.push_back(":(top,literal)" + path);
    args.push_back(":(top,exclude,literal)" + path + "/");
  }
  args = diff_tree(std::move(args));
  args.insert(args.begin(), {"-c", plain ? "core.quotePath=false" : "core.quotePath=true"});
  Call call = files.call(std::move(args));
  call.env.emplace_back("GIT_LITERAL_PATHSPECS", "0");
  call.output_max = limits::kShownBytesMax;
  auto text = git.out(call);
  if (!text && text.error().code == ErrorCode::TooLarge) {
    return fail(ErrorCode::TooLarge,
                fmt::format("The difference of {} has more than {} MiB: too much to show here.",
                            shown_path(wish.path), limits::kShownBytesMax >> 20U));
  }
  return text;
}

Result<void> check_trees(const Git& git, WorkTree& files, const std::vector<std::string>& ids) {
  std::string input;
  for (const std::string& id : ids) {
    if (auto good = check_ids({id}); !good) return good;
    input += id + '\n';
  }
  Call call = files.call({"cat-file", "--batch-check=%(objecttype)"});
  call.input = std::move(input);
  auto types = git.out(call);
  if (!types) return std::unexpected(std::move(types.error()));
  for (const std::string& type : split_lines(*types)) {
    if (type == "tree") continue;
    return fail(ErrorCode::NotFound,
                "What these changes were compared with is not there any more. Look again.");
  }
  return {};
}

Result<void> check_path(const std::string& path) {
  const auto wrong = [&] {
    return fail(ErrorCode::InvalidRequest,
                fmt::format("\"{}\" is no path of a file below the folder.", shown_path(path)));
  };
  if (path.empty() || path.contains('\0')) return wrong();
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string name = path.substr(at, end - at);
    if (name.empty() || name == "." || name == "..") return wrong();
    if (::strcasecmp(name.c_str(), ".git") == 0) {
      return fail(ErrorCode::InvalidRequest, "What is in .git is not shown here.");
    }
    at = end + 1;
  }
  return {};
}

std::string empty_tree(const WorkTree& files) {
  const bool sha256 = files.repository() && files.repository()->object_format == "sha256";
  return sha256 ? "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
                : "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
}

Result<std::string> tree_to_compare(const Git& git, WorkTree& files, Committed which,
                                    const std::string& now) {
  auto repository = repository_now(git, files);
  if (!repository) return std::unexpected(std::move(repository.error()));
  std::string tree;
  std::vector<RawEntry> others;
  const auto look = [&](Result<std::string> found) -> Result<void> {
    if (!found) return std::unexpected(std::move(found.error()));
    tree = std::move(*found);
    auto entries = others_on_disk(git, files, tree, now);
    if (!entries) return std::unexpected(std::move(entries.error()));
    others = std::move(*entries);
    return {};
  };
  if (which == Committed::Head) {
    if (repository->head.empty()) return empty_tree(files);
    auto looked = look(files.tree_of(repository->head));
    if (!looked) return std::unexpected(std::move(looked.error()));
    if (others.empty()) return tree;
  }
  auto scratch = Scratch::over(git, *repository, files.keep_dir());
  if (!scratch) return std::unexpected(std::move(scratch.error()));
  if (auto own = scratch->with_own_index(true); !own) {
    return std::unexpected(std::move(own.error()));
  }
  if (which == Committed::Index) {
    auto looked = look(tree_of_index(*scratch));
    if (!looked) return std::unexpected(std::move(looked.error()));
    if (others.empty()) return tree;
  }
  auto paths = unchanged_for_git(*scratch, which, others);
  if (!paths) return std::unexpected(std::move(paths.error()));
  if (paths->empty()) return tree;
  return files.with_paths(tree, now, *paths);
}

}  // namespace lb::git
