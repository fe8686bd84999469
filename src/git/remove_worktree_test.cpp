#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/git_project.h"

namespace lb::git {
namespace {

namespace fs = std::filesystem;

/// A worktree with work of every kind in it.
void work_in(const TestProject& project, const std::string& folder) {
  project.put(folder + "/committed", "1\n");
  project.in(folder, {"add", "-A"});
  project.in(folder, {"commit", "-q", "-m", "mine"});
  project.put(folder + "/a", "edited\r\n");
  project.put(folder + "/staged", "staged\n");
  project.in(folder, {"add", "staged"});
  project.put(folder + "/staged", "staged and edited\n");
  project.put(folder + "/un tracked/\xfe", "odd\n");
  project.put(folder + "/tool", "#!/bin/sh\n");
  ::chmod((folder + "/tool").c_str(), 0755);
  fs::create_symlink("nowhere", folder + "/link");
  fs::remove(folder + "/sub/b");
}

Result<void> remove(const TestProject& project, const std::string& hash) {
  auto files = project.worktree();
  return remove_worktree(project.git(), project.main(), *files, "id", "main", hash);
}
std::string hash_of(const TestProject& project) {
  auto files = project.worktree();
  return good(inventory_of(project.git(), *files, "main")).hash;
}
MadeWorktree restore(const TestProject& project) {
  return good(restore_worktree(project.git(), project.main(), project.path(), "try/w", "id",
                               project.wanted().keep_dir));
}

TEST_CASE("A removed worktree comes back with every tracked and untracked byte") {
  for (const char* format : {"sha1", "sha256"}) {
    const TestProject project(format);
    project.make();
    work_in(project, project.path());
    const auto before = TestFolder::all_below(project.path());
    const std::string status = project.status(project.path());
    const std::string staged = project.in(project.path(), {"ls-files", "-s"});
    const std::string head = project.in(project.path(), {"rev-parse", "HEAD"});
    good(remove(project, hash_of(project)));
    CHECK(!fs::exists(project.path()));
    CHECK(fs::is_empty(project.home() + "/worktrees"));
    CHECK(good(list_worktrees(project.git(), project.main())).size() == 1);
    CHECK(!fs::exists(project.root() + "/.git/worktrees"));
    // The branch stays, and what is kept survives the user's gc.
    CHECK(project.in(project.root(), {"rev-parse", "try/w"}) == head);
    project.user({"branch", "-D", "-q", "try/w"});
    project.user({"reflog", "expire", "--expire=now", "--all"});
    project.user({"gc", "-q", "--prune=now"});
    CHECK(restore(project).notes.empty());
    CHECK(TestFolder::all_below(project.path()) == before);
    CHECK(project.status(project.path()) == status);
    CHECK(project.in(project.path(), {"ls-files", "-s"}) == staged);
    CHECK(project.in(project.path(), {"rev-parse", "HEAD"}) == head);
    CHECK(project.in(project.path(), {"symbolic-ref", "HEAD"}) == "refs/heads/try/w\n");
    // And again.
    CHECK(restore(project).notes.empty());
    project.put(project.path() + "/later", "x\n");
    good(remove(project, hash_of(project)));
    restore(project);
    CHECK(bytes_of(project.path() + "/later") == "x\n");
  }
}

TEST_CASE("Converted files come back as they were, and are not changed") {
  const TestProject project;
  project.user({"config", "core.autocrlf", "true"});
  project.write("lines", "1\r\n2\r\n");
  project.commit();
  project.make();
  project.put(project.path() + "/mixed", "1\r\n2\n");
  good(remove(project, hash_of(project)));
  restore(project);
  CHECK(bytes_of(project.path() + "/lines") == "1\r\n2\r\n");
  CHECK(bytes_of(project.path() + "/mixed") == "1\r\n2\n");
  CHECK(project.in(project.path(), {"status", "--porcelain"}) == "?? mixed\n");
}

TEST_CASE("The inventory says what is in a worktree, and what would not come back") {
  const TestProject project;
  project.make();
  auto files = project.worktree();
  Inventoried found = good(inventory_of(project.git(), *files, "main"));
  CHECK(found.inventory == Inventory{});
  CHECK(good(inventory_of(project.git(), *files, "main")).hash == found.hash);
  work_in(project, project.path());
  project.put(project.path() + "/build/deep/x", std::string(5000, 'x'));
  project.put(project.path() + "/build/y", "y");
  project.put(project.path() + "/x.log", "z");
  project.put(project.path() + "/nested/own", "in a repository of its own\n");
  project.in(project.path() + "/nested", {"init", "-q"});
  const Inventoried more = good(inventory_of(project.git(), *files, "main"));
  CHECK(more.hash != found.hash);
  CHECK(more.inventory.tracked == 3);
  CHECK(more.inventory.untracked == 3);
  CHECK(more.inventory.ignored > 4);
  CHECK(more.inventory.ignored_bytes >= 5000);
  CHECK(more.inventory.samples == Names{"build/", "nested/", "x.log"});
  CHECK(more.inventory.changed ==
        Names{"a", "link", "staged", "sub/b", "tool", "un tracked/\\xfe"});
  CHECK(more.inventory.unlanded == 1);
  CHECK(more.inventory.unpushed == 0);
  // With a remote that has the first commit.
  const std::string remote = project.home() + "/remote.git";
  project.user({"init", "-q", "--bare", remote});
  project.user({"remote", "add", "origin", remote});
  CHECK(good(inventory_of(project.git(), *files, "main")).inventory.unpushed == 2);
  project.user({"push", "-q", "origin", "main"});
  CHECK(good(inventory_of(project.git(), *files, "main")).inventory.unpushed == 1);
  // The base is gone.
  CHECK(good(inventory_of(project.git(), *files, "no-such-branch")).inventory.unlanded == 1);
  // Any byte is another hash.
  const std::string hash = good(inventory_of(project.git(), *files, "main")).hash;
  project.put(project.path() + "/tool", "#!/bin/sh\nx\n");
  CHECK(good(inventory_of(project.git(), *files, "main")).hash != hash);
}

TEST_CASE("Only what was confirmed is removed") {
  const TestProject project;
  project.make();
  const std::string hash = hash_of(project);
  project.put(project.path() + "/work", "since then\n");
  const auto refused = remove(project, hash);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::ConfirmNeeded);
  CHECK(bytes_of(project.path() + "/work") == "since then\n");
  CHECK(good(refs_below(project.git(), project.main().common_dir, "ws/")).empty());
}

TEST_CASE("The project itself, a locked worktree and a foreign folder are not removed") {
  const TestProject project;
  project.make();
  auto main = project.open();
  const std::string hash = good(inventory_of(project.git(), *main, "main")).hash;
  CHECK_FALSE(remove_worktree(project.git(), project.main(), *main, "id", "main", hash));
  CHECK(project.has("a"));
  const TestProject other;
  auto foreign = other.open();
  CHECK_FALSE(remove_worktree(project.git(), project.main(), *foreign, "id", "main",
                              good(inventory_of(project.git(), *foreign, "main")).hash));
  CHECK(other.has("a"));
  ::setenv("HOME", project.home().c_str(), 1);
  project.user({"worktree", "lock", project.path()});
  const auto refused = remove(project, hash_of(project));
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message.contains("git worktree unlock"));
  CHECK(fs::exists(project.path() + "/a"));
}

TEST_CASE("Folders that may not be written are removed too, and links are not followed") {
  const TestProject project;
  project.make();
  const std::string outside = project.home() + "/outside";
  project.put(outside + "/precious", "x");
  fs::create_symlink(outside, project.path() + "/way-out");
  project.put(project.path() + "/build/locked/x", "x");
  ::chmod((project.path() + "/build/locked").c_str(), 0500);
  good(remove(project, hash_of(project)));
  CHECK(!fs::exists(project.path()));
  CHECK(bytes_of(outside + "/precious") == "x");
}

TEST_CASE("A worktree that was deleted by hand can be removed, and its commit comes back") {
  const TestProject project;
  project.make();
  project.put(project.path() + "/c", "3\n");
  project.in(project.path(), {"add", "-A"});
  project.in(project.path(), {"commit", "-q", "-m", "mine"});
  auto files = project.worktree();
  fs::remove_all(project.path());
  CHECK(good(list_worktrees(project.git(), project.main()))[1].missing);
  CHECK_FALSE(standing_of(project.git(), *files, "main", false));
  good(remove_worktree(project.git(), project.main(), *files, "id", "main", ""));
  CHECK(good(list_worktrees(project.git(), project.main())).size() == 1);
  restore(project);
  CHECK(bytes_of(project.path() + "/c") == "3\n");
  CHECK(project.status(project.path()).empty());
}

TEST_CASE("A branch that is elsewhere or has moved is left where it is by a restore") {
  const TestProject project;
  project.make();
  project.put(project.path() + "/c", "3\n");
  const std::string head = project.main().head;
  good(remove(project, hash_of(project)));
  SUBCASE("checked out") {
    project.user({"checkout", "-q", "try/w"});
    const MadeWorktree made = restore(project);
    REQUIRE(made.notes.size() == 1);
    CHECK(made.notes[0].contains(project.root()));
  }
  SUBCASE("moved") {
    project.user({"checkout", "-q", "try/w"});
    project.commit("later");
    project.user({"checkout", "-q", "main"});
    const MadeWorktree made = restore(project);
    REQUIRE(made.notes.size() == 1);
    CHECK(made.notes[0].contains("has moved"));
  }
  CHECK(project.in(project.path(), {"rev-parse", "HEAD"}) == head + "\n");
  CHECK(project.in(project.path(), {"status", "--porcelain"}) == "?? c\n");
}

TEST_CASE("A restore does not overwrite what is at its path") {
  const TestProject project;
  project.make();
  good(remove(project, hash_of(project)));
  project.put(project.path() + "/x", "mine\n");
  CHECK_FALSE(restore_worktree(project.git(), project.main(), project.path(), "try/w", "id",
                               project.wanted().keep_dir));
  CHECK(bytes_of(project.path() + "/x") == "mine\n");
  CHECK_FALSE(restore_worktree(project.git(), project.main(), project.path("other"), "try/o",
                               "unknown", project.wanted().keep_dir));
}

}  // namespace
}  // namespace lb::git
