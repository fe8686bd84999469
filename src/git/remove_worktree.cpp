#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/fd.h"
#include "git/folder.h"
#include "git/records.h"
#include "git/scratch.h"
#include "git/standing.h"
#include "git/submodules.h"
#include "git/worktrees.h"

namespace lb::git {
namespace {

/// What is kept of a worktree: refs `ws/ID/NAME`.
constexpr std::string_view kTree = "tree";    // Its files.
constexpr std::string_view kHead = "head";    // Its commit.
constexpr std::string_view kIndex = "index";  // What was staged.
constexpr std::string_view kOlder = "older";  // The tree of the removal before.
constexpr std::string_view kGone = "gone";    // The others are of the removal that counts.

std::string kept_name(const std::string& id, std::string_view what) {
  return fmt::format("ws/{}/{}", id, what);
}

using Kept = std::map<std::string, std::string, std::less<>>;

Result<Kept> kept_of(const Git& git, const Repository& main, const std::string& id) {
  const std::string prefix = fmt::format("ws/{}/", id);
  auto refs = refs_below(git, main.common_dir, prefix);
  if (!refs) return std::unexpected(std::move(refs.error()));
  Kept kept;
  for (const OwnRef& ref : *refs) kept[ref.name.substr(prefix.size())] = ref.oid;
  return kept;
}

/// Sets all of them together, and looks whether they are there.
Result<void> keep(const Git& git, const Repository& main, const std::string& id,
                  const Kept& wanted) {
  auto before = kept_of(git, main, id);
  if (!before) return std::unexpected(std::move(before.error()));
  std::vector<OwnRef> refs;
  for (const auto& [name, oid] : wanted) {
    if (oid.empty() && !before->contains(name)) continue;
    refs.push_back({kept_name(id, name), oid});
  }
  if (auto set = set_refs(git, main.common_dir, refs); !set) return set;
  auto after = kept_of(git, main, id);
  if (!after) return std::unexpected(std::move(after.error()));
  for (const auto& [name, oid] : wanted) {
    const auto found = after->find(name);
    if ((found == after->end() ? "" : found->second) != oid) {
      return fail(ErrorCode::Internal, "git did not keep what it was given: nothing was removed");
    }
  }
  // Git leaves it to the system when objects reach the disk; the folder goes only after them.
  const Fd store(::open(main.common_dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (store.valid()) ::syncfs(store.get());
  return {};
}

Result<Record> removable(const Repository& main, const std::string& path) {
  const auto record = record_of(main.common_dir, path);
  if (!record) {
    return fail(ErrorCode::NotSupported,
                fmt::format("{} is no worktree that can be removed: git has no record of it.",
                            shown_path(path)));
  }
  if (record->locked) {
    return fail(ErrorCode::NotSupported,
                fmt::format("{} is locked. To unlock it, run: git worktree unlock {}",
                            shown_path(path), shown_path(path)));
  }
  return *record;
}

Result<void> take_apart(const Repository& main, const std::string& path,
                        const std::optional<Record>& record) {
  if (auto taken = take_away(path); !taken) return taken;
  if (record) {
    if (auto gone = remove_record(main.common_dir, *record); !gone) return gone;
  }
  return finish_taking_away(path);
}

/// Where HEAD of a restored worktree shall be: a branch, or a commit, and then why.
struct Head {
  NewHead at;
  std::string note = {};
};
Result<Head> head_for(const Git& git, const Repository& main, const std::string& branch,
                      const std::string& head) {
  const NewHead detached{.branch = "", .commit = head};
  const NewHead attached{.branch = branch, .commit = head};
  if (branch.empty()) return Head{detached};
  const std::string ref = "refs/heads/" + branch;
  const auto tip = commit_of(git, main, ref);
  if (!tip) {
    auto made = git.out(
        {.args = {"update-ref", ref, head, ""}, .cwd = main.common_dir, .outlives_us = true});
    if (!made) return std::unexpected(std::move(made.error()));
    return Head{attached};
  }
  auto others = list_worktrees(git, main);
  if (!others) return std::unexpected(std::move(others.error()));
  const auto other = std::ranges::find(*others, branch, &ListedWorktree::branch);
  if (other != others->end()) {
    return Head{detached, fmt::format("{} is checked out in {} now: HEAD is on no branch.", branch,
                                      shown_path(other->path))};
  }
  if (*tip != head) {
    return Head{detached,
                fmt::format("{} has moved since the removal: HEAD is on no branch, at the "
                            "commit it had then.",
                            branch)};
  }
  return Head{attached};
}

Result<void> checked(Result<Said> said) {
  if (!said) return std::unexpected(std::move(said.error()));
  if (!said->ok()) return fail(ErrorCode::NotSupported, last_words(*said));
  return {};
}

/// Files and index of a worktree that is built again.
Result<void> bring_back(const Git& git, const Repository& tree, const Kept& kept,
                        const std::string& place) {
  const auto read = [](Scratch& scratch, std::vector<std::string> args) {
    Call call = scratch.call(std::move(args));
    call.limit = limits::kGitLong;
    return checked(scratch.run(std::move(call)));
  };
  auto scratch = Scratch::over(git, tree, place);
  if (!scratch) return std::unexpected(std::move(scratch.error()));
  if (!kept.contains(kTree)) return read(*scratch, {"read-tree", "-u", "--reset", tree.head});
  const auto index = kept.find(kIndex);
  if (auto done = read(*scratch, {"read-tree", index == kept.end() ? tree.head : index->second});
      !done) {
    return done;
  }
  {
    auto exact = Scratch::over(git, tree, place, Scratch::Bytes::Exact);
    if (!exact) return std::unexpected(std::move(exact.error()));
    if (auto own = exact->with_own_index(false); !own) return own;
    if (auto done = read(*exact, {"read-tree", "-u", "--reset", "--no-sparse-checkout",
                                  "--no-recurse-submodules", kept.find(kTree)->second});
        !done) {
      return done;
    }
  }
  if (scratch->sparse()) {
    auto missing = scratch->out({"ls-files", "-z", "--deleted"});
    if (!missing) return std::unexpected(std::move(missing.error()));
    Call mark = scratch->call({"update-index", "-z", "--skip-worktree", "--stdin"});
    mark.input = std::move(*missing);
    if (auto done = checked(scratch->run(std::move(mark))); !done) return done;
  }
  // So that the user's next `git status` need not read every file. Its code says what is changed.
  Call refresh = scratch->call({"update-index", "-q", "--refresh"});
  refresh.limit = limits::kGitLong;
  static_cast<void>(scratch->run(std::move(refresh)));
  return {};
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): what is removed, and what was confirmed.
Result<void> remove_worktree(const Git& git, const Repository& main, WorkTree& files,
                             const std::string& id, const std::string& base,
                             const std::string& expected) {
  const std::string path = files.root();
  if (!is_there(path)) return remove_missing(git, main, path, id);
  auto record = removable(main, path);
  if (!record) return std::unexpected(std::move(record.error()));
  auto looked = look_through(git, files, base);
  if (!looked) return std::unexpected(std::move(looked.error()));
  if (looked->inventoried.hash != expected) {
    return fail(ErrorCode::ConfirmNeeded,
                "What is in the worktree is not what was shown: look at it again.");
  }
  const RepositoryLock lock(main.common_dir);
  if (auto done = keep(git, main, id,
                       {{std::string(kTree), looked->tree},
                        {std::string(kHead), looked->repository.head},
                        {std::string(kIndex), looked->index},
                        {std::string(kGone), looked->tree}});
      !done) {
    return done;
  }
  return take_apart(main, path, *record);
}

Result<void> remove_missing(const Git& git, const Repository& main, const std::string& asked,
                            const std::string& id) {
  const std::string path = real_place(asked);
  if (is_there(path)) {
    return fail(ErrorCode::NotSupported, fmt::format("{} is still there.", shown_path(path)));
  }
  const RepositoryLock lock(main.common_dir);
  const auto record = record_of(main.common_dir, path);
  if (record && record->locked) return std::unexpected(removable(main, path).error());
  auto kept = kept_of(git, main, id);
  if (!kept) return std::unexpected(std::move(kept.error()));
  if (record && !kept->contains(kGone)) {
    // Somebody deleted the folder: of its files we know nothing, of its commits git does.
    auto head = git.line(
        {.args = {"--git-dir=" + record->dir, "rev-parse", "--verify", "--quiet", "HEAD^{commit}"},
         .cwd = record->dir});
    const auto older = kept->find(kTree);
    if (head && !head->empty()) {
      Kept now = {{std::string(kTree), ""},
                  {std::string(kHead), *head},
                  {std::string(kIndex), ""},
                  {std::string(kGone), *head}};
      if (older != kept->end()) now[std::string(kOlder)] = older->second;
      if (auto done = keep(git, main, id, now); !done) return done;
    }
  }
  if (auto gone = record ? remove_record(main.common_dir, *record) : sweep_records(main.common_dir);
      !gone) {
    return gone;
  }
  return finish_taking_away(path);
}

// NOLINTNEXTLINE(readability-function-size): what is restored, and where to.
Result<MadeWorktree> restore_worktree(const Git& git, const Repository& main,
                                      const std::string& asked, const std::string& branch,
                                      const std::string& id, const std::string& keep_dir) {
  const std::string path = real_place(asked);
  auto kept = kept_of(git, main, id);
  if (!kept) return std::unexpected(std::move(kept.error()));
  const auto head = kept->find(kHead);
  if (head == kept->end()) {
    return fail(ErrorCode::NotSupported, "Nothing is kept of this worktree.");
  }
  MadeWorktree made;
  auto building = [&]() -> Result<std::optional<Building>> {
    const RepositoryLock lock(main.common_dir);
    const auto record = record_of(main.common_dir, path);
    if (record && is_there(path + "/.git")) {  // It was restored, and nobody was told.
      if (record->ours) ::unlink((record->dir + "/locked").c_str());
      return std::nullopt;
    }
    if (!is_absent_or_empty(path)) {
      return fail(ErrorCode::InvalidRequest,
                  fmt::format("{} is there already, and not an empty folder.", shown_path(path)));
    }
    if (auto gone = finish_taking_away(path); !gone)
      return std::unexpected(std::move(gone.error()));
    if (auto cleared = Building::clear(main, path); !cleared) {
      return std::unexpected(std::move(cleared.error()));
    }
    if (const auto stale = record_of(main.common_dir, path)) {
      if (auto gone = remove_record(main.common_dir, *stale); !gone) {
        return std::unexpected(std::move(gone.error()));
      }
    }
    auto where = head_for(git, main, branch, head->second);
    if (!where) return std::unexpected(std::move(where.error()));
    if (!where->note.empty()) made.notes.push_back(std::move(where->note));
    auto begun = Building::begin(git, main, path, where->at);
    if (!begun) return std::unexpected(std::move(begun.error()));
    return std::move(*begun);
  }();
  if (!building) return std::unexpected(std::move(building.error()));
  Result<void> done;
  if (*building) {
    done = bring_back(git, (*building)->tree(), *kept, keep_dir);
    if (done) {
      const Submodules submodules{.git = git, .main = main, .place = keep_dir, .path = path};
      auto notes = submodules.fill((*building)->tree(), head->second);
      if (notes) made.notes.insert(made.notes.end(), notes->begin(), notes->end());
    }
  }
  const RepositoryLock lock(main.common_dir);
  if (*building && done) done = (*building)->finish();
  if (!done) {
    static_cast<void>(Building::clear(main, path));
    return std::unexpected(std::move(done.error()));
  }
  if (kept->contains(kGone)) {
    done = set_refs(git, main.common_dir, {{kept_name(id, kGone), ""}});
    if (!done) return std::unexpected(std::move(done.error()));
  }
  return made;
}

}  // namespace lb::git
