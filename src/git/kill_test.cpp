// Every operation on worktrees, killed at a random moment: doing it again, or forgetting it, must
// leave the repository whole. LB_KILL_ROUNDS rounds (30 unless told), LB_KILL_SEED to repeat some.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <functional>
#include <random>
#include <thread>

#include "git/land.h"
#include "tests/support/git_project.h"

namespace lb::git {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

unsigned from_environment(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

/// Runs something in a process of its own, and kills that after a while. What it started ends by
/// itself, and is waited for.
void run_and_kill(const std::function<void()>& work, std::chrono::microseconds after) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    work();
    ::_exit(0);
  }
  const auto until = Clock::now() + after;
  while (Clock::now() < until) {
    siginfo_t ended = {};
    ::waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid != 0) break;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  ::kill(child, SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0 || errno == EINTR) {
  }
}

/// How long it takes when nothing else is in its way. `undo` makes room for the next time.
std::chrono::microseconds time_of(const std::function<void()>& work,
                                  const std::function<void()>& undo) {
  auto least = std::chrono::microseconds::max();
  for (int time = 0; time < 3; ++time) {
    const auto began = Clock::now();
    work();
    least = std::min(least,
                     std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began));
    undo();
  }
  return least;
}

/// Moments spread over all of an operation.
class Moments {
 public:
  explicit Moments(std::chrono::microseconds whole) : whole_(whole) {
    seed_ = from_environment("LB_KILL_SEED", std::random_device{}());
    random_.seed(seed_);
  }
  /// Half of them early: the disk takes most of the time, and most steps come before it. Half of
  /// them late, because a process of its own takes longer.
  std::chrono::microseconds next() {
    const std::int64_t most = random_() % 2 == 0 ? whole_.count() * 2 : whole_.count() / 5;
    return std::chrono::microseconds(std::uniform_int_distribution<std::int64_t>(0, most)(random_));
  }
  [[nodiscard]] unsigned seed() const { return seed_; }
  /// Each of the four operations has its part.
  [[nodiscard]] static unsigned rounds() {
    return (from_environment("LB_KILL_ROUNDS", 30) + 3) / 4;
  }

 private:
  std::chrono::microseconds whole_;
  unsigned seed_ = 0;
  std::minstd_rand random_;
};

void check_whole(const TestProject& project) {
  CHECK(project.in(project.root(), {"fsck", "--strict", "--no-dangling"}).empty());
  for (const auto& entry : fs::recursive_directory_iterator(project.root() + "/.git")) {
    CHECK_MESSAGE(entry.path().extension() != ".lock", entry.path().native());
  }
}

/// Enough files that a checkout takes a moment.
void fill(const TestProject& project) {
  for (int at = 0; at < 300; ++at) {
    project.write("many/" + std::to_string(at), std::string(500, 'x') + std::to_string(at));
  }
  project.write(".worktreeinclude", ".env\n");
  project.commit("many");
  project.write(".env", "SECRET\n");
  project.write("a", "edited\n");
  project.write("new", "unknown\n");
}

TEST_CASE("An interrupted creation leaves nothing") {
  const TestProject project;
  fill(project);
  NewWorktree wanted = project.wanted();
  wanted.carry = true;
  const auto make = [&] {
    static_cast<void>(make_worktree(project.git(), project.main(), wanted, {}));
  };
  Moments moments(
      time_of(make, [&] { good(forget_half_made(project.git(), project.main(), wanted)); }));
  const auto files = project.files();
  const std::string refs = project.user({"for-each-ref"});
  for (unsigned round = 0; round < Moments::rounds(); ++round) {
    const auto moment = moments.next();
    CAPTURE(moments.seed());
    CAPTURE(round);
    CAPTURE(moment.count());
    run_and_kill(make, moment);
    good(forget_half_made(project.git(), project.main(), wanted));
    project.check_nothing_of("w");
    check_whole(project);
    CHECK(project.files() == files);
    CHECK(project.user({"for-each-ref"}) == refs);
  }
  make();
  CHECK(TestFolder::all_below(project.path()) == files);
}

/// A worktree with work in it, and how it looks.
struct Worked {
  explicit Worked(const TestProject& of) : project(of) {
    project.make();
    project.put(project.path() + "/a", "work\r\n");
    project.put(project.path() + "/staged", "staged\n");
    project.in(project.path(), {"add", "staged"});
    project.put(project.path() + "/untracked/x", "unknown\n");
    files = TestFolder::all_below(project.path());
    status = project.status(project.path());
    hash = good(inventory_of(project.git(), *project.worktree(), "main")).hash;
  }
  void check() const {
    CHECK(TestFolder::all_below(project.path()) == files);
    CHECK(project.status(project.path()) == status);
    CHECK(project.in(project.path(), {"symbolic-ref", "HEAD"}) == "refs/heads/try/w\n");
    CHECK(fs::directory_iterator(project.home() + "/worktrees")->path() == project.path());
  }
  void remove() const {
    auto tree = project.worktree();
    static_cast<void>(remove_worktree(project.git(), project.main(), *tree, "id", "main", hash));
  }
  void restore() const {
    static_cast<void>(restore_worktree(project.git(), project.main(), project.path(), "try/w", "id",
                                       project.wanted().keep_dir));
  }
  const TestProject& project;
  std::map<std::string, std::string> files;
  std::string status;
  std::string hash;
};

TEST_CASE("An interrupted removal is finished by doing it again, and loses nothing") {
  const TestProject project;
  fill(project);
  project.remove(".env");  // Ignored files do not come back.
  const Worked worked(project);
  Moments moments(time_of([&] { worked.remove(); }, [&] { worked.restore(); }));
  worked.check();
  unsigned whole = 0;
  for (unsigned round = 0; round < Moments::rounds(); ++round) {
    const auto moment = moments.next();
    CAPTURE(moments.seed());
    CAPTURE(round);
    CAPTURE(moment.count());
    run_and_kill([&] { worked.remove(); }, moment);
    if (fs::exists(project.path())) {
      ++whole;
      // Not begun: nothing of it is gone.
      for (const auto& [path, bytes] : worked.files) {
        CHECK_MESSAGE(TestFolder::all_below(project.path()).at(path) == bytes, path);
      }
      worked.remove();
      CHECK(!fs::exists(project.path()));
    } else {
      good(remove_missing(project.git(), project.main(), project.path(), "id"));
    }
    CHECK(fs::is_empty(project.home() + "/worktrees"));
    CHECK(!fs::exists(project.root() + "/.git/worktrees"));
    check_whole(project);
    worked.restore();
    worked.check();
  }
  MESSAGE(whole, " of ", Moments::rounds(), " were killed before the folder went");
}

TEST_CASE("An interrupted restore is finished by doing it again") {
  const TestProject project;
  fill(project);
  project.remove(".env");
  const Worked worked(project);
  worked.remove();
  Moments moments(time_of([&] { worked.restore(); }, [&] { worked.remove(); }));
  worked.restore();
  worked.check();
  for (unsigned round = 0; round < Moments::rounds(); ++round) {
    const auto moment = moments.next();
    CAPTURE(moments.seed());
    CAPTURE(round);
    CAPTURE(moment.count());
    worked.remove();
    REQUIRE(!fs::exists(project.path()));
    run_and_kill([&] { worked.restore(); }, moment);
    worked.restore();
    worked.check();
    check_whole(project);
  }
}

TEST_CASE("An interrupted landing is finished by doing it again, and eats nobody's edits") {
  const TestProject project;
  fill(project);
  project.write("a", "edited in the project\n");
  project.make();
  auto tree = project.worktree();
  const auto land_it = [&](LandStrategy strategy) {
    return land(project.git(), project.main(), *tree,
                {.id = "id", .base = "main", .strategy = strategy, .message = "The work"},
                [&](const Call& call) { return project.git().run(call); });
  };
  unsigned count = 0;
  const auto work = [&](const std::string& name) {
    // Main goes on, so that there is something to merge.
    project.write("other" + name, "x\n");
    project.user({"add", "other" + name});
    project.user({"commit", "-q", "-m", "other", "--", "other" + name});
    project.put(project.path() + "/work" + name, "work " + name + "\n");
    project.put(project.path() + "/many/1", "work " + name + "\n");
    ++count;
  };
  work("-first");
  Moments moments(time_of([&] { good(land_it(LandStrategy::Squash)); },
                          [&] { work("-" + std::to_string(count)); }));
  good(land_it(LandStrategy::Squash));
  for (unsigned round = 0; round < Moments::rounds(); ++round) {
    const auto strategy = static_cast<LandStrategy>(round % 3);
    const auto moment = moments.next();
    CAPTURE(moments.seed());
    CAPTURE(round);
    CAPTURE(moment.count());
    const std::string name = std::to_string(round);
    work(name);
    const std::string before = project.user({"rev-parse", "main"});
    run_and_kill([&] { static_cast<void>(land_it(strategy)); }, moment);
    CHECK(project.read("a") == "edited in the project\n");
    const bool moved = project.user({"rev-parse", "main"}) != before;
    // Whichever it was: the project's files fit its commit.
    CHECK(project.user({"status", "--porcelain"}) == " M a\n?? new\n");
    CHECK(project.has("work" + name) == moved);
    good(land_it(strategy));
    CHECK(project.read("work" + name) == "work " + name + "\n");
    CHECK(project.read("many/1") == "work " + name + "\n");
    CHECK(project.read("a") == "edited in the project\n");
    CHECK(project.user({"status", "--porcelain"}) == " M a\n?? new\n");
    CHECK(project.in(project.path(), {"status", "--porcelain"}).empty());
    CHECK(project.user({"rev-parse", "main", "try/w"}).substr(0, 41) ==
          project.user({"rev-parse", "try/w"}));
    CHECK(split_lines(project.user({"log", "--format=%s", "--grep=^The work$", "main"})).size() ==
          count);
    check_whole(project);
  }
}

}  // namespace
}  // namespace lb::git
