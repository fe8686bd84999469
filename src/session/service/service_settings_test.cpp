#include <doctest/doctest.h>

#include "base/limits.h"
#include "session/service/session_service.h"
#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

Result<SettingsMessage> change(World& world, SettingsChangeRequest request) {
  return world.loop.run(world.service->change_settings(std::move(request)));
}

SessionDefaults defaults_for(std::optional<ProjectId> project, std::string cli_type) {
  SessionDefaults defaults;
  defaults.project_id = std::move(project);
  defaults.cli_type = std::move(cli_type);
  return defaults;
}

TEST_CASE("settings are kept over a restart, and what is left out of a change stays") {
  World world;
  CHECK(world.service->settings().settings == Settings{});
  const Project project = world.project();
  REQUIRE(change(world, {.send_key = SendKey::CtrlEnter}).has_value());
  REQUIRE(change(world, {.defaults = defaults_for(std::nullopt, "codex")}).has_value());
  SessionDefaults own = defaults_for(project.project_id, "claude-code");
  own.mode = "plan";
  own.model = "opus";
  const auto changed = change(world, {.defaults = own});
  REQUIRE(changed.has_value());
  const Settings expected{SendKey::CtrlEnter, {defaults_for(std::nullopt, "codex"), own}};
  CHECK(changed->settings == expected);
  world.restart();
  CHECK(world.service->settings().settings == expected);
}

TEST_CASE("defaults take the place of those of the same project, and go when nothing is chosen") {
  World world;
  const Project project = world.project();
  REQUIRE(change(world, {.defaults = defaults_for(std::nullopt, "codex")}).has_value());
  REQUIRE(change(world, {.defaults = defaults_for(project.project_id, "codex")}).has_value());
  REQUIRE(change(world, {.defaults = defaults_for(project.project_id, "claude-code")}).has_value());
  CHECK(world.service->settings().settings.defaults ==
        std::vector{defaults_for(std::nullopt, "codex"),
                    defaults_for(project.project_id, "claude-code")});
  SessionDefaults nothing;
  REQUIRE(change(world, {.defaults = nothing}).has_value());
  nothing.project_id = project.project_id;
  REQUIRE(change(world, {.defaults = nothing}).has_value());
  CHECK(world.service->settings().settings == Settings{});
}

TEST_CASE("everyone is told of a change once it is stored; a full store refuses it") {
  World world;
  world.store.set_state({StoreState::Kind::Full, "no room"});
  CHECK(change(world, {.send_key = SendKey::CtrlEnter}).error().code == ErrorCode::StoreFull);
  CHECK(world.heard.settings.empty());
  CHECK(world.service->settings().settings == Settings{});
  world.store.set_state({});
  REQUIRE(change(world, {.send_key = SendKey::CtrlEnter}).has_value());
  REQUIRE(world.heard.settings.size() == 1);
  CHECK(world.heard.settings[0].settings.send_key == SendKey::CtrlEnter);
}

TEST_CASE("defaults of a project that is not there, or too long for any agent, are refused") {
  World world;
  CHECK(change(world, {.defaults = defaults_for(ProjectId("none"), "codex")}).error().code ==
        ErrorCode::ProjectNotFound);
  const std::string longest(limits::kSettingBytesMax, 'x');
  CHECK(change(world, {.defaults = defaults_for(std::nullopt, longest)}).has_value());
  CHECK(change(world, {.defaults = defaults_for(std::nullopt, longest + "x")}).error().code ==
        ErrorCode::InvalidRequest);
}

TEST_CASE("settings that cannot be read begin afresh") {
  World world;
  WriteBatch batch;
  batch.settings = R"({"sendKey":"a key of tomorrow"})";
  REQUIRE(world.loop.run(world.store.commit(std::move(batch))).has_value());
  world.restart();
  CHECK(world.service->settings().settings == Settings{});
}

}  // namespace
}  // namespace lb
