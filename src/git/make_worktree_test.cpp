#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/git_project.h"

namespace lb::git {
namespace {

namespace fs = std::filesystem;

TEST_CASE("A new worktree has its branch, its files and a clean status") {
  for (const char* format : {"sha1", "sha256"}) {
    const TestProject project(format);
    project.link("link", "a");
    project.write("run", "#!/bin/sh\n");
    project.allow_run("run", true);
    project.commit();
    const std::string head = project.main().head;
    CHECK(project.make().notes.empty());
    CHECK(TestFolder::all_below(project.path()) == project.files());
    CHECK(project.status(project.path()).empty());
    CHECK(project.in(project.path(), {"symbolic-ref", "HEAD"}) == "refs/heads/try/w\n");
    CHECK(project.in(project.path(), {"rev-parse", "HEAD"}) == head + "\n");
    CHECK(project.in(project.root(), {"fsck", "--strict"}).empty());
    CHECK(!project.in(project.root(), {"config", "--local", "--list"}).contains("branch."));
    const auto listed = good(list_worktrees(project.git(), project.main()));
    REQUIRE(listed.size() == 2);
    CHECK(listed[0].main);
    CHECK(listed[0].path == project.root());
    CHECK(listed[1].path == project.path());
    CHECK(listed[1].branch == "try/w");
    CHECK(listed[1].head == head);
    CHECK_FALSE(listed[1].missing);
    CHECK_FALSE(listed[1].locked);
    CHECK(project.in(project.root(), {"worktree", "prune", "-v"}).empty());
    // Nothing beside it is left of the building.
    for (const auto& entry : fs::directory_iterator(project.home() + "/worktrees")) {
      CHECK(entry.path() == project.path());
    }
  }
}

TEST_CASE("The base of a worktree is what it was made from") {
  const TestProject project;
  const std::string first = project.main().head;
  project.write("a", "later\n");
  project.commit("second");
  NewWorktree wanted = project.wanted();
  wanted.base_oid = first;
  good(make_worktree(project.git(), project.main(), wanted, {}));
  CHECK(bytes_of(project.path() + "/a") == "1\n");
  project.put(project.path() + "/c", "3\n");
  project.in(project.path(), {"add", "-A"});
  project.in(project.path(), {"commit", "-q", "-m", "mine"});
  auto files = project.worktree();
  const Standing standing = good(standing_of(project.git(), *files, "main", true));
  CHECK(standing.ahead == 1);
  CHECK(standing.behind == 1);
  CHECK(standing.branch == "try/w");
  CHECK(standing.bytes > 0);
  CHECK(good(standing_of(project.git(), *files, first, false)).behind == 0);
}

TEST_CASE("Nothing that the repository's configuration names runs when a worktree is made") {
  const TestProject project;
  const std::string ran = project.temp().path() + "/ran";
  const std::string evil = project.temp().path() + "/evil";
  std::ofstream(evil) << "#!/bin/sh\necho $0 $@ >> " << ran << "\ncat\n";
  ::chmod(evil.c_str(), 0755);
  project.write(".gitattributes", "a filter=evil\nsub/b merge=evil diff=evil\n");
  project.write("a", "uncommitted\n");
  project.user({"add", "-A"});
  project.user({"commit", "-q", "-m", "x"});
  for (const char* hook : {"post-checkout", "reference-transaction", "post-index-change"}) {
    fs::create_directories(project.root() + "/.git/hooks");
    fs::copy_file(evil, project.root() + "/.git/hooks/" + hook);
  }
  for (const char* key :
       {"filter.evil.clean", "filter.evil.smudge", "core.fsmonitor", "merge.evil.driver",
        "diff.evil.command", "diff.evil.textconv", "diff.external", "core.sshCommand", "core.pager",
        "core.editor", "submodule.x.update", "core.gitProxy", "credential.helper"}) {
    good(project.git().out(
        {.args = {"config", key, std::string(key).starts_with("submodule") ? "!" + evil : evil},
         .cwd = project.root()}));
  }
  good(project.git().out(
      {.args = {"config", "filter.evil.required", "true"}, .cwd = project.root()}));
  project.write("a", "changed\n");
  fs::remove(ran);
  project.make("w", true);
  CHECK(bytes_of(project.path() + "/a") == "changed\n");
  auto files = project.worktree();
  CHECK(good(standing_of(project.git(), *files, "main", true)).dirty);
  const Inventoried found = good(inventory_of(project.git(), *files, "main"));
  good(remove_worktree(project.git(), project.main(), *files, "id", "main", found.hash));
  good(restore_worktree(project.git(), project.main(), project.path(), "try/w", "id",
                        project.wanted().keep_dir));
  CHECK(bytes_of(project.path() + "/a") == "changed\n");
  INFO(bytes_of(ran));
  CHECK(!fs::exists(ran));
}

TEST_CASE("A missing LFS does not abort") {
  const TestProject project;
  project.write("big.bin", "version https://git-lfs.github.com/spec/v1\n");
  project.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  project.commit();
  project.user({"config", "--global", "filter.lfs.clean", "git-lfs-is-not-here clean"});
  project.user({"config", "--global", "filter.lfs.smudge", "git-lfs-is-not-here smudge"});
  SUBCASE("that is run for each file") {}
  SUBCASE("that stays and talks") {
    project.user({"config", "--global", "filter.lfs.process", "git-lfs-is-not-here process"});
  }
  project.user({"config", "--global", "filter.lfs.required", "true"});
  const MadeWorktree made = project.make();
  REQUIRE(made.notes.size() == 1);
  CHECK(made.notes[0].contains("lfs"));
  CHECK(bytes_of(project.path() + "/big.bin") == "version https://git-lfs.github.com/spec/v1\n");
  CHECK(bytes_of(project.path() + "/a") == "1\n");
  auto files = project.worktree();
  CHECK_FALSE(good(standing_of(project.git(), *files, "main", false)).dirty);
}

TEST_CASE("The user's own filters work in a new worktree, and it is clean") {
  const TestProject project;
  project.user({"config", "--global", "filter.up.clean", "tr A-Z a-z"});
  project.user({"config", "--global", "filter.up.smudge", "tr a-z A-Z"});
  project.user({"config", "--global", "filter.up.required", "true"});
  project.user({"config", "core.autocrlf", "true"});
  project.write(".gitattributes", "*.up filter=up\n");
  project.write("x.up", "LOUD\r\n");
  project.write("lines", "1\r\n2\r\n");
  project.write(".git/info/attributes", "*.bin -text\n");
  project.write("x.bin", "1\r\n");
  project.commit();
  project.make();
  CHECK(bytes_of(project.path() + "/x.up") == "LOUD\r\n");
  CHECK(bytes_of(project.path() + "/lines") == "1\r\n2\r\n");
  CHECK(bytes_of(project.path() + "/x.bin") == "1\r\n");
  CHECK(project.status(project.path()).empty());
  auto files = project.worktree();
  CHECK_FALSE(good(standing_of(project.git(), *files, "main", false)).dirty);
  // Also when no time stamp says so.
  for (const char* name : {"x.up", "lines", "x.bin"}) {
    fs::last_write_time(project.path() + "/" + name, fs::file_time_type::clock::now());
  }
  CHECK_FALSE(good(standing_of(project.git(), *files, "main", false)).dirty);
  const Inventoried found = good(inventory_of(project.git(), *files, "main"));
  CHECK(found.inventory.tracked == 0);
  CHECK(found.inventory.untracked == 0);
}

TEST_CASE("Carried changes are exactly the uncommitted bytes, and the project stays as it was") {
  const TestProject project;
  project.write("gone", "x\n");
  project.write("was-folder/x", "x\n");
  project.write("was-file", "x\n");
  project.write("crlf.txt", "1\n2\n");
  project.link("was-link", "sub");
  project.commit();
  project.write("a", "edited\r\n");
  project.write("staged", "new and staged\n");
  project.user({"add", "staged"});
  project.write("staged", "and edited\n");
  project.remove("gone");
  project.remove("was-folder");
  project.write("was-folder", "now a file\n");
  project.remove("was-file");
  project.write("was-file/inside", "now a folder\n");
  project.remove("was-link");
  project.write("was-link/b", "no link any more\n");
  project.write("un tracked/\xff\n", "odd\n");
  project.link("dangling", "/nowhere");
  project.write("tool", "run\n");
  project.allow_run("tool", true);
  project.write("skipped.log", "ignored\n");
  const auto before = TestFolder::all_below(project.root(), true);
  project.make("w", true);
  auto expected = project.files();
  expected.erase("skipped.log");
  CHECK(TestFolder::all_below(project.path()) == expected);
  auto after = TestFolder::all_below(project.root(), true);
  std::erase_if(after, [](const auto& file) {
    return file.first.starts_with(".git/worktrees/") || file.first.contains("try/w") ||
           file.first.starts_with(".git/objects/");
  });
  for (const auto& [path, bytes] : after) CHECK_MESSAGE(before.at(path) == bytes, path);
  // Only to the commit that is checked out.
  const std::string old = project.main().head;
  project.commit();
  NewWorktree wanted = project.wanted("v");
  wanted.carry = true;
  wanted.base_oid = old;
  const auto refused = make_worktree(project.git(), project.main(), wanted, {});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == ErrorCode::InvalidRequest);
}

TEST_CASE(".worktreeinclude brings ignored files that it names, and no others") {
  const TestProject project;
  project.write(".worktreeinclude", ".env\nbuild/keep/\n*.txt\nout-link\n");
  project.write("plain.txt", "tracked\n");
  project.write(".gitignore", "*.log\nbuild/\n.env\nout-link\n");
  project.commit();
  project.write(".env", "SECRET=1\n");
  ::chmod(project.file(".env").c_str(), 0600);
  project.write("sub/.env", "SECRET=2\n");
  project.write("build/keep/x/y", "y\n");
  project.write("build/other", "no\n");
  project.write("untracked.txt", "not ignored\n");
  project.write("x.log", "not named\n");
  project.link("out-link", "/etc");
  project.link("build/keep/up", "..");
  std::vector<std::string> said;
  good(make_worktree(project.git(), project.main(), project.wanted(),
                     [&](const std::string& text) { said.push_back(text); }));
  const auto made = TestFolder::all_below(project.path());
  CHECK(made.at(".env") == "file SECRET=1\n");
  CHECK(made.at("sub/.env") == "file SECRET=2\n");
  CHECK(made.at("build/keep/x/y") == "file y\n");
  CHECK(made.at("build/keep/up") == "link ..");
  CHECK(made.at("out-link") == "link /etc");
  for (const char* name : {"build/other", "untracked.txt", "x.log"}) CHECK(!made.contains(name));
  struct stat file = {};
  REQUIRE(::stat((project.path() + "/.env").c_str(), &file) == 0);
  CHECK((file.st_mode & 0777U) == 0600);
  CHECK(said.back() == "Copying 5 files of .worktreeinclude");
}

TEST_CASE(".worktreeinclude that names too much copies nothing and says so") {
  const TestProject project;
  project.write(".worktreeinclude", "build/\n");
  fs::create_directories(project.file("build"));
  const std::string huge = project.file("build/huge");
  std::ofstream(huge) << "x";
  REQUIRE(::truncate(huge.c_str(), static_cast<off_t>(limits::kIncludeBytesMax + 1)) == 0);
  const MadeWorktree made = project.make();
  REQUIRE(made.notes.size() == 1);
  CHECK(made.notes[0].contains("none was"));
  CHECK(!fs::exists(project.path() + "/build"));
}

TEST_CASE("A project in a folder of its repository has its own .worktreeinclude and setup") {
  const TestProject project;
  project.write(".worktreesetup", "echo top\n");
  project.write("sub/.worktreesetup", "echo sub\n");
  project.write("sub/.worktreeinclude", ".env\n");
  project.commit();
  project.write(".env", "not asked for\n");
  project.write("sub/.env", "asked for\n");
  const Repository main = *good(find_repository(project.git(), project.file("sub")));
  good(make_worktree(project.git(), main, project.wanted(), {}));
  CHECK(bytes_of(project.path() + "/sub/.env") == "asked for\n");
  CHECK(!fs::exists(project.path() + "/.env"));
  CHECK(good(setup_of(project.git(), main, main.head))->text == "echo sub\n");
  CHECK(good(setup_of(project.git(), project.main(), main.head))->text == "echo top\n");
  CHECK_FALSE(good(setup_of(project.git(), project.main(), main.head + "~")));
}

TEST_CASE("A setup script that nobody can read is refused") {
  const TestProject project;
  project.write(".worktreesetup", std::string(limits::kSetupBytesMax + 1, 'x'));
  project.commit();
  const auto setup = setup_of(project.git(), project.main(), "HEAD");
  REQUIRE_FALSE(setup);
  CHECK(setup.error().code == ErrorCode::TooLarge);
  project.remove(".worktreesetup");
  project.link(".worktreesetup", "a");
  project.commit();
  CHECK_FALSE(good(setup_of(project.git(), project.main(), "HEAD")));
}

TEST_CASE("What cannot be made is refused with the reason, and leaves nothing") {
  const TestProject project;
  NewWorktree wanted = project.wanted();
  const auto refused = [&] {
    const auto made = make_worktree(project.git(), project.main(), wanted, {});
    REQUIRE_FALSE(made);
    return made.error().message;
  };
  SUBCASE("a taken branch") {
    wanted.branch = "main";
    CHECK(refused().contains("There is a branch main already"));
  }
  SUBCASE("a branch below one") {
    wanted.branch = "main/x";
    CHECK(refused().contains("main/x cannot be made"));
  }
  SUBCASE("no name for a branch") {
    wanted.branch = "a..b";
    CHECK(refused().contains("no name for a branch"));
  }
  SUBCASE("a taken path") {
    project.put(project.path() + "/x", "mine");
    CHECK(refused().contains("not an empty folder"));
    CHECK(bytes_of(project.path() + "/x") == "mine");
    fs::remove_all(project.path());
  }
  SUBCASE("a link to nowhere at its path") {
    fs::create_directories(project.home() + "/worktrees");
    fs::create_symlink("/nowhere", project.path());
    CHECK(refused().contains("not an empty folder"));
    fs::remove(project.path());
  }
  SUBCASE("no such commit") {
    wanted.base_oid = std::string(40, '1');
    CHECK(!refused().empty());
  }
  SUBCASE("a place that cannot be written") {
    project.put(project.home() + "/worktrees", "a file");
    CHECK(refused().contains("cannot make the folder"));
    fs::remove(project.home() + "/worktrees");
  }
  SUBCASE("a damaged repository") {
    const std::string blob = project.in(project.root(), {"rev-parse", "HEAD:sub/b"});
    fs::remove(project.root() + "/.git/objects/" + blob.substr(0, 2) + "/" + blob.substr(2, 38));
    const std::string message = refused();
    CHECK(message.contains(blob.substr(0, 40)));
    CHECK(message.contains("partial clone"));
  }
  project.check_nothing_of("w");
  CHECK(project.in(project.root(), {"status", "--porcelain"}).empty());
}

TEST_CASE("A repository without a commit says what to do") {
  const TestFolder folder;
  const Repository main = *good(find_repository(folder.git(), folder.root()));
  const auto made = make_worktree(folder.git(), main,
                                  {.path = folder.home() + "/w",
                                   .branch = "b",
                                   .base_oid = std::string(40, '0'),
                                   .keep_dir = folder.keep_dir(),
                                   .main_keep_dir = folder.keep_dir()},
                                  {});
  REQUIRE_FALSE(made);
  CHECK(made.error().message.contains("Make a first commit"));
}

TEST_CASE("Worktrees are made from a detached HEAD, a linked folder and in an empty one") {
  const TestProject project;
  project.user({"checkout", "-q", "--detach"});
  const std::string link = project.home() + "/link";
  fs::create_symlink(project.root(), link);
  fs::create_directories(project.path());
  const Repository main = *good(find_repository(project.git(), link));
  CHECK(main.root == project.root());
  good(make_worktree(project.git(), main, project.wanted(), {}));
  CHECK(project.status(project.path()).empty());
  // Its place behind a link.
  fs::create_symlink(project.home() + "/worktrees", project.home() + "/elsewhere");
  NewWorktree wanted = project.wanted("v");
  wanted.path = project.home() + "/elsewhere/v";
  good(make_worktree(project.git(), project.main(), wanted, {}));
  CHECK(project.status(project.path("v")).empty());
  CHECK(good(list_worktrees(project.git(), main)).size() == 3);
}

TEST_CASE("Forgetting what was half made removes nothing that is not ours") {
  const TestProject project;
  const NewWorktree wanted = project.wanted();
  SUBCASE("nothing was made") {
    good(forget_half_made(project.git(), project.main(), wanted));
    project.check_nothing_of("w");
  }
  SUBCASE("it was whole, and nobody was told") {
    project.write("a", "carried\n");
    project.write("new", "carried\n");
    project.make("w", true);
    good(forget_half_made(project.git(), project.main(), wanted));
    project.check_nothing_of("w");
  }
  SUBCASE("somebody's branch of the same name stays") {
    project.user({"branch", wanted.branch});
    good(forget_half_made(project.git(), project.main(), wanted));
    CHECK(!project.in(project.root(), {"branch", "--list", wanted.branch}).empty());
  }
  SUBCASE("somebody worked in it") {
    project.make();
    project.put(project.path() + "/work", "mine\n");
    const auto refused = forget_half_made(project.git(), project.main(), wanted);
    REQUIRE_FALSE(refused);
    CHECK(bytes_of(project.path() + "/work") == "mine\n");
    CHECK(project.in(project.path(), {"status", "--porcelain"}) == "?? work\n");
  }
  SUBCASE("somebody committed in it") {
    project.make();
    project.in(project.path(), {"commit", "-q", "--allow-empty", "-m", "mine"});
    CHECK_FALSE(forget_half_made(project.git(), project.main(), wanted));
    CHECK(fs::exists(project.path() + "/a"));
  }
  SUBCASE("somebody's folder is there") {
    project.put(project.path() + "/x", "mine\n");
    good(forget_half_made(project.git(), project.main(), wanted));
    CHECK(bytes_of(project.path() + "/x") == "mine\n");
  }
}

}  // namespace
}  // namespace lb::git
