#include "git/review.h"

#include <algorithm>

#include "tests/support/git_folder.h"

namespace lb::git {
namespace {

/// "M path +1 -2", "R old -> path".
Names briefly(const Differences& found) {
  Names list;
  for (const ChangedFile& file : found.files) {
    std::string text(1, "AMDR"[static_cast<int>(file.status)]);
    text += " " + (file.old_path ? *file.old_path + " -> " : "") + file.path;
    text += file.binary ? " binary"
                        : " +" + std::to_string(file.added) + " -" + std::to_string(file.deleted);
    list.push_back(std::move(text));
  }
  return list;
}

std::string numbered(int lines, int changed = 0) {
  std::string text;
  for (int at = 1; at <= lines; ++at) {
    text += (at == changed ? "changed " : "line ") + std::to_string(at) + "\n";
  }
  return text;
}

/// The code of an error, and what was said.
template <class T>
ErrorCode refused(const Result<T>& result) {
  REQUIRE_FALSE(result.has_value());
  CHECK_FALSE(result.error().message.empty());
  return result.error().code;
}

TEST_CASE("Files that differ are listed with counted lines, renames, binaries and ids") {
  for (const char* format : {"sha1", "sha256"}) {
    const TestFolder folder(format);
    folder.write("changed", numbered(9));
    folder.write("gone", "1\n2\n");
    folder.write("old/name", numbered(40));
    folder.write("old/same", "the very same\n");
    folder.write("image", std::string("a\0b", 3));
    folder.write("run", "x\n");
    folder.write("empty", "");
    auto files = folder.open();
    const std::string from = good(files->snapshot());
    folder.write("changed", numbered(9, 5) + "more\n");
    folder.remove("gone");
    folder.remove("old");
    folder.remove("empty");
    folder.write("new/name", numbered(40, 7));
    folder.write("new/same", "the very same\n");
    folder.write("image", std::string("a\0c", 3));
    folder.allow_run("run", true);
    folder.write("none", "");
    folder.link("link", "changed");
    const std::string to = good(files->snapshot());
    const Differences found = good(differences(folder.git(), *files, from, to));
    CHECK(briefly(found) == Names{"M changed +2 -1", "D empty +0 -0", "D gone +0 -2",
                                  "M image binary", "A link +1 -0", "R old/name -> new/name +1 -1",
                                  "R old/same -> new/same +0 -0", "A none +0 -0", "M run +0 -0"});
    CHECK(found.count == 9);
    CHECK(found.added == 4);
    CHECK(found.deleted == 4);
    for (const ChangedFile& file : found.files) CHECK(file.oid.size() == from.size());
    // The id is that of the content.
    CHECK(folder.user({"hash-object", "--no-filters", "changed"}) == found.files[0].oid + "\n");
    CHECK(good(differences(folder.git(), *files, to, to)).count == 0);
    CHECK(good(differences(folder.git(), *files, empty_tree(*files), from)).count == 7);
  }
}

TEST_CASE("A list ends at its limit, and its sums do not") {
  const TestFolder folder;
  auto files = folder.open();
  const std::string from = good(files->snapshot());
  for (std::size_t at = 0; at < limits::kChangedFilesMax + 3; ++at) {
    folder.write(std::to_string(at / 100) + "/" + std::to_string(at), "1\n");
  }
  const Differences found = good(differences(folder.git(), *files, from, good(files->snapshot())));
  CHECK(found.files.size() == limits::kChangedFilesMax);
  CHECK(found.count == limits::kChangedFilesMax + 3);
  CHECK(found.added == limits::kChangedFilesMax + 3);
}

TEST_CASE("Other repositories are none of the files") {
  const TestFolder folder;
  folder.write("inner/file", "1\n");
  folder.user({"init", "-q"}, "inner");
  folder.user({"config", "user.name", "Test"}, "inner");
  folder.user({"config", "user.email", "test@localhost"}, "inner");
  folder.user({"add", "-A"}, "inner");
  folder.user({"commit", "-q", "-m", "inner"}, "inner");
  folder.write("own", "1\n");
  folder.commit();  // With a gitlink for `inner`.
  folder.write("own", "2\n");
  folder.write("inner/file", "2\n");
  auto files = folder.open();
  const std::string now = good(files->snapshot());
  for (const Committed which : {Committed::Head, Committed::Index}) {
    const std::string from = good(tree_to_compare(folder.git(), *files, which, now));
    CHECK(briefly(good(differences(folder.git(), *files, from, now))) == Names{"M own +1 -1"});
    CHECK(good(unified_diff(folder.git(), *files, {from, now, "inner"})) == "");
  }
}

TEST_CASE("One file's difference is a unified diff of that file and no other") {
  const TestFolder folder;
  folder.write("a", numbered(30));
  folder.write("file", "was a file\n");
  folder.write("from", numbered(30));
  folder.write("bytes", std::string("a\0b", 3));
  folder.write("end", "no end");
  folder.write("end-of", "x\n");
  auto files = folder.open();
  const std::string from = good(files->snapshot());
  folder.write("a", numbered(30, 15));
  folder.remove("file");
  folder.write("file/below", "is a folder\n");
  folder.remove("from");
  folder.write("to", numbered(30, 3));
  folder.write("bytes", std::string("a\0c", 3));
  folder.write("end", "no end\r\n");
  const std::string to = good(files->snapshot());
  const auto text = [&](const std::string& path, std::uint64_t context = 3) {
    return good(unified_diff(folder.git(), *files, {from, to, path, context}));
  };
  CHECK(text("a").starts_with("diff --git a/a b/a\nindex "));
  CHECK(
      text("a").contains("\n@@ -12,7 +12,7 @@ line 11\n line 12\n line 13\n line 14\n-line 15\n"
                         "+changed 15\n line 16\n line 17\n line 18\n"));
  CHECK(text("a", 0).contains("\n@@ -15 +15 @@ line 14\n-line 15\n+changed 15\n"));
  CHECK(text("a", limits::kContextLinesMax).contains("\n@@ -1,30 +1,30 @@\n line 1\n"));
  CHECK(text("file").contains("deleted file mode"));
  CHECK_FALSE(text("file").contains("below"));
  CHECK(text("file/below").contains("new file mode"));
  CHECK_FALSE(text("file/below").contains("was a file"));
  CHECK(text("to").contains("rename from from\nrename to to\n"));
  CHECK(text("to").contains("-line 3\n+changed 3\n"));
  CHECK(text("bytes").contains("Binary files a/bytes and b/bytes differ\n"));
  CHECK(text("end").contains("-no end\n\\ No newline at end of file\n+no end\r\n"));
  CHECK(text("end-of") == "");
  CHECK(text("none") == "");
}

TEST_CASE("Any name has its difference, in words that are text where the name is") {
  const TestFolder folder;
  const Names names = {"new\nline", "-dash", ":(glob)*", "*", "not-\xff", "\xc3\xa9", "a b", "x\t"};
  auto files = folder.open();
  const std::string from = good(files->snapshot());
  for (const std::string& name : names) folder.write(name, "of " + name + "\n");
  const std::string to = good(files->snapshot());
  CHECK(good(differences(folder.git(), *files, from, to)).count == names.size());
  for (const std::string& name : names) {
    CHECK(check_path(name).has_value());
    const std::string text = good(unified_diff(folder.git(), *files, {from, to, name}));
    CHECK(text.starts_with("diff --git "));
    CHECK(text.find("\ndiff --git ") == std::string::npos);
    CHECK(text.contains("+of " + name.substr(0, name.find('\n')) + "\n"));
    const std::string head = text.substr(0, text.find("+of "));
    CHECK(std::ranges::all_of(head, [](char one) { return one != '\xff'; }));
  }
  CHECK(good(unified_diff(folder.git(), *files, {from, to, "\xc3\xa9"})).contains("b/\xc3\xa9\n"));
  for (const std::string& wrong :
       {std::string(), std::string("/etc"), std::string(".."), std::string("a/../b"),
        std::string("a//b"), std::string("a/"), std::string("./a"), std::string(".git/config"),
        std::string("a/.GIT/x"), std::string("a\0b", 3)}) {
    CHECK(refused(check_path(wrong)) == ErrorCode::InvalidRequest);
  }
}

TEST_CASE("A difference that is too large is refused") {
  const TestFolder folder;
  auto files = folder.open();
  const std::string from = good(files->snapshot());
  folder.write("large", std::string(limits::kShownBytesMax, 'x') + "\n");
  const std::string to = good(files->snapshot());
  CHECK(refused(unified_diff(folder.git(), *files, {from, to, "large"})) == ErrorCode::TooLarge);
}

TEST_CASE("Trees are named by whole ids, and must be trees") {
  const TestFolder folder;
  folder.write("a", "1\n");
  folder.commit();
  auto files = folder.open();
  const std::string tree = good(files->snapshot());
  CHECK(check_trees(folder.git(), *files, {tree, empty_tree(*files)}).has_value());
  const std::string commit = folder.user({"rev-parse", "HEAD"}).substr(0, 40);
  const std::string blob = folder.user({"rev-parse", "HEAD:a"}).substr(0, 40);
  for (const std::string& other : {commit, blob, std::string(40, '0')}) {
    CHECK(refused(check_trees(folder.git(), *files, {tree, other})) == ErrorCode::NotFound);
  }
  for (const std::string& other : {std::string("HEAD"), tree.substr(0, 12), "--" + tree.substr(2),
                                   tree + "\n" + tree, std::string()}) {
    CHECK(refused(check_trees(folder.git(), *files, {other})) == ErrorCode::InvalidRequest);
    CHECK(refused(differences(folder.git(), *files, other, tree)) == ErrorCode::InvalidRequest);
  }
}

TEST_CASE("HEAD and the index are compared with, and never written") {
  const TestFolder folder;
  auto files = folder.open();
  const auto against = [&](Committed which) {
    const std::string now = good(files->snapshot());
    const std::string from = good(tree_to_compare(folder.git(), *files, which, now));
    return briefly(good(differences(folder.git(), *files, from, now)));
  };
  folder.write("first", "1\n");
  CHECK(against(Committed::Head) == Names{"A first +1 -0"});
  CHECK(against(Committed::Index) == Names{"A first +1 -0"});
  folder.write("both", "1\n");
  folder.write("stays", "1\n");
  folder.commit();
  folder.write("both", "2\n");
  folder.user({"add", "both"});
  folder.write("both", "3\n");
  folder.write("unknown", "1\n");
  folder.write("intended", "1\n");
  folder.user({"add", "-N", "intended"});
  const std::string index = bytes_of(folder.file(".git/index"));
  const std::string head = folder.user({"rev-parse", "HEAD"});
  const Names all = {"M both +1 -1", "A intended +1 -0", "A unknown +1 -0"};
  CHECK(against(Committed::Head) == all);
  CHECK(against(Committed::Index) == all);
  const std::string now = good(files->snapshot());
  const std::string staged = good(tree_to_compare(folder.git(), *files, Committed::Index, now));
  CHECK(good(files->file(staged, "both")) == "2\n");
  CHECK(bytes_of(folder.file(".git/index")) == index);
  CHECK(folder.user({"rev-parse", "HEAD"}) == head);

  SUBCASE("also when the index is split") {
    folder.user({"update-index", "--split-index"});
    folder.write("stays", "2\n");
    folder.user({"add", "stays"});
    CHECK(against(Committed::Index) == all);
    CHECK(against(Committed::Head).size() == 4);
  }
  SUBCASE("also when most of it is not checked out") {
    folder.commit();
    folder.write("in/a", "1\n");
    folder.write("out/b", "1\n");
    folder.commit();
    folder.user({"sparse-checkout", "set", "in"});
    REQUIRE_FALSE(folder.has("out/b"));
    CHECK(against(Committed::Head).empty());
    CHECK(against(Committed::Index).empty());
    folder.remove("in/a");
    CHECK(against(Committed::Head) == Names{"D in/a +0 -1"});
  }
  SUBCASE("but not while files are in conflict") {
    folder.commit();
    folder.user({"switch", "-q", "-c", "other", "HEAD~1"});
    folder.write("both", "other\n");
    folder.commit();
    CHECK_FALSE(good(folder.git().run(
                         {.args = {"merge", "main"}, .cwd = folder.root(), .by_the_user = true}))
                    .ok());
    const std::string here = good(files->snapshot());
    CHECK(refused(tree_to_compare(folder.git(), *files, Committed::Index, here)) ==
          ErrorCode::NotSupported);
    CHECK(tree_to_compare(folder.git(), *files, Committed::Head, here).has_value());
  }
}

TEST_CASE("What line ends make of a file is no change, and what hides a change is not believed") {
  const TestFolder folder;
  folder.write(".gitattributes", "*.txt text eol=crlf\n");
  folder.write("a.txt", "1\r\n2\r\n");
  folder.write("b.txt", "1\r\n2\r\n");
  folder.write("hidden", "1\n");
  folder.write("skipped", "1\n");
  folder.commit();
  auto files = folder.open();
  const auto against = [&](Committed which) {
    const std::string now = good(files->snapshot());
    const std::string from = good(tree_to_compare(folder.git(), *files, which, now));
    return briefly(good(differences(folder.git(), *files, from, now)));
  };
  CHECK(against(Committed::Head).empty());
  CHECK(against(Committed::Index).empty());
  folder.write("a.txt", "1\r\n2\r\n");  // Written again: git has to look.
  CHECK(against(Committed::Head).empty());
  folder.write("b.txt", "1\r\n3\r\n");
  CHECK(against(Committed::Head).size() == 1);
  folder.user({"update-index", "--assume-unchanged", "hidden"});
  folder.user({"update-index", "--skip-worktree", "skipped"});
  folder.write("hidden", "2\n");
  folder.write("skipped", "2\n");
  folder.write(".gitattributes", "*.txt text eol=crlf\nhidden -diff\nskipped binary\n");
  for (const Committed which : {Committed::Head, Committed::Index}) {
    const Names names = against(which);
    CHECK(std::ranges::find(names, "M hidden +1 -1") != names.end());
    CHECK(std::ranges::find(names, "M skipped +1 -1") != names.end());
  }
}

TEST_CASE("What settings make of a file is no change either") {
  const TestFolder folder;
  folder.write("lines", "1\n2\n");
  folder.write("mode", "1\n");
  folder.commit();
  auto files = folder.open();
  const auto against = [&](Committed which) {
    const std::string now = good(files->snapshot());
    const std::string from = good(tree_to_compare(folder.git(), *files, which, now));
    return briefly(good(differences(folder.git(), *files, from, now)));
  };
  const auto both_see = [&](const Names& names) {
    for (const Committed which : {Committed::Head, Committed::Index}) {
      CHECK(against(which) == names);
    }
  };
  SUBCASE("line ends") {
    folder.user({"config", "core.autocrlf", "true"});
    folder.remove("lines");
    folder.user({"checkout", "--", "lines"});
    REQUIRE(bytes_of(folder.file("lines")) == "1\r\n2\r\n");
    both_see({});
    folder.write("lines", "1\r\n3\r\n");
    CHECK(against(Committed::Head).size() == 1);
  }
  SUBCASE("modes") {
    std::filesystem::permissions(folder.file("mode"), std::filesystem::perms::owner_all);
    both_see({"M mode +0 -0"});
    folder.user({"config", "core.filemode", "false"});
    both_see({});
  }
}

TEST_CASE("No program of a repository runs when its changes are looked at") {
  const TestFolder folder;
  const std::string marker = folder.home() + "/it-ran";
  const std::string program = folder.home() + "/program";
  std::ofstream(program) << "#!/bin/sh\necho \"$0 $*\" >> " << marker << "; cat\n";
  ::chmod(program.c_str(), 0755);
  folder.write("a.txt", numbered(9));
  folder.write("old.txt", numbered(20));
  folder.commit();
  folder.write(".gitattributes", "*.txt filter=evil merge=evil diff=evil\n");
  std::ofstream(folder.file(".git/config"), std::ios::app)
      << "[filter \"evil\"]\n\tclean = " << program << "\n\tsmudge = " << program
      << "\n\trequired = true\n[diff \"evil\"]\n\ttextconv = " << program
      << "\n\tcommand = " << program << "\n[diff]\n\texternal = " << program
      << "\n[core]\n\tfsmonitor = " << program << "\n\tpager = " << program << "\n";
  for (const char* hook : {"post-index-change", "reference-transaction"}) {
    std::filesystem::copy(program, folder.file(".git/hooks/") + hook);
  }
  folder.write("a.txt", numbered(9, 2));
  folder.remove("old.txt");
  folder.write("new.txt", numbered(20, 3));
  auto files = folder.open();
  const std::string now = good(files->snapshot());
  for (const Committed which : {Committed::Head, Committed::Index}) {
    const std::string from = good(tree_to_compare(folder.git(), *files, which, now));
    CHECK(good(differences(folder.git(), *files, from, now)).count == 3);
    for (const char* path : {"a.txt", "new.txt"}) {
      CHECK_FALSE(good(unified_diff(folder.git(), *files, {from, now, path})).empty());
    }
  }
  CHECK(bytes_of(marker) == "");
}

}  // namespace
}  // namespace lb::git
