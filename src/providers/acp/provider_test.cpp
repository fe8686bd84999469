#include "providers/acp/provider.h"

#include <doctest/doctest.h>

#include "providers/acp/provider_test_support.h"

namespace lb::acp {
namespace {

using namespace std::chrono_literals;

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

TEST_CASE("acp: texts travel as resources, where the agent takes them") {
  Fixture f;
  Prompt prompt;
  prompt.turn_id = TurnId("t1");
  prompt.texts.push_back({"my \"log\".txt", "one\ntwo"});
  SUBCASE("it does") {
    json::value& result = f.script->result["initialize"];
    result.as_object()["agentCapabilities"] =
        json::parse(R"({"loadSession":true,"promptCapabilities":{"embeddedContext":true}})");
    CHECK_FALSE(f.provider->takes_text().has_value());
    REQUIRE(f.create().has_value());
    CHECK(f.provider->takes_text() == true);
    REQUIRE(test::run(f.io, f.provider->send_message(kSession, prompt)).has_value());
    REQUIRE(test::run_until(f.io, [&] { return f.script->count("session/prompt") == 1; }));
    const json::array& blocks = f.script->last("session/prompt")->params.at("prompt").as_array();
    REQUIRE(blocks.size() == 1);
    CHECK(blocks[0] == json::parse(R"({"type":"resource","resource":{"mimeType":"text/plain",
      "uri":"attachment:///my%20%22log%22.txt","text":"one\ntwo"}})"));
  }
  SUBCASE("it does not") {
    REQUIRE(f.create().has_value());
    CHECK(f.provider->takes_text() == false);
    CHECK(test::run(f.io, f.provider->send_message(kSession, prompt)).error().code ==
          ErrorCode::NotSupported);
    CHECK(f.script->count("session/prompt") == 0);
  }
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

TEST_CASE("acp: how much to think is set by the config option of that category") {
  Fixture f;
  const auto options = [](const std::string& level) {
    return R"("configOptions":[{"id":"reasoning_effort","category":"thought_level","currentValue":")" +
           level + R"(","options":[{"value":"low","name":"Low"},{"value":"high","name":"High"}]}])";
  };
  f.script->result["session/new"] = json::parse(R"({"sessionId":"cli-1",)" + options("low") + "}");
  f.script->result["session/set_config_option"] = json::parse("{" + options("high") + "}");
  REQUIRE(f.create().has_value());
  CHECK(f.facts.thinking == "low");
  CHECK(f.facts.thinking_levels.size() == 2);
  REQUIRE(test::run(f.io, f.provider->set_thinking(kSession, "high")).has_value());
  CHECK(f.script->last("session/set_config_option")->params.at("configId") == "reasoning_effort");
  CHECK(f.script->last("session/set_config_option")->params.at("value") == "high");
  CHECK(f.facts.thinking == "high");
  Fixture none;
  REQUIRE(none.create().has_value());
  CHECK(test::run(none.io, none.provider->set_thinking(kSession, "high")).error().code ==
        ErrorCode::NotSupported);
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
  CHECK(test::run(f.io, test::give_answer(*f.provider, kSession, answer)).error().code ==
        ErrorCode::InvalidRequest);
  answer.option_id = "yes";
  answer.answered_by = "browser";
  REQUIRE(test::run(f.io, test::give_answer(*f.provider, kSession, answer)).has_value());
  CHECK(
      f.agent()->heard().back() ==
      R"({"jsonrpc":"2.0","id":"uuid-1","result":{"outcome":{"outcome":"selected","optionId":"yes"}}})");
  CHECK_FALSE(is_final(f.items.at("t1:1:1").status));  // The end is the session's to tell.
  CHECK(test::run(f.io, test::give_answer(*f.provider, kSession, answer)).error().code ==
        ErrorCode::AlreadyAnswered);
  answer.item_id = ItemId("t1:1:9");
  CHECK(test::run(f.io, test::give_answer(*f.provider, kSession, answer)).error().code ==
        ErrorCode::ItemNotFound);
}

TEST_CASE("acp: an answer that the agent does not take leaves the question asked") {
  Fixture f;
  REQUIRE(f.create().has_value());
  REQUIRE(f.send("t1").has_value());
  f.agent()->says(R"({"jsonrpc":"2.0","id":7,"method":"session/request_permission","params":
    {"sessionId":"cli-1","toolCall":{"toolCallId":"c1","title":"rm x","kind":"execute"},
     "options":[{"optionId":"yes","name":"Yes","kind":"allow_once"}]}})");
  REQUIRE(test::run_until(f.io, [&] { return f.items.contains("t1:1:1"); }));
  Answer answer;
  answer.item_id = ItemId("t1:1:1");
  answer.option_id = "yes";
  answer.message = "with care";
  CHECK_FALSE(f.provider->prepare_answer(kSession, answer)->carries_message);
  const auto heard = f.agent()->heard().size();
  f.agent()->stops_reading();
  const auto refused = test::run(f.io, test::give_answer(*f.provider, kSession, answer));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::Busy);
  CHECK_FALSE(is_final(f.items.at("t1:1:1").status));
  f.agent()->reads_again();
  SUBCASE("it can be answered again") {
    REQUIRE(test::run(f.io, test::give_answer(*f.provider, kSession, answer)).has_value());
    CHECK(f.agent()->heard().size() == heard + 1);
  }
  SUBCASE("it expires when the agent takes it back") {
    f.agent()->says(R"({"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":7}})");
    REQUIRE(test::run_until(f.io, [&] { return is_final(f.items.at("t1:1:1").status); }));
  }
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

}  // namespace
}  // namespace lb::acp
