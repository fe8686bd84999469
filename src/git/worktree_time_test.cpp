// Run by hand: build/release/src/test_git -ns -tc="How long a worktree*"
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iostream>

#include "tests/support/git_project.h"

namespace lb::git {
namespace {

using Clock = std::chrono::steady_clock;

double ms_of(const std::function<void()>& what) {
  ::sync();  // Nobody pays for what another has left to be written.
  const auto began = Clock::now();
  what();
  return std::chrono::duration<double, std::milli>(Clock::now() - began).count();
}

TEST_CASE("How long a worktree takes, beside git worktree add" * doctest::skip()) {
  for (const int count : {1000, 50'000}) {
    const TestProject project;
    project.user({"config", "gc.auto", "0"});
    std::string text;
    for (int i = 0; i < 20; ++i) text += "some line of text\n";
    for (int i = 0; i < count; ++i) {
      project.write("d" + std::to_string(i / 1000) + "/s" + std::to_string(i / 50 % 20) + "/file_" +
                        std::to_string(i) + ".txt",
                    text + std::to_string(i) + "\n");
    }
    project.commit();
    project.user({"gc", "-q"});
    // In turn, and the shortest of each: others use this machine too.
    double plain = 1e9;
    double ours = 1e9;
    double standing = 1e9;
    double inventory = 1e9;
    double removal = 1e9;
    double restore = 1e9;
    for (int round = 0; round < (count < 10'000 ? 9 : 3); ++round) {
      plain = std::min(plain, ms_of([&] {
                         project.user({"worktree", "add", "-q", "-b", "p", project.path("p")});
                       }));
      project.user({"worktree", "remove", project.path("p")});
      project.user({"branch", "-q", "-D", "p"});
      ours = std::min(ours, ms_of([&] { project.make(); }));
      auto files = project.worktree();
      standing = std::min(standing,
                          ms_of([&] { good(standing_of(project.git(), *files, "main", true)); }));
      Inventoried found;
      inventory = std::min(
          inventory, ms_of([&] { found = good(inventory_of(project.git(), *files, "main")); }));
      removal = std::min(
          removal, ms_of([&] {
            good(remove_worktree(project.git(), project.main(), *files, "id", "main", found.hash));
          }));
      restore = std::min(restore, ms_of([&] {
                           good(restore_worktree(project.git(), project.main(), project.path(),
                                                 "try/w", "id", project.wanted().keep_dir));
                         }));
      project.user({"worktree", "remove", "--force", project.path()});
      project.user({"branch", "-q", "-D", "try/w"});
    }
    std::cout << count << " files: git worktree add " << plain << " ms, ours " << ours << " ms ("
              << ours / plain << "), standing " << standing << " ms, inventory " << inventory
              << " ms, removal " << removal << " ms, restore " << restore << " ms\n";
  }
}

}  // namespace
}  // namespace lb::git
