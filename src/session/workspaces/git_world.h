/// GitWorld: a service whose project is a real git repository, for the tests of this folder.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "session/session_test_support.h"

namespace lb::test {

struct GitWorld : World {
  GitWorld() {
    std::filesystem::create_directories(dir.file("home"));
    ::setenv("HOME", dir.file("home").c_str(), 1);
    ::setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
    ::unsetenv("XDG_CONFIG_HOME");
    with_git = true;
    restart();
    std::filesystem::create_directories(root());
    git({"init", "-q", "-b", "main"});
    git({"config", "user.name", "Test"});
    git({"config", "user.email", "test@localhost"});
    write(root() + "/a.txt", "one\ntwo\nthree\nfour\nfive\nsix\nseven\n");
    commit(root());
  }

  [[nodiscard]] std::string root() const { return dir.file("web"); }
  std::string git(std::vector<std::string> args, std::string folder = "") const {
    if (folder.empty()) folder = root();
    auto said = program.out({.args = std::move(args), .cwd = folder, .by_the_user = true});
    REQUIRE_MESSAGE(said.has_value(), (said ? "" : said.error().message));
    return *said;
  }
  void commit(const std::string& folder) const {
    git({"add", "-A"}, folder);
    git({"commit", "-q", "-m", "work"}, folder);
  }
  static void write(const std::string& path, const std::string& bytes) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  }
  [[nodiscard]] static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
  }
  [[nodiscard]] static bool there(const std::string& path) { return std::filesystem::exists(path); }

  Result<SessionCreatedMessage> make(WorkspaceWish wish, const std::string& cli_type = "codex") {
    SessionCreateRequest request;
    request.cli_type = cli_type;
    request.project_id = project().project_id;
    request.workspace = std::move(wish);
    return loop.run(service->create(std::move(request)));
  }
  SessionId in_worktree(const std::string& branch) {
    WorkspaceWish wish;
    wish.branch = branch;
    auto made = make(std::move(wish));
    REQUIRE_MESSAGE(made.has_value(), (made ? "" : made.error().message));
    return made->session_id;
  }
  std::vector<Workspace> workspaces() {
    auto found = loop.run(service->workspaces({}));
    REQUIRE(found.has_value());
    return std::move(found->workspaces);
  }
  Workspace workspace_of(const SessionId& session) {
    for (const Workspace& one : workspaces()) {
      if (one.workspace_id == info(session).workspace_id) return one;
    }
    FAIL("no workspace");
    return {};
  }
  /// What the lists say that a session changed, without its tree.
  std::optional<ChangeCount> counted(const SessionId& session) {
    auto changes = info(session).changes;
    if (changes) changes->oid.reset();
    return changes;
  }
  /// A whole turn; `work` is what the agent does to the files.
  TurnId turn_of(const SessionId& session, const std::function<void()>& work) {
    ScriptedProvider* agent = info(session).cli_type == "codex" ? codex : claude;
    const TurnId id = begin(session);
    work();
    agent->complete(session, id);
    settle(session);
    return id;
  }
  /// Until the files after the last turn are known.
  void settle(const SessionId& session) {
    REQUIRE(loop.until([&] {
      const auto rows = loop.run(store.read_checkpoints(session));
      return rows && !rows->empty() && !rows->back().after.empty();
    }));
  }
  Result<RewindBody> rewind(const SessionId& session, const TurnId& turn, bool dry_run = false) {
    SessionRewindRequest request;
    request.session_id = session;
    request.turn_id = turn;
    request.files = true;
    request.dry_run = dry_run;
    return loop.run(service->rewind(std::move(request)));
  }

  git::Git program = git::Git::of_the_user();
};

}  // namespace lb::test
