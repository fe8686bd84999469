// Sessions whose agents run behind walls: what is asked for, kept and refused.

#include <doctest/doctest.h>

#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

SessionCreateRequest asked(World& world, std::optional<bool> confined) {
  SessionCreateRequest request;
  request.cli_type = "claude-code";
  request.project_id = world.project().project_id;
  request.confined = confined;
  return request;
}

TEST_CASE("a session that was made confined stays so: over a fork, a restart and a resume") {
  World world;
  const auto made = world.loop.run(world.service->create(asked(world, true)));
  REQUIRE(made.has_value());
  CHECK(made->confined);
  CHECK(world.claude->created.back().confined);
  CHECK(world.info(made->session_id).confined);
  world.claude->can_fork = true;
  const auto forked = world.loop.run(world.service->fork({made->session_id, {}}));
  REQUIRE(forked.has_value());
  CHECK(forked->confined);
  CHECK(world.info(forked->session_id).confined);

  world.restart();
  CHECK(world.info(made->session_id).confined);
  CHECK(world.info(forked->session_id).confined);
  REQUIRE(world.loop.run(world.service->load(made->session_id)).has_value());
  REQUIRE_FALSE(world.claude->loaded.empty());
  CHECK(world.claude->loaded.back().options.confined);
}

TEST_CASE("without a word the configuration of the agent decides") {
  World world;
  CHECK_FALSE(world.loop.run(world.service->create(asked(world, {})))->confined);
  world.registry->confine("claude-code");
  CHECK(world.loop.run(world.service->create(asked(world, {})))->confined);
  CHECK_FALSE(world.loop.run(world.service->create(asked(world, false)))->confined);
  CHECK(world.loop.run(world.service->agents()).front().confine == true);
}

TEST_CASE("where the kernel does not allow it a confined session is refused, never made without") {
  World world;
  world.service->cannot_confine("a user namespace: Operation not permitted");
  const auto made = world.loop.run(world.service->create(asked(world, true)));
  REQUIRE_FALSE(made.has_value());
  CHECK(made.error().code == ErrorCode::NotSupported);
  CHECK(made.error().message.contains("a user namespace: Operation not permitted"));
  CHECK(world.claude->created.empty());
  world.registry->confine("claude-code");
  CHECK_FALSE(world.loop.run(world.service->create(asked(world, {}))).has_value());
  CHECK(world.loop.run(world.service->create(asked(world, false))).has_value());
  CHECK(world.loop.run(world.service->agents()).front().confine_problem ==
        "a user namespace: Operation not permitted");
}

TEST_CASE("an agent that does not say it can be confined gets no session that shall be") {
  World world;
  const auto made = world.loop.run(world.service->create(asked(world, true)));
  REQUIRE(made.has_value());
  world.prepare = [](ScriptedProvider& provider, ScriptedProvider&) { provider.confines = false; };
  world.restart();
  const auto refused = world.loop.run(world.service->create(asked(world, true)));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::NotSupported);
  CHECK(refused.error().message.starts_with("claude-code cannot be confined"));
  world.registry->confine("claude-code");
  CHECK_FALSE(world.loop.run(world.service->create(asked(world, {}))).has_value());
  CHECK(world.claude->created.empty());
  CHECK(world.loop.run(world.service->create(asked(world, false))).has_value());
  CHECK(world.loop.run(world.service->agents()).front().confine_problem.has_value());
  // Nor is one that was made when another program stood behind the name.
  CHECK_FALSE(world.loop.run(world.service->load(made->session_id)).has_value());
  CHECK_FALSE(world.send(made->session_id, "hello").has_value());
  CHECK_FALSE(world.loop.run(world.service->fork({made->session_id, {}})).has_value());
  CHECK(world.claude->loaded.empty());
  CHECK(world.claude->forked.empty());
}

}  // namespace
}  // namespace lb
