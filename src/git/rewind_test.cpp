#include "tests/support/git_folder.h"

namespace lb::git {
namespace {

constexpr std::string_view kLines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

std::string lines_with(int line, const std::string& more) {
  std::string text(kLines);
  return text.insert(text.find(std::to_string(line)) + 1, " " + more);
}

TEST_CASE("An overlap is named before anything is written") {
  const TestFolder folder;
  folder.write("a", kLines);
  folder.write("b", kLines);
  folder.write("binary", std::string("\0one", 4));
  auto files = folder.open();
  const std::string before = good(files->snapshot());
  folder.write("a", lines_with(5, "agent"));
  folder.write("b", lines_with(5, "agent"));
  folder.write("binary", std::string("\0two", 4));
  folder.write("new", "agent\n");
  const std::string after = good(files->snapshot());
  Names conflicts;
  SUBCASE("in the same line") {
    folder.write("a", lines_with(5, "agent and user"));
    conflicts = {"a"};
  }
  SUBCASE("in a file that the agent made") {
    folder.write("new", "agent\nuser\n");
    conflicts = {"new"};
  }
  SUBCASE("in a file without lines") {
    folder.write("binary", std::string("\0three", 6));
    conflicts = {"binary"};
  }
  SUBCASE("in a file that the user deleted") {
    folder.remove("a");
    conflicts = {"a"};
  }
  const auto as_it_was = folder.files();
  const RewindPlan plan = good(plan_rewind(*files, before, after, std::nullopt));
  CHECK(plan.conflicts == conflicts);
  CHECK(plan.changes.empty());
  CHECK(folder.files() == as_it_was);
}

TEST_CASE("A file that is ignored now and was made room for is in the way") {
  const TestFolder folder;
  folder.write("cache", "one\n");
  auto files = folder.open();
  const std::string before = good(files->snapshot());
  folder.remove("cache");
  folder.write(".gitignore", "cache\n");
  const std::string after = good(files->snapshot());
  folder.write("cache", "two\n");
  const RewindPlan plan = good(plan_rewind(*files, before, after, std::nullopt));
  CHECK(plan.conflicts == Names{"cache"});
  // As it would be anyway: no conflict.
  folder.write("cache", "one\n");
  CHECK(good(plan_rewind(*files, before, after, std::nullopt)).conflicts.empty());
}

TEST_CASE("What others did in the same turn is named and left") {
  const TestFolder folder;
  folder.write("agent", kLines);
  folder.write("user", kLines);
  auto files = folder.open();
  const std::string before = good(files->snapshot());
  folder.write("agent", lines_with(2, "agent"));
  folder.write("agent-new", "agent\n");
  folder.write("user", lines_with(2, "user"));
  folder.write("user-new", "user\n");
  const std::string after = good(files->snapshot());
  const RewindPlan plan = good(plan_rewind(*files, before, after, Names{"agent", "agent-new"}));
  CHECK(plan.shared == Names{"user", "user-new"});
  CHECK(shown(plan.changes) == Names{"M agent", "D agent-new"});
  CHECK(good(files->apply(plan.now, plan.target)).left.empty());
  CHECK(folder.read("agent") == kLines);
  CHECK(folder.read("user") == lines_with(2, "user"));
  CHECK(folder.read("user-new") == "user\n");
  // Nothing is known to be the turn's own.
  const RewindPlan nothing = good(plan_rewind(*files, before, after, Names{}));
  CHECK(nothing.changes.empty());
  CHECK(nothing.shared.size() == 4);
}

TEST_CASE("What the agent moved while the user worked on it is left under its new name") {
  const TestFolder folder;
  folder.write("a", kLines);
  auto files = folder.open();
  const std::string before = good(files->snapshot());
  folder.write("a", lines_with(2, "user"));
  std::filesystem::rename(folder.file("a"), folder.file("b"));
  folder.write("c", "agent\n");
  const std::string after = good(files->snapshot());
  // The user's hand is known in `a` only.
  const RewindPlan plan = good(plan_rewind(*files, before, after, Names{"b", "c"}));
  CHECK(plan.shared == Names{"a", "b"});
  CHECK(shown(plan.changes) == Names{"D c"});
}

TEST_CASE("What others put in place of a file that the turn deleted stays") {
  const TestFolder folder;
  folder.write("f", kLines);
  folder.write("g/x", kLines);
  auto files = folder.open();
  const std::string before = good(files->snapshot());
  folder.remove("f");
  folder.write("f/mine", "user\n");
  folder.remove("g");
  folder.write("g", "user\n");
  folder.write("new", "agent\n");
  const std::string after = good(files->snapshot());
  const RewindPlan plan = good(plan_rewind(*files, before, after, Names{"f", "g/x", "new"}));
  CHECK(plan.shared == Names{"f", "f/mine", "g", "g/x"});
  CHECK(shown(plan.changes) == Names{"D new"});
  CHECK_FALSE(files->with_paths(after, before, {"f"}));
}

TEST_CASE("A rewind of a rewind brings everything back, with what was written since") {
  const TestFolder folder;
  folder.write("a", kLines);
  auto files = folder.open();
  const std::string before = good(files->snapshot());
  folder.write("a", lines_with(2, "agent"));
  folder.write("new", "agent\n");
  const std::string after = good(files->snapshot());
  const RewindPlan plan = good(plan_rewind(*files, before, after, std::nullopt));
  CHECK(good(files->apply(plan.now, plan.target)).left.empty());
  folder.write("a", lines_with(8, "user"));
  const RewindPlan undo = good(plan_rewind(*files, plan.now, plan.target, std::nullopt));
  CHECK(undo.conflicts.empty());
  CHECK(good(files->apply(undo.now, undo.target)).left.empty());
  CHECK(folder.read("new") == "agent\n");
  CHECK(folder.read("a") == "1\n2 agent\n3\n4\n5\n6\n7\n8 user\n9\n");
}

TEST_CASE("A folder in place of a file, and a file in place of a folder, are taken back") {
  const TestFolder folder;
  folder.write("x", "file\n");
  folder.write("y/deep/z", "1\n");
  auto files = folder.open();
  const std::string before = good(files->snapshot());
  folder.remove("x");
  folder.write("x/deep/a", "agent\n");
  folder.write("x/b", "agent\n");
  folder.remove("y");
  folder.write("y", "agent\n");
  const std::string after = good(files->snapshot());
  SUBCASE("when nothing else is in them") {
    const RewindPlan plan = good(plan_rewind(*files, before, after, std::nullopt));
    CHECK(plan.conflicts.empty());
    const Applied applied = good(files->apply(plan.now, plan.target));
    CHECK(applied.left.empty());
    CHECK(applied.done == plan.changes);
    CHECK(good(files->snapshot()) == before);
  }
  SUBCASE("and not when something ignored is") {
    folder.write(".git/info/exclude", "*.o\n");
    folder.write("x/deep/cache.o", "1\n");
    CHECK(good(plan_rewind(*files, before, after, std::nullopt)).conflicts == Names{"x"});
  }
}

TEST_CASE("A file that the user renamed is taken back under its new name") {
  const TestFolder folder;
  folder.write("a", kLines);
  auto files = folder.open();
  const std::string before = good(files->snapshot());
  folder.write("a", lines_with(2, "agent"));
  const std::string after = good(files->snapshot());
  std::filesystem::rename(folder.file("a"), folder.file("b"));
  const RewindPlan plan = good(plan_rewind(*files, before, after, std::nullopt));
  CHECK(shown(plan.changes) == Names{"M b"});
  CHECK(good(files->apply(plan.now, plan.target)).left.empty());
  CHECK(folder.read("b") == kLines);
  CHECK_FALSE(folder.has("a"));
}

TEST_CASE("A folder that the agent renamed goes back, and the user's new file in it stays") {
  const TestFolder folder;
  for (const char* name : {"x", "y", "z"}) folder.write(std::string("old/") + name, kLines);
  auto files = folder.open();
  const std::string before = good(files->snapshot());
  std::filesystem::rename(folder.file("old"), folder.file("new"));
  const std::string after = good(files->snapshot());
  folder.write("new/mine", "user\n");
  const RewindPlan plan = good(plan_rewind(*files, before, after, std::nullopt));
  CHECK(plan.conflicts.empty());
  CHECK(good(files->apply(plan.now, plan.target)).left.empty());
  CHECK(folder.read("old/x") == kLines);
  CHECK(folder.read("new/mine") == "user\n");
  CHECK_FALSE(folder.has("new/x"));
}

TEST_CASE("A merge names the file that stands against a folder by its own name") {
  const TestFolder folder;
  folder.write("a", kLines);
  auto files = folder.open();
  const std::string base = good(files->snapshot());
  folder.write("x", "file\n");
  const std::string ours = good(files->snapshot());
  folder.remove("x");
  folder.write("x/y", "folder\n");
  const std::string theirs = good(files->snapshot());
  CHECK(good(files->merge(base, ours, theirs)).conflicts == Names{"x"});
  CHECK(good(files->merge(base, ours, base)).tree == ours);
  CHECK_FALSE(files->merge("--help", ours, theirs));
}

}  // namespace
}  // namespace lb::git
