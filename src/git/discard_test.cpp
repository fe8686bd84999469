#include "git/discard.h"

#include <random>

#include "tests/support/git_folder.h"

namespace lb::git {
namespace {

/// The files after what was planned is done, and after it is undone.
void discard(const TestFolder& folder, WorkTree& files, const Discarding& wish) {
  const auto as_it_was = folder.files();
  const RewindPlan plan = good(plan_discard(folder.git(), files, wish));
  CHECK(folder.files() == as_it_was);
  CHECK(good(files.apply(plan.now, plan.target)).left.empty());
  const auto after = folder.files();
  const RewindPlan back = good(plan_rewind(files, plan.now, plan.target, std::nullopt));
  CHECK(good(files.apply(back.now, back.target)).left.empty());
  CHECK(folder.files() == as_it_was);
  CHECK(good(files.apply(plan.now, plan.target)).left.empty());
  CHECK(folder.files() == after);
}

TEST_CASE("A hunk is taken back byte by byte") {
  const auto without = [](std::string_view old, std::string_view now, const HunkRange& hunk) {
    return good(without_hunk(old, now, hunk));
  };
  CHECK(without("1\n2\n3\n", "1\nX\nY\n3\n", {2, 1, 2, 2}) == "1\n2\n3\n");
  CHECK(without("1\n2\n3\n", "1\n3\n", {2, 1, 1, 0}) == "1\n2\n3\n");  // Only lines that went.
  CHECK(without("1\n3\n", "1\n2\n3\n", {1, 0, 2, 1}) == "1\n3\n");     // Only lines that came.
  CHECK(without("", "1\n2\n", {0, 0, 1, 2}) == "");
  CHECK(without("1\n2\n", "", {1, 2, 0, 0}) == "1\n2\n");
  CHECK(without("a\r\nb\r\n", "a\nb\n", {1, 2, 1, 2}) == "a\r\nb\r\n");
  CHECK(without("1\n2", "1\n2\n", {2, 1, 2, 1}) == "1\n2");
  CHECK(without("1\n2\n", "1\n2", {2, 1, 2, 1}) == "1\n2\n");
  CHECK(without("1\n2\n3\n", "X\n2\nY\n", {1, 1, 1, 1}) == "1\n2\nY\n");  // The other one stays.
  for (const HunkRange& wrong :
       {HunkRange{9, 1, 1, 1}, HunkRange{1, 1, 3, 9}, HunkRange{0, 1, 1, 1},
        HunkRange{1, UINT64_MAX, 1, 1}, HunkRange{UINT64_MAX, 2, 1, 1}}) {
    const auto refused = without_hunk("1\n2\n", "1\n2\n3\n", wrong);
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == ErrorCode::InvalidRequest);
  }
  // A line without an end is the last one.
  CHECK_FALSE(without_hunk("1\n2", "1\n2\n3\n", {2, 1, 2, 1}).has_value());
}

TEST_CASE("Taking back all hunks one by one, from the last, leaves the file as it was") {
  std::minstd_rand random(7);
  for (int round = 0; round < 40; ++round) {
    const auto text = [&] {
      std::string all;
      const auto lines = random() % 12;
      for (unsigned long at = 0; at < lines; ++at) {
        all += "line " + std::to_string(random() % 4) + (random() % 5 == 0 ? "\r\n" : "\n");
      }
      if (random() % 3 == 0 && !all.empty()) all.pop_back();
      return all;
    };
    const std::string old = text();
    const std::string now = text();
    const test::TempDir place;
    std::ofstream(place.file("old"), std::ios::binary) << old;
    std::ofstream(place.file("now"), std::ios::binary) << now;
    const auto said = good(Git::of_the_user().run(
        {.args = {"diff", "--no-index", "-U" + std::to_string(round % 4), "old", "now"},
         .cwd = place.path()}));
    std::vector<HunkRange> hunks;
    for (const std::string& line : split_lines(said.out)) {
      HunkRange hunk{0, 1, 0, 1};
      if (std::sscanf(line.c_str(), "@@ -%lu,%lu", &hunk.old_start, &hunk.old_lines) < 1) continue;
      const std::string plus = line.substr(line.find('+'));
      if (std::sscanf(plus.c_str(), "+%lu,%lu", &hunk.new_start, &hunk.new_lines) < 1) continue;
      hunks.push_back(hunk);
    }
    std::string bytes = now;
    for (auto hunk = hunks.rbegin(); hunk != hunks.rend(); ++hunk) {
      bytes = good(without_hunk(old, bytes, *hunk));
    }
    CHECK(bytes == old);
  }
}

TEST_CASE("A file becomes what it was: changed, new, gone, moved, run, or a link") {
  const TestFolder folder;
  folder.write("changed", "1\n2\n3\r\n");
  folder.write("gone/below", "gone\n");
  folder.write("old", "1\n2\n3\n4\n5\n6\n7\n8\n");
  folder.write("run", "x\n");
  folder.link("link", "changed");
  folder.commit();
  const auto wanted = folder.files();
  auto files = folder.open();
  const std::string from = good(files->snapshot());
  folder.write("changed", "1\nTWO\n3\r\nno end");
  folder.remove("gone");
  folder.remove("old");
  folder.write("renamed", "1\n2\n3\n4\n5\n6\nSEVEN\n8\n");
  folder.allow_run("run", true);
  folder.remove("link");
  folder.write("link", "a file now\n");
  folder.write("fresh/new", "new\n");
  for (const char* path : {"changed", "gone/below", "renamed", "run", "link", "fresh/new"}) {
    discard(folder, *files, {path, from, good(files->snapshot())});
  }
  CHECK(folder.files() == wanted);
}

TEST_CASE("One hunk of a file that was moved and made to run goes, and the rest stays") {
  const TestFolder folder;
  folder.write("old", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
  auto files = folder.open();
  const std::string from = good(files->snapshot());
  folder.remove("old");
  folder.write("new", "1\nTWO\n3\n4\n5\n6\n7\nEIGHT\n9\n");
  folder.allow_run("new", true);
  discard(folder, *files, {"new", from, good(files->snapshot()), HunkRange{7, 3, 7, 3}});
  CHECK(folder.files() ==
        std::map<std::string, std::string>{{"new", "run 1\nTWO\n3\n4\n5\n6\n7\n8\n9\n"}});
}

TEST_CASE("What is another by now, or did not change, is left alone") {
  const TestFolder folder;
  folder.write("a", "1\n");
  folder.write("b", "1\n");
  folder.write("big", "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
  folder.commit();
  auto files = folder.open();
  const std::string from = good(files->snapshot());
  folder.write("a", "2\n");
  folder.write("big", "bytes\n");
  const std::string seen = good(files->snapshot());
  const auto refused = [&](const Discarding& wish) {
    const auto plan = plan_discard(folder.git(), *files, wish);
    REQUIRE_FALSE(plan.has_value());
    return plan.error();
  };
  CHECK(refused({"b", from, seen}).code == ErrorCode::InvalidRequest);
  CHECK(refused({"none", from, seen}).code == ErrorCode::InvalidRequest);
  CHECK(refused({"big", from, seen}).code == ErrorCode::NotSupported);
  CHECK(refused({"a", from, seen, HunkRange{5, 1, 5, 1}}).code == ErrorCode::InvalidRequest);
  folder.write("a", "3\n");
  const Error conflict = refused({"a", from, seen});
  CHECK(conflict.code == ErrorCode::RewindConflict);
  CHECK(conflict.members == "\"paths\":[\"a\"]");
  folder.remove("a");
  CHECK(refused({"a", from, seen}).code == ErrorCode::RewindConflict);
  CHECK(folder.read("b") == "1\n");
}

}  // namespace
}  // namespace lb::git
