#include <doctest/doctest.h>
#include <sys/stat.h>

#include "git/land.h"
#include "tests/support/git_project.h"

namespace lb::git {
namespace {

class Pushes : public TestProject {
 public:
  Pushes() {
    make();
    files_ = worktree();
    put(path() + "/c", "3\n");
    in(path(), {"add", "-A"});
    in(path(), {"commit", "-q", "-m", "mine"});
  }
  [[nodiscard]] std::string remote() const { return home() + "/remote.git"; }
  void add_remote(const std::string& name) const {
    user({"init", "-q", "--bare", remote()});
    user({"remote", "add", name, remote()});
  }
  /// A stand-in for gh: says what it was asked, in a file.
  [[nodiscard]] std::string gh(const std::string& script) const {
    put(home() + "/gh", "#!/bin/sh\nfor each in \"$@\"; do echo \"$each\"; done > " + home() +
                            "/asked\npwd >> " + home() + "/asked\n" + script);
    ::chmod((home() + "/gh").c_str(), 0755);
    return home() + "/gh";
  }
  Result<PushBody> pushes(bool request = false, const std::string& gh_program = "") const {
    return push(
        git(), *files_,
        {.base = "main", .pull_request = request, .title = "A title; $(x)", .body = "B\nC"},
        [this](const Call& call) { return git().run(call); }, gh_program);
  }
  [[nodiscard]] std::string refused(bool request = false,
                                    const std::string& gh_program = "") const {
    auto body = pushes(request, gh_program);
    REQUIRE_FALSE(body);
    return body.error().message;
  }

 private:
  std::shared_ptr<WorkTree> files_;
};

TEST_CASE("A branch is pushed to its remote, and what is not committed is said") {
  const Pushes project;
  CHECK(project.refused().contains("git remote add origin"));
  project.add_remote("only");
  project.put(project.path() + "/later", "x\n");
  const PushBody body = good(project.pushes());
  CHECK(body.remote == "only");
  CHECK(body.branch == "try/w");
  CHECK(body.said->contains("not committed"));
  CHECK(project.in(project.remote(), {"rev-parse", "try/w"}) ==
        project.in(project.path(), {"rev-parse", "HEAD"}));
  project.user({"remote", "add", "another", "/nowhere"});
  CHECK(good(project.pushes()).remote == "only");
  project.in(project.path(), {"branch", "--unset-upstream"});
  CHECK(project.refused().contains("several remotes"));
  project.user({"config", "branch.try/w.pushRemote", "only"});
  CHECK(good(project.pushes()).remote == "only");
}

TEST_CASE("Nothing is overwritten on the remote, and the user's hook may refuse") {
  const Pushes project;
  project.add_remote("origin");
  good(project.pushes());
  const std::string there = project.in(project.remote(), {"rev-parse", "try/w"});
  project.in(project.path(), {"commit", "-q", "--amend", "-m", "another"});
  CHECK(project.refused().contains("git pull"));
  CHECK(project.in(project.remote(), {"rev-parse", "try/w"}) == there);
  project.put(project.root() + "/.git/hooks/pre-push", "#!/bin/sh\necho no pushing >&2\nexit 1\n");
  ::chmod((project.root() + "/.git/hooks/pre-push").c_str(), 0755);
  CHECK(project.refused().contains("no pushing"));
}

TEST_CASE("A pull request is opened through gh") {
  const Pushes project;
  project.add_remote("origin");
  CHECK(project.refused(true).contains("cli.github.com"));
  CHECK_FALSE(
      good(project.git().run({.args = {"rev-parse", "--verify", "try/w"}, .cwd = project.remote()}))
          .ok());
  const PushBody body = good(
      project.pushes(true, project.gh("echo Creating >&2\necho https://example.com/pull/1\n")));
  CHECK(body.url == "https://example.com/pull/1");
  CHECK(bytes_of(project.home() + "/asked") ==
        "pr\ncreate\n--base\nmain\n--head\ntry/w\n--title\nA title; $(x)\n--body\nB\nC\n" +
            project.path() + "\n");
  CHECK(good(project.pushes(true, project.gh("echo 'a pull request already exists:' >&2\n"
                                             "echo https://example.com/pull/1 >&2\nexit 1\n")))
            .url == "https://example.com/pull/1");
  CHECK(project.refused(true, project.gh("echo To get started: gh auth login >&2; exit 4\n"))
            .contains("run gh auth login"));
  CHECK(project.refused(true, project.gh("echo no such base >&2; exit 1\n"))
            .contains("no such base"));
}

TEST_CASE("Without a login the user is told what to do") {
  const Pushes project;
  project.user({"remote", "add", "origin", "ssh://example.com/x"});
  project.user({"config", "core.sshCommand", "echo 'Permission denied (publickey).' >&2; false"});
  CHECK(project.refused().contains("not logged in"));
}

}  // namespace
}  // namespace lb::git
