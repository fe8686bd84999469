// Odd names, odd files, odd repositories.
#include <sys/socket.h>
#include <sys/un.h>

#include "tests/support/git_folder.h"

namespace lb::git {
namespace {

/// A snapshot, everything deleted, and back: the files that git would track are as they were.
void comes_back(const TestFolder& folder, WorkTree& files) {
  const auto wanted = folder.files();
  const std::string tree = good(files.snapshot());
  const Names all = folder.names(files, tree);
  for (const std::string& path : all) folder.remove(path);
  const std::string without = good(files.snapshot());
  CHECK(folder.names(files, without).empty());
  const Applied applied = good(files.apply(without, tree));
  CHECK(applied.left.empty());
  CHECK(applied.done.size() == all.size());
  CHECK(folder.files() == wanted);
  CHECK(good(files.snapshot()) == tree);
}

TEST_CASE("Names of any bytes are kept") {
  const TestFolder folder;
  const Names names = {"new\nline",
                       "quote\"s",
                       "back\\slash",
                       "not-utf8-\xff\xfe",
                       "-dash",
                       "--",
                       ":(glob)*.c",
                       ":!not",
                       "*",
                       "a b",
                       "tab\there",
                       "\xc3\xa9",
                       "e\xcc\x81",
                       ":100644 x",
                       "~tilde",
                       "d/-n/\xff/x",
                       "git~1",
                       "con",
                       ".gitx/config",
                       "x\r",
                       "1\t2\tthree",
                       ".git\xe2\x80\x8c/hook"};
  for (const std::string& name : names) folder.write(name, name + "\n");
  auto files = folder.open();
  const std::string tree = good(files->snapshot());
  CHECK(folder.names(*files, tree).size() == names.size());
  for (const std::string& name : names) CHECK(good(files->file(tree, name)) == name + "\n");
  comes_back(folder, *files);
  // Each is shown and taken back.
  for (const std::string& name : names) CHECK(path_shown_as(shown_path(name)) == name);
  const std::string other = good(files->with_paths(tree, "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
                                                   {"*", ":(glob)*.c", "new\nline"}));
  CHECK(good(files->diff(tree, other)).size() == 3);
}

TEST_CASE("Links, x bits and their changes are kept") {
  const TestFolder folder;
  folder.write("dir/file", "1\n");
  folder.write("run", "#!/bin/sh\n");
  folder.allow_run("run", true);
  folder.link("dangling", "/nowhere/at all");
  folder.link("to-folder", "dir");
  folder.link("dir/up", "../run");
  auto files = folder.open();
  comes_back(folder, *files);
  const std::string one = good(files->snapshot());
  folder.allow_run("run", false);
  folder.remove("dangling");
  folder.write("dangling", "a file now\n");
  folder.remove("to-folder");
  folder.write("to-folder/inside", "a folder now\n");
  const std::string two = good(files->snapshot());
  CHECK(shown(good(files->diff(one, two))) ==
        Names{"M dangling", "M run", "D to-folder", "A to-folder/inside"});
  const auto later = folder.files();
  CHECK(good(files->apply(two, one)).left.empty());
  CHECK(good(files->snapshot()) == one);
  CHECK(good(files->apply(one, two)).left.empty());
  CHECK(folder.files() == later);
}

TEST_CASE("A folder that became a link to where it went is one link") {
  const TestFolder folder;
  folder.write("d/x", "1\n");
  folder.write(".gitignore", "");
  auto files = folder.open();
  good(files->snapshot());
  std::filesystem::rename(folder.file("d"), folder.file("e"));
  folder.link("d", "e");
  SUBCASE("that is kept") {
    CHECK(folder.names(*files, good(files->snapshot())) == Names{".gitignore", "d", "e/x"});
  }
  SUBCASE("that is ignored") {
    folder.write(".gitignore", "/d\n");
    CHECK(folder.names(*files, good(files->snapshot())) == Names{".gitignore", "e/x"});
  }
}

TEST_CASE("What is no file is left out") {
  const TestFolder folder;
  folder.write("file", "1\n");
  folder.write("other", "1\n");
  auto files = folder.open();
  good(files->snapshot());
  folder.remove("other");
  REQUIRE(::mkfifo(folder.file("other").c_str(), 0600) == 0);
  REQUIRE(::mkfifo(folder.file("pipe").c_str(), 0600) == 0);
  CHECK(folder.names(*files, good(files->snapshot())) == Names{"file"});
}

TEST_CASE("Every kind of repository has snapshots") {
  std::optional<TestFolder> folder;
  Names expected = {"a", "sub/b"};
  SUBCASE("an empty one") {
    folder.emplace();
  }
  SUBCASE("one with sha256") {
    folder.emplace("sha256");
    folder->commit();
  }
  SUBCASE("a folder without git") {
    folder.emplace("sha1", false);
  }
  SUBCASE("with a detached HEAD") {
    folder.emplace();
    folder->commit();
    folder->user({"checkout", "-q", "--detach"});
  }
  folder->write("a", "1\n");
  folder->write("sub/b", "2\n");
  auto files = folder->open();
  const std::string one = good(files->snapshot());
  CHECK(folder->names(*files, one) == expected);
  CHECK(good(files->snapshot()) == one);
  comes_back(*folder, *files);

  folder->write("a", "1\nagent\n");
  const std::string two = good(files->snapshot());
  good(files->keep({{"cp/1/b", one}, {"cp/1/a", two}, {"cp/2/b", two}}));
  CHECK(good(files->kept("cp/1/")).size() == 2);
  good(files->keep({{"cp/1/b", ""}}));
  CHECK(good(files->kept("cp/")).size() == 2);
  folder->write("sub/b", "2\nuser\n");
  const RewindPlan plan = good(plan_rewind(*files, one, two, std::nullopt));
  CHECK(shown(plan.changes) == Names{"M a"});
  CHECK(good(files->apply(plan.now, plan.target)).left.empty());
  CHECK(folder->read("a") == "1\n");
  CHECK(folder->read("sub/b") == "2\nuser\n");
}

TEST_CASE("Other repositories inside are none of our files") {
  const TestFolder folder;
  const TestFolder other;
  other.write("lib", "1\n");
  other.commit();
  ::setenv("HOME", folder.home().c_str(), 1);
  folder.write("own", "1\n");
  folder.user(
      {"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.root(), "module"});
  folder.commit();
  folder.user({"init", "-q", "empty-clone"});
  folder.write("empty-clone/file", "1\n");
  folder.user({"clone", "-q", other.root(), "clone"});
  auto files = folder.open();
  const std::string tree = good(files->snapshot());
  CHECK(folder.names(*files, tree) == Names{".gitmodules", "own"});
  // The commit has the submodule, and the snapshot has not: no difference of files.
  CHECK(good(files->diff(good(files->tree_of("HEAD")), tree)).empty());
}

TEST_CASE("Files that a sparse checkout leaves out are not on disk, and that is all") {
  const TestFolder folder;
  folder.write("in/a", "1\n");
  folder.write("out/b", "1\n");
  folder.commit();
  folder.user({"sparse-checkout", "set", "in"});
  REQUIRE_FALSE(folder.has("out"));
  auto files = folder.open();
  CHECK(folder.names(*files, good(files->snapshot())) == Names{"in/a"});
}

TEST_CASE("A worktree has snapshots of its own, kept in the repository") {
  const TestFolder folder;
  folder.write("a", "1\n");
  folder.commit();
  const std::string place = folder.home() + "/worktree";
  folder.user({"worktree", "add", "-q", "-b", "side", place});
  std::ofstream(place + "/b") << "2\n";
  auto files = good(WorkTree::open(folder.git(), place, folder.temp().path() + "/keep2"));
  CHECK(files->root() == place);
  const std::string tree = good(files->snapshot());
  CHECK(folder.names(*files, tree) == Names{"a", "b"});
  good(files->keep({{"cp/x", tree}}));
  CHECK(good(folder.open()->kept("cp/")).size() == 1);
}

TEST_CASE("A folder inside of a repository stands for the whole of it") {
  const TestFolder folder;
  folder.write("a", "1\n");
  folder.write("sub/b", "1\n");
  auto files = good(WorkTree::open(folder.git(), folder.file("sub"), folder.keep_dir()));
  CHECK(files->root() == folder.root());
  CHECK(folder.names(*files, good(files->snapshot())) == Names{"a", "sub/b"});
}

TEST_CASE("A folder that becomes a repository takes along what was kept of it") {
  const TestFolder folder("sha1", false);
  folder.write("a", "1\n");
  const std::string one = good(folder.open()->snapshot());
  good(folder.open()->keep({{"cp/1", one}}));
  folder.user({"init", "-q"});
  auto files = folder.open();
  const std::string two = good(files->snapshot());
  CHECK(one == two);
  folder.write("a", "2\n");
  CHECK(shown(good(files->diff(one, good(files->snapshot())))) == Names{"M a"});
  CHECK(good(files->file(one, "a")) == "1\n");
  CHECK(good(files->kept("cp/")) == std::vector<OwnRef>{{"cp/1", one}});
  CHECK(folder.user({"fsck"}).empty());
}

TEST_CASE("Where git does not trust x bits, they are not compared") {
  const TestFolder folder;
  folder.user({"config", "core.fileMode", "false"});
  folder.write("a", "1\n");
  folder.write("run", "1\n");
  folder.allow_run("run", true);
  folder.user({"add", "-A"});
  folder.user({"update-index", "--chmod=+x", "run"});
  folder.user({"commit", "-q", "-m", "x"});
  folder.allow_run("a", true);
  folder.allow_run("run", false);
  auto files = folder.open();
  const std::string tree = good(files->snapshot());
  CHECK(good(files->diff(good(files->tree_of("HEAD")), tree)).empty());
}

TEST_CASE("The home of the user, what is above it, and / are refused") {
  const TestFolder folder;
  for (const std::string& place : {std::string("/"), folder.home(), folder.temp().path()}) {
    INFO(place);
    CHECK_FALSE(WorkTree::open(folder.git(), place, "/tmp/lb-never-made"));
  }
  // By another name, and as the top of a repository.
  std::filesystem::create_directory_symlink(folder.home(), folder.temp().path() + "/alias");
  CHECK_FALSE(WorkTree::open(folder.git(), folder.temp().path() + "/alias", "/tmp/lb-never-made"));
  folder.user({"init", "-q", folder.home()});
  std::filesystem::create_directories(folder.home() + "/documents");
  CHECK_FALSE(WorkTree::open(folder.git(), folder.home() + "/documents", "/tmp/lb-never-made"));
  CHECK_FALSE(std::filesystem::exists("/tmp/lb-never-made"));
  CHECK_FALSE(WorkTree::open(folder.git(), folder.root(), folder.file("keep")));
}

}  // namespace
}  // namespace lb::git
