/// Git: the user's own git, run as a program.
///
/// By argv, never through a shell; no prompts, no pager, no editor, bounded in time and output.
/// Calls block: they belong on a worker thread. What a *repository's* configuration names as a
/// program (hooks, fsmonitor) never runs in an ordinary call: an agent can write `.git/config`.
/// What reads or writes files of a work tree goes through a git directory of ours (work_tree.h),
/// because filters and merge drivers cannot be switched off by name. Only `by_the_user` is as in
/// the user's terminal. Safe from any thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/limits.h"
#include "base/result.h"
#include "process/agent_process.h"
#include "process/spawn.h"

namespace lb::git {

struct Call {
  std::vector<std::string> args;  // Without the program's name.
  std::string cwd;
  Environment env = {};    // Put over ours.
  std::string input = {};  // Its stdin.
  std::chrono::milliseconds limit = limits::kGitCall;
  std::size_t output_max = limits::kGitOutputMax;
  bool by_the_user = false;  // With the user's and the repository's hooks, filters and all.
  /// It goes on when we are killed: what it does must not be cut off in the middle. It should have
  /// nothing to say when all is well, because nobody may be there to read it.
  bool outlives_us = false;
  std::string program = {};  // Another one than git, run in the same way: the path of gh.
};

/// How it ended and what it said.
struct Said {
  int code = 0;
  std::string out;
  std::string err;
  [[nodiscard]] bool ok() const { return code == 0; }
};

/// A git that runs while we talk to it. Destroying it ends it.
class Talking {
 public:
  Talking(Spawned child, Fd in, Fd out, Fd err)
      : in(std::move(in)),
        out(std::move(out)),
        err(std::move(err)),
        pid_(child.pid),
        pidfd_(std::move(child.pidfd)) {}
  Talking(Talking&& other) noexcept
      : in(std::move(other.in)),
        out(std::move(other.out)),
        err(std::move(other.err)),
        pid_(std::exchange(other.pid_, -1)),
        pidfd_(std::move(other.pidfd_)) {}
  Talking& operator=(Talking&&) = delete;
  ~Talking();
  /// Waits for its end: the code, or 128 and the number of the signal. It and what it started are
  /// ended first when `now`: asked, and then killed.
  int end(bool now);

  Fd in;  // None of them blocks.
  Fd out;
  Fd err;

 private:
  pid_t pid_;
  Fd pidfd_;
};

class Git {
 public:
  /// `program`: the path of git; empty: there is none, and every call says so.
  explicit Git(std::string program) : program_(std::move(program)) {}
  /// The one in our PATH.
  static Git of_the_user();

  [[nodiscard]] bool there() const { return !program_.empty(); }
  [[nodiscard]] const std::string& program() const { return program_; }

  /// An error only when it could not run, took too long or said too much; a refusal is a code.
  [[nodiscard]] Result<Said> run(const Call& call) const;
  /// Its output; an error with its last words when it refused.
  [[nodiscard]] Result<std::string> out(const Call& call) const;
  /// Only starts it; `input`, `limit` and `output_max` are the caller's business.
  [[nodiscard]] Result<Talking> start(const Call& call) const;
  /// How it would be started, for whoever starts it in another way: behind walls.
  [[nodiscard]] LaunchOptions as_launch(const Call& call) const;
  /// The first line of its output.
  [[nodiscard]] Result<std::string> line(const Call& call) const;

 private:
  std::string program_;
};

/// What stands between NUL bytes.
std::vector<std::string> split_nul(std::string_view text);
std::vector<std::string> split_lines(std::string_view text);
/// For people: the last lines of what git said, without "fatal: ".
std::string last_words(const Said& said);

/// A path for the wire: bytes that are not UTF-8 become `\xNN`, and a backslash becomes `\\`.
std::string shown_path(std::string_view path);
/// And back.
std::string path_shown_as(std::string_view shown);

}  // namespace lb::git
