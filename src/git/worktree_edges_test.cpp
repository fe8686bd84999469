#include <doctest/doctest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "tests/support/git_project.h"

namespace lb::git {
namespace {

namespace fs = std::filesystem;

TEST_CASE("A sparse checkout stays sparse") {
  const TestProject project;
  project.write("other/c", "3\n");
  project.commit();
  project.user({"sparse-checkout", "set", "sub"});
  CHECK(!project.has("other"));
  project.make();
  CHECK(!fs::exists(project.path() + "/other"));
  CHECK(bytes_of(project.path() + "/sub/b") == "2\n");
  CHECK(project.status(project.path()).empty());
  auto files = project.worktree();
  CHECK_FALSE(good(standing_of(project.git(), *files, "main", false)).dirty);
}

TEST_CASE("A split index is read as any other") {
  const TestProject project;
  project.make();
  project.in(project.path(), {"update-index", "--split-index"});
  project.put(project.path() + "/a", "work\n");
  project.in(project.path(), {"add", "a"});
  auto files = project.worktree();
  CHECK(good(standing_of(project.git(), *files, "main", false)).dirty);
  CHECK(good(inventory_of(project.git(), *files, "main")).inventory.tracked == 1);
}

TEST_CASE("A bare repository with worktrees gets more of them, and work lands there") {
  const TestProject project;
  const std::string bare = project.home() + "/bare.git";
  project.user({"clone", "-q", "--bare", project.root(), bare});
  CHECK_FALSE(find_repository(project.git(), bare));
  const std::string folder = project.home() + "/checkout";
  project.in(bare, {"worktree", "add", "-q", folder, "main"});
  const Repository main = *good(find_repository(project.git(), folder));
  NewWorktree wanted = project.wanted();
  good(make_worktree(project.git(), main, wanted, {}));
  CHECK(project.status(project.path()).empty());
  CHECK(good(list_worktrees(project.git(), main)).size() == 3);
}

/// In a namespace of its own, where `folder` is a disk of a megabyte. False: that is not possible.
bool on_a_small_disk(const std::string& folder, const std::function<bool()>& work) {
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const std::string user = std::to_string(::getuid());
    const std::string group = std::to_string(::getgid());
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) ::_exit(2);
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << "0 " << user << " 1";
    std::ofstream("/proc/self/gid_map") << "0 " << group << " 1";
    if (::mount("tmpfs", folder.c_str(), "tmpfs", 0, "size=1m") != 0) ::_exit(2);
    ::_exit(work() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  CHECK(WEXITSTATUS(status) != 1);
  return WEXITSTATUS(status) != 2;
}

TEST_CASE("A full disk is said, and leaves nothing") {
  const TestProject project;
  project.write("large", std::string(3U << 20U, 'x'));
  project.commit();
  fs::create_directories(project.home() + "/worktrees");
  const bool tried = on_a_small_disk(project.home() + "/worktrees", [&] {
    const auto made = make_worktree(project.git(), project.main(), project.wanted(), {});
    return !made && made.error().code == ErrorCode::StoreFull &&
           fs::is_empty(project.home() + "/worktrees");
  });
  if (!tried) MESSAGE("no namespaces here: not tried");
  project.check_nothing_of("w");
}

TEST_CASE("Submodules are not empty") {
  const TestProject project;
  const TestProject other;
  ::setenv("HOME", project.home().c_str(), 1);
  project.user({"config", "--global", "protocol.file.allow", "always"});
  other.write("deep", "in the submodule\n");
  other.commit();
  project.user({"submodule", "--quiet", "add", "--name", "the name", other.root(), "mods/one"});
  project.user({"submodule", "--quiet", "add", other.root(), "two"});
  project.commit();
  const std::string ran = project.temp().path() + "/ran";
  project.user({"config", "submodule.the name.update", "!touch " + ran});
  project.user({"submodule", "deinit", "-q", "-f", "two"});
  fs::remove_all(project.root() + "/.git/modules/two");
  const MadeWorktree made = project.make();
  CHECK(bytes_of(project.path() + "/mods/one/deep") == "in the submodule\n");
  REQUIRE(made.notes.size() == 1);
  CHECK(made.notes[0].contains("(two)"));
  CHECK(made.notes[0].contains("git submodule update --init"));
  CHECK(!fs::exists(ran));
  CHECK(project.status(project.path()).empty());
  CHECK(project.in(project.path() + "/mods/one", {"status", "--porcelain"}).empty());
  CHECK(project.in(project.path() + "/mods/one", {"config", "remote.origin.url"}) ==
        other.root() + "\n");
  CHECK(project.in(project.path() + "/mods/one", {"rev-parse", "--show-toplevel"}) ==
        project.path() + "/mods/one\n");
  // What is changed there is in no snapshot: the inventory says so.
  auto files = project.worktree();
  CHECK(good(inventory_of(project.git(), *files, "main")).inventory.ignored == 0);
  project.put(project.path() + "/mods/one/deep", "changed\n");
  const Inventoried found = good(inventory_of(project.git(), *files, "main"));
  CHECK(found.inventory.ignored > 0);
  CHECK(found.inventory.samples == Names{"mods/one/"});
}

}  // namespace
}  // namespace lb::git
