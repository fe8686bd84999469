#include "session/project_files.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/support/temp_dir.h"

namespace lb {
namespace {

using namespace test;
namespace fs = std::filesystem;

TEST_CASE("the files of a folder without git: its own, not hidden ones and not through links") {
  const TempDir dir;
  const fs::path root = fs::path(dir.path()) / "project";
  fs::create_directories(root / "src" / "deep");
  fs::create_directories(root / ".hidden");
  fs::create_directories(root / "node_modules");
  fs::create_directories(fs::path(dir.path()) / "outside");
  for (const char* const name : {"a.txt", "src/b.txt", "src/deep/c.txt", ".hidden/d.txt",
                                 "node_modules/e.txt", "../outside/f.txt"}) {
    std::ofstream(root / name) << "x";
  }
  fs::create_directory_symlink("../outside", root / "way-out");
  fs::create_directory_symlink("..", root / "src" / "loop");
  fs::create_symlink("../outside/f.txt", root / "named");
  REQUIRE(::mkfifo((root / "pipe").c_str(), 0600) == 0);
  ProjectFiles files;
  std::vector<std::string> found = files.find(root.string(), "", 100);
  std::ranges::sort(found);
  CHECK(found == std::vector<std::string>{"a.txt", "named", "src/b.txt", "src/deep/c.txt"});
}

TEST_CASE("S21: a folder swapped for a link while it is read leads nowhere") {
  const TempDir dir;
  const fs::path root = fs::path(dir.path()) / "project";
  const fs::path outside = fs::path(dir.path()) / "outside";
  fs::create_directories(root / "swapped" / "deep");
  fs::create_directories(outside / "deep");
  std::ofstream(root / "swapped" / "deep" / "inside.txt") << "x";
  std::ofstream(outside / "deep" / "secret.txt") << "x";
  fs::create_directory_symlink(outside, root / ".link");
  std::atomic<bool> stop = false;
  std::atomic<std::size_t> swaps = 0;
  std::thread racer([&] {
    while (!stop) {
      ::renameat2(AT_FDCWD, (root / "swapped").c_str(), AT_FDCWD, (root / ".link").c_str(),
                  RENAME_EXCHANGE);
      ++swaps;
    }
  });
  std::size_t inside = 0;
  std::size_t leaks = 0;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  // Until both states were seen often; each look reads the folders anew.
  for (std::size_t looks = 0; looks < 300 && std::chrono::steady_clock::now() < until; ++looks) {
    ProjectFiles files;
    for (const std::string& path : files.find(root.string(), "", 100)) {
      inside += path.ends_with("inside.txt") ? 1U : 0U;
      leaks += path.ends_with("secret.txt") ? 1U : 0U;
    }
  }
  stop = true;
  racer.join();
  CHECK(swaps > 100);
  CHECK(inside > 0);
  CHECK(leaks == 0);
}

}  // namespace
}  // namespace lb
