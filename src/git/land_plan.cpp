#include "git/land_plan.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <set>
#include <utility>

#include "git/folder.h"

namespace lb::git {
namespace {

namespace fs = std::filesystem;

struct TreeMerge {
  std::string tree;
  std::vector<std::string> conflicts;
};

/// Two commits merged, without any checkout.
Result<TreeMerge> merge_commits(Scratch& scratch, const std::string& ours,
                                const std::string& theirs) {
  Call call = scratch.call(
      {"merge-tree", "--write-tree", "-z", "--name-only", "--no-messages", ours, theirs});
  call.limit = limits::kGitLong;
  auto said = scratch.run(std::move(call));
  if (!said) return std::unexpected(std::move(said.error()));
  if (said->code > 1) return fail(ErrorCode::NotSupported, last_words(*said));
  std::vector<std::string> parts = split_nul(said->out);
  if (parts.empty()) return fail(ErrorCode::NotSupported, last_words(*said));
  TreeMerge merge{parts.front(), {}};
  if (said->code == 0) return merge;
  parts.erase(parts.begin());
  std::erase_if(parts, [](const std::string& path) { return path.empty(); });
  merge.conflicts = std::move(parts);
  return merge;
}

Result<std::string> tree_of_commit(Scratch& scratch, const std::string& commit) {
  return scratch.line({"rev-parse", "--verify", commit + "^{tree}"});
}

bool is_ancestor(Scratch& scratch, const std::string& older, const std::string& newer) {
  const auto said = scratch.run({"merge-base", "--is-ancestor", older, newer});
  return said && said->ok();
}

/// Each commit put on top of the base, one after the other.
Result<void> plan_rebase(Scratch& scratch, const LandPoints& points, LandPlan& plan) {
  auto listed = scratch.out(
      {"rev-list", "--reverse", "--topo-order", "--parents", points.tip, "^" + points.base});
  if (!listed) return std::unexpected(std::move(listed.error()));
  auto onto = tree_of_commit(scratch, points.base);
  if (!onto) return std::unexpected(std::move(onto.error()));
  for (const std::string& line : split_lines(*listed)) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos || line.find(' ', space + 1) != std::string::npos) {
      return fail(ErrorCode::NotSupported,
                  "The branch has merge commits, which a rebase would take apart. Land it by merge "
                  "or squash.");
    }
    const std::string commit = line.substr(0, space);
    auto before = tree_of_commit(scratch, line.substr(space + 1));
    auto after = before ? tree_of_commit(scratch, commit) : before;
    if (!after) return std::unexpected(std::move(after.error()));
    auto common = passing_commit(scratch, *before, "");
    auto ours = common ? passing_commit(scratch, *onto, *common) : common;
    auto theirs = ours ? passing_commit(scratch, *after, *common) : ours;
    if (!theirs) return std::unexpected(std::move(theirs.error()));
    auto merged = merge_commits(scratch, *ours, *theirs);
    if (!merged) return std::unexpected(std::move(merged.error()));
    if (!merged->conflicts.empty()) {
      plan.conflicts = std::move(merged->conflicts);
      return {};
    }
    // What the base has already makes no commit; one that was empty stays.
    if (merged->tree == *onto && *before != *after) continue;
    plan.steps.push_back({commit, merged->tree});
    *onto = merged->tree;
  }
  plan.tree = *onto;
  return {};
}

/// Whether a folder has a file that is not among those that go.
bool has_others(const std::string& root, const std::string& folder,
                const std::set<std::string>& going) {
  std::error_code why;
  for (auto at = fs::recursive_directory_iterator(
           fs::path(root) / folder, fs::directory_options::skip_permission_denied, why);
       at != fs::end(at); at.increment(why)) {
    if (why) return true;
    if (at->is_directory() && !at->is_symlink()) continue;
    if (!going.contains(at->path().native().substr(root.size() + 1))) return true;
  }
  return static_cast<bool>(why);
}

/// What stands where a new file shall be, or above it; empty: nothing.
std::string standing_at(const std::string& root, const std::string& path,
                        const std::set<std::string>& going) {
  for (std::size_t end = path.find('/');; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    struct stat found = {};
    if (::lstat((fs::path(root) / part).c_str(), &found) != 0) return {};
    const bool folder = S_ISDIR(found.st_mode);
    if (end == std::string::npos) {
      return folder                 ? (has_others(root, part, going) ? part : "")
             : going.contains(part) ? ""
                                    : part;
    }
    if (!folder) return going.contains(part) ? "" : part;
  }
}

}  // namespace

Result<std::string> passing_commit(Scratch& scratch, const std::string& tree,
                                   const std::string& parent) {
  std::vector<std::string> args = {"commit-tree", tree, "-m", "x"};
  if (!parent.empty()) args.insert(args.end(), {"-p", parent});
  Call call = scratch.call(std::move(args));
  for (const char* who : {"AUTHOR", "COMMITTER"}) {
    call.env.emplace_back(fmt::format("GIT_{}_NAME", who), "Liminal Builder");
    call.env.emplace_back(fmt::format("GIT_{}_EMAIL", who), "liminal-builder@localhost");
    call.env.emplace_back(fmt::format("GIT_{}_DATE", who), "@0 +0000");
  }
  auto said = scratch.run(std::move(call));
  if (!said) return std::unexpected(std::move(said.error()));
  if (!said->ok()) return fail(ErrorCode::NotSupported, last_words(*said));
  return split_lines(said->out).at(0);
}

Result<LandPlan> plan_landing(Scratch& scratch, LandStrategy strategy, const LandPoints& points) {
  LandPlan plan;
  auto before = tree_of_commit(scratch, points.base);
  if (!before) return std::unexpected(std::move(before.error()));
  auto count = scratch.line({"rev-list", "--count", points.tip, "^" + points.base});
  if (!count) return std::unexpected(std::move(count.error()));
  std::from_chars(count->data(), count->data() + count->size(), plan.commits);
  if (plan.commits == 0) {
    plan.tree = *before;
    plan.nothing = true;
    return plan;
  }
  plan.forward = is_ancestor(scratch, points.base, points.tip);
  if (plan.forward) {
    auto tree = tree_of_commit(scratch, points.tip);
    if (!tree) return std::unexpected(std::move(tree.error()));
    plan.tree = std::move(*tree);
  } else if (strategy == LandStrategy::Rebase) {
    if (auto done = plan_rebase(scratch, points, plan); !done) {
      return std::unexpected(std::move(done.error()));
    }
  } else {
    auto merged = merge_commits(scratch, points.base, points.tip);
    if (!merged) return std::unexpected(std::move(merged.error()));
    plan.tree = std::move(merged->tree);
    plan.conflicts = std::move(merged->conflicts);
  }
  // A merge that changes no file still says that the branch is in; the others have nothing to say.
  plan.nothing = strategy != LandStrategy::Merge && plan.conflicts.empty() &&
                 plan.tree == *before && plan.steps.empty();
  if (strategy == LandStrategy::Squash) plan.forward = false;
  return plan;
}

Result<std::vector<LandChange>> changes_between(const Git& git, const Repository& repository,
                                                const std::string& from, const std::string& to) {
  auto text = git.out({.args = {"diff-tree", "-r", "-z", "--no-renames", "--no-ext-diff",
                                "--name-status", from, to},
                       .cwd = repository.root});
  if (!text) return std::unexpected(std::move(text.error()));
  std::vector<LandChange> changes;
  const std::vector<std::string> parts = split_nul(*text);
  for (std::size_t at = 0; at + 1 < parts.size(); at += 2) {
    changes.push_back({parts[at + 1], parts[at].empty() ? 'M' : parts[at].front()});
  }
  return changes;
}

Result<std::vector<std::string>> in_the_way_of(Scratch& checkout, const std::string& root,
                                               const std::vector<LandChange>& changes) {
  auto status = status_of(checkout, false);
  if (!status) return std::unexpected(std::move(status.error()));
  const std::set<std::string> edited(status->changed.begin(), status->changed.end());
  std::set<std::string> going;
  for (const LandChange& change : changes) {
    if (change.kind == 'D') going.insert(change.path);
  }
  std::set<std::string> found;
  for (const LandChange& change : changes) {
    if (edited.contains(change.path)) {
      found.insert(change.path);
    } else if (change.kind == 'A') {
      if (std::string path = standing_at(root, change.path, going); !path.empty()) {
        found.insert(std::move(path));
      }
    }
  }
  return std::vector<std::string>(found.begin(), found.end());
}

std::string under_way_in(const std::string& git_dir) {
  constexpr auto kSigns = std::to_array<std::pair<std::string_view, std::string_view>>(
      {{"MERGE_HEAD", "a merge"},
       {"CHERRY_PICK_HEAD", "a cherry-pick"},
       {"REVERT_HEAD", "a revert"},
       {"rebase-merge", "a rebase"},
       {"rebase-apply", "a rebase"}});
  for (const auto& [name, what] : kSigns) {
    if (is_there(fmt::format("{}/{}", git_dir, name))) return std::string(what);
  }
  return {};
}

}  // namespace lb::git
