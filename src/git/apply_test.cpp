// Files are brought back one by one, and never over somebody else's work.
#include <fcntl.h>
#include <stdio.h>

#include <atomic>
#include <random>
#include <thread>

#include "tests/support/git_folder.h"

namespace lb::git {
namespace {

TEST_CASE("A file that somebody changed meanwhile is left, and all others are brought back") {
  const TestFolder folder;
  for (const char* name : {"a", "b", "c", "gone", "sub/d", "mode", "kind"}) {
    folder.write(name, std::string(name) + "\n");
  }
  auto files = folder.open();
  const std::string one = good(files->snapshot());
  for (const char* name : {"a", "b", "c", "sub/d", "mode", "kind"}) folder.write(name, "agent\n");
  folder.remove("gone");
  folder.write("new/x", "agent\n");
  folder.write("new/y", "agent\n");
  const std::string two = good(files->snapshot());
  folder.write("b", "user\n");
  folder.write("new/y", "user\n");
  folder.remove("sub");
  folder.allow_run("mode", true);
  folder.remove("kind");
  folder.link("kind", "a");
  folder.write("gone", "user\n");
  CHECK(good(files->in_the_way(two, one)) == Names{"b", "gone", "kind", "mode", "new/y", "sub/d"});
  const Applied applied = good(files->apply(two, one));
  CHECK(applied.left == Names{"b", "gone", "kind", "mode", "new/y", "sub/d"});
  CHECK(shown(applied.done) == Names{"M a", "M c", "D new/x"});
  CHECK(folder.read("a") == "a\n");
  CHECK(folder.read("b") == "user\n");
  CHECK(folder.read("new/y") == "user\n");
  CHECK(folder.read("gone") == "user\n");
  CHECK_FALSE(folder.has("sub"));
  CHECK_FALSE(folder.has("new/x"));
}

TEST_CASE("Done twice is done once") {
  const TestFolder folder;
  folder.write("a", "1\n");
  folder.write("b", "1\n");
  auto files = folder.open();
  const std::string one = good(files->snapshot());
  folder.write("a", "2\n");
  folder.remove("b");
  folder.write("c", "2\n");
  const std::string two = good(files->snapshot());
  CHECK(good(files->apply(two, one)).done.size() == 3);
  // As after a kill in the middle.
  folder.write("a", "2\n");
  CHECK(good(files->apply(two, one)).done.size() == 3);
  CHECK(good(files->snapshot()) == one);
}

TEST_CASE("A folder and a file take each other's place") {
  const TestFolder folder;
  folder.write("x", "file\n");
  folder.write("y/deep/z", "1\n");
  folder.write("y/w", "2\n");
  auto files = folder.open();
  const std::string one = good(files->snapshot());
  folder.remove("x");
  folder.write("x/inside/it", "1\n");
  folder.remove("y");
  folder.write("y", "file\n");
  const std::string two = good(files->snapshot());
  CHECK(good(files->apply(two, one)).left.empty());
  CHECK(good(files->snapshot()) == one);
  SUBCASE("and back") {
    CHECK(good(files->apply(one, two)).left.empty());
    CHECK(good(files->snapshot()) == two);
  }
  SUBCASE("unless something is in it that is in no snapshot") {
    std::filesystem::create_directory(folder.file(".git/info"));
    folder.write(".git/info/exclude", "*.o\n");
    folder.write("y/deep/cache.o", "kept\n");
    CHECK(good(files->apply(one, two)).left == Names{"y"});
    CHECK(folder.read("y/deep/cache.o") == "kept\n");
  }
}

TEST_CASE("Permissions stay, and only the x bit follows") {
  const TestFolder folder;
  folder.write("private", "1\n");
  folder.write("shared", "1\n");
  ::chmod(folder.file("private").c_str(), 0600);
  ::chmod(folder.file("shared").c_str(), 0664);
  auto files = folder.open();
  const std::string one = good(files->snapshot());
  folder.write("private", "2\n");
  folder.write("shared", "2\n");
  ::chmod(folder.file("private").c_str(), 0700);
  const std::string two = good(files->snapshot());
  CHECK(good(files->apply(two, one)).left.empty());
  const auto mode = [&](const std::string& path) {
    struct stat found = {};
    REQUIRE(::stat(folder.file(path).c_str(), &found) == 0);
    return found.st_mode & 0777U;
  };
  CHECK(mode("private") == 0600);
  CHECK(mode("shared") == 0664);
  CHECK(good(files->apply(one, two)).left.empty());
  CHECK(mode("private") == 0700);
}

TEST_CASE("What names places outside, or git's own folder, is never written") {
  const TestFolder folder;
  folder.write("a", "1\n");
  auto files = folder.open();
  const std::string now = good(files->snapshot());
  // A tree that no git would make from files: each with one entry "evil".
  const std::string blob =
      good(folder.git().line({.args = {"hash-object", "-w", "a"}, .cwd = folder.root()}));
  for (const std::string& name : {"..", ".git", ".GIT", "."}) {
    INFO(name);
    const std::string raw_blob = [&] {
      std::string raw;
      for (std::size_t at = 0; at < blob.size(); at += 2) {
        raw += static_cast<char>(std::stoi(blob.substr(at, 2), nullptr, 16));
      }
      return raw;
    }();
    const auto put = [&](const std::string& bytes) {
      std::string id = good(
          folder.git().line({.args = {"hash-object", "-t", "tree", "-w", "--stdin", "--literally"},
                             .cwd = folder.root(),
                             .input = bytes}));
      return id;
    };
    const std::string inner = put("100644 evil" + std::string(1, '\0') + raw_blob);
    std::string raw_inner;
    for (std::size_t at = 0; at < inner.size(); at += 2) {
      raw_inner += static_cast<char>(std::stoi(inner.substr(at, 2), nullptr, 16));
    }
    const std::string tree = put("40000 " + name + std::string(1, '\0') + raw_inner);
    const auto applied = files->apply(now, tree);
    CHECK_FALSE(std::filesystem::exists(folder.home() + "/evil"));
    CHECK_FALSE(folder.has(".git/evil"));
    CHECK_FALSE(folder.has("evil"));
    if (applied) CHECK(applied->left == Names{name + "/evil"});
    folder.write("a", "1\n");
  }
}

TEST_CASE("A folder that is swapped for a link never leads outside") {
  const TestFolder folder;
  folder.write("d/a", "1\n");
  folder.write("d/b", "1\n");
  folder.write("e/new", "x");
  folder.remove("e");
  auto files = folder.open();
  const std::string one = good(files->snapshot());
  folder.write("d/a", "2\n");
  folder.remove("d/b");
  folder.write("e/new", "2\n");
  const std::string two = good(files->snapshot());
  const std::string outside = folder.home() + "/outside";
  std::filesystem::create_directories(outside);
  std::ofstream(outside + "/a") << "2\n";
  std::ofstream(outside + "/new") << "2\n";
  const auto untouched = TestFolder::all_below(outside);

  SUBCASE("before") {
    std::filesystem::rename(folder.file("d"), folder.file("was"));
    std::filesystem::rename(folder.file("e"), folder.file("was-too"));
    folder.link("d", outside);
    folder.link("e", outside);
    CHECK(good(files->apply(two, one)).left == Names{"d/a", "d/b"});
  }
  SUBCASE("while it goes on") {
    folder.link("link", outside);
    std::atomic<bool> over = false;
    std::thread swapping([&] {
      const std::string folder_name = folder.file("d");
      const std::string link_name = folder.file("link");
      while (!over) {
        ::renameat2(AT_FDCWD, folder_name.c_str(), AT_FDCWD, link_name.c_str(), RENAME_EXCHANGE);
      }
    });
    for (int i = 0; i < 15; ++i) {
      CHECK(files->apply(two, one));
      CHECK(files->apply(one, two));
      CHECK(TestFolder::all_below(outside) == untouched);
    }
    over = true;
    swapping.join();
  }
  CHECK(TestFolder::all_below(outside) == untouched);
}

TEST_CASE("What an editor saves in the very moment is never lost") {
  const TestFolder folder;
  folder.write("a", "from\n");
  auto files = folder.open();
  const std::string one = good(files->snapshot());
  std::string two;
  SUBCASE("to a file that is written") {
    folder.write("a", "to\n");
    two = good(files->snapshot());
  }
  SUBCASE("to a file that is removed") {
    folder.remove("a");
    two = good(files->snapshot());
  }
  std::mt19937 random(1);
  int left = 0;
  for (int i = 0; i < 40; ++i) {
    folder.write("a", "from\n");
    const std::string saved = "user " + std::to_string(i) + "\n";
    std::ofstream(folder.home() + "/saved") << saved;
    std::thread editor([&, wait = std::chrono::microseconds(random() % 25'000)] {
      std::this_thread::sleep_for(wait);
      std::filesystem::rename(folder.home() + "/saved", folder.file("a"));
    });
    left += static_cast<int>(good(files->apply(one, two)).left.size());
    editor.join();
    CHECK(folder.read("a") == saved);
    CHECK(folder.files().size() == 1);
  }
  MESSAGE("left " << left << " of 40");
}

}  // namespace
}  // namespace lb::git
