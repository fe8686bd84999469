/// TestProject: a repository with a place for worktrees beside it.
#pragma once

#include <string>
#include <vector>

#include "git/worktrees.h"
#include "tests/support/git_folder.h"

namespace lb::git {

class TestProject : public TestFolder {
 public:
  explicit TestProject(const std::string& format = "sha1") : TestFolder(format) {
    write("a", "1\n");
    write("sub/b", "2\n");
    write(".gitignore", "*.log\nbuild/\n.env\n");
    commit("first");
  }

  [[nodiscard]] Repository main() const { return *good(find_repository(git(), root())); }
  [[nodiscard]] std::string path(const std::string& name = "w") const {
    return home() + "/worktrees/" + name;
  }
  [[nodiscard]] NewWorktree wanted(const std::string& name = "w") const {
    return {.path = path(name),
            .branch = "try/" + name,
            .base_oid = main().head,
            .keep_dir = temp().path() + "/keep-" + name,
            .main_keep_dir = keep_dir()};
  }
  MadeWorktree make(const std::string& name = "w", bool carry = false) const {
    NewWorktree asked = wanted(name);
    asked.carry = carry;
    return good(make_worktree(git(), main(), asked, {}));
  }
  [[nodiscard]] std::shared_ptr<WorkTree> worktree(const std::string& name = "w") const {
    return good(WorkTree::open(git(), path(name), temp().path() + "/keep-" + name));
  }
  /// As the user would, in a worktree.
  std::string in(const std::string& folder, std::vector<std::string> args) const {
    return good(git().out({.args = std::move(args), .cwd = folder, .by_the_user = true}));
  }
  void put(const std::string& path_of_file, std::string_view bytes) const {
    std::filesystem::create_directories(std::filesystem::path(path_of_file).parent_path());
    std::ofstream(path_of_file, std::ios::binary | std::ios::trunc) << bytes;
  }
  [[nodiscard]] std::string status(const std::string& folder) const {
    return in(folder, {"status", "--porcelain", "--ignored"});
  }
  /// Nothing is left of a worktree that was not made.
  void check_nothing_of(const std::string& name) const {
    CHECK(!std::filesystem::exists(path(name)));
    CHECK(in(root(), {"branch", "--list", "try/" + name}).empty());
    CHECK(!std::filesystem::exists(root() + "/.git/worktrees"));
    std::error_code why;
    for (const auto& [file, bytes] : all_below(root() + "/.git", true)) {
      if (file.starts_with("worktrees/")) CHECK_MESSAGE(false, "left: ", file, ": ", bytes);
    }
    for (const auto& entry : std::filesystem::directory_iterator(home() + "/worktrees", why)) {
      CHECK_MESSAGE(false, "left: ", entry.path().native());
    }
  }
};

}  // namespace lb::git
