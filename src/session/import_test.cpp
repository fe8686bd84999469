// A history of a CLI that is brought in, and what happens when that is cut off.

#include <doctest/doctest.h>

#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

const std::vector<std::string> kTurns = {"00000000-0000-4000-8000-000000000001",
                                         "00000000-0000-4000-8000-000000000002",
                                         "00000000-0000-4000-8000-000000000003"};

/// Says a history of three turns, as far as `until`: counted in things said, six in each turn. As
/// providers do, it leaves out what it is told is known.
void say_history(ScriptedProvider& agent, const SessionId& session,
                 const LoadSessionOptions& options, int until) {
  bool known = options.last_known_turn.has_value();
  int said = 0;
  const auto more = [&] { return said++ < until; };
  for (const std::string& name : kTurns) {
    const TurnId turn(name);
    if (known) {
      known = turn != *options.last_known_turn;
      continue;
    }
    if (more()) agent.start(session, turn);
    for (const std::string part : {"user", "1", "2"}) {
      if (more()) agent.say(session, turn, name + ":" + part, Text(part + " of " + name));
    }
    // An answer that an agent replays in pieces.
    if (more()) agent.say(session, turn, name + ":3", Text("be"), ItemStatus::Create);
    if (more()) agent.say(session, turn, name + ":3", Text("begun and ended"));
    if (more()) agent.complete(session, turn);
  }
}

struct Outside : World {
  Outside() {
    outside = {{"abc", "Set up CI", {5000}, {9000}}};
    restart();
    const SessionListRequest list{project().project_id, ListScope::All, false};
    REQUIRE(loop.until([&] { return service->list(list)->size() == 1; }));
    session = service->list(list)->at(0).session_id;
  }
  void script(int until, std::optional<Error> then) {
    claude->history = [this, until](const SessionId& id, const LoadSessionOptions& options) {
      say_history(*claude, id, options, until);
    };
    claude->history_error = std::move(then);
  }
  /// An import that ends there, with what it brought stored.
  void cut_off_at(int until) {
    script(until, Error{ErrorCode::ProcessCrash, "Killed."});
    REQUIRE_FALSE(loop.run(service->timeline(session, 0)).has_value());
    (void)loop.run(service->stop());
  }
  void check_whole() {
    const auto all = items(session);
    const auto ended = turns(session);
    REQUIRE(all.size() == 4 * kTurns.size());
    REQUIRE(ended.size() == kTurns.size());
    std::uint64_t pos = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const std::string turn = kTurns[i / 4];
      CHECK(all[i].turn_id.str() == turn);
      CHECK(all[i].status == ItemStatus::Complete);
      CHECK(all[i].pos > pos);
      pos = all[i].pos;
    }
    for (std::size_t i = 0; i < ended.size(); ++i) {
      CHECK(ended[i].turn_id.str() == kTurns[i]);
      CHECK(ended[i].type == TurnType::Complete);
      CHECK(ended[i].error_code == std::nullopt);
    }
    CHECK(text(all[11]) == "begun and ended");
    CHECK_FALSE(info(session).discovered);
    CHECK(info(session).activity != Activity::Failed);
  }
  SessionId session;
};

TEST_CASE("a history whose import the server did not live to finish is brought in whole") {
  for (int until = 1; until <= 21; ++until) {
    CAPTURE(until);
    Outside world;
    world.cut_off_at(until);
    world.restart();
    world.script(1000, std::nullopt);
    world.check_whole();
    CHECK_FALSE(world.claude->imported.back().options.last_known_turn.has_value());
    world.restart();
    world.check_whole();
  }
}

TEST_CASE("what two agents find in the same records is listed once") {
  for (const bool same : {true, false}) {
    CAPTURE(same);
    World world;
    world.claude->outside = world.codex->outside = {{"abc", "Set up CI", {5000}, {9000}}};
    world.claude->records_at = "/home/me/.claude";
    world.codex->records_at = same ? "/home/me/.claude" : "/home/me/.other";
    const SessionListRequest list{world.project().project_id, ListScope::All, false};
    REQUIRE(world.loop.until([&] { return world.codex->discoveries > 0; }));
    world.loop.settle();
    CHECK(world.service->list(list)->size() == (same ? 1 : 2));
  }
  // Nor does the other one bring back what was deleted.
  World world;
  world.claude->outside = world.codex->outside = {{"abc", "Set up CI", {5000}, {9000}}};
  world.claude->records_at = world.codex->records_at = "/home/me/.claude";
  const SessionListRequest list{world.project().project_id, ListScope::All, false};
  REQUIRE(world.loop.until([&] { return world.service->list(list)->size() == 1; }));
  const SessionId found = world.service->list(list)->at(0).session_id;
  REQUIRE(world.loop.run(world.service->remove(found)).has_value());
  world.prepare = [](ScriptedProvider& claude, ScriptedProvider& codex) {
    claude.outside = codex.outside = {{"abc", "Set up CI", {5000}, {9000}}};
    claude.records_at = codex.records_at = "/home/me/.claude";
  };
  world.restart();
  REQUIRE(world.loop.until([&] { return world.codex->discoveries > 0; }));
  world.loop.settle();
  CHECK(world.service->list(list)->empty());
}

TEST_CASE("a prompt finishes an import that was cut off, and goes on behind it") {
  Outside world;
  world.cut_off_at(12);
  world.restart();
  world.script(1000, std::nullopt);
  const TurnId turn = world.begin(world.session, "Go on");
  world.claude->complete(world.session, turn);
  const auto items = world.items(world.session);
  REQUIRE(items.size() == 13);
  CHECK(world.text(items.back()) == "Go on");
  CHECK(world.turns(world.session).size() == 4);
}

TEST_CASE("an import that failed is tried again in the same life, and nothing is there twice") {
  Outside world;
  world.script(12, Error{ErrorCode::ProcessCrash, "Killed."});
  REQUIRE_FALSE(world.loop.run(world.service->timeline(world.session, 0)).has_value());
  world.script(1000, std::nullopt);
  world.check_whole();
}

TEST_CASE("a session that is begun in a terminal is in the lists without anybody asking") {
  World world;
  world.outside_every = std::chrono::milliseconds(5);
  world.restart();
  world.project();
  REQUIRE(world.loop.until([&] { return world.claude->outside_looks > 1; }));
  world.heard.activity.clear();
  world.claude->outside = {{"cli-7", "In a terminal", {1}, {2}}};
  world.claude->outside_marked = 2;
  REQUIRE(world.loop.until([&] { return !world.heard.activity.empty(); }));
  CHECK(world.heard.activity[0].title == "In a terminal");
  CHECK(world.heard.activity[0].discovered);
}

}  // namespace
}  // namespace lb
