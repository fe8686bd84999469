// Comments on lines, what was seen, and how a review reaches the agent once.
#include "session/review/review.h"

#include <algorithm>

#include "session/session_test_support.h"

namespace lb::test {
namespace {

struct Reviewed : World {
  Comment say(const std::string& path, std::uint64_t line, const std::string& body) {
    SessionCommentRequest request;
    request.session_id = session;
    request.path = path;
    request.line = line;
    request.quote = "int x = 1;";
    request.body = body;
    auto said = loop.run(service->add_comment(std::move(request)));
    REQUIRE(said.has_value());
    return said->comment;
  }
  Comment say_of_plan(const std::string& item, const std::string& body) {
    SessionCommentRequest request;
    request.session_id = session;
    request.item_id = ItemId(item);
    request.line = 2;
    request.quote = "2. Delete the tests";
    request.body = body;
    return loop.run(service->add_comment(std::move(request)))->comment;
  }
  Result<ReviewSentBody> send_review(const std::string& key) {
    return loop.run(service->send_review({session, key, {}}));
  }
  std::vector<Comment> comments() { return loop.run(service->comments({session}))->comments; }
  std::size_t prompts() { return claude->sent.size(); }

  SessionId session = create();
};

TEST_CASE("a comment is a draft that a restart does not take") {
  Reviewed world;
  const Comment one = world.say("src/a.cpp", 12, "Name it better.");
  CHECK(one.state == CommentState::Draft);
  CHECK(one.side == Side::New);
  const Comment two = world.say("src/b.cpp", 1, "Why?");
  REQUIRE(world.loop.run(world.service->edit_comment({world.session, two.comment_id, "Why so?"})));
  REQUIRE(world.loop.run(world.service->delete_comment({world.session, one.comment_id})));
  world.restart();
  REQUIRE(world.comments().size() == 1);
  CHECK(world.comments()[0].body == "Why so?");
}

TEST_CASE("what cannot be a comment is refused in words") {
  Reviewed world;
  SessionCommentRequest request;
  request.session_id = world.session;
  request.line = 1;
  request.body = "x";
  const auto refused = [&] {
    auto said = world.loop.run(world.service->add_comment(request));
    REQUIRE_FALSE(said);
    return said.error().code;
  };
  CHECK(refused() == ErrorCode::InvalidRequest);  // Neither a file nor a plan.
  request.path = "a";
  request.item_id = ItemId("i");
  CHECK(refused() == ErrorCode::InvalidRequest);  // Both.
  request.item_id.reset();
  request.body = " \n";
  CHECK(refused() == ErrorCode::InvalidRequest);
  request.body = std::string(limits::kCommentBytesMax + 1, 'x');
  CHECK(refused() == ErrorCode::TooLarge);
  request.body = "x";
  request.quote = std::string(limits::kQuoteBytesMax + 1, 'x');
  CHECK(refused() == ErrorCode::TooLarge);
  request.session_id = SessionId("nobody");
  CHECK(refused() == ErrorCode::SessionNotFound);
  CHECK(world.loop.run(world.service->edit_comment({world.session, CommentId("no"), "x"}))
            .error()
            .code == ErrorCode::ItemNotFound);
}

TEST_CASE("a session has room for so many comments and no more") {
  Reviewed world;
  for (std::size_t i = 0; i < limits::kCommentsMax; ++i) world.say("a", i + 1, "x");
  SessionCommentRequest request;
  request.session_id = world.session;
  request.path = "a";
  request.line = 1;
  request.body = "one more";
  const auto said = world.loop.run(world.service->add_comment(std::move(request)));
  REQUIRE_FALSE(said);
  CHECK(said.error().code == ErrorCode::TooLarge);
}

TEST_CASE("all drafts leave as one prompt, once for a key") {
  Reviewed world;
  world.say("src/a.cpp", 12, "Name it better.");
  world.say("src/b.cpp", 3, "And test it.");
  const auto sent = world.send_review("k1");
  REQUIRE(sent.has_value());
  CHECK(sent->comments.size() == 2);
  world.loop.settle();
  REQUIRE(world.prompts() == 1);
  const std::string said = world.claude->sent[0].prompt.content;
  CHECK(said.contains("`src/a.cpp`, line 12\n> int x = 1;\nName it better."));
  CHECK(said.contains("2. `src/b.cpp`, line 3"));
  for (const Comment& comment : world.comments()) {
    CHECK(comment.state == CommentState::Sent);
    CHECK(comment.turn_id == sent->turn_id);
  }
  world.say("src/c.cpp", 1, "Later.");
  const auto again = world.send_review("k1");
  REQUIRE(again.has_value());
  CHECK(again->turn_id == sent->turn_id);
  CHECK(again->comments == sent->comments);
  world.loop.settle();
  CHECK(world.prompts() == 1);
  CHECK(world.comments()[2].state == CommentState::Draft);
}

TEST_CASE("nothing to send is refused") {
  Reviewed world;
  CHECK(world.send_review("k").error().code == ErrorCode::NotSupported);
  CHECK(world.send_review("").error().code == ErrorCode::InvalidRequest);
  const Comment done = world.say("a", 1, "x");
  REQUIRE(world.loop.run(world.service->resolve_comment({world.session, done.comment_id, {}})));
  CHECK(world.send_review("k").error().code == ErrorCode::NotSupported);
}

TEST_CASE("a prompt that cannot be sent leaves the comments as drafts") {
  Reviewed world;
  world.say("a", 1, std::string(1000, 'x'));
  world.store.set_state({StoreState::Kind::Full, "full"});
  asio::co_spawn(world.loop.context(), world.service->send_review({world.session, "k", {}}),
                 asio::detached);
  world.loop.settle();
  CHECK(world.prompts() == 0);
  world.store.set_state({StoreState::Kind::Ready, ""});
  world.loop.settle();
  CHECK(world.prompts() <= 1);  // Whichever: it is sent with the comments or not at all.
  CHECK((world.comments()[0].state == CommentState::Sent) == (world.prompts() == 1));
}

TEST_CASE("a server that dies between the prompt and the note of it sends nothing twice") {
  Reviewed world;
  world.say("src/a.cpp", 12, "Name it better.");
  REQUIRE(world.send_review("k1").has_value());
  world.loop.settle();
  // As the store would be: the prompt is there, the comment says only that it was leaving.
  auto rows = *world.loop.run(world.store.read_review(world.session));
  auto record = *decode_text<CommentRecord>(rows.comments[0].comment);
  record.comment.state = CommentState::Draft;
  record.comment.turn_id.reset();
  record.sending = "review:k1";
  WriteBatch batch;
  batch.comments.push_back({world.session, record.comment.comment_id, encode(record)});
  REQUIRE(world.loop.run(world.store.commit(std::move(batch))).has_value());
  world.restart();
  SUBCASE("the same try") {
    REQUIRE(world.send_review("k1").has_value());
  }
  SUBCASE("another one") {
    CHECK(world.send_review("k2").error().code == ErrorCode::NotSupported);
  }
  world.loop.settle();
  CHECK(world.prompts() == 0);
  CHECK(world.comments()[0].state == CommentState::Sent);
}

TEST_CASE("comments on a plan go with the answer, whichever it is") {
  Reviewed world;
  const TurnId turn = world.begin(world.session);
  world.claude->ask(world.session, turn, "p1", {}, ApprovalKind::Plan);
  world.loop.settle();
  world.say_of_plan("p1", "Keep the tests.");
  world.say("a", 1, "Not about the plan.");
  SessionAnswerRequest request;
  request.session_id = world.session;
  request.item_id = ItemId("p1");
  SUBCASE("approved") {
    request.option_id = "yes";
  }
  SUBCASE("denied, with words") {
    request.option_id = "no";
    request.message = "Not yet.";
  }
  const bool denied = request.option_id == "no";
  REQUIRE(world.loop.run(world.service->answer(request, Caller{"me"})).has_value());
  world.loop.settle();
  const std::string words = world.claude->answers.at(0).second.message.value_or("");
  CHECK(words.contains("The plan, line 2\n> 2. Delete the tests\nKeep the tests."));
  CHECK(words.starts_with(denied ? "Not yet." : "My comments on the plan:"));
  CHECK_FALSE(words.contains("Not about the plan."));
  CHECK(world.comments()[0].state == CommentState::Sent);
  CHECK(world.comments()[1].state == CommentState::Draft);
}

TEST_CASE("comments are in both exports") {
  Reviewed world;
  world.say("src/a.cpp", 12, "Name it better.");
  const auto markdown =
      *world.loop.run(world.service->export_session(world.session, ExportFormat::Markdown));
  CHECK(markdown.contains("**src/a.cpp:12** (draft)"));
  CHECK(markdown.contains("Name it better."));
  const auto json =
      *world.loop.run(world.service->export_session(world.session, ExportFormat::Json));
  CHECK(json.contains(R"("comments":[{)"));
}

TEST_CASE("what was seen counts for that content only") {
  IoLoop loop;
  Review::Shelf shelf(loop.executor());
  shelf.seen = {{"a", "1"}, {"b", "2"}};
  ChangesBody changes;
  changes.against = "base";
  changes.oid = "tree";
  changes.files.resize(2);
  changes.files[0].path = "a";
  changes.files[0].oid = "1";
  changes.files[1].path = "b";
  changes.files[1].oid = "3";
  Review::fill_in(shelf, changes);
  CHECK(changes.files[0].viewed);
  CHECK_FALSE(changes.files[1].viewed);
  CHECK(changes.files[1].changed_since_viewed);
  CHECK_FALSE(Review::all_seen(shelf));
  shelf.seen["b"] = "3";
  CHECK(Review::all_seen(shelf) == "tree");
}

TEST_CASE("lines are counted as git counts them") {
  CHECK(lines_of("").empty());
  CHECK(lines_of("a").size() == 1);
  CHECK(lines_of("a\n").size() == 1);
  CHECK(lines_of("a\n\nb\n").size() == 3);
}

}  // namespace
}  // namespace lb::test
