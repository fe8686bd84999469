// The life of ACP sessions: cancel, crash, kill, silence, login, fork, shutdown.

#include <doctest/doctest.h>

#include "providers/acp/provider.h"
#include "providers/acp/provider_test_support.h"

namespace lb::acp {
namespace {

using namespace std::chrono_literals;

TEST_CASE("acp: an agent that ignores cancel does not keep the turn for ever") {
  Fixture f;
  REQUIRE(f.create().has_value());
  REQUIRE(f.send("t1").has_value());
  REQUIRE(test::run(f.io, f.provider->cancel_turn(kSession)).has_value());
  f.timers.advance(limits::kCancelGrace);
  CHECK(f.last_turn().type == TurnType::Error);
  CHECK(f.last_turn().error_code == "INTERRUPT_FAILED");
  CHECK_FALSE(f.provider->is_alive(kSession));
  f.script->on["session/prompt"] = answers("fresh");
  REQUIRE(f.send("t2").has_value());  // Opened again first.
  CHECK(f.script->count("session/resume") == 1);
}

TEST_CASE("acp: a crash in mid-turn is a turn error, the next prompt opens the session again") {
  Fixture f;
  REQUIRE(f.create().has_value());
  REQUIRE(f.send("t1").has_value());
  ScriptedAcp::text(f.agent(), "cli-1", "half");
  REQUIRE(test::run_until(f.io, [&] { return f.items.contains("t1:1:0"); }));
  f.agent()->complains("segfault");
  f.agent()->exits({.code = {}, .signal = 9});
  REQUIRE(f.turn_ends());
  CHECK(f.last_turn().type == TurnType::Error);
  CHECK(f.last_turn().error_code == "PROCESS_CRASH");
  CHECK(f.last_turn().error_message->find("SIGKILL") != std::string::npos);
  CHECK(f.last_turn().error_message->find("segfault") != std::string::npos);
  CHECK(f.items.at("t1:1:0").status == ItemStatus::Error);
  CHECK(f.endings.size() == 1);
  CHECK_FALSE(f.provider->is_alive(kSession));
  f.timers.advance(1s);
  REQUIRE(test::run_until(f.io, [&] { return f.statuses.back() == AgentStatus::Connected; }));
  f.script->on["session/prompt"] = answers("back");
  REQUIRE(f.send("t2").has_value());
  CHECK(f.launcher.launches().size() == 2);
  CHECK(f.script->count("session/resume") == 1);
  REQUIRE(f.turn_ends());
}

TEST_CASE("acp: a session that cannot be opened again is PROCESS_CRASH, never a fake turn") {
  Fixture f;
  REQUIRE(f.create().has_value());
  f.agent()->exits({.code = 1, .signal = {}});
  REQUIRE(test::run_until(f.io, [&] { return !f.provider->is_alive(kSession); }));
  for (const auto* method : {"session/resume", "session/load"}) {
    f.script->on[method] = [](const auto& agent, const auto& heard) {
      ScriptedAcp::respond_error(agent, heard.id, -32002, "Session not found");
    };
  }
  const auto sent = f.send("t1");
  REQUIRE_FALSE(sent.has_value());
  CHECK(sent.error().code == ErrorCode::ProcessCrash);
  CHECK(sent.error().message ==
        "Codex no longer has this conversation (it may have ended before saving it).");
  CHECK(f.turns.empty());
}

TEST_CASE("acp: a session that the agent lost is not found, in words for people") {
  Fixture f;
  const auto refuse = [&](int code, const char* text) {
    for (const auto* method : {"session/resume", "session/load"}) {
      f.script->on[method] = [code, text](const auto& agent, const auto& heard) {
        ScriptedAcp::respond_error(agent, heard.id, code, text);
      };
    }
    return f.load(TurnId("t0")).error();
  };
  const Error lost{ErrorCode::SessionNotFound,
                   "Codex no longer has this conversation (it may have ended before saving it)."};
  CHECK(refuse(-32002, "Resource not found") == lost);
  CHECK(refuse(-32603, "no rollout found for thread id 1") == lost);
  CHECK(refuse(-32603, "Session not found: 1") == lost);
  const Error unable{ErrorCode::SessionNotFound,
                     "Codex cannot open an earlier conversation again."};
  CHECK(refuse(-32601, "Method not found") == unable);
  CHECK(refuse(-32603, "disk full").message == "disk full");

  CreateSessionOptions options;  // The same session of ours goes on with another one of the agent.
  options.session_id = kSession;
  options.project_dir = "/home/dev/project";
  REQUIRE(test::run(f.io, f.provider->create_session(options)).has_value());
  f.script->on["session/prompt"] = answers("fresh");
  REQUIRE(f.send("t1").has_value());
}

TEST_CASE("acp: kill cancels, closes, and ends the process with the last session") {
  Fixture f;
  REQUIRE(f.create().has_value());
  REQUIRE(f.send("t1").has_value());
  f.script->on["session/cancel"] = [&](const auto& agent, const auto&) {
    ScriptedAcp::respond(agent, f.script->last("session/prompt")->id,
                         {{"stopReason", "cancelled"}});
  };
  REQUIRE(test::run(f.io, f.provider->kill_session(kSession)).has_value());
  CHECK(f.script->count("session/cancel") == 1);
  CHECK(f.script->count("session/close") == 1);
  CHECK(f.last_turn().status == TurnStatus::Cancelled);
  CHECK_FALSE(f.agent()->alive());
  CHECK_FALSE(f.provider->is_alive(kSession));
  CHECK(f.statuses.back() == AgentStatus::Idle);
}

TEST_CASE("acp: two sessions share the process and are told apart; it stays for the second") {
  Fixture f;
  const SessionId other("s2");
  f.listen(other);
  int made = 0;
  f.script->on["session/new"] = [&](const auto& agent, const auto& heard) {
    ScriptedAcp::respond(agent, heard.id, {{"sessionId", "cli-" + std::to_string(++made)}});
  };
  REQUIRE(f.create().has_value());
  CreateSessionOptions options;
  options.session_id = other;
  options.project_dir = "/";
  REQUIRE(test::run(f.io, f.provider->create_session(options)).has_value());
  CHECK(f.launcher.launches().size() == 1);
  REQUIRE(f.send("t1").has_value());
  REQUIRE(test::run(f.io, f.provider->send_message(other, {TurnId("t2"), "x", {}})).has_value());
  ScriptedAcp::text(f.agent(), "cli-2", "for two");
  ScriptedAcp::text(f.agent(), "cli-1", "for one");
  REQUIRE(test::run_until(f.io, [&] { return f.items.size() == 2; }));
  CHECK(f.items.at("t1:1:0").session_id == kSession);
  CHECK(f.items.at("t2:1:0").session_id == other);
  REQUIRE(test::run(f.io, f.provider->kill_session(kSession)).has_value());
  CHECK(f.agent()->alive());
  CHECK(f.provider->is_alive(other));
}

TEST_CASE("acp: a silent agent is reported, then given up; a running tool is not silence") {
  Fixture f;
  REQUIRE(f.create().has_value());
  REQUIRE(f.send("t1").has_value());
  SUBCASE("nothing at all") {
    f.timers.advance(limits::kAgentSilenceNote);
    const auto& note = std::get<Message>(f.items.at("t1:1:0").body);
    CHECK(note.origin == Origin::System);
    CHECK(note.content.view().find("60 seconds") != std::string_view::npos);
    f.timers.advance(limits::kAgentSilenceMax);
    CHECK(f.last_turn().type == TurnType::Error);
    CHECK(f.last_turn().error_code == "TIMEOUT");
  }
  SUBCASE("a long command") {
    ScriptedAcp::update(f.agent(), "cli-1", R"({"sessionUpdate":"tool_call","toolCallId":"c",
      "title":"make","status":"in_progress"})");
    REQUIRE(test::run_until(f.io, [&] { return f.items.contains("t1:1:0"); }));
    f.timers.advance(limits::kAgentSilenceMax * 4);
    CHECK(f.items.size() == 1);
    CHECK(f.last_turn().type == TurnType::Started);
  }
}

TEST_CASE("acp: what the agent says without a prompt is a turn that ends by itself") {
  Fixture f;
  REQUIRE(f.create().has_value());
  ScriptedAcp::text(f.agent(), "cli-1", "by the way");
  REQUIRE(test::run_until(f.io, [&] { return f.items.size() == 1; }));
  CHECK(f.last_turn().origin == TurnOrigin::Agent);
  f.timers.advance(limits::kAgentTurnQuiet);
  CHECK(f.last_turn().type == TurnType::Complete);
}

TEST_CASE("acp: the agent asks for a login") {
  AgentSpec spec = Fixture::codex();
  spec.argv = {"sh"};  // Installed wherever this runs.
  bool authenticated = false;
  Fixture f(spec);
  json::value& hello = f.script->result["initialize"];
  f.script->on["session/new"] = [&](const auto& agent, const auto& heard) {
    if (authenticated) return ScriptedAcp::respond(agent, heard.id, {{"sessionId", "cli-1"}});
    ScriptedAcp::respond_error(agent, heard.id, -32000, "Authentication required");
  };
  f.script->on["authenticate"] = [&](const auto& agent, const auto& heard) {
    authenticated = true;
    ScriptedAcp::respond(agent, heard.id, json::object());
  };
  SUBCASE("with a key in its environment it is logged in") {
    hello.as_object()["authMethods"] = json::parse(R"([{"id":"chatgpt","name":"ChatGPT"},
      {"type":"env_var","id":"openai-api-key","name":"Key","vars":[{"name":"OPENAI_API_KEY"}]}])");
    REQUIRE(f.create().has_value());
    CHECK(f.script->last("authenticate")->params.at("methodId") == "openai-api-key");
  }
  SUBCASE("without one the user is told what to do") {
    hello.as_object()["authMethods"] = json::parse(R"([{"id":"chatgpt","name":"ChatGPT"}])");
    const auto created = f.create();
    REQUIRE_FALSE(created.has_value());
    CHECK(created.error().code == ErrorCode::AgentUnavailable);
    CHECK(created.error().message == "Codex is not logged in. Run `codex login`.");
    // It is not shown as ready, nothing is locked, and who has logged in meanwhile meets a new
    // process.
    const AgentInfo out = test::run(f.io, f.provider->inspect());
    CHECK(out.problem == created.error().message);
    CHECK(out.login == LoginState::Needed);
    REQUIRE(test::run_until(f.io, [&] { return !f.agent()->alive(); }));
    CHECK(std::ranges::count(f.statuses, AgentStatus::Disconnected) == 0);
    authenticated = true;
    REQUIRE(f.create().has_value());
    CHECK(f.statuses.back() == AgentStatus::Connected);
    const AgentInfo in = test::run(f.io, f.provider->inspect());
    CHECK(in.status == AgentStatus::Connected);
    CHECK(in.login != LoginState::Needed);
  }
}

TEST_CASE(
    "acp: a turn that fails for want of a login says what to do, and the next one tries again") {
  // As the two adapters of Codex say it.
  const std::vector<std::pair<int, std::string>> recorded = {
      {-32000, "Authentication required"},
      {-32603, "unexpected status 401 Unauthorized: invalid x-api-key"}};
  for (const auto& said : recorded) {
    CAPTURE(said.second);
    Fixture f;
    REQUIRE(f.create().has_value());
    bool refuse = true;
    f.script->on["session/prompt"] = [&](const auto& agent, const auto& heard) {
      if (refuse) return ScriptedAcp::respond_error(agent, heard.id, said.first, said.second);
      ScriptedAcp::respond(agent, heard.id, {{"stopReason", "end_turn"}});
    };
    (void)f.send("t1");
    REQUIRE(f.turn_ends());
    const Turn failed = f.last_turn();
    CHECK(failed.type == TurnType::Error);
    CHECK(failed.error_code == "UNAUTHENTICATED");
    CHECK(failed.error_message->starts_with("Codex is not logged in. Run `codex login`."));
    refuse = false;
    REQUIRE(f.send("t2").has_value());
    REQUIRE(test::run_until(f.io, [&] { return f.last_turn().turn_id.str() == "t2"; }));
    REQUIRE(f.turn_ends());
    CHECK(f.last_turn().status == TurnStatus::Completed);
    CHECK(std::ranges::count(f.statuses, AgentStatus::Disconnected) == 0);
  }
}

TEST_CASE("acp: a session that cannot be made is SESSION_CREATE_FAILED with the agent's reason") {
  Fixture f;
  f.script->on["session/new"] = [](const auto& agent, const auto& heard) {
    ScriptedAcp::respond_error(agent, heard.id, -32603, "disk full");
  };
  const auto created = f.create();
  REQUIRE_FALSE(created.has_value());
  CHECK(created.error().code == ErrorCode::SessionCreateFailed);
  CHECK(created.error().message == "disk full");
}

TEST_CASE("acp: a fork is a session of its own") {
  Fixture f;
  REQUIRE(f.create().has_value());
  f.script->result["session/fork"] = json::parse(R"({"sessionId":"cli-fork"})");
  CreateSessionOptions options;
  options.session_id = SessionId("s2");
  options.project_dir = "/";
  const auto forked = test::run(f.io, f.provider->fork_session(kSession, options, {}));
  REQUIRE(forked.has_value());
  CHECK(forked->cli_session_id == "cli-fork");
  CHECK(f.script->last("session/fork")->params.at("sessionId") == "cli-1");
  CHECK(f.provider->is_alive(SessionId("s2")));
}

TEST_CASE("acp: while nothing can be stored the agent is held back") {
  Fixture f;
  REQUIRE(f.create().has_value());
  REQUIRE(f.send("t1").has_value());
  f.provider->hold(kSession, true);
  for (int i = 0; i < 10; ++i) ScriptedAcp::text(f.agent(), "cli-1", "x");
  test::run_ready(f.io);
  CHECK(f.agent()->unread() >= 9);  // One line may have been on its way.
  f.provider->hold(kSession, false);
  REQUIRE(test::run_until(f.io, [&] { return f.agent()->unread() == 0; }));
  test::run_ready(f.io);
  CHECK(std::get<Message>(f.items.at("t1:1:0").body).content.size() == 10);
}

TEST_CASE("acp: unknown provider options are refused") {
  Fixture f;
  CreateSessionOptions options;
  options.session_id = kSession;
  options.project_dir = "/";
  options.provider_options = RawObject(json::object{{"x", 1}});
  CHECK(test::run(f.io, f.provider->create_session(options)).error().code ==
        ErrorCode::InvalidRequest);
}

TEST_CASE("acp: sessions of an agent without files are asked for while it runs") {
  Fixture f;
  CHECK(test::run(f.io, f.provider->discover("/p")).empty());
  CHECK(f.launcher.launches().empty());  // Nothing is started only to look.
  REQUIRE(f.create().has_value());
  f.script->result["session/list"] = json::parse(R"({"sessions":[
    {"sessionId":"a","cwd":"/p","title":"T","updatedAt":"2026-11-15T18:44:31.588Z"},
    {"sessionId":"b","cwd":"/q","title":"U"}]})");
  const auto found = test::run(f.io, f.provider->discover("/p"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].title == "T");
}

TEST_CASE("acp: shutdown ends open turns as errors and the process") {
  Fixture f;
  REQUIRE(f.create().has_value());
  REQUIRE(f.send("t1").has_value());
  test::run(f.io, f.provider->shutdown());
  CHECK(f.last_turn().type == TurnType::Error);
  CHECK(f.last_turn().error_code == "SERVER_RESTARTED");
  CHECK_FALSE(f.agent()->alive());
}

TEST_CASE("acp: inspect says what is missing and what to do") {
  AgentSpec spec = Fixture::codex();
  spec.argv = {"/nonexistent/codex-acp"};
  Fixture f(spec);
  const AgentInfo info = test::run(f.io, f.provider->inspect());
  CHECK_FALSE(info.installed);
  CHECK(info.problem == "/nonexistent/codex-acp was not found.");
  CHECK(info.remedy == "Install it.");
  CHECK(info.protocol == "acp");
}

}  // namespace
}  // namespace lb::acp
