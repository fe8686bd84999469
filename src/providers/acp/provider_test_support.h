/// A Codex provider over a scripted agent, with everything it said.
#pragma once

#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>

#include "base/limits.h"
#include "providers/acp/provider.h"
#include "tests/support/answers.h"
#include "tests/support/manual_timers.h"
#include "tests/support/recording_sink.h"
#include "tests/support/run.h"
#include "tests/support/scripted_acp.h"
#include "tests/support/scripted_process.h"

namespace lb::acp {

using test::ScriptedAcp;

inline const SessionId kSession("s1");

struct Fixture {
  explicit Fixture(AgentSpec spec = codex()) {
    script->attach(launcher);
    provider = std::make_unique<AcpProvider>(
        std::move(spec),
        ProviderDeps{io.get_executor(), io.get_executor(), launcher, timers.clock(), timers});
    provider->on_status([this](AgentStatus status, const auto&) { statuses.push_back(status); });
    listen(kSession);
  }
  ~Fixture() {
    test::run(io, provider->shutdown());
    test::run_ready(io);
  }
  static AgentSpec codex() {
    AgentSpec spec;
    spec.cli_type = "codex";
    spec.name = "Codex";
    spec.argv = {"codex-acp"};
    spec.env = {{"HOME", "/home/dev"}, {"OPENAI_API_KEY", "k"}};
    spec.install_hint = "Install it.";
    spec.login_hint = "Run `codex login`.";
    spec.asking_modes = {"workspace-write", "auto"};
    return spec;
  }
  void listen(const SessionId& session) {
    const auto told = [this](const SessionReport& report) {
      if (const auto* now = std::get_if<SessionFacts>(&report)) facts = *now;
      if (const auto* title = std::get_if<SessionTitle>(&report)) titles.push_back(title->title);
      if (const auto* ended = std::get_if<SessionEnded>(&report)) endings.push_back(ended->why);
    };
    provider->attach(
        session,
        test::sink({.item = [this](const Upsert& item) { items[item.item_id.str()] = item; },
                    .turn = [this](const Turn& turn) { turns.push_back(turn); },
                    .report = told}));
  }
  Result<ProviderSession> create(std::optional<std::string> mode = {}) {
    CreateSessionOptions options;
    options.session_id = kSession;
    options.project_dir = "/home/dev/project";
    options.mode = std::move(mode);
    return test::run(io, provider->create_session(options));
  }
  Result<ProviderSession> load(std::optional<TurnId> last_known) {
    LoadSessionOptions options;
    options.cli_session_id = "cli-1";
    options.project_dir = "/home/dev/project";
    options.last_known_turn = std::move(last_known);
    return test::run(io, provider->load_session(kSession, options));
  }
  Result<SendResult> send(std::string turn, std::string text = "hi") {
    Prompt prompt;
    prompt.turn_id = TurnId(std::move(turn));
    prompt.content = std::move(text);
    return test::run(io, provider->send_message(kSession, prompt));
  }
  const Turn& last_turn() {
    REQUIRE_FALSE(turns.empty());
    return turns.back();
  }
  bool turn_ends() {
    return test::run_until(io, [this] { return !turns.empty() && is_final(turns.back()); });
  }
  ScriptedAcp::Agent agent() { return launcher.agents().back(); }

  asio::io_context io;
  test::ScriptedLauncher launcher{io.get_executor()};
  test::ManualTimers timers;
  std::shared_ptr<ScriptedAcp> script = std::make_shared<ScriptedAcp>();
  std::unique_ptr<AcpProvider> provider;
  std::map<std::string, Upsert> items;
  std::vector<Turn> turns;
  std::vector<std::string> titles;
  std::vector<Error> endings;
  std::vector<AgentStatus> statuses;
  SessionFacts facts;
};

/// Answers a prompt with text and end_turn.
inline ScriptedAcp::Handler answers(std::string text) {
  return [text](const ScriptedAcp::Agent& agent, const ScriptedAcp::Heard& heard) {
    ScriptedAcp::text(agent, std::string(string_at(heard.params, "sessionId")), text);
    ScriptedAcp::respond(agent, heard.id, {{"stopReason", "end_turn"}});
  };
}

}  // namespace lb::acp
