/// TestFolder: a folder of a user with a home of its own, so that nothing of this machine's git
/// matters.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "git/work_tree.h"
#include "tests/support/temp_dir.h"

namespace lb::git {

/// The value, or the test ends with what was said instead.
template <class T>
T good(Result<T> result) {
  INFO((result ? "" : result.error().message));
  REQUIRE(result);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

inline std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

class TestFolder {
 public:
  explicit TestFolder(const std::string& format = "sha1", bool with_git = true) {
    std::filesystem::create_directories(home());
    std::filesystem::create_directories(root());
    ::setenv("HOME", home().c_str(), 1);
    ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    ::unsetenv("XDG_CONFIG_HOME");
    ::unsetenv("GIT_CONFIG_GLOBAL");
    if (!with_git) return;
    user({"init", "-q", "-b", "main", "--object-format=" + format});
    user({"config", "user.name", "Test"});
    user({"config", "user.email", "test@localhost"});
  }

  [[nodiscard]] std::string home() const { return temp_.path() + "/home"; }
  [[nodiscard]] std::string root() const { return home() + "/project"; }
  [[nodiscard]] std::string keep_dir() const { return temp_.path() + "/keep"; }
  [[nodiscard]] std::string file(const std::string& path) const { return root() + "/" + path; }
  [[nodiscard]] const test::TempDir& temp() const { return temp_; }

  /// As the user would, hooks and all.
  std::string user(std::vector<std::string> args, const std::string& below = "") const {
    return good(
        git_.out({.args = std::move(args), .cwd = root() + "/" + below, .by_the_user = true}));
  }
  void commit(const std::string& message = "work") const {
    user({"add", "-A"});
    user({"commit", "-q", "--allow-empty", "-m", message});
  }

  void write(const std::string& path, std::string_view bytes) const {
    std::filesystem::create_directories(std::filesystem::path(file(path)).parent_path());
    std::ofstream(file(path), std::ios::binary | std::ios::trunc) << bytes;
  }
  [[nodiscard]] std::string read(const std::string& path) const { return bytes_of(file(path)); }
  [[nodiscard]] bool has(const std::string& path) const {
    return std::filesystem::exists(std::filesystem::symlink_status(file(path)));
  }
  void remove(const std::string& path) const { std::filesystem::remove_all(file(path)); }
  void link(const std::string& path, const std::string& target) const {
    std::filesystem::create_symlink(target, file(path));
  }
  void allow_run(const std::string& path, bool runs) const {
    ::chmod(file(path).c_str(), runs ? 0755 : 0644);
  }

  /// Everything below a folder: bytes, links and x bits by path.
  [[nodiscard]] static std::map<std::string, std::string> all_below(const std::string& folder,
                                                                    bool with_git = false) {
    namespace fs = std::filesystem;
    std::map<std::string, std::string> found;
    for (auto at = fs::recursive_directory_iterator(folder); at != fs::end(at); ++at) {
      const std::string path = at->path().native().substr(folder.size() + 1);
      if (!with_git && path == ".git") {
        at.disable_recursion_pending();
      } else if (at->is_symlink()) {
        found[path] = "link " + fs::read_symlink(at->path()).native();
      } else if (at->is_regular_file()) {
        const bool runs = (at->status().permissions() & fs::perms::owner_exec) != fs::perms::none;
        found[path] = (runs ? "run " : "file ") + bytes_of(at->path().native());
      }
    }
    return found;
  }
  [[nodiscard]] std::map<std::string, std::string> files() const { return all_below(root()); }

  [[nodiscard]] std::shared_ptr<WorkTree> open(const SnapshotBudget& budget = {}) const {
    return good(WorkTree::open(git_, root(), keep_dir(), budget));
  }
  [[nodiscard]] const Git& git() const { return git_; }

  /// The names in a tree.
  [[nodiscard]] std::vector<std::string> names(WorkTree& files, const std::string& tree) const {
    std::vector<std::string> list;
    const std::string empty =
        tree.size() == 40 ? "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
                          : "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";
    for (TreeChange& change : good(files.diff(empty, tree))) list.push_back(std::move(change.path));
    return list;
  }

 private:
  test::TempDir temp_;
  Git git_ = Git::of_the_user();
};

/// As text: "A new", "M file", "D old".
inline std::vector<std::string> shown(const std::vector<TreeChange>& changes) {
  std::vector<std::string> list;
  for (const TreeChange& change : changes) {
    list.push_back(std::string(1, "AMD"[static_cast<int>(change.kind)]) + " " + change.path);
  }
  return list;
}

using Names = std::vector<std::string>;

}  // namespace lb::git
