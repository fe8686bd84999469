#include "git/standing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/id.h"
#include "git/folder.h"
#include "git/scratch.h"
#include "git/submodules.h"

namespace lb::git {
namespace {

/// For a figure on a page: a folder that takes longer is shown with what was found until then.
constexpr std::chrono::seconds kMeasureMax{10};

std::uint64_t number(std::string_view text) {
  std::uint64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

Result<std::uint64_t> count(const Git& git, const Repository& repository,
                            std::vector<std::string> args) {
  args.insert(args.begin(), {"rev-list", "--count"});
  auto line = git.line({.args = std::move(args), .cwd = repository.root});
  if (!line) return std::unexpected(std::move(line.error()));
  return number(*line);
}

/// Commits that the base lacks; without a base, those that no other branch and no remote has.
Result<std::uint64_t> beyond(const Git& git, const Repository& repository,
                             const std::string& base) {
  if (repository.head.empty()) return 0;
  const std::string commit = commit_of_base(git, repository, base);
  if (!commit.empty()) return count(git, repository, {repository.head, "^" + commit});
  std::vector<std::string> args = {repository.head, "--not"};
  if (!repository.branch.empty()) args.push_back("--exclude=" + repository.branch);
  args.insert(args.end(), {"--branches", "--remotes"});
  return count(git, repository, std::move(args));
}

Result<std::uint64_t> unpushed(const Git& git, const Repository& repository) {
  auto remotes = git.out({.args = {"remote"}, .cwd = repository.root});
  if (!remotes) return std::unexpected(std::move(remotes.error()));
  if (remotes->empty() || repository.head.empty()) return 0;
  return count(git, repository, {repository.head, "--not", "--remotes"});
}

std::vector<std::string> shown(std::vector<std::string> paths) {
  std::ranges::sort(paths, {}, [](const std::string& path) {
    return std::pair(!path.ends_with('/'), std::string_view(path));
  });
  if (paths.size() > limits::kSamplesMax) paths.resize(limits::kSamplesMax);
  std::ranges::transform(paths, paths.begin(),
                         [](const std::string& path) { return shown_path(path); });
  return paths;
}

/// What would not come back: ignored files, and what is in repositories inside of this one.
Result<void> take_ignored(Inventory& inventory, const std::string& root,
                          const std::vector<std::string>& paths) {
  std::vector<std::string> whole;
  for (const std::string& path : paths) {
    whole.push_back(fmt::format("{}/{}", root, path));
    if (whole.back().ends_with('/')) whole.back().pop_back();
  }
  const Measured measured = measure(whole, limits::kGitLong);
  if (!measured.whole) {
    return fail(ErrorCode::Timeout, "There are too many ignored files to count them.");
  }
  inventory.ignored = measured.files;
  inventory.ignored_bytes = measured.bytes;
  inventory.samples = shown(paths);
  return {};
}

std::string hash_of(const Looked& looked) {
  const Inventory& inventory = looked.inventoried.inventory;
  std::string text = fmt::format("{} {} {} {} {} {} {} {} {} {}", looked.tree, looked.index,
                                 looked.repository.head, looked.repository.branch,
                                 inventory.tracked, inventory.untracked, inventory.ignored,
                                 inventory.ignored_bytes, inventory.unpushed, inventory.unlanded);
  for (const auto* names : {&inventory.samples, &inventory.changed}) {
    for (const std::string& name : *names) text += '\n' + name;
  }
  return uuid_from(text);
}

}  // namespace

Result<Repository> repository_now(const Git& git, const WorkTree& files) {
  if (!is_there(files.root())) {
    return fail(ErrorCode::NotSupported,
                fmt::format("The folder {} is not there any more.", shown_path(files.root())));
  }
  auto found = find_repository(git, files.root());
  if (!found) return std::unexpected(std::move(found.error()));
  if (!*found || (*found)->root != files.root()) {
    return fail(ErrorCode::NotSupported,
                fmt::format("{} is no work tree of git.", shown_path(files.root())));
  }
  return std::move(**found);
}

std::string commit_of_base(const Git& git, const Repository& repository, const std::string& base) {
  if (base.empty()) return {};
  if (auto branch = commit_of(git, repository, "refs/heads/" + base)) return std::move(*branch);
  return commit_of(git, repository, base).value_or("");
}

Result<Standing> standing_of(const Git& git, WorkTree& files, const std::string& base,
                             bool with_bytes) {
  auto repository = repository_now(git, files);
  if (!repository) return std::unexpected(std::move(repository.error()));
  Standing standing;
  standing.branch = repository->branch;
  standing.head = repository->head;
  auto scratch = Scratch::over(git, *repository, files.keep_dir());
  if (!scratch) return std::unexpected(std::move(scratch.error()));
  auto status = status_of(*scratch, false);
  if (!status) return std::unexpected(std::move(status.error()));
  standing.dirty = !status->clean() || !status->nested.empty();
  const std::string commit = commit_of_base(git, *repository, base);
  if (!commit.empty() && !repository->head.empty()) {
    auto counts = git.line(
        {.args = {"rev-list", "--left-right", "--count", commit + "..." + repository->head},
         .cwd = repository->root});
    if (!counts) return std::unexpected(std::move(counts.error()));
    standing.behind = number(*counts);
    standing.ahead = number(std::string_view(*counts).substr(counts->find('\t') + 1));
  } else {
    auto ahead = beyond(git, *repository, base);
    if (!ahead) return std::unexpected(std::move(ahead.error()));
    standing.ahead = *ahead;
  }
  if (with_bytes) standing.bytes = measure({files.root()}, kMeasureMax).bytes;
  return standing;
}

Result<Looked> look_through(const Git& git, WorkTree& files, const std::string& base) {
  auto repository = repository_now(git, files);
  if (!repository) return std::unexpected(std::move(repository.error()));
  Looked looked;
  looked.repository = std::move(*repository);
  auto tree = files.snapshot();
  if (!tree) return std::unexpected(std::move(tree.error()));
  looked.tree = std::move(*tree);
  auto scratch = Scratch::over(git, looked.repository, files.keep_dir());
  if (!scratch) return std::unexpected(std::move(scratch.error()));
  auto status = status_of(*scratch, true);
  if (!status) return std::unexpected(std::move(status.error()));
  Inventory& inventory = looked.inventoried.inventory;
  inventory.tracked = status->changed.size();
  inventory.untracked = status->untracked.size();
  std::vector<std::string> changed = status->changed;
  changed.insert(changed.end(), status->untracked.begin(), status->untracked.end());
  inventory.changed = shown(std::move(changed));
  auto submodules = changed_submodules(git, looked.repository, files.keep_dir());
  if (!submodules) return std::unexpected(std::move(submodules.error()));
  std::vector<std::string> lost = status->ignored;
  for (const auto* folders : {&status->nested, &*submodules}) {
    for (const std::string& folder : *folders) lost.push_back(folder + "/");
  }
  if (auto taken = take_ignored(inventory, files.root(), lost); !taken) {
    return std::unexpected(std::move(taken.error()));
  }
  auto pushed = unpushed(git, looked.repository);
  if (!pushed) return std::unexpected(std::move(pushed.error()));
  inventory.unpushed = *pushed;
  auto landed = beyond(git, looked.repository, base);
  if (!landed) return std::unexpected(std::move(landed.error()));
  inventory.unlanded = *landed;
  if (auto own = scratch->with_own_index(true); !own)
    return std::unexpected(std::move(own.error()));
  // Files that are not merged yet make no tree: a restore then begins with that of HEAD.
  looked.index = status->unmerged ? "" : scratch->line({"write-tree"}).value_or("");
  looked.inventoried.hash = hash_of(looked);
  return looked;
}

Result<Inventoried> inventory_of(const Git& git, WorkTree& files, const std::string& base) {
  auto looked = look_through(git, files, base);
  if (!looked) return std::unexpected(std::move(looked.error()));
  return std::move(looked->inventoried);
}

Result<std::uint64_t> uncommitted_files(const Git& git, WorkTree& files) {
  auto repository = repository_now(git, files);
  if (!repository) return std::unexpected(std::move(repository.error()));
  auto scratch = Scratch::over(git, *repository, files.keep_dir());
  if (!scratch) return std::unexpected(std::move(scratch.error()));
  auto status = status_of(*scratch, false);
  if (!status) return std::unexpected(std::move(status.error()));
  return status->changed.size() + status->untracked.size();
}

}  // namespace lb::git
