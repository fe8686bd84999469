#include "git/commit.h"

#include "tests/support/git_folder.h"

namespace lb::git {
namespace {

RunByHand by_hand(const TestFolder& folder) {
  return [&folder](const Call& call) { return folder.git().run(call); };
}

Result<CommitBody> commit(const TestFolder& folder, Names paths, std::string message = "words") {
  const auto files = folder.open();
  return commit_paths(folder.git(), *files, {std::move(paths), std::move(message)},
                      by_hand(folder));
}

std::string status(const TestFolder& folder) {
  return folder.user({"status", "--porcelain", "--no-renames"});
}

std::string committed(const TestFolder& folder) {
  return folder.user({"show", "--no-renames", "--name-status", "--format=%s", "HEAD"});
}

void hook(const TestFolder& folder, const std::string& name, const std::string& text) {
  folder.write(".git/hooks/" + name, "#!/bin/sh\n" + text);
  folder.allow_run(".git/hooks/" + name, true);
}

TEST_CASE("Chosen files are committed as they are, and all else stays as it was") {
  const TestFolder folder;
  for (const char* path : {"both", "staged", "dirty", "gone", "removed", "old", "*"}) {
    folder.write(path, "1\n");
  }
  folder.commit();
  folder.write("both", "2\n");
  folder.user({"add", "both"});
  folder.write("both", "3\n");  // What is on disk is committed, not what is staged.
  folder.write("staged", "2\n");
  folder.user({"add", "staged"});
  folder.write("dirty", "2\n");
  folder.remove("gone");
  folder.user({"rm", "-q", "removed"});
  folder.user({"mv", "old", "new"});
  folder.write("sub/fresh", "1\n");
  folder.write("stays", "1\n");
  folder.write(":(top)x", "1\n");
  const auto as_they_were = folder.files();
  const CommitBody done = good(commit(
      folder, {"both", "gone", "removed", "old", "new", "sub/fresh", ":(top)x"}, "Some words\n"));
  CHECK(done.files == 7);
  CHECK(done.branch == "main");
  CHECK(done.oid + "\n" == folder.user({"rev-parse", "HEAD"}));
  CHECK_FALSE(done.said.has_value());
  CHECK(folder.files() == as_they_were);
  CHECK(status(folder) == " M dirty\nM  staged\n?? stays\n");
  CHECK(committed(folder) ==
        "Some words\n\nA\t:(top)x\nM\tboth\nD\tgone\nA\tnew\nD\told\nD\tremoved\nA\tsub/fresh\n");
  CHECK(folder.user({"show", "HEAD:both"}) == "3\n");
  CHECK_FALSE(folder.has(".git/LIMINAL_PATHS"));
}

TEST_CASE("The first commit of a repository, and one without a branch") {
  const TestFolder folder;
  folder.write("a", "1\n");
  folder.write("b", "1\n");
  CHECK(good(commit(folder, {"a"})).files == 1);
  CHECK(status(folder) == "?? b\n");
  folder.user({"checkout", "-q", "--detach"});
  CHECK_FALSE(good(commit(folder, {"b"})).branch.has_value());
}

TEST_CASE("The user's hooks run, are heard, and can refuse") {
  const TestFolder folder;
  folder.write("a", "1\n");
  folder.commit();
  folder.write("a", "2\n");
  folder.write("new", "1\n");
  folder.write("other", "1\n");
  folder.user({"add", "other"});
  const std::string before = status(folder);
  hook(folder, "pre-commit", "echo looked at it; exit $(cat .git/refuse)\n");
  hook(folder, "commit-msg", "echo signed >> \"$1\"\n");
  folder.write(".git/refuse", "1");
  const auto refused = commit(folder, {"a", "new"});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::ProcessCrash);
  CHECK(refused.error().message.contains("looked at it"));
  CHECK(status(folder) == before);
  folder.write(".git/refuse", "0");
  CHECK(good(commit(folder, {"a", "new"})).said == "looked at it");
  CHECK(folder.user({"log", "-1", "--format=%B"}) == "words\nsigned\n\n");
  CHECK(status(folder) == "A  other\n");
}

TEST_CASE("What cannot be committed is refused in words, and nothing is left behind") {
  const TestFolder folder;
  folder.write("a", "1\n");
  folder.write(".gitignore", "ignored\n");
  folder.commit();
  folder.write("new", "1\n");
  folder.write("ignored", "1\n");
  const auto code = [&](Names paths, const std::string& message) {
    const auto refused = commit(folder, std::move(paths), message);
    REQUIRE_FALSE(refused.has_value());
    CHECK_FALSE(refused.error().message.empty());
    return refused.error().code;
  };
  CHECK(code({}, "words") == ErrorCode::InvalidRequest);
  CHECK(code({"a"}, " \n\t") == ErrorCode::InvalidRequest);
  CHECK(code({"../a"}, "words") == ErrorCode::InvalidRequest);
  CHECK(code({"a"}, "words") == ErrorCode::ProcessCrash);     // Nothing changed.
  CHECK(code({"none"}, "words") == ErrorCode::ProcessCrash);  // There is no such file.
  CHECK(code({"new", "ignored"}, "words") == ErrorCode::ProcessCrash);
  CHECK(status(folder) == "?? new\n");
  folder.write(".git/index.lock", "");
  CHECK(code({"new"}, "words") == ErrorCode::ProcessCrash);
  folder.remove(".git/index.lock");
  CHECK(status(folder) == "?? new\n");

  const TestFolder bare("sha1", false);
  bare.write("a", "1\n");
  const auto files = bare.open();
  const auto none = commit_paths(bare.git(), *files, {{"a"}, "words"}, by_hand(bare));
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == ErrorCode::NotSupported);
}

}  // namespace
}  // namespace lb::git
