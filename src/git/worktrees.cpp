#include "git/worktrees.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "git/folder.h"

namespace lb::git {
namespace {

constexpr std::string_view kBranches = "refs/heads/";

/// One paragraph of `worktree list --porcelain -z`.
void take_line(ListedWorktree& listed, std::string_view line) {
  const std::size_t space = std::min(line.find(' '), line.size());
  const std::string_view key = line.substr(0, space);
  const std::string_view value = line.substr(std::min(space + 1, line.size()));
  if (key == "worktree") listed.path = value;
  if (key == "HEAD") listed.head = value;
  if (key == "branch" && value.starts_with(kBranches)) {
    listed.branch = value.substr(kBranches.size());
  }
  if (key == "locked") listed.locked = true;
}

}  // namespace

Result<std::vector<ListedWorktree>> list_worktrees(const Git& git, const Repository& repository) {
  auto text = git.out(
      {.args = {"--git-dir=" + repository.common_dir, "worktree", "list", "--porcelain", "-z"},
       .cwd = repository.common_dir});
  if (!text) return std::unexpected(std::move(text.error()));
  std::vector<ListedWorktree> all;
  bool inside = false;
  for (const std::string& line : split_nul(*text)) {
    if (line.empty()) {
      inside = false;
      continue;
    }
    if (!inside) all.emplace_back();
    inside = true;
    take_line(all.back(), line);
  }
  if (!all.empty()) all.front().main = true;
  // One that is being made is in a folder that nobody was told of.
  std::erase_if(
      all, [](const ListedWorktree& one) { return one.locked && one.path.contains("/.making-"); });
  for (ListedWorktree& one : all) {
    one.missing = !is_there(one.path);
    if (std::ranges::all_of(one.head, [](char c) { return c == '0'; })) one.head.clear();
  }
  return all;
}

Result<std::optional<Setup>> setup_of(const Git& git, const Repository& repository,
                                      const std::string& commit) {
  constexpr std::string_view kName = ".worktreesetup";
  std::vector<std::string> args = {"ls-tree",         "-z", "-l", "--full-tree", commit, "--",
                                   std::string(kName)};
  if (!repository.prefix.empty()) args.push_back(repository.prefix + "/" + std::string(kName));
  auto listed = git.out({.args = std::move(args), .cwd = repository.root});
  if (!listed) return std::unexpected(std::move(listed.error()));
  // "100644 blob OID    SIZE\tPATH": the project's own comes last.
  std::vector<std::string> entries = split_nul(*listed);
  std::erase_if(entries, [](const std::string& entry) { return !entry.starts_with("100"); });
  if (entries.empty()) return std::nullopt;
  std::ranges::sort(entries, {},
                    [](const std::string& entry) { return entry.size() - entry.find('\t'); });
  const std::string& entry = entries.back();
  const std::size_t type = entry.find(' ') + 1;
  const std::size_t oid = entry.find(' ', type) + 1;
  const std::size_t size = entry.find(' ', oid);
  Setup setup{entry.substr(oid, size - oid), {}};
  if (std::strtoull(entry.c_str() + size, nullptr, 10) > limits::kSetupBytesMax) {
    return fail(ErrorCode::TooLarge, fmt::format("{} is larger than {} KiB: nobody can read it "
                                                 "before it runs.",
                                                 kName, limits::kSetupBytesMax >> 10U));
  }
  auto text = git.out({.args = {"cat-file", "blob", setup.id}, .cwd = repository.root});
  if (!text) return std::unexpected(std::move(text.error()));
  setup.text = std::move(*text);
  return setup;
}

}  // namespace lb::git
