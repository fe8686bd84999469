// Comments and marks over real files: what becomes of them when the agent goes on.
#include "session/workspaces/git_world.h"

namespace lb::test {
namespace {

struct ReviewedFiles : GitWorld {
  ChangesBody changes() {
    auto body = loop.run(service->changes({session, "base"}));
    REQUIRE_MESSAGE(body.has_value(), (body ? "" : body.error().message));
    return *body;
  }
  void say(std::uint64_t line, const std::string& quote) {
    SessionCommentRequest request;
    request.session_id = session;
    request.path = "a.txt";
    request.line = line;
    request.quote = quote;
    request.oid = changes().files.at(0).oid;
    request.body = "Say more.";
    REQUIRE(loop.run(service->add_comment(std::move(request))).has_value());
  }
  std::vector<CommentState> states() {
    std::vector<CommentState> all;
    for (const Comment& comment : loop.run(service->comments({session}))->comments) {
      all.push_back(comment.state);
    }
    return all;
  }

  SessionId session = create();
};

using enum CommentState;

TEST_CASE("a draft is outdated when its line is another, and never moves") {
  ReviewedFiles world;
  const std::string file = world.root() + "/a.txt";
  ReviewedFiles::write(file, "one\nTWO\nthree\nFOUR\n");
  world.say(2, "TWO");
  world.say(4, "FOUR");
  world.say(0, "");
  world.changes();
  CHECK(world.states() == std::vector{Draft, Draft, Draft});
  ReviewedFiles::write(file, "zero\none\nTWO\nFOUR\n");  // TWO is elsewhere, FOUR as it was.
  world.changes();
  CHECK(world.states() == std::vector{Outdated, Draft, Draft});
  std::filesystem::remove(file);
  world.changes();
  CHECK(world.states() == std::vector{Outdated, Outdated, Outdated});
  ReviewedFiles::write(file, "one\nTWO\nthree\nFOUR\n");
  world.changes();
  CHECK(world.states() == std::vector{Draft, Draft, Draft});
}

TEST_CASE("an outdated comment is sent with a word about it") {
  ReviewedFiles world;
  ReviewedFiles::write(world.root() + "/a.txt", "one\nTWO\n");
  world.say(2, "TWO");
  ReviewedFiles::write(world.root() + "/a.txt", "one\n");
  world.changes();
  REQUIRE(world.loop.run(world.service->send_review({world.session, "k", {}})).has_value());
  world.loop.settle();
  CHECK(world.claude->sent.at(0).prompt.content.contains("(the line has changed since)"));
  world.changes();
  CHECK(world.states() == std::vector{Sent});
}

TEST_CASE(
    "a session with changes needs review until they are seen, and again when they are others") {
  ReviewedFiles world;
  const auto turn = [&](const std::string& text) {
    const TurnId id = world.begin(world.session);
    ReviewedFiles::write(world.root() + "/a.txt", text);
    CHECK_FALSE(world.info(world.session).needs_review);
    world.claude->complete(world.session, id);
    REQUIRE(world.loop.until([&] { return world.info(world.session).needs_review; }));
  };
  turn("one\n");
  const ChangesBody seen = world.changes();
  CHECK_FALSE(seen.reviewed);
  SUBCASE("file by file") {
    REQUIRE(world.loop.run(
        world.service->mark_viewed({world.session, "a.txt", seen.files.at(0).oid, {}})));
  }
  SUBCASE("all at once") {
    REQUIRE(world.loop.run(world.service->mark_reviewed({world.session, seen.oid})));
  }
  CHECK_FALSE(world.info(world.session).needs_review);
  CHECK(world.changes().reviewed);
  turn("other\n");
  CHECK_FALSE(world.changes().reviewed);
}

}  // namespace
}  // namespace lb::test
