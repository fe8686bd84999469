// Which mode and model a session goes on with.

#include <doctest/doctest.h>

#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

SessionFacts told(std::optional<std::string> mode, std::optional<std::string> model) {
  SessionFacts facts;
  facts.modes = std::vector<Choice>{{"default", "Ask first", {}}, {"plan", "Plan", {}}};
  facts.mode = std::move(mode);
  facts.model = std::move(model);
  return facts;
}

/// What the agent is given when the session is opened again, after a stop or a restart.
LoadSessionOptions opened_again(World& world, const SessionId& session, bool restart) {
  world.loop.settle();
  if (restart) {
    world.restart();
  } else {
    REQUIRE(world.loop.run(ask(*world.service, &Session::kill, session)).has_value());
  }
  const TurnId turn = world.begin(session, "Go on");
  world.claude->complete(session, turn);
  world.loop.settle();
  REQUIRE(!world.claude->loaded.empty());
  return world.claude->loaded.back().options;
}

TEST_CASE("the mode in effect is kept, also when an approved plan changed it") {
  for (const bool restart : {false, true}) {
    CAPTURE(restart);
    World world;
    SessionCreateRequest request;
    request.cli_type = "claude-code";
    request.project_id = world.project().project_id;
    request.mode = "plan";
    const SessionId session = world.loop.run(world.service->create(request))->session_id;
    world.claude->report(session, told("plan", std::nullopt));
    const TurnId turn = world.begin(session);
    world.claude->report(session, told("default", std::nullopt));
    world.claude->complete(session, turn);
    CHECK(opened_again(world, session, restart).mode == "default");
  }
}

TEST_CASE("the model in effect is kept, also when a slash command switched it") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "/model large");
  world.claude->report(session, told("default", "small"));
  world.claude->report(session, told("default", "large"));
  world.claude->complete(session, turn);
  CHECK(opened_again(world, session, true).model == "large");
}

TEST_CASE("what nobody chose stays the agent's default, and the agent is told what it was") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session);
  world.claude->report(session, told(std::nullopt, std::nullopt));
  world.claude->report(session, told("default", "small"));
  world.claude->complete(session, turn);
  const LoadSessionOptions options = opened_again(world, session, true);
  CHECK(!options.mode.has_value());
  CHECK(!options.model.has_value());
  CHECK(options.told.model == "small");
}

TEST_CASE("what an agent says while it opens a session is no choice, nor is a mode it has not") {
  World world;
  SessionId session = world.create();
  TurnId turn = world.begin(session);
  world.claude->report(session, told("default", "small"));
  world.claude->report(session, told("dontAsk", "small"));
  world.claude->complete(session, turn);
  world.prepare = [&](ScriptedProvider& claude, ScriptedProvider&) {
    claude.history = [&](const SessionId& id, const LoadSessionOptions&) {
      world.claude->report(id, told("plan", "large"));
    };
  };
  CHECK(!opened_again(world, session, true).mode.has_value());
  const LoadSessionOptions again = opened_again(world, session, true);
  CHECK(!again.mode.has_value());
  CHECK(!again.model.has_value());
}

}  // namespace
}  // namespace lb
