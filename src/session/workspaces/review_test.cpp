// What changed in a session's files, through the service, with real git.

#include <atomic>
#include <boost/asio/co_spawn.hpp>

#include "session/workspaces/git_world.h"
#include "session/workspaces/work_record.h"

namespace lb {
namespace {

using namespace test;

struct ReviewWorld : GitWorld {
  Result<ChangesBody> try_changes(const SessionId& session, const std::string& against = "") {
    SessionChangesRequest request{session};
    if (!against.empty()) request.against = against;
    return loop.run(service->changes(std::move(request)));
  }
  ChangesBody changes(const SessionId& session, const std::string& against = "") {
    auto found = try_changes(session, against);
    REQUIRE_MESSAGE(found.has_value(), (found ? "" : found.error().message));
    return std::move(*found);
  }
  std::vector<std::string> paths(const SessionId& session, const std::string& against = "") {
    std::vector<std::string> list;
    for (const ChangedFile& file : changes(session, against).files) list.push_back(file.path);
    return list;
  }
  Result<AttachmentData> file(const SessionId& session, const std::string& path,
                              std::optional<std::string> tree = std::nullopt) {
    return loop.run(service->file({session, path, std::move(tree)}));
  }
  std::string mime(const SessionId& session, const std::string& path) {
    auto found = file(session, path);
    REQUIRE_MESSAGE(found.has_value(), (found ? "" : found.error().message));
    return found->mime_type;
  }
  Result<DiscardBody> discard(const SessionId& session, const std::string& path,
                              const ChangesBody& seen) {
    return loop.run(service->discard({session, path, seen.from, seen.oid}));
  }
};

using Paths = std::vector<std::string>;

TEST_CASE("changes are against the base of a workspace, HEAD, the index, or the begin of a turn") {
  ReviewWorld world;
  const SessionId session = world.in_worktree("feature");
  const std::string top = world.workspace_of(session).path;
  const TurnId one = world.turn_of(session, [&] {
    world.write(top + "/one.txt", "1\n");
    world.commit(top);
  });
  const TurnId two = world.turn_of(session, [&] { world.write(top + "/two.txt", "2\n"); });
  world.git({"add", "two.txt"}, top);
  world.write(top + "/three.txt", "3\n");

  const ChangesBody base = world.changes(session);
  CHECK(base.against == "base");
  CHECK(base.target == "main");
  CHECK(base.count == 3);
  CHECK(base.added == 3);
  CHECK_FALSE(base.truncated);
  CHECK(base.offers == Paths{"base", "head", "index", "turn:" + two.str(), "turn:" + one.str()});
  CHECK(world.paths(session) == Paths{"one.txt", "three.txt", "two.txt"});
  CHECK(world.paths(session, "head") == Paths{"three.txt", "two.txt"});
  CHECK(world.paths(session, "index") == Paths{"three.txt"});
  CHECK(world.paths(session, "turn:" + one.str()) == Paths{"one.txt", "three.txt", "two.txt"});
  CHECK(world.paths(session, "turn:" + two.str()) == Paths{"three.txt", "two.txt"});

  const SessionId other = world.create();
  CHECK(world.try_changes(other, "turn:" + one.str()).error().code == ErrorCode::NotSupported);
  CHECK(world.try_changes(session, "HEAD~1").error().code == ErrorCode::InvalidRequest);
  CHECK(world.try_changes(SessionId("none")).error().code == ErrorCode::SessionNotFound);
  CHECK(world.changes(other).target == "HEAD");
  CHECK(world.changes(other).count == 0);
  // The lists say the same, and by another tree that something changed.
  REQUIRE(world.loop.until([&] { return world.info(session).changes.has_value(); }));
  CHECK(world.info(session).changes->files == 2);
  CHECK(world.info(session).changes->oid.has_value());
}

TEST_CASE("without git the files are compared with those before the first turn") {
  ReviewWorld world;
  const std::string folder = world.dir.file("plain");
  SessionCreateRequest request;
  request.cli_type = "claude-code";
  request.project_id = world.project("plain").project_id;
  const SessionId session = world.loop.run(world.service->create(std::move(request)))->session_id;
  world.write(folder + "/before.txt", "1\n");
  CHECK(world.try_changes(session).error().code == ErrorCode::NotSupported);
  world.turn_of(session, [&] { world.write(folder + "/new.txt", "1\n"); });
  const TurnId turn = world.turn_of(session, [&] { world.write(folder + "/two.txt", "1\n"); });
  CHECK(world.paths(session) == Paths{"new.txt", "two.txt"});
  CHECK(world.paths(session, "turn:" + turn.str()) == Paths{"two.txt"});
  CHECK(world.try_changes(session, "head").error().code == ErrorCode::NotSupported);
  CHECK(world.try_changes(session, "index").error().code == ErrorCode::NotSupported);
  CHECK(world.changes(session).offers.size() == 3);
  // What is seen can be taken back here too.
  const auto done = world.discard(session, "new.txt", world.changes(session));
  REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
  CHECK_FALSE(world.there(folder + "/new.txt"));
  const auto commit = world.loop.run(world.service->commit({session, {"two.txt"}, "words"}));
  CHECK(commit.error().code == ErrorCode::NotSupported);
}

TEST_CASE("a difference needs both trees or none, and has its limits") {
  ReviewWorld world;
  const SessionId session = world.create();
  world.write(world.root() + "/a.txt", "one\n");
  const auto diff = [&](SessionDiffRequest request) {
    request.session_id = session;
    return world.loop.run(world.service->diff(std::move(request)));
  };
  const ChangesBody seen = world.changes(session);
  SessionDiffRequest request{.session_id = session, .path = "a.txt"};
  const auto now = diff(request);
  REQUIRE_MESSAGE(now.has_value(), (now ? "" : now.error().message));
  CHECK(now->starts_with("diff --git a/a.txt b/a.txt\n"));
  world.write(world.root() + "/a.txt", "another\n");
  request.from = seen.from;
  CHECK(diff(request).error().code == ErrorCode::InvalidRequest);
  request.oid = seen.oid;
  CHECK(diff(request) == now);  // As it was seen.
  request.context = limits::kContextLinesMax + 1;
  CHECK(diff(request).error().code == ErrorCode::InvalidRequest);
  CHECK(diff({.session_id = session, .path = "../a"}).error().code == ErrorCode::InvalidRequest);
}

TEST_CASE("files are shown by what is in them, from disk or from a tree") {
  ReviewWorld world;
  const SessionId session = world.create();
  const std::string top = world.root();
  world.write(top + "/a.png", "\x89PNG\r\n\x1a\nrest");
  world.write(top + "/b.txt", "\xff\xd8\xffrest");
  world.write(top + "/c.gif", "GIF89a");
  world.write(top + "/d.webp", "RIFF1234WEBPVP8 ");
  world.write(top + "/e.svg", "<svg><script/></svg>");
  world.write(top + "/f.bin", std::string("text\0", 5));
  world.write(top + "/g.txt", "caf\xe9");
  world.write(top + "/large", std::string(limits::kShownBytesMax + 1, 'x'));
  CHECK(world.mime(session, "a.png") == "image/png");
  CHECK(world.mime(session, "b.txt") == "image/jpeg");
  CHECK(world.mime(session, "c.gif") == "image/gif");
  CHECK(world.mime(session, "d.webp") == "image/webp");
  CHECK(world.mime(session, "e.svg") == "text/plain; charset=utf-8");
  CHECK(world.mime(session, "f.bin") == "application/octet-stream");
  CHECK(world.mime(session, "g.txt") == "application/octet-stream");
  CHECK(world.file(session, "large").error().code == ErrorCode::TooLarge);
  const std::string tree = world.changes(session).oid;
  CHECK(world.file(session, "large", tree).error().code == ErrorCode::TooLarge);
  world.write(top + "/c.gif", "another");
  CHECK(world.file(session, "c.gif", tree)->bytes == "GIF89a");
  CHECK(world.file(session, "c.gif")->bytes == "another");
  CHECK(world.file(session, "none", tree).error().code == ErrorCode::NotFound);
  CHECK(world.file(session, top + "/c.gif")->bytes == "another");
  CHECK(world.file(session, "none").error().code == ErrorCode::NotFound);
  CHECK(world.file(session, ".git/config").error().code == ErrorCode::InvalidRequest);
  CHECK(world.file(session, "/etc/passwd").error().code == ErrorCode::InvalidRequest);
}

TEST_CASE("in a folder of a repository, paths are from its top or from where the session works") {
  ReviewWorld world;
  world.write(world.root() + "/sub/both.txt", "below\n");
  world.write(world.root() + "/sub/only.txt", "only\n");
  world.write(world.root() + "/both.txt", "top\n");
  SessionCreateRequest request;
  request.cli_type = "claude-code";
  request.project_id = world.project("web/sub").project_id;
  const SessionId session = world.loop.run(world.service->create(std::move(request)))->session_id;
  CHECK(world.paths(session) == Paths{"both.txt", "sub/both.txt", "sub/only.txt"});
  CHECK(world.file(session, "sub/only.txt")->bytes == "only\n");
  CHECK(world.file(session, "only.txt")->bytes == "only\n");
  CHECK(world.file(session, "both.txt")->bytes == "top\n");
  CHECK(world.file(session, world.root() + "/sub/both.txt")->bytes == "below\n");
}

TEST_CASE("what was discarded comes back, after a restart too; a crash in the middle finishes it") {
  ReviewWorld world;
  const SessionId session = world.in_worktree("feature");
  const std::string file = world.workspace_of(session).path + "/a.txt";
  const std::string begin = world.read(file);
  world.turn_of(session, [&] { world.write(file, "changed\n"); });
  const ChangesBody seen = world.changes(session);
  const auto done = world.discard(session, "a.txt", seen);
  REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
  CHECK(done->changes == std::vector<FileChange>{{"a.txt", ChangeKind::Modified}});
  CHECK(world.read(file) == begin);
  CHECK(world.discard(session, "a.txt", seen).error().code == ErrorCode::RewindConflict);
  REQUIRE(world.loop.until([&] { return world.info(session).changes->files == 0; }));
  // What it was is kept from the user's `git gc`.
  CHECK(world.git({"for-each-ref", "refs/liminal/rw/" + done->undo_id}).contains("tree"));

  SUBCASE("undone") {
    world.restart();
    const auto back = world.loop.run(world.service->undo_rewind({session, done->undo_id}));
    REQUIRE_MESSAGE(back.has_value(), (back ? "" : back.error().message));
    CHECK(world.read(file) == "changed\n");
  }
  SUBCASE("cut off before the file was written") {
    const RewindRow row = **world.loop.run(world.store.read_rewind(done->undo_id));
    CHECK_FALSE(row.open);
    world.write(file, "changed\n");
    WriteBatch batch;
    batch.rewinds.push_back({row.id, true, row.rewind});
    REQUIRE(world.loop.run(world.store.commit(std::move(batch))).has_value());
    world.restart();
    CHECK(world.read(file) == begin);
    CHECK_FALSE((*world.loop.run(world.store.read_rewind(row.id)))->open);
  }
}

TEST_CASE("a commit is counted, and what was committed is no change against HEAD") {
  ReviewWorld world;
  const SessionId session = world.in_worktree("feature");
  const std::string top = world.workspace_of(session).path;
  world.turn_of(session, [&] {
    world.write(top + "/a.txt", "changed\n");
    world.write(top + "/odd\xff.txt", "new\n");
  });
  const auto done =
      world.loop.run(world.service->commit({session, {"odd\\xff.txt"}, "An odd name"}));
  REQUIRE_MESSAGE(done.has_value(), (done ? "" : done.error().message));
  CHECK(done->files == 1);
  CHECK(done->branch == "feature");
  CHECK(world.paths(session, "head") == Paths{"a.txt"});
  CHECK(world.paths(session) == Paths{"a.txt", "odd\\xff.txt"});
  REQUIRE(world.loop.until([&] { return world.workspace_of(session).ahead == 1U; }));
}

TEST_CASE("an editor is asked for files of the session only, a few at once, and heard") {
  ReviewWorld world;
  const SessionId session = world.create();
  const auto open = [&](const std::string& path) {
    return world.loop.run(world.service->open_in_editor({session, path, 7}));
  };
  const auto none = open("a.txt");
  REQUIRE_FALSE(none.has_value());
  CHECK(none.error().code == ErrorCode::NotSupported);
  CHECK(none.error().message.contains("editor = "));
  CHECK_FALSE(world.service->info().editor);

  std::vector<std::string> asked;
  std::atomic<bool> fails = false;
  world.editor = [&](const EditorWish& wish) -> Result<void> {
    asked.push_back(wish.path + ":" + std::to_string(wish.line) + " in " + wish.folder);
    if (fails) return fail(ErrorCode::ProcessCrash, "no screen");
    return {};
  };
  world.restart();
  CHECK(world.service->info().editor);
  CHECK(open("a.txt").has_value());
  CHECK(asked == Paths{world.root() + "/a.txt:7 in " + world.root()});
  CHECK(open("none.txt").error().code == ErrorCode::NotFound);
  CHECK(open("../x").error().code == ErrorCode::InvalidRequest);
  CHECK(asked.size() == 1);
  fails = true;
  CHECK(open("a.txt").error().message == "no screen");
}

TEST_CASE("a few editors are started at once, and no more") {
  ReviewWorld world;
  std::atomic<bool> go = false;
  world.editor = [&](const EditorWish&) -> Result<void> {
    go.wait(false);
    return {};
  };
  world.restart();
  const SessionId session = world.create();
  std::size_t opened = 0;
  for (std::size_t at = 0; at < limits::kEditorsMax; ++at) {
    asio::co_spawn(world.loop.executor(), world.service->open_in_editor({session, "a.txt", {}}),
                   [&](const std::exception_ptr&, const Result<void>& done) {
                     opened += done.has_value() ? 1 : 0;
                   });
  }
  const auto busy = world.loop.run(world.service->open_in_editor({session, "a.txt", {}}));
  REQUIRE_FALSE(busy.has_value());
  CHECK(busy.error().code == ErrorCode::Busy);
  go = true;
  go.notify_all();
  REQUIRE(world.loop.until([&] { return opened == limits::kEditorsMax; }));
  CHECK(world.loop.run(world.service->open_in_editor({session, "a.txt", {}})).has_value());
}

}  // namespace
}  // namespace lb
