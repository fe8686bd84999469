#include "git/repository.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>

namespace lb::git {
namespace {

constexpr std::string_view kOwnRefs = "refs/liminal/";

Call in(const Repository& repository, std::vector<std::string> args) {
  return {.args = std::move(args), .cwd = repository.root};
}

/// Why git does not take a repository that is there, in words that say what to do.
Error refusal(const std::string& folder, const Said& said) {
  if (said.err.contains("dubious ownership")) {
    return {ErrorCode::NotSupported,
            fmt::format("{} belongs to another user, and git refuses such repositories. To trust "
                        "it, run: git config --global --add safe.directory {}",
                        folder, folder)};
  }
  return {ErrorCode::NotSupported, last_words(said)};
}

/// Whether the folder is the one that git found the repository in. `core.worktree` can name any
/// other folder, and an agent can write that.
bool belongs_to(const std::string& root, const std::string& git_dir) {
  namespace fs = std::filesystem;
  std::error_code why;
  const fs::path dot_git = fs::path(root) / ".git";
  if (fs::is_directory(dot_git, why)) return fs::equivalent(dot_git, git_dir, why);
  std::ifstream file(dot_git, std::ios::binary);
  std::string line;
  std::getline(file, line);
  constexpr std::string_view kPlace = "gitdir: ";
  return line.starts_with(kPlace) &&
         fs::equivalent(fs::path(root) / line.substr(kPlace.size()), git_dir, why);
}

}  // namespace

Result<std::optional<Repository>> find_repository(const Git& git, const std::string& folder) {
  auto said = git.run({.args = {"rev-parse", "--show-toplevel", "--absolute-git-dir",
                                "--git-common-dir", "--show-object-format", "--show-prefix"},
                       .cwd = folder});
  if (!said) return std::unexpected(std::move(said.error()));
  if (!said->ok()) {
    // "… (or any of the parent directories)"; else a `.git` that leads nowhere.
    if (said->err.contains("not a git repository (or any")) return std::nullopt;
    if (said->err.contains("must be run in a work tree")) {
      return fail(
          ErrorCode::NotSupported,
          "This is a bare repository, or inside of a .git folder: it has no files to work on.");
    }
    return std::unexpected(refusal(folder, *said));
  }
  const std::vector<std::string> lines = split_lines(said->out);
  if (lines.size() < 4) return fail(ErrorCode::NotSupported, "git said nothing of " + folder);
  Repository found;
  found.root = lines[0];
  found.git_dir = lines[1];
  if (!belongs_to(found.root, found.git_dir)) {
    return fail(ErrorCode::NotSupported,
                fmt::format("core.worktree of {} names {}: such repositories are left alone.",
                            found.git_dir, found.root));
  }
  std::error_code why;
  found.common_dir =
      std::filesystem::canonical(std::filesystem::path(folder) / lines[2], why).native();
  if (why) return fail(ErrorCode::NotSupported, lines[2] + ": " + why.message());
  found.object_format = lines[3];
  if (lines.size() > 4) found.prefix = lines[4];
  while (found.prefix.ends_with('/')) found.prefix.pop_back();
  if (auto head = git.line(in(found, {"symbolic-ref", "--quiet", "HEAD"})); head) {
    constexpr std::string_view kBranches = "refs/heads/";
    if (head->starts_with(kBranches)) found.branch = head->substr(kBranches.size());
  }
  if (auto commit = git.line(in(found, {"rev-parse", "--verify", "--quiet", "HEAD^{commit}"}))) {
    found.head = std::move(*commit);
  }
  return found;
}

Result<std::string> commit_of(const Git& git, const Repository& repository,
                              const std::string& name) {
  if (name.empty() || name.starts_with('-')) {
    return fail(ErrorCode::InvalidRequest,
                fmt::format("base: \"{}\" is no name of a commit", name));
  }
  auto commit = git.line(
      in(repository, {"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"}));
  if (commit && !commit->empty()) return commit;
  return fail(ErrorCode::InvalidRequest,
              fmt::format("base: there is no branch, tag or commit \"{}\"", name));
}

Result<Bases> bases_of(const Git& git, const Repository& repository) {
  Bases bases;
  const std::string count = fmt::format("--count={}", limits::kBasesMax);
  const auto names = [&](const char* below) {
    return git.out(in(repository, {"for-each-ref", count, "--sort=-committerdate",
                                   "--format=%(refname:lstrip=2)", below}));
  };
  auto branches = names("refs/heads/");
  if (!branches) return std::unexpected(std::move(branches.error()));
  auto tags = names("refs/tags/");
  if (!tags) return std::unexpected(std::move(tags.error()));
  bases.branches = split_lines(*branches);
  bases.tags = split_lines(*tags);
  return bases;
}

bool is_branch_name(const Git& git, const Repository& repository, const std::string& name) {
  if (name.empty() || name.starts_with('-') || name == "HEAD") return false;
  const auto said = git.run(in(repository, {"check-ref-format", "--branch", name}));
  return said && said->ok();
}

Result<void> set_refs(const Git& git, const std::string& git_dir, const std::vector<OwnRef>& refs) {
  if (refs.empty()) return {};
  std::string input;
  for (const OwnRef& ref : refs) {
    if (ref.oid.empty()) {
      input += fmt::format("delete {}{}\n", kOwnRefs, ref.name);
    } else {
      input += fmt::format("update {}{} {}\n", kOwnRefs, ref.name, ref.oid);
    }
  }
  auto done = git.out({.args = {"--git-dir=" + git_dir, "update-ref", "--stdin"},
                       .cwd = git_dir,
                       .input = std::move(input),
                       .outlives_us = true});
  if (!done) return std::unexpected(std::move(done.error()));
  return {};
}

Result<std::vector<OwnRef>> refs_below(const Git& git, const std::string& git_dir,
                                       const std::string& prefix) {
  // git goes by whole names between slashes.
  const std::string folder = prefix.substr(0, prefix.rfind('/') + 1);
  auto text =
      git.out({.args = {"--git-dir=" + git_dir, "for-each-ref", "--format=%(objectname) %(refname)",
                        std::string(kOwnRefs) + folder},
               .cwd = git_dir});
  if (!text) return std::unexpected(std::move(text.error()));
  std::vector<OwnRef> refs;
  for (const std::string& line : split_lines(*text)) {
    const std::size_t space = line.find(' ');
    if (space == std::string::npos) continue;
    std::string name = line.substr(space + 1 + kOwnRefs.size());
    if (name.starts_with(prefix)) refs.push_back({std::move(name), line.substr(0, space)});
  }
  return refs;
}

// --- RepositoryLock ---------------------------------------------------------------------------

struct RepositoryLock::Entry {
  std::mutex mutex;
  int users = 0;
};

namespace {

std::mutex all_mutex;

}  // namespace

std::map<std::string, std::unique_ptr<RepositoryLock::Entry>>& RepositoryLock::entries_of_all() {
  static std::map<std::string, std::unique_ptr<Entry>> all;
  return all;
}

RepositoryLock::RepositoryLock(const std::string& common_dir) : name_(common_dir) {
  {
    const std::scoped_lock all(all_mutex);
    auto& entries = entries_of_all();
    auto& entry = entries[name_];
    if (!entry) entry = std::make_unique<Entry>();
    entry_ = entry.get();
    ++entry_->users;
  }
  entry_->mutex.lock();
}

RepositoryLock::~RepositoryLock() {
  entry_->mutex.unlock();
  const std::scoped_lock all(all_mutex);
  if (--entry_->users == 0) entries_of_all().erase(name_);
}

}  // namespace lb::git
