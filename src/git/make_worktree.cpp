#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <set>

#include "base/fd.h"
#include "git/folder.h"
#include "git/records.h"
#include "git/scratch.h"
#include "git/submodules.h"
#include "git/worktrees.h"

namespace lb::git {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInclude = ".worktreeinclude";

/// Stands in the log of a branch that we made, so that no other one is ever taken for it.
std::string branch_mark(const std::string& path) {
  return "liminal-builder: made for " + path;
}

Result<void> make_branch(const Git& git, const Repository& main, const NewWorktree& wanted) {
  const std::string ref = "refs/heads/" + wanted.branch;
  auto made = git.out({.args = {"update-ref", "--create-reflog", "-m", branch_mark(wanted.path),
                                ref, wanted.base_oid, ""},
                       .cwd = main.root,
                       .outlives_us = true});
  if (made) return {};
  if (!is_branch_name(git, main, wanted.branch)) {
    return fail(ErrorCode::InvalidRequest,
                fmt::format("branch: \"{}\" is no name for a branch", wanted.branch));
  }
  if (commit_of(git, main, ref)) {
    return fail(ErrorCode::InvalidRequest,
                fmt::format("There is a branch {} already. Choose another name.", wanted.branch));
  }
  return std::unexpected(
      std::move(made.error()).context(fmt::format("the branch {} cannot be made", wanted.branch)));
}

/// Removes the branch when we made it and it stands where we made it.
void unmake_branch(const Git& git, const Repository& main, const NewWorktree& wanted) {
  const std::string ref = "refs/heads/" + wanted.branch;
  const auto log =
      git.out({.args = {"reflog", "show", "--format=%gs", ref, "--"}, .cwd = main.root});
  const bool ours = log && split_lines(*log) == std::vector{branch_mark(wanted.path)};
  if (!ours) return;
  // When it has moved it is somebody's work and stays.
  static_cast<void>(git.run(
      {.args = {"update-ref", "-d", ref, wanted.base_oid}, .cwd = main.root, .outlives_us = true}));
}

Result<void> check(const Repository& main, const NewWorktree& wanted) {
  if (main.head.empty()) {
    return fail(ErrorCode::NotSupported,
                "This repository has no commit yet, and a worktree begins at one. Make a first "
                "commit.");
  }
  // Git would take it for an option, or refuse it only in some places.
  if (wanted.branch.starts_with('-') || wanted.branch == "HEAD") {
    return fail(ErrorCode::InvalidRequest,
                fmt::format("branch: \"{}\" is no name for a branch", wanted.branch));
  }
  if (!is_absent_or_empty(wanted.path)) {
    return fail(
        ErrorCode::InvalidRequest,
        fmt::format("{} is there already, and not an empty folder.", shown_path(wanted.path)));
  }
  if (wanted.carry && wanted.base_oid != main.head) {
    return fail(ErrorCode::InvalidRequest,
                "Uncommitted changes can be brought along only to the commit that is checked out.");
  }
  return {};
}

Error full_disk(Error error) {
  if (error.message.contains("No space left") || error.message.contains("Disk quota exceeded")) {
    error.code = ErrorCode::StoreFull;
  }
  return error;
}

/// Why a checkout failed, in words that say what to do.
Error checkout_refusal(const std::string& folder, const Said& said) {
  Error error = full_disk({ErrorCode::NotSupported, last_words(said)});
  // Git says that it could not write, and not why.
  constexpr std::uint64_t kHardlyAny = 16U << 20U;
  struct statvfs disk = {};
  if (said.err.contains("unable to write") && ::statvfs(folder.c_str(), &disk) == 0 &&
      (disk.f_bavail * disk.f_frsize < kHardlyAny || (disk.f_files > 0 && disk.f_favail == 0))) {
    error = {ErrorCode::StoreFull, "The disk is full: " + error.message};
  }
  if (said.err.contains("unable to read") || said.err.contains("missing blob")) {
    error.message +=
        "\nFiles of that commit are not in the repository. In a partial clone they were never "
        "fetched: check the commit out once (git switch), and try again.";
  }
  return error;
}

Result<void> check_out(Scratch& scratch, const std::string& commit, MadeWorktree& made) {
  Call call = scratch.call({"read-tree", "-u", "--reset", "--no-recurse-submodules", commit});
  call.limit = limits::kGitLong;
  auto said = scratch.run(std::move(call));
  if (!said) return std::unexpected(std::move(said.error()));
  if (!said->ok()) return std::unexpected(checkout_refusal(scratch.root(), *said));
  for (const std::string& filter : scratch.left_out()) {
    made.notes.push_back(
        fmt::format("The filter {} does not run here (is it installed?): its files are as they are "
                    "stored, {} are pointers.",
                    filter, filter == "lfs" ? "LFS files" : "some perhaps"));
  }
  return {};
}

/// A list of files to copy from one folder to another.
struct Copies {
  std::vector<std::string> paths;
  std::uint64_t bytes = 0;
};
Copies copies_of(const std::string& root, std::vector<std::string> paths) {
  Copies copies;
  for (std::string& path : paths) {
    struct stat file = {};
    if (::lstat(fmt::format("{}/{}", root, path).c_str(), &file) != 0) continue;
    if (!S_ISREG(file.st_mode) && !S_ISLNK(file.st_mode)) continue;
    copies.bytes += static_cast<std::uint64_t>(file.st_size);
    copies.paths.push_back(std::move(path));
  }
  return copies;
}

/// The uncommitted bytes of the project's folder. The new folder is a checkout of the same commit.
Result<void> carry_over(Scratch& from, const Repository& main, const Repository& tree) {
  auto status = status_of(from, false);
  if (!status) return std::unexpected(std::move(status.error()));
  std::vector<std::string> changed = status->changed;
  std::erase_if(changed, [&](const std::string& path) {
    return std::ranges::find(status->gitlinks, path) != status->gitlinks.end();
  });
  std::vector<std::string> all = changed;
  all.insert(all.end(), status->untracked.begin(), status->untracked.end());
  const Copies copies = copies_of(main.root, std::move(all));
  if (copies.bytes > limits::kApplyBytesMax) {
    return fail(ErrorCode::TooLarge,
                fmt::format("The uncommitted changes are {} MiB, more than the {} MiB that can be "
                            "brought along.",
                            copies.bytes >> 20U, limits::kApplyBytesMax >> 20U));
  }
  const Fd source(open_folder(main.root));
  const Fd target(open_folder(tree.root));
  if (!source.valid() || !target.valid()) {
    return std::unexpected(file_error("cannot open", main.root, errno));
  }
  for (const std::string& path : changed) remove_below(target.get(), path);
  for (const std::string& path : copies.paths) {
    if (auto copied = copy_below(source.get(), target.get(), path); !copied) return copied;
  }
  return {};
}

/// The project's own, or that of the whole repository; empty: there is none.
std::string include_file(const Repository& main) {
  for (const std::string& folder : {main.prefix, std::string()}) {
    std::string path = (fs::path(main.root) / folder / kInclude).native();
    std::error_code why;
    if (fs::is_regular_file(path, why)) return path;
  }
  return {};
}

/// Which files it names: only such that git ignores.
Result<std::vector<std::string>> included(Scratch& from, const Repository& main) {
  const std::string file = include_file(main);
  if (file.empty()) return std::vector<std::string>{};
  const bool top = file == (fs::path(main.root) / kInclude).native();
  Call list = from.call(
      {"ls-files", "-z", "--others", "--ignored",
       top ? "--exclude-from=" + file : fmt::format("--exclude-per-directory={}", kInclude)});
  list.limit = limits::kGitLong;
  auto named = from.run(std::move(list));
  if (!named) return std::unexpected(std::move(named.error()));
  if (!named->ok()) return fail(ErrorCode::NotSupported, last_words(*named));
  if (named->out.empty()) return std::vector<std::string>{};
  Call ask = from.call({"check-ignore", "-z", "--stdin"});
  // It takes no literal paths; after "./" nothing has a meaning of its own.
  ask.env.emplace_back("GIT_LITERAL_PATHSPECS", "0");
  for (const std::string& path : split_nul(named->out)) ask.input += "./" + path + '\0';
  ask.limit = limits::kGitLong;
  auto ignored = from.run(std::move(ask));
  if (!ignored) return std::unexpected(std::move(ignored.error()));
  // 1: none of them is ignored.
  if (ignored->code > 1) return fail(ErrorCode::NotSupported, last_words(*ignored));
  std::vector<std::string> paths = split_nul(ignored->out);
  for (std::string& path : paths) path.erase(0, 2);
  return paths;
}

/// What a new worktree is filled from, and with whom it is talked about.
struct Making {
  const Git& git;
  const Repository& main;
  const NewWorktree& wanted;
  const Progress& progress;
  MadeWorktree made = {};

  Result<void> fill(const Repository& tree);
  Result<void> copy_included(Scratch& from, const Repository& tree);
};

Result<void> Making::copy_included(Scratch& from, const Repository& tree) {
  const auto note = [&](std::string text) { made.notes.push_back(std::move(text)); };
  auto paths = included(from, main);
  if (!paths) return std::unexpected(std::move(paths.error()));
  const Copies copies = copies_of(main.root, std::move(*paths));
  if (copies.paths.empty()) return {};
  if (copies.paths.size() > limits::kIncludeFilesMax || copies.bytes > limits::kIncludeBytesMax) {
    note(
        fmt::format(".worktreeinclude names {} files with {} MiB, more than are copied ({} files, "
                    "{} MiB): none was. A setup command can make them.",
                    copies.paths.size(), copies.bytes >> 20U, limits::kIncludeFilesMax,
                    limits::kIncludeBytesMax >> 20U));
    return {};
  }
  progress(fmt::format("Copying {} files of .worktreeinclude", copies.paths.size()));
  const Fd source(open_folder(main.root));
  const Fd target(open_folder(tree.root));
  std::size_t left = 0;
  for (const std::string& path : copies.paths) {
    if (is_there(tree.root + "/" + path)) continue;
    auto copied = copy_below(source.get(), target.get(), path);
    if (!copied && copied.error().code == ErrorCode::StoreFull) return copied;
    if (!copied && ++left == 1) note("Not copied: " + copied.error().message);
  }
  if (left > 1) note(fmt::format("{} more files were not copied.", left - 1));
  return {};
}

Result<void> Making::fill(const Repository& tree) {
  {
    auto scratch = Scratch::over(git, tree, wanted.keep_dir);
    if (!scratch) return std::unexpected(std::move(scratch.error()));
    progress("Checking out the files");
    if (auto done = check_out(*scratch, wanted.base_oid, made); !done) return done;
  }
  const Submodules submodules{
      .git = git, .main = main, .place = wanted.keep_dir, .path = wanted.path};
  auto notes = submodules.fill(tree, wanted.base_oid);
  if (!notes) return std::unexpected(std::move(notes.error()));
  made.notes.insert(made.notes.end(), notes->begin(), notes->end());
  if (!wanted.carry && include_file(main).empty()) return {};
  auto project = Scratch::over(git, main, wanted.main_keep_dir);
  if (!project) return std::unexpected(std::move(project.error()));
  if (wanted.carry) {
    progress("Bringing the uncommitted changes along");
    if (auto carried = carry_over(*project, main, tree); !carried) {
      return std::unexpected(std::move(carried.error()).context("the uncommitted changes"));
    }
  }
  return copy_included(*project, tree);
}

/// The files of a whole worktree that nobody but us can have written.
Result<bool> is_as_made(const Git& git, const Repository& main, const NewWorktree& wanted,
                        const Repository& tree) {
  if (tree.head != wanted.base_oid || tree.branch != wanted.branch) return false;
  auto scratch = Scratch::over(git, tree, wanted.keep_dir);
  if (!scratch) return std::unexpected(std::move(scratch.error()));
  auto status = status_of(*scratch, false);
  if (!status) return std::unexpected(std::move(status.error()));
  auto ignored = scratch->out({"ls-files", "-z", "--others", "--ignored", "--exclude-standard"});
  if (!ignored) return std::unexpected(std::move(ignored.error()));
  if (!status->nested.empty() || !status->gitlinks.empty()) return false;
  std::vector<std::string> others = split_nul(*ignored);
  for (const auto* more : {&status->changed, &status->untracked}) {
    others.insert(others.end(), more->begin(), more->end());
  }
  return std::ranges::all_of(others, [&](const std::string& path) {
    const std::string copy = tree.root + "/" + path;
    const std::string original = main.root + "/" + path;
    return (!is_there(copy) && !is_there(original)) || same_file(copy, original);
  });
}

}  // namespace

Result<MadeWorktree> make_worktree(const Git& git, const Repository& main, const NewWorktree& asked,
                                   const Progress& told) {
  NewWorktree wanted = asked;
  wanted.path = real_place(asked.path);
  const Progress progress = told ? told : [](const std::string&) {};
  Repository project = main;
  // Its HEAD may have moved since somebody looked.
  if (wanted.carry || main.head.empty()) project.head = commit_of(git, main, "HEAD").value_or("");
  const auto unmake = [&] {
    const RepositoryLock lock(project.common_dir);
    static_cast<void>(Building::clear(project, wanted.path));
    unmake_branch(git, project, wanted);
  };
  auto building = [&]() -> Result<Building> {
    const RepositoryLock lock(project.common_dir);
    if (auto checked = check(project, wanted); !checked) {
      return std::unexpected(std::move(checked.error()));
    }
    progress("Making the worktree");
    if (auto branch = make_branch(git, project, wanted); !branch) {
      return std::unexpected(std::move(branch.error()));
    }
    auto begun = Building::begin(git, project, wanted.path,
                                 {.branch = wanted.branch, .commit = wanted.base_oid});
    if (!begun) unmake_branch(git, project, wanted);
    return begun;
  }();
  if (!building) return std::unexpected(full_disk(std::move(building.error())));
  Making making{.git = git, .main = project, .wanted = wanted, .progress = progress};
  auto done = making.fill(building->tree());
  if (done) {
    const RepositoryLock lock(project.common_dir);
    done = building->finish();
  }
  if (!done) {
    unmake();
    return std::unexpected(full_disk(std::move(done.error())));
  }
  return std::move(making.made);
}

Result<void> forget_half_made(const Git& git, const Repository& main, const NewWorktree& asked) {
  NewWorktree wanted = asked;
  wanted.path = real_place(asked.path);
  const RepositoryLock lock(main.common_dir);
  if (auto cleared = Building::clear(main, wanted.path); !cleared) return cleared;
  const auto record = record_of(main.common_dir, wanted.path);
  if (record && is_there(wanted.path + "/.git")) {
    auto tree = find_repository(git, wanted.path);
    if (!tree) return std::unexpected(std::move(tree.error()));
    auto as_made = *tree && (*tree)->root == wanted.path ? is_as_made(git, main, wanted, **tree)
                                                         : Result<bool>(false);
    if (!as_made) return std::unexpected(std::move(as_made.error()));
    if (!*as_made) {
      ::unlink((record->dir + "/locked").c_str());
      return fail(ErrorCode::NotSupported,
                  fmt::format("{} has files that are not from its commit: it was left as it is.",
                              shown_path(wanted.path)));
    }
    if (auto taken = take_away(wanted.path); !taken) return taken;
  }
  if (record) {
    if (auto gone = remove_record(main.common_dir, *record); !gone) return gone;
  }
  if (auto gone = finish_taking_away(wanted.path); !gone) return gone;
  unmake_branch(git, main, wanted);
  return {};
}

}  // namespace lb::git
