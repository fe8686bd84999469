// Worktrees of sessions, through the service, with real git.

#include "session/workspaces/git_world.h"

namespace lb {
namespace {

using namespace test;

/// Without the tree, whose id nobody can foretell.
std::optional<ChangeCount> counted(const SessionInfo& info) {
  std::optional<ChangeCount> count = info.changes;
  if (count) count->oid.reset();
  return count;
}

TEST_CASE("a session with a worktree works in it, on a branch and with ports of its own") {
  GitWorld world;
  const SessionId session = world.in_worktree("fix-login");
  const Workspace workspace = world.workspace_of(session);
  CHECK(workspace.state == WorkspaceState::Ready);
  CHECK(workspace.branch == "fix-login");
  CHECK(workspace.base_ref == "main");
  CHECK(workspace.base_oid.value_or("") + "\n" == world.git({"rev-parse", "main"}));
  CHECK(workspace.session_ids == std::vector{session});
  CHECK(workspace.path.starts_with(world.dir.file("worktrees") + "/web/"));
  CHECK(world.read(workspace.path + "/a.txt") == world.read(world.root() + "/a.txt"));
  CHECK(world.info(session).branch == "fix-login");
  const CreateSessionOptions& options = world.codex->created.back();
  CHECK(options.project_dir == workspace.path);
  CHECK(options.own_process);
  CHECK(variable(options.env, "LIMINAL_PORT_FIRST") == std::to_string(workspace.ports->first));
  CHECK(workspace.ports->last == workspace.ports->first + 9);

  const SessionId other = world.in_worktree("another");
  CHECK(world.workspace_of(other).ports->first != workspace.ports->first);
}

TEST_CASE("closing, archiving and deleting a session, or a project, touches no file") {
  GitWorld world;
  const SessionId session = world.in_worktree("work");
  const Workspace workspace = world.workspace_of(session);
  world.write(workspace.path + "/draft.txt", "not committed\n");
  REQUIRE(world.loop.run(ask(*world.service, &Session::kill, session)).has_value());
  SessionArchiveRequest archive{session, true};
  REQUIRE(world.loop.run(ask(*world.service, &Session::set_archived, archive)).has_value());
  REQUIRE(world.loop.run(world.service->remove(session)).has_value());
  REQUIRE(world.loop.run(world.service->remove_project({workspace.project_id})).has_value());
  CHECK(world.read(workspace.path + "/draft.txt") == "not committed\n");
  CHECK(world.git({"branch", "--list", "work"}).find("work") != std::string::npos);
  world.restart();
  CHECK(world.read(workspace.path + "/draft.txt") == "not committed\n");
  world.project();
  CHECK(world.workspaces().size() == 1);
}

TEST_CASE("without git, without a repository and without a commit it is said why there is none") {
  GitWorld world;
  SessionCreateRequest request;
  request.cli_type = "codex";
  request.project_id = world.project("plain").project_id;
  request.workspace = WorkspaceWish{};
  const auto refused = world.loop.run(world.service->create(request));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::NotSupported);
  CHECK(refused.error().message.find("git init") != std::string::npos);
  const auto plain = world.loop.run(world.service->project_git({*request.project_id, {}}));
  CHECK_FALSE(plain->available);
  CHECK(plain->problem.has_value());
  world.git({"init", "-q"}, world.dir.file("plain"));
  const auto empty = world.loop.run(world.service->project_git({*request.project_id, {}}));
  CHECK_FALSE(empty->available);
  CHECK(empty->problem->find("first commit") != std::string::npos);
  CHECK(world.workspaces().empty());
}

TEST_CASE("what a worktree can begin with is told before it is made") {
  GitWorld world;
  world.git({"branch", "old"});
  world.git({"tag", "v1"});
  world.write(world.root() + "/.worktreesetup", "echo set up\n");
  world.commit(world.root());
  world.write(world.root() + "/dirty.txt", "x");
  const auto git = world.loop.run(world.service->project_git({world.project().project_id, {}}));
  REQUIRE(git.has_value());
  CHECK(git->available);
  CHECK(git->branch == "main");
  CHECK(git->branches.size() == 2);
  CHECK(git->tags == std::vector<std::string>{"v1"});
  CHECK(git->dirty == 1);
  REQUIRE(git->setup.has_value());
  CHECK(git->setup->text == "echo set up\n");
  CHECK_FALSE(git->setup->confirmed);
  const auto older =
      world.loop.run(world.service->project_git({world.project().project_id, "old"}));
  CHECK_FALSE(older->setup.has_value());
}

TEST_CASE("uncommitted changes come along when the user wants it") {
  GitWorld world;
  world.write(world.root() + "/a.txt", "changed\n");
  world.write(world.root() + "/new.txt", "unknown to git\n");
  WorkspaceWish wish;
  wish.carry = Carry::Uncommitted;
  const auto made = world.make(wish);
  REQUIRE_MESSAGE(made.has_value(), (made ? "" : made.error().message));
  const Workspace workspace = world.workspace_of(made->session_id);
  CHECK(world.read(workspace.path + "/a.txt") == "changed\n");
  CHECK(world.read(workspace.path + "/new.txt") == "unknown to git\n");
  CHECK(world.read(world.root() + "/a.txt") == "changed\n");
  CHECK(workspace.branch.value_or("").starts_with("liminal/"));
}

TEST_CASE("names that are taken or are none are refused, and nothing is left") {
  GitWorld world;
  world.git({"branch", "taken"});
  const auto code = [&](WorkspaceWish wish) {
    const auto refused = world.make(std::move(wish));
    return refused ? ErrorCode::Internal : refused.error().code;
  };
  CHECK(code({{}, "taken", {}, {}}) == ErrorCode::InvalidRequest);
  CHECK(code({{}, "-rf", {}, {}}) == ErrorCode::InvalidRequest);
  CHECK(code({{}, "a..b", {}, {}}) == ErrorCode::InvalidRequest);
  CHECK(code({"no-such-base", "ok", {}, {}}) == ErrorCode::InvalidRequest);
  CHECK(code({"--upload-pack=x", "ok", {}, {}}) == ErrorCode::InvalidRequest);
  CHECK(world.workspaces().empty());
  CHECK(world.git({"worktree", "list"}).find("worktrees/") == std::string::npos);
}

TEST_CASE("a worktree goes again when its session could not be made") {
  GitWorld world;
  world.codex->create_error = Error{ErrorCode::AgentUnavailable, "not installed"};
  WorkspaceWish wish;
  wish.branch = "never";
  REQUIRE_FALSE(world.make(wish).has_value());
  CHECK(world.workspaces().empty());
  CHECK(world.git({"branch", "--list", "never"}).empty());
  CHECK(world.git({"worktree", "list"}).find("never") == std::string::npos);
  // The next one is made at the same path, and stands there alone after a restart too.
  world.codex->create_error.reset();
  const SessionId session = world.in_worktree("never");
  world.restart();
  REQUIRE(world.workspaces().size() == 1);
  CHECK(world.workspace_of(session).state == WorkspaceState::Ready);
}

TEST_CASE("removing asks first, keeps everything, and restoring brings it back") {
  GitWorld world;
  const SessionId session = world.in_worktree("work");
  const Workspace workspace = world.workspace_of(session);
  world.write(workspace.path + "/a.txt", "changed\n");
  world.write(workspace.path + "/new.txt", "unknown\n");
  const auto asked = world.loop.run(world.service->remove_workspace({workspace.workspace_id, {}}));
  REQUIRE_FALSE(asked.has_value());
  CHECK(asked.error().code == ErrorCode::ConfirmNeeded);
  auto body = parse_json("{" + asked.error().members + "}");
  REQUIRE(body.has_value());
  CHECK(body->at("inventory").at("tracked").to_number<int>() == 1);
  CHECK(body->at("inventory").at("untracked").to_number<int>() == 1);
  const std::string hash(body->at("inventoryHash").as_string());

  SUBCASE("what changed meanwhile is asked again") {
    world.write(workspace.path + "/new.txt", "more\n");
    const auto again =
        world.loop.run(world.service->remove_workspace({workspace.workspace_id, hash}));
    REQUIRE_FALSE(again.has_value());
    CHECK(again.error().code == ErrorCode::ConfirmNeeded);
    CHECK(world.there(workspace.path));
  }
  SUBCASE("confirmed it goes, and comes back byte by byte") {
    const auto gone =
        world.loop.run(world.service->remove_workspace({workspace.workspace_id, hash}));
    REQUIRE_MESSAGE(gone.has_value(), (gone ? "" : gone.error().message));
    CHECK_FALSE(world.there(workspace.path));
    CHECK(world.workspace_of(session).state == WorkspaceState::Removed);
    const auto sent = world.send(session, "hello");
    REQUIRE_FALSE(sent.has_value());
    CHECK(sent.error().message.find("Restore") != std::string::npos);
    world.restart();
    const auto back = world.loop.run(world.service->restore_workspace({workspace.workspace_id}));
    REQUIRE_MESSAGE(back.has_value(), (back ? "" : back.error().message));
    CHECK(world.read(workspace.path + "/a.txt") == "changed\n");
    CHECK(world.read(workspace.path + "/new.txt") == "unknown\n");
    CHECK(world.git({"branch", "--show-current"}, workspace.path) == "work\n");
    CHECK(world.send(session, "hello").has_value());
  }
}

TEST_CASE(
    "a worktree whose folder somebody deleted comes back at its last commit, or is forgotten") {
  GitWorld world;
  const SessionId session = world.in_worktree("work");
  const Workspace workspace = world.workspace_of(session);
  world.write(workspace.path + "/b.txt", "committed\n");
  world.commit(workspace.path);
  std::filesystem::remove_all(workspace.path);
  SUBCASE("restored") {
    const auto back = world.loop.run(world.service->restore_workspace({workspace.workspace_id}));
    REQUIRE_MESSAGE(back.has_value(), (back ? "" : back.error().message));
    CHECK(world.read(workspace.path + "/b.txt") == "committed\n");
    CHECK(world.workspace_of(session).state == WorkspaceState::Ready);
    CHECK(world.send(session, "hello").has_value());
  }
  SUBCASE("removed") {
    const auto asked =
        world.loop.run(world.service->remove_workspace({workspace.workspace_id, {}}));
    REQUIRE(asked.error().code == ErrorCode::ConfirmNeeded);
    auto body = parse_json("{" + asked.error().members + "}");
    const std::string hash(body->at("inventoryHash").as_string());
    const auto gone =
        world.loop.run(world.service->remove_workspace({workspace.workspace_id, hash}));
    REQUIRE_MESSAGE(gone.has_value(), (gone ? "" : gone.error().message));
    CHECK(world.workspace_of(session).state == WorkspaceState::Removed);
    CHECK(world.git({"worktree", "list"}).find("worktrees/") == std::string::npos);
    CHECK_FALSE(world.git({"branch", "--list", "work"}).empty());
  }
}

TEST_CASE("while an agent works in it a worktree is not removed") {
  GitWorld world;
  const SessionId session = world.in_worktree("work");
  const Workspace workspace = world.workspace_of(session);
  const TurnId turn = world.begin(session);
  const auto asked = world.loop.run(world.service->remove_workspace({workspace.workspace_id, {}}));
  auto body = parse_json("{" + asked.error().members + "}");
  const std::string hash(body->at("inventoryHash").as_string());
  CHECK(world.loop.run(world.service->remove_workspace({workspace.workspace_id, hash}))
            .error()
            .code == ErrorCode::Busy);
  CHECK(world.there(workspace.path));
  world.codex->complete(session, turn);
}

TEST_CASE("landing brings the work into its base, and the session goes on from there") {
  GitWorld world;
  const SessionId session = world.in_worktree("work");
  const Workspace workspace = world.workspace_of(session);
  world.turn_of(session, [&] { world.write(workspace.path + "/b.txt", "work\n"); });
  WorkspaceLandRequest request{workspace.workspace_id, LandStrategy::Squash, "Add b", true};
  const auto would = world.loop.run(world.service->land(request));
  REQUIRE_MESSAGE(would.has_value(), (would ? "" : would.error().message));
  CHECK(would->conflicts.empty());
  CHECK_FALSE(would->oid.has_value());
  CHECK(would->commits_first);
  CHECK_FALSE(world.there(world.root() + "/b.txt"));
  world.write(world.root() + "/mine.txt", "the user's own\n");
  request.dry_run = false;
  const auto landed = world.loop.run(world.service->land(request));
  REQUIRE_MESSAGE(landed.has_value(), (landed ? "" : landed.error().message));
  CHECK(world.read(world.root() + "/b.txt") == "work\n");
  CHECK(world.read(world.root() + "/mine.txt") == "the user's own\n");
  CHECK(world.git({"log", "-1", "--format=%s"}) == "Add b\n");
  CHECK(landed->oid.value_or("") + "\n" == world.git({"rev-parse", "main"}));
  CHECK(world.loop.until([&] {
    const Workspace now = world.workspace_of(session);
    return now.base_oid == landed->oid && now.ahead == 0U && now.dirty == false;
  }));
  // What the user commits then is no change of the session's, when that comes into the worktree.
  world.commit(world.root());
  const auto nothing = world.loop.run(world.service->land(request));
  REQUIRE_MESSAGE(nothing.has_value(), (nothing ? "" : nothing.error().message));
  CHECK_FALSE(nothing->oid.has_value());
  CHECK(world.there(workspace.path + "/mine.txt"));
  CHECK(world.workspace_of(session).base_oid.value_or("") + "\n" ==
        world.git({"rev-parse", "main"}));
  world.turn_of(session, [&] { world.write(workspace.path + "/c.txt", "more\n"); });
  CHECK(world.loop.until([&] { return counted(world.info(session)) == ChangeCount{1, 1, 0}; }));
}

TEST_CASE("sessions that change the same file are marked on both, and told apart by what merges") {
  GitWorld world;
  const SessionId first = world.in_worktree("first");
  const SessionId second = world.in_worktree("second");
  const SessionId third = world.in_worktree("third");
  const std::string rest = "two\nthree\nfour\nfive\nsix\n";
  world.turn_of(first, [&] {
    world.write(world.workspace_of(first).path + "/a.txt", "FIRST\n" + rest + "seven\n");
  });
  REQUIRE(world.loop.until([&] { return world.info(first).changes.has_value(); }));
  CHECK(counted(world.info(first)) == ChangeCount{1, 1, 1});
  CHECK(world.info(first).overlaps.empty());
  world.turn_of(second, [&] {
    world.write(world.workspace_of(second).path + "/a.txt", "one\n" + rest + "SECOND\n");
  });
  world.turn_of(third, [&] {
    world.write(world.workspace_of(third).path + "/a.txt", "THIRD\n" + rest + "seven\n");
  });
  REQUIRE(world.loop.until([&] {
    return world.info(first).overlaps.size() == 2 && world.info(third).overlaps.size() == 2 &&
           world.info(second).overlaps.size() == 2;
  }));
  const auto told = world.loop.run(world.service->overlaps({first}));
  REQUIRE(told->overlaps.size() == 2);
  for (const Overlap& one : told->overlaps) {
    CHECK(one.paths == std::vector<std::string>{"a.txt"});
    CHECK(one.conflicts == (one.session_id == third));
  }
  SUBCASE("removed, its worktree is in nobody's way") {
    const auto id = world.workspace_of(first).workspace_id;
    const auto asked = world.loop.run(world.service->remove_workspace({id, {}}));
    auto body = parse_json("{" + asked.error().members + "}");
    const std::string hash(body->at("inventoryHash").as_string());
    REQUIRE(world.loop.run(world.service->remove_workspace({id, hash})).has_value());
    CHECK_FALSE(world.info(first).changes.has_value());
    CHECK(world.info(first).overlaps.empty());
    CHECK(world.info(second).overlaps.size() == 1);
    REQUIRE(world.loop.run(world.service->restore_workspace({id})).has_value());
    CHECK(world.loop.until([&] { return world.info(first).overlaps.size() == 2; }));
  }
  SUBCASE("also after a restart, before anybody works again") {
    world.restart();
    CHECK(world.loop.until([&] { return world.info(first).overlaps.size() == 2; }));
    CHECK(counted(world.info(first)) == ChangeCount{1, 1, 1});
  }
  SUBCASE("what has landed is a change no more, and in nobody's way") {
    const auto id = world.workspace_of(first).workspace_id;
    const WorkspaceLandRequest request{id, LandStrategy::Merge, {}, false};
    REQUIRE(world.loop.run(world.service->land(request)).has_value());
    CHECK(world.loop.until([&] {
      return world.info(first).overlaps.empty() && world.info(second).overlaps.size() == 1 &&
             world.info(third).overlaps.size() == 1;
    }));
    CHECK(world.info(first).changes.value_or(ChangeCount{}).files == 0);
  }
}

TEST_CASE("a fork in the same worktree is in nobody's way") {
  GitWorld world;
  WorkspaceWish wish;
  wish.branch = "work";
  const SessionId session = world.make(wish, "claude-code")->session_id;
  const std::string path = world.workspace_of(session).path;
  world.turn_of(session, [&] { world.write(path + "/a.txt", "changed\n"); });
  const auto fork = world.loop.run(world.service->fork({session, {}}));
  REQUIRE_MESSAGE(fork.has_value(), (fork ? "" : fork.error().message));
  world.turn_of(fork->session_id, [&] { world.write(path + "/b.txt", "more\n"); });
  REQUIRE(world.loop.until([&] { return world.info(fork->session_id).changes.has_value(); }));
  CHECK(world.info(fork->session_id).overlaps.empty());
  CHECK(world.info(session).overlaps.empty());
}

TEST_CASE("a session begun in a terminal inside of a worktree belongs to its project, once") {
  GitWorld world;
  const SessionId session = world.in_worktree("work");
  const Workspace workspace = world.workspace_of(session);
  world.outside = {{"cli-1", "From a terminal", {5}, {6}}};
  world.prepare = [&](ScriptedProvider& claude, ScriptedProvider&) {
    claude.outside_in = workspace.path;
  };
  world.restart();
  std::vector<SessionInfo> found;
  REQUIRE(world.loop.until([&] {
    found = *world.service->list({workspace.project_id, ListScope::All, false});
    return found.size() == 2;
  }));
  const auto external = std::ranges::find(found, "From a terminal", &SessionInfo::title);
  REQUIRE(external != found.end());
  CHECK(external->workspace_id == workspace.workspace_id);
}

TEST_CASE("worktrees of others are shown, and left alone") {
  GitWorld world;
  world.project();
  world.git({"worktree", "add", "-q", "-b", "theirs", world.dir.file("elsewhere")});
  const auto all = world.workspaces();
  REQUIRE(all.size() == 1);
  CHECK(all[0].foreign);
  CHECK(all[0].branch == "theirs");
  const auto refused = world.loop.run(world.service->remove_workspace({all[0].workspace_id, "x"}));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::WorkspaceNotFound);
  CHECK(world.there(world.dir.file("elsewhere")));
}

TEST_CASE("files for a mention are those of the session's own worktree") {
  GitWorld world;
  const SessionId session = world.in_worktree("work");
  const Workspace workspace = world.workspace_of(session);
  world.write(workspace.path + "/only-here.txt", "x");
  ProjectFilesRequest request{workspace.project_id, "only", {}, workspace.workspace_id};
  CHECK(world.loop.run(world.service->files(request))->files.size() == 1);
  request.workspace_id.reset();
  CHECK(world.loop.run(world.service->files(request))->files.empty());
  request.workspace_id = WorkspaceId("w");
  CHECK(world.loop.run(world.service->files(request)).error().code == ErrorCode::WorkspaceNotFound);
}

}  // namespace
}  // namespace lb
