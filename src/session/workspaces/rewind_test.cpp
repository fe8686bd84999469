// Checkpoints and rewinding, through the service, with real git.

#include "session/workspaces/git_world.h"
#include "session/workspaces/work_record.h"

namespace lb {
namespace {

using namespace test;

constexpr const char* kBegin = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

TEST_CASE("a turn says that it has a checkpoint, and rewinding it undoes only what it did") {
  GitWorld world;
  const SessionId session = world.create();
  const TurnId turn = world.turn_of(session, [&] {
    world.write(world.root() + "/a.txt", "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n");
    world.write(world.root() + "/new.txt", "by the agent\n");
  });
  CHECK(world.turn(session, turn)->checkpoint == CheckpointState::Made);
  // The user goes on: in the same file at another place, and in files that git does not know.
  world.write(world.root() + "/a.txt", "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n");
  world.write(world.root() + "/mine.txt", "by the user\n");

  const auto would = world.rewind(session, turn, true);
  REQUIRE(would.has_value());
  CHECK(would->changes ==
        std::vector<FileChange>{{"a.txt", ChangeKind::Modified}, {"new.txt", ChangeKind::Deleted}});
  CHECK(would->conflicts.empty());
  CHECK_FALSE(would->undo_id.has_value());
  CHECK(world.there(world.root() + "/new.txt"));

  const auto done = world.rewind(session, turn);
  REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
  CHECK(done->changes == would->changes);
  CHECK(world.read(world.root() + "/a.txt") == "one\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n");
  CHECK_FALSE(world.there(world.root() + "/new.txt"));
  CHECK(world.read(world.root() + "/mine.txt") == "by the user\n");

  SUBCASE("and the rewind can be undone, after a restart too") {
    world.restart();
    SessionRewindUndoRequest undo{session, *done->undo_id};
    const auto back = world.loop.run(world.service->undo_rewind(undo));
    REQUIRE_MESSAGE(back.has_value(), (back ? "" : back.error().message));
    CHECK(world.read(world.root() + "/a.txt") == "ONE\ntwo\nthree\nfour\nfive\nsix\nSEVEN\n");
    CHECK(world.read(world.root() + "/new.txt") == "by the agent\n");
    CHECK(back->undo_id.has_value());
  }
}

TEST_CASE("a message does not wait longer for its checkpoint than it was told to") {
  GitWorld world;
  world.checkpoint_wait = {};
  world.restart();
  const SessionId session = world.create();
  const TurnId id = world.begin(session);
  const auto turn = world.turn(session, id);
  CHECK(turn->checkpoint == CheckpointState::None);
  CHECK(turn->checkpoint_problem.value_or("").find("checkpoint_wait_ms") != std::string::npos);
  CHECK_FALSE(world.rewind(session, id).has_value());
}

TEST_CASE("what was changed since at the same place is named before anything is written") {
  GitWorld world;
  const SessionId session = world.create();
  const TurnId turn = world.turn_of(session, [&] {
    world.write(world.root() + "/a.txt", "ONE\ntwo\nthree\nfour\nfive\nsix\nseven\n");
    world.write(world.root() + "/b.txt", "new\n");
  });
  const std::string mine = "mine\ntwo\nthree\nfour\nfive\nsix\nseven\n";
  world.write(world.root() + "/a.txt", mine);
  CHECK(world.rewind(session, turn, true)->conflicts == std::vector<std::string>{"a.txt"});
  const auto refused = world.rewind(session, turn);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::RewindConflict);
  CHECK(refused.error().members == R"("paths":["a.txt"])");
  CHECK(world.read(world.root() + "/a.txt") == mine);
  CHECK(world.there(world.root() + "/b.txt"));
}

TEST_CASE("checkpoints have what shell commands did, and leave the user's repository alone") {
  GitWorld world;
  world.write(world.root() + "/staged.txt", "staged\n");
  world.git({"add", "staged.txt"});
  const std::string index = world.read(world.root() + "/.git/index");
  const std::string refs = world.git({"for-each-ref", "refs/heads", "refs/tags", "refs/stash"});
  const SessionId session = world.create();
  const TurnId turn = world.turn_of(session, [&] {
    std::filesystem::remove(world.root() + "/a.txt");
    std::filesystem::rename(world.root() + "/staged.txt", world.root() + "/moved.txt");
  });
  REQUIRE(world.rewind(session, turn).has_value());
  CHECK(world.read(world.root() + "/a.txt") == kBegin);
  CHECK(world.read(world.root() + "/staged.txt") == "staged\n");
  CHECK_FALSE(world.there(world.root() + "/moved.txt"));
  CHECK(world.read(world.root() + "/.git/index") == index);
  CHECK(world.git({"for-each-ref", "refs/heads", "refs/tags", "refs/stash"}) == refs);
  CHECK(world.git({"log", "--all", "--oneline"}).find("liminal") == std::string::npos);
}

TEST_CASE("a folder without git has checkpoints too") {
  GitWorld world;
  SessionCreateRequest request;
  request.cli_type = "claude-code";
  request.project_id = world.project("plain").project_id;
  const SessionId session = world.loop.run(world.service->create(request))->session_id;
  const std::string file = world.dir.file("plain") + "/notes.txt";
  world.write(file, "before\n");
  const TurnId turn = world.turn_of(session, [&] { world.write(file, "after\n"); });
  REQUIRE(world.rewind(session, turn).has_value());
  CHECK(world.read(file) == "before\n");
  CHECK_FALSE(world.there(world.dir.file("plain") + "/.git"));
}

TEST_CASE("a home folder gets no checkpoint, and the turn says why") {
  GitWorld world;
  SessionCreateRequest request;
  request.cli_type = "claude-code";
  request.project_id = world.project("home").project_id;
  const SessionId session = world.loop.run(world.service->create(request))->session_id;
  const TurnId turn = world.begin(session);
  world.claude->complete(session, turn);
  REQUIRE(world.loop.until([&] { return is_final(*world.turn(session, turn)); }));
  const auto ended = world.turn(session, turn);
  CHECK(ended->checkpoint == CheckpointState::None);
  CHECK(ended->checkpoint_problem.value_or("").find("home") != std::string::npos);
  const auto refused = world.rewind(session, turn, true);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::NotSupported);
}

TEST_CASE("of turns that ran beside each other only what their own tools changed is offered") {
  GitWorld world;
  const SessionId first = world.create("claude-code");
  const SessionId second = world.create("codex");
  const TurnId one = world.begin(first);
  const TurnId two = world.begin(second);
  world.write(world.root() + "/first.txt", "first\n");
  world.write(world.root() + "/second.txt", "second\n");
  Item edit;
  edit.session_id = first;
  edit.turn_id = one;
  edit.item_id = ItemId("i1");
  edit.status = ItemStatus::Complete;
  ToolCall call;
  call.tool_name = "Write";
  call.call_id = "c1";
  call.kind = ToolKind::Edit;
  call.locations = {{world.root() + "/first.txt", std::nullopt}};
  edit.body = call;
  world.claude->upsert(edit);
  world.claude->complete(first, one);
  world.codex->complete(second, two);
  world.settle(first);
  world.settle(second);
  const auto done = world.rewind(first, one);
  REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
  CHECK(done->shared == std::vector<std::string>{"second.txt"});
  CHECK_FALSE(world.there(world.root() + "/first.txt"));
  CHECK(world.read(world.root() + "/second.txt") == "second\n");
}

TEST_CASE("the conversation goes first: when the agent refuses, the files stay") {
  GitWorld world;
  const SessionId session = world.create();
  const TurnId turn =
      world.turn_of(session, [&] { world.write(world.root() + "/a.txt", "changed\n"); });
  SessionRewindRequest request{session, turn, true, true, false};
  SUBCASE("where it cannot go back") {
    world.claude->forks_before = false;
    CHECK_FALSE(world.rewind(session, turn, true)->conversation);
    request.dry_run = true;  // Asks what could be done: no error, or nobody learns of the files.
    const auto dry = world.loop.run(world.service->rewind(request));
    REQUIRE_MESSAGE(dry.has_value(), (dry ? "" : dry.error().message));
    CHECK_FALSE(dry->conversation);
    CHECK(dry->changes.size() == 1);
    request.dry_run = false;
    const auto refused = world.loop.run(world.service->rewind(request));
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == ErrorCode::NotSupported);
    CHECK(world.read(world.root() + "/a.txt") == "changed\n");
  }
  SUBCASE("where it can, there is a fork without the turn, and the files are as before") {
    CHECK(world.rewind(session, turn, true)->conversation);
    const auto done = world.loop.run(world.service->rewind(request));
    REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
    REQUIRE(done->fork_session_id.has_value());
    CHECK(world.turns(*done->fork_session_id).empty());
    CHECK(world.turns(session).size() == 1);
    CHECK(world.read(world.root() + "/a.txt") == kBegin);
  }
}

TEST_CASE("while the agent works nothing is rewound") {
  GitWorld world;
  const SessionId session = world.create();
  const TurnId turn = world.turn_of(session, [] {});
  const TurnId next = world.begin(session);
  CHECK(world.rewind(session, turn).error().code == ErrorCode::Busy);
  CHECK(world.rewind(session, turn, true).has_value());
  world.claude->complete(session, next);
}

TEST_CASE("a rewind that a crash cut off is finished at the next start") {
  GitWorld world;
  const SessionId session = world.create();
  const TurnId turn = world.turn_of(session, [&] {
    world.write(world.root() + "/a.txt", "changed\n");
    world.write(world.root() + "/b.txt", "changed\n");
  });
  const auto rows = *world.loop.run(world.store.read_checkpoints(session));
  // As if it had been killed after the first file.
  world.write(world.root() + "/a.txt", kBegin);
  WriteBatch batch;
  RewindRecord record{session, rows.back().root, rows.back().after, rows.back().before};
  batch.rewinds.push_back({"r1", true, encode(record)});
  REQUIRE(world.loop.run(world.store.commit(batch)).has_value());
  world.restart();
  CHECK(world.read(world.root() + "/a.txt") == kBegin);
  CHECK_FALSE(world.there(world.root() + "/b.txt"));
  CHECK_FALSE((*world.loop.run(world.store.read_rewind("r1")))->open);
}

TEST_CASE("a deleted session takes its checkpoints with it, and no file") {
  GitWorld world;
  const SessionId session = world.create();
  world.turn_of(session, [&] { world.write(world.root() + "/b.txt", "work\n"); });
  CHECK_FALSE(world.git({"for-each-ref", "refs/liminal/cp"}).empty());
  REQUIRE(world.loop.run(world.service->remove(session)).has_value());
  CHECK(world.loop.until([&] { return world.git({"for-each-ref", "refs/liminal/cp"}).empty(); }));
  CHECK(world.read(world.root() + "/b.txt") == "work\n");
}

}  // namespace
}  // namespace lb
