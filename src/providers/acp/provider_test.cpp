#include "providers/acp/provider.h"

#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>

#include "base/limits.h"
#include "tests/support/manual_timers.h"
#include "tests/support/run.h"
#include "tests/support/scripted_acp.h"
#include "tests/support/scripted_process.h"

namespace lb::acp {
namespace {

using namespace std::chrono_literals;
using test::ScriptedAcp;

const SessionId kSession("s1");

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
    provider->on_upsert(session, [this](const Upsert& item) { items[item.item_id.str()] = item; });
    provider->on_turn(session, [this](const Turn& turn) { turns.push_back(turn); });
    provider->on_report(session, [this](const SessionReport& report) {
      if (const auto* now = std::get_if<SessionFacts>(&report)) facts = *now;
      if (const auto* title = std::get_if<SessionTitle>(&report)) titles.push_back(title->title);
      if (const auto* ended = std::get_if<SessionEnded>(&report)) endings.push_back(ended->why);
    });
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
ScriptedAcp::Handler answers(std::string text) {
  return [text](const ScriptedAcp::Agent& agent, const ScriptedAcp::Heard& heard) {
    ScriptedAcp::text(agent, std::string(string_at(heard.params, "sessionId")), text);
    ScriptedAcp::respond(agent, heard.id, {{"stopReason", "end_turn"}});
  };
}

TEST_CASE("TC-2.1c: the Codex provider satisfies the interface") {
  Fixture f;
  Provider* provider = f.provider.get();
  CHECK(provider->cli_type() == "codex");
  CHECK_FALSE(provider->is_alive(kSession));
  const auto send = test::run(f.io, provider->send_message(kSession, {TurnId("t"), "x", {}}));
  REQUIRE_FALSE(send.has_value());
  CHECK(send.error().code == ErrorCode::SessionNotFound);
  CHECK(test::run(f.io, provider->cancel_turn(kSession)).error().code ==
        ErrorCode::SessionNotFound);
  CHECK(test::run(f.io, provider->kill_session(kSession)).error().code ==
        ErrorCode::SessionNotFound);
}

TEST_CASE("TC-4.1a: Codex session creation runs session/new and returns a handle") {
  Fixture f;
  const auto created = f.create();
  REQUIRE(created.has_value());
  CHECK(created->cli_session_id == "cli-1");
  CHECK(created->cli_type == "codex");
  CHECK(f.provider->is_alive(kSession));
  const auto* heard = f.script->last("session/new");
  REQUIRE(heard != nullptr);
  CHECK(heard->params.at("cwd") == "/home/dev/project");
  CHECK(heard->params.at("mcpServers").as_array().empty());
  CHECK(f.launcher.launches().at(0).cwd == "/home/dev");
}

TEST_CASE("TC-4.1b: Codex session loading runs session/load and replays history") {
  Fixture f;
  f.script->on["session/load"] = [](const auto& agent, const auto& heard) {
    ScriptedAcp::update(agent, "cli-1", R"({"sessionUpdate":"user_message_chunk",
      "content":{"type":"text","text":"old prompt"}})");
    ScriptedAcp::text(agent, "cli-1", "old answer");
    ScriptedAcp::respond(agent, heard.id, json::object());
  };
  REQUIRE(f.load({}).has_value());
  CHECK(f.script->count("session/load") == 1);
  REQUIRE(f.turns.size() == 2);
  CHECK(f.last_turn().status == TurnStatus::Completed);
  REQUIRE(f.items.size() == 2);
  const std::string user = f.turns[0].turn_id.str() + ":user";
  CHECK(std::get<Message>(f.items.at(user).body).content.view() == "old prompt");
  CHECK(std::get<Message>(f.items.at(user).body).origin == Origin::User);
}

TEST_CASE("acp: a session that we know is resumed, nothing is imported twice") {
  Fixture f;
  SUBCASE("with session/resume") {
    REQUIRE(f.load(TurnId("known")).has_value());
    CHECK(f.script->count("session/resume") == 1);
    CHECK(f.script->count("session/load") == 0);
  }
  SUBCASE("with session/load, its replay dropped") {
    f.script->on["session/resume"] = [](const auto& agent, const auto& heard) {
      ScriptedAcp::respond_error(agent, heard.id, -32601, "no");
    };
    f.script->on["session/load"] = [](const auto& agent, const auto& heard) {
      ScriptedAcp::text(agent, "cli-1", "old answer");
      ScriptedAcp::respond(agent, heard.id, json::object());
    };
    REQUIRE(f.load(TurnId("known")).has_value());
  }
  CHECK(f.turns.empty());
  CHECK(f.items.empty());
  f.script->on["session/prompt"] = answers("new");
  REQUIRE(f.send("t1").has_value());
  REQUIRE(f.turn_ends());
  CHECK(std::get<Message>(f.items.at("t1:1:0").body).content.view() == "new");
}

TEST_CASE("acp: loading what the agent does not know is SESSION_NOT_FOUND") {
  Fixture f;
  f.script->on["session/load"] = [](const auto& agent, const auto& heard) {
    ScriptedAcp::respond_error(agent, heard.id, -32002, "Resource not found");
  };
  const auto loaded = f.load({});
  REQUIRE_FALSE(loaded.has_value());
  CHECK(loaded.error().code == ErrorCode::SessionNotFound);
}

TEST_CASE("TC-4.1c: sending resolves when the turn has begun, not when it ends") {
  Fixture f;
  REQUIRE(f.create().has_value());
  const auto sent = f.send("t1", "hello");
  REQUIRE(sent.has_value());
  CHECK(sent->turn_id.str() == "t1");
  REQUIRE(f.turns.size() == 1);
  CHECK(f.turns[0].type == TurnType::Started);
  REQUIRE(test::run_until(f.io, [&] { return f.script->count("session/prompt") == 1; }));
  const auto heard = *f.script->last("session/prompt");
  CHECK(heard.params.at("prompt").at(0).at("text") == "hello");
  ScriptedAcp::text(f.agent(), "cli-1", "answer");
  ScriptedAcp::respond(f.agent(), heard.id, {{"stopReason", "end_turn"}});
  REQUIRE(f.turn_ends());
  CHECK(f.last_turn().turn_id.str() == "t1");
  CHECK(f.items.at("t1:1:0").turn_id.str() == "t1");
  CHECK(f.items.at("t1:1:0").status == ItemStatus::Complete);
}

TEST_CASE("acp: a prompt that the agent cannot take is an error, not a turn") {
  Fixture f;
  REQUIRE(f.create().has_value());
  f.agent()->stops_reading();
  const auto sent = f.send("t1");
  REQUIRE_FALSE(sent.has_value());
  CHECK(sent.error().code == ErrorCode::Busy);
  CHECK(f.turns.empty());
}

TEST_CASE("acp: images travel as base64, one prompt at a time") {
  Fixture f;
  REQUIRE(f.create().has_value());
  Prompt prompt;
  prompt.turn_id = TurnId("t1");
  prompt.content = "see";
  prompt.images.push_back({"image/png", "\x89PNG"});
  REQUIRE(test::run(f.io, f.provider->send_message(kSession, prompt)).has_value());
  REQUIRE(test::run_until(f.io, [&] { return f.script->count("session/prompt") == 1; }));
  CHECK(f.script->last("session/prompt")->params.at("prompt").at(1).at("data") == "iVBORw==");
  const auto second = f.send("t2");
  REQUIRE_FALSE(second.has_value());
  CHECK(second.error().code == ErrorCode::Busy);
}

TEST_CASE("acp: new Codex sessions start in a mode that asks a human") {
  Fixture f;
  f.script->result["session/new"] = json::parse(R"({"sessionId":"cli-1","modes":{
    "currentModeId":"agent","availableModes":[{"id":"read-only","name":"R"},
    {"id":"workspace-write","name":"W"},{"id":"agent","name":"A"}]}})");
  SUBCASE("by default") {
    REQUIRE(f.create().has_value());
    CHECK(f.script->last("session/set_mode")->params.at("modeId") == "workspace-write");
    CHECK(f.facts.mode == "workspace-write");
  }
  SUBCASE("unless the user chose another") {
    REQUIRE(f.create("read-only").has_value());
    CHECK(f.script->last("session/set_mode")->params.at("modeId") == "read-only");
  }
  SUBCASE("and a mode that does not exist is an error that leaves nothing behind") {
    f.script->on["session/set_mode"] = [](const auto& agent, const auto& heard) {
      ScriptedAcp::respond_error(agent, heard.id, -32602, "no such mode");
    };
    const auto created = f.create("nonsense");
    REQUIRE_FALSE(created.has_value());
    CHECK(created.error().code == ErrorCode::InvalidRequest);
    CHECK_FALSE(f.provider->is_alive(kSession));
    CHECK_FALSE(f.agent()->alive());
  }
}

TEST_CASE("acp: a model is set by its config option") {
  Fixture f;
  f.script->result["session/new"] = json::parse(R"({"sessionId":"cli-1","configOptions":[
    {"id":"model","category":"model","currentValue":"a","options":[{"value":"a","name":"A"},
    {"value":"b","name":"B"}]}]})");
  f.script->result["session/set_config_option"] = json::parse(R"({"configOptions":[
    {"id":"model","category":"model","currentValue":"b","options":[{"value":"a","name":"A"},
    {"value":"b","name":"B"}]}]})");
  REQUIRE(f.create().has_value());
  CHECK(f.facts.model == "a");
  REQUIRE(test::run(f.io, f.provider->set_model(kSession, "b")).has_value());
  CHECK(f.script->last("session/set_config_option")->params.at("value") == "b");
  CHECK(f.facts.model == "b");
}

TEST_CASE("acp: an approval goes back in the agent's shape, once, with its own id") {
  Fixture f;
  REQUIRE(f.create().has_value());
  REQUIRE(f.send("t1").has_value());
  f.agent()->says(R"({"jsonrpc":"2.0","id":"uuid-1","method":"session/request_permission","params":
    {"sessionId":"cli-1","toolCall":{"toolCallId":"c1","title":"rm x","kind":"execute"},
     "options":[{"optionId":"yes","name":"Yes","kind":"allow_once"},
                {"optionId":"no","name":"No","kind":"reject_once"}]}})");
  REQUIRE(test::run_until(f.io, [&] { return f.items.contains("t1:1:1"); }));
  Answer answer;
  answer.item_id = ItemId("t1:1:1");
  answer.option_id = "maybe";
  CHECK(test::run(f.io, f.provider->answer(kSession, answer)).error().code ==
        ErrorCode::InvalidRequest);
  answer.option_id = "yes";
  answer.answered_by = "browser";
  REQUIRE(test::run(f.io, f.provider->answer(kSession, answer)).has_value());
  CHECK(
      f.agent()->heard().back() ==
      R"({"jsonrpc":"2.0","id":"uuid-1","result":{"outcome":{"outcome":"selected","optionId":"yes"}}})");
  CHECK(std::get<Approval>(f.items.at("t1:1:1").body).answered_by == "browser");
  CHECK(test::run(f.io, f.provider->answer(kSession, answer)).error().code ==
        ErrorCode::AlreadyAnswered);
  answer.item_id = ItemId("t1:1:9");
  CHECK(test::run(f.io, f.provider->answer(kSession, answer)).error().code ==
        ErrorCode::ItemNotFound);
}

TEST_CASE("acp: cancel answers what is asked with cancelled, and the session is used again") {
  Fixture f;
  REQUIRE(f.create().has_value());
  REQUIRE(f.send("t1").has_value());
  f.agent()->says(R"({"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":
    {"sessionId":"cli-1","toolCall":{"toolCallId":"c1","title":"rm x","kind":"execute"},
     "options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}})");
  REQUIRE(test::run_until(f.io, [&] { return f.items.contains("t1:1:1"); }));
  f.script->on["session/cancel"] = [&](const auto& agent, const auto&) {
    ScriptedAcp::respond(agent, f.script->last("session/prompt")->id,
                         {{"stopReason", "cancelled"}});
  };
  REQUIRE(test::run(f.io, f.provider->cancel_turn(kSession)).has_value());
  REQUIRE(f.turn_ends());
  const auto& heard = f.agent()->heard();
  CHECK(std::ranges::count(heard, std::string(R"({"jsonrpc":"2.0","id":7,"result":)"
                                              R"({"outcome":{"outcome":"cancelled"}}})")) == 1);
  CHECK(f.last_turn().status == TurnStatus::Cancelled);
  CHECK(f.items.at("t1:1:1").status == ItemStatus::Cancelled);
  f.script->on["session/prompt"] = answers("again");
  REQUIRE(f.send("t2").has_value());
  REQUIRE(test::run_until(
      f.io, [&] { return f.last_turn().turn_id.str() == "t2" && is_final(f.last_turn()); }));
  CHECK(f.last_turn().status == TurnStatus::Completed);
}

TEST_CASE("acp: a question that the agent takes back expires") {
  Fixture f;
  REQUIRE(f.create().has_value());
  REQUIRE(f.send("t1").has_value());
  f.agent()->says(R"({"jsonrpc":"2.0","id":0,"method":"session/request_permission","params":
    {"sessionId":"cli-1","toolCall":{"toolCallId":"c1","title":"rm x"},
     "options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}})");
  f.agent()->says(R"({"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":0}})");
  REQUIRE(test::run_until(
      f.io, [&] { return f.items.contains("t1:1:1") && is_final(f.items.at("t1:1:1").status); }));
  CHECK(std::get<Approval>(f.items.at("t1:1:1").body).state == ApprovalState::Expired);
}

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
  CHECK(sent.error().message == "Codex could not open this session again: Session not found");
  CHECK(f.turns.empty());
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
    CHECK(created.error().message.find("codex login") != std::string::npos);
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
  const auto forked = test::run(f.io, f.provider->fork_session(kSession, options));
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
  CHECK(info.problem == "Could not start Codex. Check that it's installed.");
  CHECK(info.remedy == "Install it.");
  CHECK(info.protocol == "acp");
}

}  // namespace
}  // namespace lb::acp
