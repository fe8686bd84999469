#include "git/land.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "tests/support/git_project.h"

namespace lb::git {
namespace {

namespace fs = std::filesystem;

/// A project with a worktree, ready to land.
class Lands : public TestProject {
 public:
  Lands() {
    write("big", "1\n2\n3\n4\n5\n6\n7\n8\n9\n");
    write("mine", "1\n");
    commit("second");
    make();
    files_ = worktree();
  }
  [[nodiscard]] std::string at(const std::string& name) const { return path() + "/" + name; }
  std::string in_it(std::vector<std::string> args) const { return in(path(), std::move(args)); }
  void commit_in_it(const std::string& message = "work") const {
    in_it({"add", "-A"});
    in_it({"commit", "-q", "-m", message});
  }
  Result<LandBody> try_land(LandStrategy strategy = LandStrategy::Merge, bool dry = false,
                            const std::string& base = "main") const {
    return land(
        git(), main(), *files_,
        {.id = "id", .base = base, .strategy = strategy, .message = "The work", .dry_run = dry},
        [this](const Call& call) { return git().run(call); });
  }
  LandBody lands(LandStrategy strategy = LandStrategy::Merge) const {
    return good(try_land(strategy));
  }
  Error refused(LandStrategy strategy = LandStrategy::Merge) const {
    auto body = try_land(strategy);
    REQUIRE_FALSE(body);
    return body.error();
  }
  [[nodiscard]] std::string oid(const std::string& name) const {
    std::string text = user({"rev-parse", name});
    text.pop_back();
    return text;
  }
  void hook(const std::string& name, const std::string& script) const {
    const std::string file = root() + "/.git/hooks/" + name;
    put(file, "#!/bin/sh\n" + script);
    ::chmod(file.c_str(), 0755);
  }
  /// Everything but what git keeps for itself.
  [[nodiscard]] std::map<std::string, std::string> state() const {
    auto all = all_below(home(), true);
    std::erase_if(all, [](const auto& file) {
      return file.first.contains(".git/objects/") || file.first.ends_with("/index");
    });
    all["index"] = user({"ls-files", "-s"}) + in_it({"ls-files", "-s"});
    return all;
  }

 private:
  std::shared_ptr<WorkTree> files_;
};

TEST_CASE("Uncommitted work lands by a fast-forward where the base is checked out") {
  const Lands project;
  const std::string before = project.oid("main");
  project.put(project.at("a"), "work\n");
  project.put(project.at("new/file"), "new\n");
  project.put(project.at("x.log"), "ignored\n");
  const LandBody dry = good(project.try_land(LandStrategy::Merge, true));
  CHECK(dry.commits_first);
  CHECK(dry.commits == 1);
  CHECK(dry.files == 2);
  CHECK(dry.conflicts.empty());
  CHECK_FALSE(dry.oid);
  const LandBody body = project.lands();
  CHECK(body.oid == project.oid("main"));
  CHECK(body.into == "main");
  CHECK(project.oid("main~") == before);
  CHECK(project.read("a") == "work\n");
  CHECK(project.read("new/file") == "new\n");
  CHECK(!project.has("x.log"));
  CHECK(project.user({"log", "-1", "--format=%s%n%an"}) == "The work\nTest\n");
  CHECK(project.user({"status", "--porcelain"}).empty());
  CHECK(project.oid("try/w") == project.oid("main"));
  CHECK(project.in_it({"status", "--porcelain"}).empty());
  CHECK(bytes_of(project.at("x.log")) == "ignored\n");
  CHECK(project.oid("refs/liminal/landed/id/1") == project.oid("main"));
  // Once more: there is nothing.
  const LandBody again = project.lands();
  CHECK_FALSE(again.oid);
  CHECK(again.files == 0);
}

TEST_CASE("A dry run writes nothing but objects") {
  const Lands project;
  project.put(project.at("a"), "work\n");
  project.write("other", "main goes on\n");
  project.commit("third");
  for (const LandStrategy strategy :
       {LandStrategy::Merge, LandStrategy::Squash, LandStrategy::Rebase}) {
    const auto before = project.state();
    const LandBody body = good(project.try_land(strategy, true));
    CHECK(body.files == 1);
    CHECK(body.commits == 1);
    CHECK(project.state() == before);
  }
}

TEST_CASE("Branches that went on both land by merge, squash and rebase") {
  const Lands project;
  project.put(project.at("big"), "1\n2\n3\n4\n5\n6\n7\n8\nnine\n");
  project.commit_in_it("nine");
  project.in_it(
      {"commit", "-q", "--allow-empty", "--author=A <a@b>", "-m", "empty\n\nwith a body"});
  project.put(project.at("c"), "3\n");
  const std::string tip = project.oid("try/w");
  project.write("big", "one\n2\n3\n4\n5\n6\n7\n8\n9\n");
  project.commit("one");
  const std::string base = project.oid("main");
  SUBCASE("merge") {
    project.lands();
    CHECK(project.user({"log", "-1", "--format=%s"}) == "Merge branch 'try/w'\n");
    CHECK(project.oid("main^1") == base);
    CHECK(project.oid("main^2~") == tip);
  }
  SUBCASE("squash") {
    project.lands(LandStrategy::Squash);
    CHECK(project.user({"log", "--format=%s", base + ".."}) == "The work\n");
  }
  SUBCASE("rebase") {
    const LandBody body = project.lands(LandStrategy::Rebase);
    CHECK(body.commits == 3);
    CHECK(project.user({"log", "--format=%s,%b,%an", base + ".."}) ==
          "The work,,Test\nempty,with a body\n,A\nnine,,Test\n");
    CHECK(project.user({"rev-list", "--merges", "main"}).empty());
  }
  CHECK(project.read("big") == "one\n2\n3\n4\n5\n6\n7\n8\nnine\n");
  CHECK(project.read("c") == "3\n");
  CHECK(project.user({"status", "--porcelain"}).empty());
  // The worktree goes on from there.
  CHECK(project.oid("try/w") == project.oid("main"));
  CHECK(project.in_it({"status", "--porcelain"}).empty());
  CHECK(bytes_of(project.at("big")) == project.read("big"));
  CHECK(project.oid("refs/liminal/landed/id/1~") == tip);
  CHECK_FALSE(project.lands(LandStrategy::Squash).oid);
}

TEST_CASE("A rebase drops what the base has, and does not take merges apart") {
  const Lands project;
  project.put(project.at("c"), "3\n");
  project.commit_in_it("same");
  project.write("c", "3\n");
  project.commit("same, by somebody else");
  const std::string base = project.oid("main");
  SUBCASE("nothing is left") {
    CHECK_FALSE(project.lands(LandStrategy::Rebase).oid);
    CHECK(project.oid("try/w") == base);
  }
  SUBCASE("merges are refused") {
    project.in_it({"merge", "-q", "-m", "merged", "main"});
    project.put(project.at("d"), "4\n");
    project.commit_in_it("more");
    project.write("e", "5\n");
    project.commit("later");
    CHECK(project.refused(LandStrategy::Rebase).message.contains("merge commits"));
    project.lands(LandStrategy::Squash);
  }
}

TEST_CASE("A conflict is known before anything is written") {
  const Lands project;
  project.put(project.at("big"), "worktree\n2\n3\n4\n5\n6\n7\n8\n9\n");
  project.put(project.at("un\xfftracked"), "1\n");
  project.write("big", "project\n2\n3\n4\n5\n6\n7\n8\n9\n");
  project.commit("theirs");
  for (const LandStrategy strategy :
       {LandStrategy::Merge, LandStrategy::Squash, LandStrategy::Rebase}) {
    const auto before = project.state();
    CHECK(good(project.try_land(strategy, true)).conflicts == Names{"big"});
    const Error error = project.refused(strategy);
    CHECK(error.code == ErrorCode::LandConflict);
    CHECK(error.members == R"("paths":["big"])");
    CHECK(project.state() == before);
  }
}

TEST_CASE(
    "Landing refuses to overwrite edits in the main checkout, and leaves every other dirty file "
    "byte-identical") {
  const Lands project;
  project.put(project.at("a"), "work\n");
  project.put(project.at("new"), "work\n");
  project.put(project.at("dir/x"), "work\n");
  project.write("mine", "edited\r\n");
  project.write("staged", "staged\n");
  project.user({"add", "staged"});
  project.write("staged", "and edited\n");
  project.write("un tracked", "x\n");
  project.write("stashed", "x\n");
  project.user({"stash", "push", "-q", "-u", "--", "stashed"});
  const auto lands_after = [&](const std::string& path, const std::function<void()>& undo) {
    const auto before = project.state();
    const Error error = project.refused();
    CHECK(error.code == ErrorCode::TargetDirty);
    CHECK(error.members == "\"paths\":[\"" + path + "\"]");
    CHECK(project.state() == before);
    undo();
  };
  SUBCASE("an edited file") {
    project.write("a", "precious\n");
    lands_after("a", [&] { project.write("a", "1\n"); });
  }
  SUBCASE("a staged file") {
    project.write("a", "precious\n");
    project.user({"add", "a"});
    lands_after("a", [&] { project.user({"checkout", "HEAD", "--", "a"}); });
  }
  SUBCASE("a deleted file") {
    project.remove("a");
    lands_after("a", [&] { project.write("a", "1\n"); });
  }
  SUBCASE("an unknown file") {
    project.write("new", "precious\n");
    lands_after("new", [&] { project.remove("new"); });
  }
  SUBCASE("a file where a folder shall be") {
    project.write("dir", "precious\n");
    lands_after("dir", [&] { project.remove("dir"); });
  }
  SUBCASE("an ignored file, which git would overwrite without a word") {
    project.write(".git/info/exclude", "new\n");
    project.write("new", "precious\n");
    // Ignored in the worktree too, and so committed by hand.
    project.in_it({"add", "-f", "new"});
    lands_after("new", [&] { project.remove("new"); });
  }
  SUBCASE("an ignored folder where a file shall be") {
    project.write(".git/info/exclude", "new\n");
    project.write("new/inside", "precious\n");
    project.in_it({"add", "-f", "new"});
    lands_after("new", [&] { project.remove("new"); });
  }
  const auto before = project.files();
  const std::string stash = project.oid("stash");
  project.lands();
  auto after = project.files();
  CHECK(after.at("a") == "file work\n");
  CHECK(after.at("new") == "file work\n");
  CHECK(after.at("dir/x") == "file work\n");
  after["a"] = before.at("a");
  after.erase("new");
  after.erase("dir/x");
  CHECK(after == before);
  CHECK(project.user({"status", "--porcelain", "--untracked-files=all"}) ==
        " M mine\nAM staged\n?? \"un tracked\"\n");
  CHECK(project.oid("stash") == stash);
}

TEST_CASE("A base that is not checked out just moves") {
  const Lands project;
  project.put(project.at("a"), "work\n");
  project.user({"checkout", "-q", "-b", "elsewhere"});
  project.write("a", "precious\n");
  const LandBody body = project.lands();
  CHECK(project.oid("main") == body.oid);
  CHECK(project.read("a") == "precious\n");
  CHECK(project.user({"log", "-1", "-g", "--format=%gs", "main"}) == "land: try/w\n");
}

TEST_CASE("A target that is checked out elsewhere is said, not skipped") {
  const Lands project;
  project.put(project.at("a"), "work\n");
  project.user({"checkout", "-q", "--detach"});
  const std::string other = project.path("other");
  project.user({"worktree", "add", "-q", other, "main"});
  const std::string before = project.oid("main");
  const auto elsewhere = [&](const std::string& word) {
    const auto state = project.state();
    const Error error = project.refused();
    CHECK(error.code == ErrorCode::TargetElsewhere);
    CHECK(error.message.contains(other));
    CHECK(error.message.contains(word));
    CHECK(error.members.starts_with("\"path\":\"" + other + "\""));
    CHECK(project.oid("main") == before);
    CHECK(project.state() == state);
  };
  SUBCASE("dirty") {
    project.put(other + "/a", "precious\n");
    elsewhere("not committed");
    CHECK(bytes_of(other + "/a") == "precious\n");
  }
  SUBCASE("its folder is gone") {
    fs::remove_all(other);
    elsewhere("git worktree prune");
  }
  SUBCASE("in the middle of a rebase") {
    project.put(other + "/z", "1\n");
    project.in(other, {"add", "-A"});
    project.in(other, {"commit", "-q", "-m", "z"});
    good(project.git().run(
        {.args = {"rebase", "--exec", "false", "HEAD~"}, .cwd = other, .by_the_user = true}));
    const Error error = project.refused();
    CHECK(error.code == ErrorCode::TargetElsewhere);
    CHECK(error.message.contains("a rebase is under way"));
  }
  SUBCASE("clean: it goes forward there") {
    project.put(other + "/mine", "edited\n");
    project.lands();
    CHECK(bytes_of(other + "/a") == "work\n");
    CHECK(bytes_of(other + "/mine") == "edited\n");
    CHECK(project.in(other, {"status", "--porcelain"}) == " M mine\n");
  }
}

TEST_CASE("A merge that is under way in the project stays untouched") {
  const Lands project;
  project.put(project.at("a"), "work\n");
  project.user({"checkout", "-q", "-b", "side"});
  project.write("mine", "side\n");
  project.commit("side");
  project.user({"checkout", "-q", "main"});
  project.write("mine", "main\n");
  project.commit("main");
  good(project.git().run({.args = {"merge", "side"}, .cwd = project.root(), .by_the_user = true}));
  const auto before = project.state();
  CHECK(project.refused().code == ErrorCode::TargetElsewhere);
  CHECK(project.state() == before);
}

TEST_CASE("The user's hooks run when work lands, and can refuse it") {
  const Lands project;
  project.put(project.at("a"), "work\n");
  project.put(project.at("new"), "new\n");
  project.in_it({"add", "new"});
  SUBCASE("their words are shown") {
    project.hook("pre-commit", "echo pre-commit was here\n");
    project.hook("commit-msg", "echo >> $1; echo Reviewed-by: nobody >> $1\n");
    project.hook("pre-merge-commit", "echo before the merge\n");
    project.hook("post-merge", "echo after the merge >&2\n");
    project.write("b", "2\n");
    project.user({"add", "b"});
    project.user({"commit", "-q", "--no-verify", "-m", "third"});
    const LandBody body = project.lands();
    CHECK(body.said->contains("pre-commit was here"));
    CHECK(body.said->contains("before the merge"));
    CHECK(body.said->contains("after the merge"));
    CHECK(project.user({"log", "-1", "--format=%B", "main"}).contains("Reviewed-by: nobody"));
    CHECK(project.user({"log", "-1", "--format=%B", "main^2"}).contains("Reviewed-by: nobody"));
  }
  SUBCASE("a commit that is refused leaves the index as it was") {
    project.hook("pre-commit", "echo no such style >&2; exit 1\n");
    const auto before = project.state();
    CHECK(project.refused().message.contains("no such style"));
    CHECK(project.state() == before);
    CHECK(project.in_it({"status", "--porcelain"}) == " M a\nA  new\n");
  }
  SUBCASE("a merge that is refused does not move the base") {
    project.write("b", "2\n");
    project.commit("third");
    project.hook("pre-merge-commit", "echo not today; exit 1\n");
    const std::string before = project.oid("main");
    CHECK(project.refused().message.contains("not today"));
    CHECK(project.oid("main") == before);
    CHECK(project.user({"status", "--porcelain"}).empty());
  }
}

TEST_CASE("Without a name for commits, landing says what to run") {
  const Lands project;
  project.user({"config", "--unset", "user.name"});
  project.user({"config", "--unset", "user.email"});
  project.user({"config", "user.useConfigOnly", "true"});
  project.put(project.at("a"), "work\n");
  const auto before = project.state();
  const Error error = project.refused();
  CHECK(error.message.contains("git config --global user.name"));
  CHECK(error.message.contains("git config --global user.email"));
  CHECK(project.state() == before);
}

TEST_CASE("What is no branch cannot be landed in") {
  const Lands project;
  project.put(project.at("a"), "work\n");
  const auto code = [&](const std::string& base) {
    const auto body = project.try_land(LandStrategy::Merge, false, base);
    REQUIRE_FALSE(body);
    return body.error().code;
  };
  CHECK(code(project.oid("main")) == ErrorCode::NotSupported);
  CHECK(code("no-such") == ErrorCode::NotSupported);
  CHECK(code("") == ErrorCode::NotSupported);
  CHECK(code("try/w") == ErrorCode::NotSupported);
  project.in_it({"checkout", "-q", "--detach"});
  CHECK(project.refused().message.contains("git switch -c"));
}

TEST_CASE("Repositories inside of a worktree do not land, and merge drivers do not run") {
  const Lands project;
  const std::string ran = project.temp().path() + "/ran";
  project.write(".gitattributes", "big merge=evil\n");
  project.commit("attributes");
  project.in_it({"merge", "-q", "main"});
  project.user({"config", "merge.evil.driver", "touch " + ran});
  project.put(project.at("big"), "worktree\n2\n3\n4\n5\n6\n7\n8\n9\n");
  project.commit_in_it();
  project.put(project.at("nested/x"), "x\n");
  project.in(project.at("nested"), {"init", "-q"});
  project.put(project.at("c"), "3\n");
  project.write("big", "1\n2\n3\n4\n5\n6\n7\n8\nproject\n");
  project.commit("theirs");
  project.lands();
  CHECK(!fs::exists(ran));
  CHECK(project.read("big") == "worktree\n2\n3\n4\n5\n6\n7\n8\nproject\n");
  CHECK(!project.has("nested"));
  CHECK(project.user({"ls-files", "nested"}).empty());
  CHECK(bytes_of(project.at("nested/x")) == "x\n");
}

TEST_CASE("A worktree whose ignored file is in the way stays at its commit, and says so") {
  const Lands project;
  project.write(".git/info/exclude", "secret\n");
  project.put(project.at("a"), "work\n");
  project.put(project.at("secret"), "precious\n");
  project.write("secret", "tracked in the base\n");
  project.user({"add", "-f", "secret"});
  project.user({"commit", "-q", "-m", "secret"});
  const LandBody body = project.lands();
  CHECK(body.oid == project.oid("main"));
  CHECK(body.said->contains("secret"));
  CHECK(bytes_of(project.at("secret")) == "precious\n");
  CHECK(project.oid("try/w") == project.oid("main^2"));
}

}  // namespace
}  // namespace lb::git
