#include <set>
#include <string>
#include <vector>

#include "git/work_tree.h"

namespace lb::git {
namespace {

/// Whether one of them is a folder above the other.
bool is_above(const std::string& one, const std::string& other) {
  return other.starts_with(one + "/") || one.starts_with(other + "/");
}

struct OwnPart {
  std::string tree;  // As after the turn, without what is the turn's own.
  std::vector<std::string> shared;
};

Result<OwnPart> own_part(WorkTree& files, const std::string& before, const std::string& after,
                         const std::vector<std::string>& only) {
  auto all = files.diff(before, after);
  if (!all) return std::unexpected(std::move(all.error()));
  auto moves = files.moved(before, after);
  if (!moves) return std::unexpected(std::move(moves.error()));
  std::set<std::string> own(only.begin(), only.end());
  // Half of a move would take back the other half's bytes: the new name without the old one.
  for (const auto& [old_name, new_name] : *moves) {
    if (own.contains(old_name) == own.contains(new_name)) continue;
    own.erase(old_name);
    own.erase(new_name);
  }
  // And what others have put in its place keeps it.
  for (const TreeChange& added : *all) {
    if (added.kind != ChangeKind::Added || own.contains(added.path)) continue;
    std::erase_if(own, [&](const std::string& path) { return is_above(path, added.path); });
  }
  OwnPart part;
  for (TreeChange& change : *all) {
    if (!own.contains(change.path)) part.shared.push_back(std::move(change.path));
  }
  auto tree = files.with_paths(after, before, {own.begin(), own.end()});
  if (!tree) return std::unexpected(std::move(tree.error()));
  part.tree = std::move(*tree);
  return part;
}

}  // namespace

Result<RewindPlan> plan_rewind(WorkTree& files, const std::string& before, const std::string& after,
                               const std::optional<std::vector<std::string>>& only) {
  RewindPlan plan;
  auto now = files.snapshot();
  if (!now) return std::unexpected(std::move(now.error()));
  plan.now = std::move(*now);
  std::string wanted = before;
  if (only) {
    auto part = own_part(files, before, after, *only);
    if (!part) return std::unexpected(std::move(part.error()));
    plan.shared = std::move(part->shared);
    wanted = std::move(part->tree);
  }
  auto merged = files.merge(after, plan.now, wanted);
  if (!merged) return std::unexpected(std::move(merged.error()));
  plan.conflicts = std::move(merged->conflicts);
  if (!plan.conflicts.empty()) return plan;
  plan.target = std::move(merged->tree);
  auto changes = files.diff(plan.now, plan.target);
  if (!changes) return std::unexpected(std::move(changes.error()));
  plan.changes = std::move(*changes);
  // What is ignored now is in no snapshot, and may be what the turn has made room for.
  auto blocked = files.in_the_way(plan.now, plan.target);
  if (!blocked) return std::unexpected(std::move(blocked.error()));
  plan.conflicts = std::move(*blocked);
  if (!plan.conflicts.empty()) plan.changes.clear();
  return plan;
}

}  // namespace lb::git
