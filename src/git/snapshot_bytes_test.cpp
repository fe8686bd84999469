// What a repository is configured to do with its files does not happen in a snapshot.
#include "tests/support/git_folder.h"

namespace lb::git {
namespace {

/// Everything of git's own, but objects and our refs: what must be the same afterwards.
std::map<std::string, std::string> users_own(const TestFolder& folder) {
  auto found = TestFolder::all_below(folder.root() + "/.git", true);
  std::erase_if(found, [](const auto& entry) {
    return entry.first.starts_with("objects/") || entry.first.starts_with("refs/liminal/");
  });
  return found;
}

void go_through_everything(const TestFolder& folder) {
  auto files = folder.open();
  const std::string before = good(files->snapshot());
  folder.write("a.txt", "agent\n");
  folder.write("merged.txt", "1 agent\n2\n3\n4\n5\n6\n7\n");
  folder.write("new.bin", "new\r\n");
  const std::string after = good(files->snapshot());
  good(files->keep({{"cp/s/t/b", before}, {"cp/s/t/a", after}}));
  folder.write("merged.txt", "1 agent\n2\n3\n4\n5\n6\n7 user\n");
  const RewindPlan plan = good(plan_rewind(*files, before, after, std::nullopt));
  REQUIRE(plan.conflicts.empty());
  CHECK(good(files->apply(plan.now, plan.target)).left.empty());
  CHECK(folder.read("merged.txt") == "1\n2\n3\n4\n5\n6\n7 user\n");
  CHECK(good(files->kept("cp/s/")).size() == 2);
}

void prepare(const TestFolder& folder) {
  folder.write("a.txt", "one\n");
  folder.write("merged.txt", "1\n2\n3\n4\n5\n6\n7\n");
  folder.commit();
  folder.write("a.txt", "stashed\n");
  folder.user({"stash", "-q"});
  folder.write("staged.txt", "staged\n");
  folder.user({"add", "staged.txt"});
}

TEST_CASE("The user's index, HEAD, stash, branches and configuration are byte-identical") {
  const TestFolder folder;
  prepare(folder);
  const auto before = users_own(folder);
  REQUIRE(before.contains("index"));
  REQUIRE(before.contains("refs/stash"));
  go_through_everything(folder);
  CHECK(users_own(folder) == before);
}

TEST_CASE("No program that the repository's configuration names runs") {
  const TestFolder folder;
  prepare(folder);
  const std::string marker = folder.home() + "/it-ran";
  const std::string script = "echo \"$0 $*\" >> " + marker + "; cat";
  const std::string program = folder.home() + "/program";
  std::ofstream(program) << "#!/bin/sh\n" << script << "\n";
  ::chmod(program.c_str(), 0755);
  for (const char* hook :
       {"post-index-change", "reference-transaction", "post-checkout", "pre-commit", "post-commit",
        "post-merge", "pre-auto-gc", "fsmonitor-watchman"}) {
    std::filesystem::copy(program, folder.root() + "/.git/hooks/" + hook);
  }
  folder.write(".gitattributes", "*.txt filter=evil merge=evil diff=evil\n*.bin filter=lfs\n");
  const auto set = [&](const std::string& key, const std::string& value) {
    std::ofstream(folder.root() + "/.git/config", std::ios::app)
        << "[" << key.substr(0, key.rfind('.')) << "]\n\t" << key.substr(key.rfind('.') + 1)
        << " = " << value << "\n";
  };
  for (const char* filter : {"filter \"evil\"", "filter \"lfs\""}) {
    set(filter + std::string(".clean"), program);
    set(filter + std::string(".smudge"), program);
    set(filter + std::string(".process"), program);
    set(filter + std::string(".required"), "true");
  }
  set("merge \"evil\".driver", program + " %O %A %B");
  set("diff \"evil\".textconv", program);
  set("diff \"evil\".command", program);
  set("diff.external", program);
  set("core.fsmonitor", program);
  set("core.pager", program);
  set("core.editor", program);
  set("core.sshCommand", program);
  set("gpg.program", program);
  set("uploadpack.packObjectsHook", program);
  set("core.alternateRefsCommand", program);
  SUBCASE("of the repository") {}
  SUBCASE("or of the user, where bytes are concerned") {
    std::filesystem::copy(folder.root() + "/.git/config", folder.home() + "/.gitconfig");
  }
  go_through_everything(folder);
  CHECK(bytes_of(marker) == "");
  // The user's own git runs it.
  static_cast<void>(
      folder.git().run({.args = {"add", "a.txt"}, .cwd = folder.root(), .by_the_user = true}));
  CHECK(bytes_of(marker) != "");
}

TEST_CASE("An object that is not there is not fetched") {
  const TestFolder folder;
  folder.commit();
  const std::string marker = folder.home() + "/it-ran";
  const std::string program = folder.home() + "/program";
  std::ofstream(program) << "#!/bin/sh\necho ran >> " << marker << "\n";
  ::chmod(program.c_str(), 0755);
  folder.user({"config", "core.repositoryFormatVersion", "1"});
  folder.user({"config", "extensions.partialClone", "origin"});
  folder.user({"config", "remote.origin.promisor", "true"});
  folder.user({"config", "core.sshCommand", program});
  for (const char* url : {"ssh://somewhere/else", "/tmp/somewhere"}) {
    folder.user({"config", "remote.origin.url", url});
    folder.user({"config", "remote.origin.uploadpack", program});
    const auto missing =
        folder.git().run({.args = {"cat-file", "-p", std::string(40, '1')}, .cwd = folder.root()});
    CHECK_FALSE(good(missing).ok());
  }
  CHECK(bytes_of(marker) == "");
  static_cast<void>(folder.git().run({.args = {"cat-file", "-p", std::string(40, '1')},
                                      .cwd = folder.root(),
                                      .by_the_user = true}));
  CHECK(bytes_of(marker) != "");
}

TEST_CASE("Bytes come back exactly whatever the repository says of line ends and encodings") {
  const TestFolder folder;
  folder.user({"config", "core.autocrlf", "true"});
  folder.user({"config", "core.eol", "crlf"});
  folder.write(".gitattributes",
               "*.txt text eol=crlf ident\n*.lf text eol=lf\n*.u16 working-tree-encoding=UTF-16\n"
               "*.dat filter=lfs diff=lfs merge=lfs -text\nmacro binary\n");
  const std::map<std::string, std::string> wanted = {
      {"crlf.txt", "one\r\ntwo\r\n"},
      {"mixed.txt", "one\r\ntwo\nthree\r"},
      {"lf.lf", "a\r\nb\r\n"},
      {"ident.txt", "$Id$ and $Id: 1234 $\n"},
      {"wide.u16", std::string("\xff\xfe"
                               "a\0b\0\n\0",
                               8)},
      {"broken.u16", "not UTF-16 at all: \xff"},
      {"pointer.dat", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"},
      {"macro", std::string("\0\r\n\0", 4)},
      {"empty", ""},
      {"no-line-end", "x"},
  };
  for (const auto& [path, bytes] : wanted) folder.write(path, bytes);
  auto files = folder.open();
  const std::string tree = good(files->snapshot());
  for (const auto& [path, bytes] : wanted) {
    INFO(path);
    CHECK(good(files->file(tree, path)) == bytes);
    folder.remove(path);
  }
  const std::string without = good(files->snapshot());
  CHECK(folder.names(*files, without) == Names{".gitattributes"});
  CHECK(good(files->apply(without, tree)).left.empty());
  for (const auto& [path, bytes] : wanted) {
    INFO(path);
    CHECK(folder.read(path) == bytes);
  }
}

TEST_CASE("core.worktree does not lead a snapshot to other folders") {
  const TestFolder folder;
  std::filesystem::create_directories(folder.home() + "/inside/secret");
  std::filesystem::rename(folder.root(), folder.home() + "/inside/project");
  const std::string project = folder.home() + "/inside/project";
  std::ofstream(project + "/.git/config", std::ios::app) << "[core]\n\tworktree = ../..\n";
  const auto files = WorkTree::open(folder.git(), project, folder.keep_dir());
  REQUIRE_FALSE(files);
  CHECK(files.error().message.contains("core.worktree"));
}

}  // namespace
}  // namespace lb::git
