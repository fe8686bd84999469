// A copy of a conversation that ends before one of its turns.
#include "session/session_test_support.h"

using namespace lb;
using namespace lb::test;

namespace {

struct Forked : World {
  TurnId turn_with(const std::string& prompt, const std::string& answer) {
    const TurnId turn = begin(session, prompt);
    claude->say(session, turn, turn.str() + ":1", answer);
    claude->complete(session, turn);
    loop.settle();
    return turn;
  }
  /// What a copy shows: prompts and answers.
  std::vector<std::string> before(const TurnId& turn) {
    const auto forked = loop.run(service->fork({session, turn}));
    REQUIRE_MESSAGE(forked.has_value(), (forked ? "" : forked.error().message));
    copy = forked->session_id;
    std::vector<std::string> texts;
    for (const Item& item : items(copy)) {
      CHECK(item.session_id == copy);
      texts.push_back(text(item));
    }
    return texts;
  }
  [[nodiscard]] const ForkPoint& point() const { return *claude->forked_before.back(); }

  SessionId session = create();
  SessionId copy;
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a fork before a turn has what was before it, and nothing of it or later") {
  Forked world;
  const TurnId one = world.turn_with("First", "Answer 1");
  const TurnId two = world.turn_with("Second", "Answer 2");
  const TurnId three = world.turn_with("Third", "Answer 3");

  CHECK(world.before(three) == Texts{"First", "Answer 1", "Second", "Answer 2"});
  CHECK(world.turns(world.copy).size() == 2);
  CHECK(world.point().turn == three);
  CHECK(world.point().last_kept == two);
  CHECK(world.point().last_kept_at == world.turn(world.session, two)->ended_at);

  CHECK(world.before(two) == Texts{"First", "Answer 1"});
  // What the copy is loaded with after a restart: its own newest turn.
  std::optional<TurnId> known;
  world.prepare = [&](ScriptedProvider& provider, ScriptedProvider&) {
    provider.history = [&](const SessionId&, const LoadSessionOptions& options) {
      known = options.last_known_turn;
    };
  };
  world.restart();
  REQUIRE(world.loop.run(world.service->load(world.copy)).has_value());
  CHECK(known == one);

  CHECK(world.before(one).empty());
  CHECK(world.turns(world.copy).empty());
  CHECK_FALSE(world.point().last_kept.has_value());
  CHECK(world.items(world.session).size() == 6);
}

TEST_CASE("what a turn said after the next was queued is before that one") {
  Forked world;
  const TurnId one = world.begin(world.session, "First");
  const auto queued = world.send(world.session, "Second");
  REQUIRE(queued.has_value());
  world.claude->say(world.session, one, "i1", "Late answer");
  world.claude->complete(world.session, one);
  REQUIRE(world.loop.until([&] { return world.claude->sent.size() == 2; }));
  world.claude->say(world.session, queued->turn_id, "i2", "Answer 2");
  world.claude->complete(world.session, queued->turn_id);
  world.loop.settle();
  CHECK(world.before(queued->turn_id) == Texts{"First", "Late answer"});
  CHECK(world.point().last_kept == one);
}

TEST_CASE("a fork before the turn that runs, or one that waits, has what is done") {
  Forked world;
  const TurnId one = world.turn_with("First", "Answer 1");
  const TurnId two = world.begin(world.session, "Second");
  const auto queued = world.send(world.session, "Third");
  REQUIRE(queued.has_value());
  for (const TurnId& turn : {two, queued->turn_id}) {
    CHECK(world.before(turn) == Texts{"First", "Answer 1"});
    CHECK(world.point().last_kept == one);
  }
}

TEST_CASE("a fork before a turn is refused where there is no such turn, or its agent cannot") {
  Forked world;
  const TurnId one = world.turn_with("First", "Answer 1");
  const auto refused = [&](const TurnId& turn) {
    return world.loop.run(world.service->fork({world.session, turn})).error();
  };
  CHECK(refused(TurnId("nonesuch")).code == ErrorCode::TurnNotFound);
  world.claude->forks_before = false;
  CHECK(refused(one).code == ErrorCode::NotSupported);
  CHECK(refused(one).message ==
        "claude-code can only copy a whole session, not what was before a turn.");
  CHECK(world.claude->forked.empty());
  CHECK(world.loop.run(world.service->fork({world.session, {}})).has_value());
}
