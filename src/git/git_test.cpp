#include "git/git.h"

#include <atomic>
#include <fstream>
#include <thread>

#include "tests/support/git_folder.h"

namespace lb::git {
namespace {

using namespace std::chrono_literals;

/// A program that is run in git's place.
Git git_that(const TestFolder& folder, const std::string& script) {
  const std::string program = folder.home() + "/git";
  std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
  ::chmod(program.c_str(), 0755);
  return Git(program);
}

TEST_CASE("What git says and how it ends are told apart") {
  const TestFolder folder;
  const Git git = git_that(folder, "echo out; echo 'fatal: words' >&2; exit 3");
  const Said said = good(git.run({.args = {"x"}, .cwd = folder.root()}));
  CHECK(said.code == 3);
  CHECK(said.out == "out\n");
  CHECK(last_words(said) == "words");
  const auto refused = git.out({.args = {"x"}, .cwd = folder.root()});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "words");
  CHECK_FALSE(Git("").run({.args = {"x"}, .cwd = folder.root()}));
}

TEST_CASE("A git that takes too long is ended with what it started") {
  const TestFolder folder;
  const Git git = git_that(folder, "sleep 1000 & echo $! > " + folder.file("pid") + "; wait");
  const auto late = git.run({.args = {"x"}, .cwd = folder.root(), .limit = 300ms});
  REQUIRE_FALSE(late);
  CHECK(late.error().code == ErrorCode::Timeout);
  // Ended, or about to be: nobody of ours waits for it.
  const std::string status = "/proc/" + split_lines(folder.read("pid")).front() + "/stat";
  for (int i = 0; i < 100 && std::filesystem::exists(status) && !bytes_of(status).contains(" Z ");
       ++i) {
    std::this_thread::sleep_for(20ms);
  }
  CHECK((!std::filesystem::exists(status) || bytes_of(status).contains(" Z ")));
}

TEST_CASE("A git that says too much is ended") {
  const TestFolder folder;
  const Git git = git_that(folder, "exec cat /dev/zero");
  const auto much = git.run({.args = {"x"}, .cwd = folder.root(), .output_max = 1U << 20U});
  REQUIRE_FALSE(much);
  CHECK(much.error().code == ErrorCode::TooLarge);
}

TEST_CASE("A git that does not read its input to the end does no harm") {
  const TestFolder folder;
  const Git git = git_that(folder, "head -c 3; exit 1");
  const Said said =
      good(git.run({.args = {"x"}, .cwd = folder.root(), .input = std::string(1U << 20U, 'x')}));
  CHECK(said.code == 1);
  CHECK(said.out == "xxx");
}

TEST_CASE("Paths of any bytes are shown and taken back") {
  for (const std::string& path :
       {std::string("plain/\xc3\xa9"), std::string("a\\b"), std::string("\xff\\x41"),
        std::string("\\"), std::string("\xc3")}) {
    CHECK(path_shown_as(shown_path(path)) == path);
  }
  CHECK(shown_path("\xff") == "\\xff");
  // What nobody shows is taken as it is, and never as a NUL.
  CHECK(path_shown_as("\\xzz") == "xzz");
  CHECK(path_shown_as("\\x00") == "x00");
}

TEST_CASE("A repository is found, and what is none") {
  const TestFolder folder;
  folder.write("sub/a", "1\n");
  Repository empty = good(find_repository(folder.git(), folder.root())).value();
  CHECK(empty.branch == "main");
  CHECK(empty.head.empty());
  folder.commit();
  const Repository found = good(find_repository(folder.git(), folder.file("sub"))).value();
  CHECK(found.root == folder.root());
  CHECK(found.prefix == "sub");
  CHECK(found.head.size() == 40);
  CHECK(found.common_dir == folder.file(".git"));
  CHECK_FALSE(good(find_repository(folder.git(), folder.home())));
  CHECK_FALSE(find_repository(folder.git(), folder.file(".git")));
  // A worktree whose record is gone is no folder without git.
  const std::string place = folder.home() + "/side";
  folder.user({"worktree", "add", "-q", place});
  CHECK(good(find_repository(folder.git(), place)).value().common_dir == found.common_dir);
  std::filesystem::remove_all(folder.file(".git/worktrees"));
  CHECK_FALSE(find_repository(folder.git(), place));
}

TEST_CASE("A submodule is a repository of its own") {
  const TestFolder other;
  other.write("lib", "1\n");
  other.commit();
  const TestFolder folder;
  folder.user(
      {"-c", "protocol.file.allow=always", "submodule", "--quiet", "add", other.root(), "module"});
  const Repository found = good(find_repository(folder.git(), folder.file("module"))).value();
  CHECK(found.root == folder.file("module"));
  CHECK(found.git_dir == folder.file(".git/modules/module"));
}

TEST_CASE("Refs of ours change together or not at all") {
  const TestFolder folder;
  folder.commit();
  const std::string git_dir = folder.file(".git");
  const std::string head = good(find_repository(folder.git(), folder.root())).value().head;
  good(set_refs(folder.git(), git_dir, {{"a/1", head}, {"a/2", head}, {"b", head}}));
  CHECK_FALSE(set_refs(folder.git(), git_dir, {{"a/1", ""}, {"a/3", std::string(40, '1')}}));
  CHECK(good(refs_below(folder.git(), git_dir, "a/")) ==
        std::vector<OwnRef>{{"a/1", head}, {"a/2", head}});
  // Removing what is not there is no error.
  good(set_refs(folder.git(), git_dir, {{"a/1", ""}, {"never", ""}}));
  CHECK(good(refs_below(folder.git(), git_dir, "")).size() == 2);
  CHECK(folder.user({"log", "--oneline", "--branches", "--tags"}).size() < 20);
}

TEST_CASE("One at a time holds a repository, and others are not kept waiting") {
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        const RepositoryLock lock("one");
        most = std::max(most.load(), ++inside);
        --inside;
      }
    });
  }
  {
    const RepositoryLock other("another");
    const RepositoryLock third("third");
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(most == 1);
}

}  // namespace
}  // namespace lb::git
