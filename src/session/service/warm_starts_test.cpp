// Agents that are started before a session needs them: how many, how long, and off.

#include "session/session_test_support.h"

namespace lb {
namespace {

using test::World;

SessionCreateRequest in(const Project& project, const std::string& cli_type) {
  SessionCreateRequest request;
  request.cli_type = cli_type;
  request.project_id = project.project_id;
  return request;
}

TEST_CASE("warm start: one per agent and project, the oldest goes when there are too many") {
  World world;
  const Project one = world.project("one");
  const Project two = world.project("two");
  const Project three = world.project("three");
  CHECK(world.service->warm({"claude-code", one.project_id}) == true);
  CHECK(world.service->warm({"claude-code", two.project_id}) == true);
  CHECK(world.service->warm({"claude-code", one.project_id}) == true);  // Known: kept, not doubled.
  CHECK(world.claude->prewarmed_ended.empty());
  CHECK(world.service->warm({"codex", three.project_id}) == true);
  CHECK(world.claude->prewarmed_ended == std::vector{one.path});
  CHECK(world.codex->prewarmed_in == std::vector{three.path});
}

TEST_CASE("warm start: an agent that starts nothing ahead takes nobody's place") {
  World world;
  world.codex->starts_ahead = false;
  REQUIRE(world.service->warm({"claude-code", world.project("one").project_id}) == true);
  REQUIRE(world.service->warm({"claude-code", world.project("two").project_id}) == true);
  CHECK(world.service->warm({"codex", world.project("three").project_id}) == false);
  CHECK(world.claude->prewarmed_ended.empty());
}

TEST_CASE("warm start: a session that is made there uses it up") {
  World world;
  const Project one = world.project("one");
  const Project two = world.project("two");
  const Project three = world.project("three");
  REQUIRE(world.service->warm({"claude-code", one.project_id}).has_value());
  REQUIRE(world.service->warm({"claude-code", two.project_id}).has_value());
  REQUIRE(world.loop.run(world.service->create(in(one, "claude-code"))).has_value());
  REQUIRE(world.service->warm({"claude-code", three.project_id}).has_value());
  CHECK(world.claude->prewarmed_ended.empty());  // There was room again.
}

TEST_CASE("warm start: what nobody uses goes after its time") {
  World world;
  const Project project = world.project();
  ServiceDeps deps{world.loop.executor(), world.store, *world.registry, world.clock};
  CHECK(deps.warm_life == std::chrono::minutes(5));
  deps.warm_life = std::chrono::milliseconds(20);
  world.service.emplace(deps);
  REQUIRE(world.loop.run(world.service->start()).has_value());
  REQUIRE(world.service->warm({"claude-code", project.project_id}).has_value());
  REQUIRE(world.loop.until([&] { return !world.claude->prewarmed_ended.empty(); }));
  CHECK(world.claude->prewarmed_ended == std::vector{project.path});
}

TEST_CASE("warm start: off by the configuration; unknown agents and projects are refused") {
  World world;
  const Project project = world.project();
  CHECK(world.service->warm({"nonesuch", project.project_id}).error().code ==
        ErrorCode::UnsupportedCliType);
  CHECK(world.service->warm({"codex", ProjectId("nowhere")}).error().code ==
        ErrorCode::ProjectNotFound);
  ServiceDeps deps{world.loop.executor(), world.store, *world.registry, world.clock, false};
  world.service.emplace(deps);
  REQUIRE(world.loop.run(world.service->start()).has_value());
  CHECK(world.service->warm({"claude-code", project.project_id}) == false);
  CHECK(world.claude->prewarmed_in.empty());
}

TEST_CASE("an agent may start while its session is made ready, and is let go when that fails") {
  World world;
  const SessionId session = world.create("codex");
  const std::string dir = world.dir.file("web");
  CHECK(world.codex->prewarmed_shared_in == std::vector{dir});
  world.restart();
  REQUIRE(world.loop.run(world.service->load(session)).has_value());
  CHECK(world.codex->prewarmed_shared_in == std::vector{dir});
  CHECK(world.codex->prewarmed_ended.empty());

  world.restart();
  world.store.set_state({StoreState::Kind::Full, "disk full"});
  CHECK(world.loop.run(world.service->load(session)).error().code == ErrorCode::StoreFull);
  CHECK(world.codex->loaded.empty());
  CHECK(world.codex->prewarmed_ended == std::vector{dir});
  world.store.set_state({StoreState::Kind::Ready, ""});
}

}  // namespace
}  // namespace lb
