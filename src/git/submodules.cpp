#include "git/submodules.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "git/folder.h"
#include "git/scratch.h"

namespace lb::git {
namespace {

namespace fs = std::filesystem;

/// Submodules in submodules in submodules.
constexpr int kDepthMax = 5;

struct Module {
  std::string name;
  std::string path;    // Below the top of its work tree.
  std::string commit;  // That it should be at.
};

bool is_plain_path(const std::string& path) {
  if (path.empty() || path.front() == '/') return false;
  return std::ranges::none_of(fs::path(path), [](const fs::path& part) {
    return part == ".." || part == "." || part == ".git" || part.empty();
  });
}

/// Those that a commit has.
Result<std::vector<Module>> modules_of(const Git& git, const Repository& tree,
                                       const std::string& commit) {
  std::vector<Module> modules;
  if (!is_there(tree.root + "/.gitmodules")) return modules;
  const Call there{.args = {"cat-file", "-e", commit + ":.gitmodules"}, .cwd = tree.root};
  if (const auto said = git.run(there); !said || !said->ok()) return modules;
  auto listed = git.out({.args = {"config", "-z", "--blob", commit + ":.gitmodules", "--get-regexp",
                                  R"(^submodule\..*\.path$)"},
                         .cwd = tree.root});
  if (!listed) return modules;  // A file that git cannot read names none.
  for (const std::string& entry : split_nul(*listed)) {
    const std::size_t border = entry.find('\n');
    if (border == std::string::npos) continue;
    constexpr std::size_t kBefore = std::string_view("submodule.").size();
    constexpr std::size_t kAfter = std::string_view(".path").size();
    Module module{entry.substr(kBefore, border - kBefore - kAfter), entry.substr(border + 1), {}};
    if (!is_plain_path(module.name) || !is_plain_path(module.path)) continue;
    auto link = git.line({.args = {"ls-tree", "--full-tree", "--format=%(objectmode) %(objectname)",
                                   commit, "--", module.path},
                          .cwd = tree.root});
    if (!link) return std::unexpected(std::move(link.error()));
    if (!link->starts_with("160000 ")) continue;
    module.commit = link->substr(7);
    modules.push_back(std::move(module));
  }
  return modules;
}

/// The repository that is checked out at exactly this folder.
std::optional<Repository> checked_out(const Git& git, const std::string& folder) {
  if (!is_there(folder + "/.git")) return std::nullopt;
  auto found = find_repository(git, folder);
  if (!found || !*found || (*found)->root != folder) return std::nullopt;
  return std::move(**found);
}

class Filling {
 public:
  Filling(const Submodules& all, std::string place) : all_(all), place_(std::move(place)) {}
  std::vector<std::string> empty;

  /// `from`: the same work tree in the main checkout. `final`: where `tree` will be.
  // NOLINTNEXTLINE(misc-no-recursion): kDepthMax.
  Result<void> fill(const Repository& from, const Repository& tree, const std::string& final,
                    int depth) {
    auto modules = modules_of(all_.git, tree, tree.head);
    if (!modules) return std::unexpected(std::move(modules.error()));
    for (const Module& module : *modules) {
      const auto source = checked_out(all_.git, from.root + "/" + module.path);
      const std::string target = final + "/" + module.path;
      if (!source || depth > kDepthMax || !is_absent_or_empty(tree.root + "/" + module.path) ||
          !has(*source, module.commit)) {
        empty.push_back(target.substr(all_.path.size() + 1));
        continue;
      }
      auto made = clone(*source, tree, module);
      if (!made) return std::unexpected(std::move(made.error()));
      if (auto below = fill(*source, *made, target, depth + 1); !below) return below;
      if (auto done = configure(*source, made->git_dir, target); !done) return done;
    }
    return {};
  }

 private:
  [[nodiscard]] bool has(const Repository& source, const std::string& commit) const {
    const auto said =
        all_.git.run({.args = {"cat-file", "-e", commit + "^{commit}"}, .cwd = source.root});
    return said && said->ok();
  }

  Result<Repository> clone(const Repository& source, const Repository& tree,
                           const Module& module) const {
    const std::string folder = tree.root + "/" + module.path;
    const std::string dir = tree.git_dir + "/modules/" + module.name;
    std::error_code why;
    fs::create_directories(fs::path(dir).parent_path(), why);
    auto cloned =
        all_.git.out({.args = {"clone", "--quiet", "--local", "--no-checkout", "--no-tags",
                               "--template=", "--no-recurse-submodules",
                               "--separate-git-dir=" + dir, "--", source.common_dir, folder},
                      .cwd = tree.root,
                      .env = {{"GIT_ALLOW_PROTOCOL", "file"}},
                      .limit = limits::kGitLong});
    if (!cloned) {
      return std::unexpected(std::move(cloned.error()).context("submodule " + module.path));
    }
    Repository made = tree;
    made.root = folder;
    made.git_dir = dir;
    made.common_dir = dir;
    made.object_format = source.object_format;
    made.branch.clear();
    made.head = module.commit;
    auto head = all_.git.out(
        {.args = {"--git-dir=" + dir, "update-ref", "--no-deref", "HEAD", module.commit},
         .cwd = dir});
    if (!head) return std::unexpected(std::move(head.error()));
    auto scratch = Scratch::over(all_.git, made, place_);
    if (!scratch) return std::unexpected(std::move(scratch.error()));
    Call call = scratch->call({"read-tree", "-u", "--reset", "--no-recurse-submodules", made.head});
    call.limit = limits::kGitLong;
    auto said = scratch->run(std::move(call));
    if (!said) return std::unexpected(std::move(said.error()));
    if (!said->ok()) return fail(ErrorCode::NotSupported, last_words(*said));
    return made;
  }

  /// Where it will be, which git must not look for before, and where it really comes from.
  [[nodiscard]] Result<void> configure(const Repository& source, const std::string& dir,
                                       const std::string& target) const {
    const auto set = [&](const std::string& key, const std::string& value) {
      return all_.git.out({.args = {"config", "--file", dir + "/config", key, value}, .cwd = dir});
    };
    const auto url = all_.git.line({.args = {"--git-dir=" + source.common_dir, "config", "--local",
                                             "--get", "remote.origin.url"},
                                    .cwd = source.common_dir});
    auto done = url ? set("remote.origin.url", *url) : url;
    if (done || !url) {
      done = set("core.worktree", fs::path(target).lexically_relative(dir).native());
    }
    if (!done) return std::unexpected(std::move(done.error()));
    return {};
  }

  const Submodules& all_;
  std::string place_;
};

}  // namespace

Result<std::vector<std::string>> Submodules::fill(const Repository& tree,
                                                  const std::string& commit) const {
  Repository top = tree;
  top.head = commit;
  Filling filling(*this, place);
  if (auto done = filling.fill(main, top, path, 0); !done) {
    return std::unexpected(std::move(done.error()));
  }
  std::vector<std::string> notes;
  if (!filling.empty.empty()) {
    std::string names;
    for (const std::string& one : filling.empty) {
      names += (names.empty() ? "" : ", ") + shown_path(one);
    }
    notes.push_back(
        fmt::format("Submodules are empty ({}): run git submodule update --init --recursive in {}",
                    names, shown_path(path)));
  }
  return notes;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as submodules are.
Result<std::vector<std::string>> changed_submodules(const Git& git, const Repository& tree,
                                                    const std::string& place) {
  std::vector<std::string> changed;
  if (tree.head.empty()) return changed;
  auto modules = modules_of(git, tree, tree.head);
  if (!modules) return std::unexpected(std::move(modules.error()));
  for (const Module& module : *modules) {
    const auto inside = checked_out(git, tree.root + "/" + module.path);
    if (!inside) continue;
    bool as_it_was = inside->head == module.commit && inside->branch.empty();
    if (as_it_was) {
      auto scratch = Scratch::over(git, *inside, place);
      if (!scratch) return std::unexpected(std::move(scratch.error()));
      auto status = status_of(*scratch, false);
      if (!status) return std::unexpected(std::move(status.error()));
      auto below = changed_submodules(git, *inside, place);
      if (!below) return std::unexpected(std::move(below.error()));
      as_it_was = status->clean() && status->nested.empty() && below->empty();
    }
    if (!as_it_was) changed.push_back(module.path);
  }
  return changed;
}

}  // namespace lb::git
