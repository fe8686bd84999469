// The ACP agent's process started before a session needs it.

#include <doctest/doctest.h>

#include "providers/acp/provider_test_support.h"

namespace lb::acp {
namespace {

void warm_up(Fixture& f) {
  f.provider->prewarm("/home/dev/project");
  REQUIRE(test::run_until(
      f.io, [&] { return !f.statuses.empty() && f.statuses.back() == AgentStatus::Connected; }));
}

TEST_CASE("acp: a session uses the process that was started ahead") {
  Fixture f;
  warm_up(f);
  f.provider->prewarm("/home/dev/other");  // The same process serves it.
  CHECK(f.provider->prewarmed() == 1);
  CHECK(test::run(f.io, f.provider->inspect()).warm == 1);
  REQUIRE(f.create().has_value());
  CHECK(f.launcher.launches().size() == 1);
  CHECK(f.script->count("initialize") == 1);
  CHECK(f.provider->prewarmed() == 0);
  f.provider->end_prewarmed("/home/dev/project");  // Too late: it is in use.
  test::run_ready(f.io);
  CHECK(f.provider->is_alive(kSession));
}

TEST_CASE("acp: a session that is expected finds the process on its way") {
  Fixture f;
  f.provider->prewarm_shared("/home/dev/project");
  REQUIRE(f.load(TurnId("t0")).has_value());  // While it still starts.
  CHECK(f.launcher.launches().size() == 1);
  CHECK(f.script->count("initialize") == 1);
  CHECK(f.provider->prewarmed() == 0);
}

TEST_CASE("acp: a process that nobody uses ends when the last one lets it go") {
  Fixture f;
  warm_up(f);
  f.provider->prewarm("/home/dev/other");
  f.provider->end_prewarmed("/home/dev/project");
  test::run_ready(f.io);
  CHECK(f.agent()->alive());
  f.provider->end_prewarmed("/home/dev/other");
  REQUIRE(test::run_until(f.io, [&] { return !f.agent()->alive(); }));
  CHECK(f.statuses.back() == AgentStatus::Idle);
  CHECK(f.provider->prewarmed() == 0);
  REQUIRE(f.create().has_value());
  CHECK(f.launcher.launches().size() == 2);
}

TEST_CASE("acp: one that dies before anyone used it is not brought back") {
  Fixture f;
  warm_up(f);
  f.agent()->exits({.code = 1, .signal = {}});
  REQUIRE(test::run_until(f.io, [&] { return f.statuses.back() == AgentStatus::Idle; }));
  CHECK(f.provider->prewarmed() == 0);
  f.timers.advance(limits::kReconnectDelayMax);
  test::run_ready(f.io);
  CHECK(f.launcher.launches().size() == 1);
}

TEST_CASE("acp: one that cannot be started leaves nothing, and a session says why") {
  Fixture f;
  f.launcher.fails_with({ErrorCode::AgentUnavailable, "codex-acp: not found"});
  f.launcher.fails_with({ErrorCode::AgentUnavailable, "codex-acp: not found"});
  f.provider->prewarm("/home/dev/project");
  REQUIRE(test::run_until(f.io, [&] { return f.provider->prewarmed() == 0; }));
  CHECK(f.create().error().code == ErrorCode::AgentUnavailable);
}

}  // namespace
}  // namespace lb::acp
