// Run by hand: build/dev/src/test_git -ns -tc="How long*"
#include <chrono>
#include <iostream>

#include "tests/support/git_folder.h"

namespace lb::git {
namespace {

using Clock = std::chrono::steady_clock;

double best_ms(int times, const std::function<void()>& what) {
  double best = 1e9;
  for (int i = 0; i < times; ++i) {
    const auto began = Clock::now();
    what();
    best = std::min(best, std::chrono::duration<double, std::milli>(Clock::now() - began).count());
  }
  return best;
}

TEST_CASE("How long a snapshot takes, beside git status" * doctest::skip()) {
  for (const int count : {1000, 50'000}) {
    const TestFolder folder;
    const auto name = [](int i) {
      return "d" + std::to_string(i / 1000) + "/s" + std::to_string(i / 50 % 20) + "/file_" +
             std::to_string(i) + ".txt";
    };
    std::string text;
    for (int i = 0; i < 20; ++i) text += "some line of text\n";
    for (int i = 0; i < count; ++i) folder.write(name(i), text + std::to_string(i) + "\n");
    folder.commit();
    int round = 0;
    const auto change = [&] {
      ++round;
      for (int i = 0; i < 10; ++i) folder.write(name(i * (count / 10) + 7), std::to_string(round));
    };
    auto files = folder.open();
    std::cout << count << " files: first " << best_ms(1, [&] { good(files->snapshot()); });
    change();
    std::cout << " ms, git status " << best_ms(7, [&] { folder.user({"status", "--porcelain"}); });
    double best = 1e9;
    for (int i = 0; i < 7; ++i) {
      change();
      best = std::min(best, best_ms(1, [&] { good(files->snapshot()); }));
    }
    std::cout << " ms, with 10 changed " << best << " ms, with none "
              << best_ms(7, [&] { good(files->snapshot()); }) << " ms\n";
    std::cout << "git --version " << best_ms(9, [&] { folder.user({"--version"}); }) << " ms\n";
  }
}

}  // namespace
}  // namespace lb::git
