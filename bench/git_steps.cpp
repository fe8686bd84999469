// What our library does with git, and plain git commands started in the same way: one command per
// line, its words between tabs, and for each the milliseconds it took. bench/git.mjs talks to it.
//
//   git FOLDER WORD...                          git itself, as in the user's terminal
//   repository FOLDER                           what worktrees are made of
//   worktree PATH BRANCH KEEP                   make_worktree, with all that it asks git
//   open FOLDER KEEP                            the folder of the checkpoints that follow
//   checkpoint NAME                             a snapshot and the ref that keeps it
//   changes first|head                          what differs between the first checkpoint, or HEAD,
//                                               and the last one
#include <chrono>
#include <cstdio>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include "git/review.h"
#include "git/worktrees.h"

namespace {

using namespace lb;
using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  Words words(1);
  for (const char c : line) {
    if (c == '\t') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

/// Ends the program where there is an error: a measurement without its subject is none.
template <class T>
T good(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "git_steps: %s\n", result.error().message.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

class Steps {
 public:
  void run(const Words& words) {
    if (words.at(0) == "git") return plain(words);
    if (words.at(0) == "worktree") return worktree(words);
    if (words.at(0) == "repository") {
      main_ = *good(git::find_repository(git_, words.at(1)));
      return;
    }
    if (words.at(0) == "open") {
      files_ = good(git::WorkTree::open(git_, words.at(1), words.at(2)));
      return;
    }
    if (words.at(0) == "changes") return changes(words.at(1) == "head");
    last_ = good(files_->snapshot());
    if (first_.empty()) first_ = last_;
    good(files_->keep({{"cp/bench/" + words.at(1), last_}}));
  }

 private:
  void plain(const Words& words) const {
    const Words args(words.begin() + 2, words.end());
    good(git_.out({.args = args, .cwd = words.at(1), .by_the_user = true}));
  }
  void worktree(const Words& words) const {
    git::NewWorktree wanted;
    wanted.path = words.at(1);
    wanted.branch = words.at(2);
    wanted.base_oid = main_.head;
    wanted.keep_dir = words.at(3);
    wanted.main_keep_dir = words.at(3) + "-main";
    good(git::make_worktree(git_, main_, wanted, {}));
  }

  void changes(bool head) {
    const std::string from =
        head ? good(git::tree_to_compare(git_, *files_, git::Committed::Head, last_)) : first_;
    good(git::differences(git_, *files_, from, last_));
  }

  git::Git git_ = git::Git::of_the_user();
  git::Repository main_;
  std::shared_ptr<git::WorkTree> files_;
  std::string first_;
  std::string last_;
};

}  // namespace

int main() {
  Steps steps;
  std::string line;
  while (std::getline(std::cin, line)) {
    const auto began = std::chrono::steady_clock::now();
    steps.run(words_of(line));
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - began;
    std::printf("%.3f\n", took.count());
    std::fflush(stdout);
  }
  return 0;
}
