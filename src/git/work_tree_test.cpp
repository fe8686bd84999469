#include "git/work_tree.h"

#include <doctest/doctest.h>

#include "tests/support/git_folder.h"

namespace lb::git {
namespace {

TEST_CASE("A snapshot has what git would track, and nothing that it ignores") {
  const TestFolder folder;
  folder.write("tracked", "1\n");
  folder.write("forced.log", "1\n");
  folder.write(".gitignore", "*.log\nbuild/\n");
  folder.commit();
  folder.user({"add", "-f", "forced.log"});
  folder.user({"commit", "-q", "-m", "forced"});
  folder.write("sub/unknown", "2\n");
  folder.write("other.log", "3\n");
  folder.write("build/out", "4\n");
  auto files = folder.open();
  const std::string one = good(files->snapshot());
  CHECK(folder.names(*files, one) == Names{".gitignore", "forced.log", "sub/unknown", "tracked"});

  SUBCASE("also when a tracked one that is ignored goes and comes back") {
    folder.remove("forced.log");
    CHECK(shown(good(files->diff(one, good(files->snapshot())))) == Names{"D forced.log"});
    folder.write("forced.log", "again\n");
    CHECK(shown(good(files->diff(one, good(files->snapshot())))) == Names{"M forced.log"});
  }
  SUBCASE("also when it is ignored from now on") {
    folder.write(".gitignore", "*.log\nbuild/\nsub/\ntracked\n");
    CHECK(shown(good(files->diff(one, good(files->snapshot())))) ==
          Names{"M .gitignore", "D sub/unknown"});
    folder.write(".gitignore", "*.log\nbuild/\n");
    CHECK(good(files->snapshot()) == one);
  }
  SUBCASE("also when git forgets an ignored one") {
    folder.user({"rm", "-q", "--cached", "forced.log"});
    CHECK(shown(good(files->diff(one, good(files->snapshot())))) == Names{"D forced.log"});
  }
  SUBCASE("by .git/info/exclude") {
    folder.write(".git/info/exclude", "sub\n");
    CHECK(shown(good(files->diff(one, good(files->snapshot())))) == Names{"D sub/unknown"});
  }
  SUBCASE("by a file of the user's") {
    folder.user({"config", "--global", "core.excludesFile", "~/ignored"});
    std::ofstream(folder.home() + "/ignored") << "unknown\n";
    CHECK(shown(good(files->diff(one, good(files->snapshot())))) == Names{"D sub/unknown"});
  }
}

TEST_CASE("A rewind undoes the agent's work and leaves the user's") {
  const TestFolder folder;
  folder.write("both", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  folder.write("theirs", "1\n");
  folder.commit();
  folder.write("untracked", "mine\n");
  auto files = folder.open();
  const std::string before = good(files->snapshot());
  folder.write("both", "1\n2 agent\n3\n4\n5\n6\n7\n8\n9\n");
  folder.write("new/of/agent", "agent\n");
  folder.remove("theirs");
  const std::string after = good(files->snapshot());
  folder.write("both", "1\n2 agent\n3\n4\n5\n6\n7\n8 user\n9\n");
  folder.write("untracked", "mine again\n");
  const auto as_it_was = folder.files();

  const RewindPlan plan = good(plan_rewind(*files, before, after, std::nullopt));
  CHECK(plan.conflicts.empty());
  CHECK(shown(plan.changes) == Names{"M both", "D new/of/agent", "A theirs"});
  CHECK(folder.files() == as_it_was);
  const Applied applied = good(files->apply(plan.now, plan.target));
  CHECK(applied.done == plan.changes);
  CHECK(applied.left.empty());
  CHECK(folder.read("both") == "1\n2\n3\n4\n5\n6\n7\n8 user\n9\n");
  CHECK(folder.read("untracked") == "mine again\n");
  CHECK(folder.read("theirs") == "1\n");
  CHECK_FALSE(folder.has("new"));
  CHECK(good(files->snapshot()) == plan.target);

  // And back again.
  CHECK(good(files->apply(plan.target, plan.now)).left.empty());
  CHECK(folder.files() == as_it_was);
}

}  // namespace
}  // namespace lb::git
