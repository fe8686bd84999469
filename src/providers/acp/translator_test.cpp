#include "providers/acp/translator.h"

#include <doctest/doctest.h>

#include "base/limits.h"
#include "providers/acp/asked_text.h"

namespace lb::acp {
namespace {

json::object parsed(std::string_view text) {
  auto value = parse_json(text);
  REQUIRE(value.has_value());
  return value->as_object();
}

/// A translator with a running turn, and what it last said of every item and turn.
struct Fixture {
  Fixture() { take(translator.start_turn(TurnId("t"), {1})); }

  void update(std::string_view text) { take(translator.update(parsed(text), {++now})); }
  void end(std::string_view reason) {
    take(translator.end_turn(parsed(R"({"stopReason":")" + std::string(reason) + "\"}"), {++now}));
  }
  void take(Outputs outputs) {
    emitted.clear();
    for (Output& output : outputs) {
      if (auto* item = std::get_if<Upsert>(&output)) {
        emitted.push_back(*item);
        items[item->item_id.str()] = *item;
      }
      if (auto* turn = std::get_if<Turn>(&output)) turns.push_back(*turn);
      if (auto* title = std::get_if<SessionTitle>(&output)) titles.push_back(title->title);
    }
  }
  const Message& message(const std::string& id) { return std::get<Message>(items.at(id).body); }
  const ToolCall& tool(const std::string& id) { return std::get<ToolCall>(items.at(id).body); }

  Translator translator{SessionId("s"), "codex"};
  std::int64_t now = 1;
  std::vector<Upsert> emitted;
  std::map<std::string, Upsert> items;
  std::vector<Turn> turns;
  std::vector<std::string> titles;
};

TEST_CASE("a text without end goes on in further items, and none of it is lost") {
  Fixture f;
  const std::string piece(75'000, 'x');
  const std::string update =
      R"({"sessionUpdate":"agent_message_chunk","messageId":"m","content":{"type":"text","text":")" +
      piece + R"("}})";
  for (int i = 0; i < 10; ++i) f.update(update);
  f.end("end_turn");
  std::size_t bytes = 0;
  for (const auto& [id, item] : f.items) {
    const std::size_t size = std::get<Message>(item.body).content.size();
    CHECK(size <= limits::kTextItemBytesMax);
    CHECK(item.status == ItemStatus::Complete);
    bytes += size;
  }
  CHECK(f.items.size() == 4);
  CHECK(bytes == 10 * piece.size());
}

TEST_CASE("TC-4.2a: agent_message_chunk becomes message upserts with accumulated content") {
  Fixture f;
  f.update(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"Hel"}})");
  REQUIRE(f.emitted.size() == 1);
  CHECK(f.emitted[0].status == ItemStatus::Create);
  CHECK(f.emitted[0].item_id.str() == "t:1:0");
  CHECK(f.message("t:1:0").content.view() == "Hel");
  const Upsert first = f.emitted[0];
  f.update(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"lo"}})");
  CHECK(f.emitted[0].status == ItemStatus::Update);
  CHECK(f.message("t:1:0").content.view() == "Hello");
  CHECK(only_grew(first, f.emitted[0]));
  f.end("end_turn");
  CHECK(f.items.at("t:1:0").status == ItemStatus::Complete);
  CHECK(f.turns.back().type == TurnType::Complete);
}

TEST_CASE("TC-4.2b: tool_call becomes a tool_call create emission with name and call id") {
  Fixture f;
  f.update(R"({"sessionUpdate":"tool_call","toolCallId":"c1","name":"exec_command","title":"ls",
    "kind":"execute","status":"in_progress","rawInput":{"command":"ls"}})");
  REQUIRE(f.emitted.size() == 1);
  CHECK(f.emitted[0].status == ItemStatus::Create);
  const ToolCall& tool = f.tool("t:1:0");
  CHECK(tool.tool_name == "exec_command");
  CHECK(tool.call_id == "c1");
  CHECK(tool.title == "ls");
  CHECK(tool.kind == ToolKind::Execute);
  CHECK(tool.tool_arguments.str() == R"({"command":"ls"})");
}

TEST_CASE("TC-4.2c: tool_call_update becomes a tool_call completion with the result") {
  Fixture f;
  f.update(R"({"sessionUpdate":"tool_call","toolCallId":"c1","title":"ls","status":"pending"})");
  f.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"c1","status":"completed",
    "content":[{"type":"content","content":{"type":"text","text":"a\nb"}}]})");
  REQUIRE(f.emitted.size() == 1);
  CHECK(f.emitted[0].status == ItemStatus::Complete);
  CHECK(f.tool("t:1:0").tool_output->view() == "a\nb");
  CHECK(f.tool("t:1:0").call_id == "c1");
  CHECK(f.tool("t:1:0").tool_output_is_error == false);
}

TEST_CASE("acp: the simplified shapes of story 5 are understood") {
  Fixture f;
  f.update(R"({"type":"tool_call","callId":"c1","toolName":"shell","status":"in_progress",
    "content":[{"type":"content","content":{"type":"text","text":"{\"cmd\":\"ls\"}"}}]})");
  CHECK(f.tool("t:1:0").tool_name == "shell");
  CHECK(f.tool("t:1:0").tool_arguments.str() == R"({"cmd":"ls"})");
  f.update(R"({"type":"tool_call_update","callId":"c1","status":"completed",
    "content":[{"type":"content","content":{"type":"text","text":"out"}}]})");
  CHECK(f.tool("t:1:0").tool_output->view() == "out");
  CHECK(f.items.at("t:1:0").status == ItemStatus::Complete);
}

TEST_CASE("acp: an update for an unknown tool makes the tool, a finished one never changes") {
  Fixture f;
  f.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"x","status":"failed",
    "rawOutput":{"exit_code":3,"formatted_output":"no"}})");
  CHECK(f.items.at("t:1:0").status == ItemStatus::Error);
  CHECK(f.tool("t:1:0").exit_code == 3);
  CHECK(f.tool("t:1:0").tool_output_is_error == true);
  f.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"x","status":"completed"})");
  CHECK(f.emitted.empty());
}

TEST_CASE("acp: text before and after a tool, and thoughts, are items of their own in order") {
  Fixture f;
  f.update(R"({"sessionUpdate":"agent_thought_chunk","content":{"type":"text","text":"hm"}})");
  f.update(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"one"}})");
  f.update(
      R"({"sessionUpdate":"tool_call","toolCallId":"c1","title":"ls","status":"in_progress"})");
  f.update(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"two"}})");
  CHECK(std::get<Thinking>(f.items.at("t:1:0").body).content.view() == "hm");
  CHECK(f.message("t:1:1").content.view() == "one");
  CHECK(f.items.at("t:1:1").status == ItemStatus::Complete);
  CHECK(f.message("t:1:3").content.view() == "two");
}

TEST_CASE("acp: a new message id starts a new message, the same one survives a usage report") {
  Fixture f;
  const std::string a = R"({"sessionUpdate":"agent_message_chunk","messageId":"a",)"
                        R"("content":{"type":"text","text":"x"}})";
  f.update(a);
  f.update(R"({"sessionUpdate":"usage_update","used":1,"size":2})");
  f.update(a);
  CHECK(f.message("t:1:0").content.view() == "xx");
  f.update(R"({"sessionUpdate":"agent_message_chunk","messageId":"b",
    "content":{"type":"text","text":"y"}})");
  CHECK(f.message("t:1:1").content.view() == "y");
}

TEST_CASE("acp: terminal output grows by what is new, the longer of stream and summary wins") {
  Fixture f;
  f.update(R"({"sessionUpdate":"tool_call","toolCallId":"c","title":"t","status":"in_progress"})");
  const std::string tick = R"({"sessionUpdate":"tool_call_update","toolCallId":"c",)"
                           R"("_meta":{"terminal_output_delta":{"data":"tick\n"}}})";
  f.update(tick);
  const Upsert before = f.emitted.at(0);
  f.update(tick);
  CHECK(only_grew(before, f.emitted.at(0)));
  f.update(R"({"sessionUpdate":"tool_call_update","toolCallId":"c","status":"completed",
    "rawOutput":{"formatted_output":"tick\n"},"_meta":{"terminal_exit":{"exit_code":0}}})");
  CHECK(f.tool("t:1:0").tool_output->view() == "tick\ntick\n");
  CHECK(f.tool("t:1:0").exit_code == 0);
}

TEST_CASE("acp: what is open when a turn is cancelled ends as cancelled, never as complete") {
  Fixture f;
  f.update(R"({"sessionUpdate":"tool_call","toolCallId":"c","title":"t","status":"in_progress"})");
  f.update(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"cut"}})");
  f.translator.cancel_requested();
  f.end("cancelled");
  CHECK(f.items.at("t:1:0").status == ItemStatus::Cancelled);
  CHECK(f.items.at("t:1:1").status == ItemStatus::Cancelled);
  CHECK(f.turns.back().status == TurnStatus::Cancelled);
  // The rest of a cancelled turn does not begin a new one.
  f.update(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"late"}})");
  CHECK(f.emitted.empty());
  CHECK(f.turns.size() == 2);
}

TEST_CASE("acp: an approval offers exactly the agent's options and is answered once") {
  Fixture f;
  const auto asked = f.translator.permission(
      parsed(R"({"toolCall":{"toolCallId":"c","title":"touch x","kind":"execute","status":"pending",
        "rawInput":{"command":["/bin/bash","-lc","touch x"]}},
        "options":[{"optionId":"approved","name":"Yes","kind":"allow_once"},
                   {"optionId":"abort","name":"No","kind":"reject_once"},
                   {"optionId":"odd","name":"Odd","kind":"who_knows"}]})"),
      {5});
  f.take(asked.outputs);
  REQUIRE(f.emitted.size() == 2);  // The tool, then the question about it.
  const auto& approval = std::get<Approval>(f.emitted[1].body);
  CHECK(approval.detail == "touch x");
  CHECK(approval.call_id == "c");
  REQUIRE(approval.options.size() == 3);
  CHECK(approval.options[0] == ApprovalOption{"approved", "Yes", OptionKind::AllowOnce});
  CHECK(approval.options[2].kind == OptionKind::RejectOnce);
  CHECK(f.translator.silence_is_normal());

  auto taken = f.translator.take_approval(asked.item_id);
  REQUIRE(taken != nullptr);
  CHECK(f.translator.take_approval(asked.item_id) == nullptr);
  SUBCASE("an answer that is not taken leaves it pending") {
    f.translator.asked_again(std::move(taken));
    CHECK(f.translator.pending_approval(asked.item_id) != nullptr);
  }
  SUBCASE("when its turn ends it is not ended a second time") {
    f.end("end_turn");
    for (const Upsert& item : f.emitted) CHECK(item.item_id != asked.item_id);
  }
}

TEST_CASE("acp: the command that is asked about is shown with every word of it") {
  const auto command = [](std::string_view words) {
    return command_of(parsed(R"({"command":)" + std::string(words) + "}"));
  };
  CHECK(command(R"("make all")") == "make all");
  CHECK(command(R"(["/bin/bash","-lc","touch x && ls"])") == "touch x && ls");
  CHECK(command(R"(["gcc","main.c","-o"])") == "gcc main.c -o");
  CHECK(command(R"(["scp","/etc/passwd","-c","host:"])") == "scp /etc/passwd -c host:");
  CHECK(command(R"(["rm","-c","/"])") == "rm -c /");
  CHECK(command(R"(["rm","a b","it's",""])") == R"(rm 'a b' 'it'\''s' '')");
}

TEST_CASE("acp: the text of a question does not repeat the answers that are offered") {
  const auto input = parsed(R"({"available_decisions":["approved",{"x":{}},"abort"],
    "proposed_execpolicy_amendment":["touch","/x"]})");
  const std::string choices = "\nAvailable Decisions: Approved\nAmendment\nAbort";
  CHECK(without_choices("Need it\nProposed Amendment: touch\n/x" + choices, input) == "Need it");
  CHECK(without_choices("Proposed Amendment: touch\n/x" + choices, input).empty());
  CHECK(without_choices("Need it" + choices.substr(0, choices.rfind('\n')), input).size() > 10);
  const std::string more = "Need it" + choices + "\nrm -rf /";
  CHECK(without_choices(more, input) == more);
  const std::string other = "Proposed Amendment: touch\n/x/y";
  CHECK(without_choices(other, input) == other);
  CHECK(without_choices("Need it" + choices, parsed("{}")) == "Need it" + choices);
}

TEST_CASE("acp: text repeated after a broken stream appears once") {
  Fixture f;
  const auto say = [&](std::string_view id, std::string_view text) {
    f.update(R"({"sessionUpdate":"agent_message_chunk","messageId":")" + std::string(id) +
             R"(","content":{"type":"text","text":")" + std::string(text) + "\"}}");
  };
  const std::string retry = R"({"sessionUpdate":"session_info_update","_meta":{"codex":{"error":)"
                            R"({"message":"Reconnecting","willRetry":true}}}})";
  say("a", "one two ");
  f.update(retry);
  CHECK(std::get<Message>(f.emitted.at(0).body).origin == Origin::System);
  SUBCASE("and goes on where it broke") {
    say("b", "one ");
    CHECK(f.emitted.empty());
    say("b", "two three");
    f.end("end_turn");
    CHECK(f.message("t:1:0").content.view() == "one two three");
    CHECK(f.items.at("t:1:0").status == ItemStatus::Complete);
  }
  SUBCASE("and what it no longer says is void") {
    say("b", "one ");
    say("b", "other");
    f.end("end_turn");
    CHECK(f.items.at("t:1:0").status == ItemStatus::Cancelled);
    CHECK(f.message("t:1:2").content.view() == "one other");
    CHECK(f.items.at("t:1:2").status == ItemStatus::Complete);
  }
  SUBCASE("and may end earlier") {
    say("b", "one ");
    f.end("end_turn");
    CHECK(f.items.at("t:1:0").status == ItemStatus::Cancelled);
    CHECK(f.message("t:1:2").content.view() == "one ");
  }
}

TEST_CASE("acp: a failure that is dressed as an answer is a turn error") {
  Fixture f;
  f.update(R"({"sessionUpdate":"session_info_update",
    "_meta":{"codex":{"threadStatus":{"type":"systemError"}}}})");
  f.update(
      R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"no key\n"}})");
  f.end("end_turn");
  CHECK(f.items.empty());
  CHECK(f.turns.back().type == TurnType::Error);
  CHECK(f.turns.back().error_message == "no key");
}

TEST_CASE("acp: stop reasons decide how a turn ends") {
  for (const auto* reason : {"end_turn", "max_tokens", "max_turn_requests"}) {
    Fixture f;
    f.end(reason);
    CHECK(f.turns.back().status == TurnStatus::Completed);
    CHECK(f.turns.back().finish_reason == reason);
  }
  for (const auto* reason : {"refusal", "something_new"}) {
    Fixture f;
    f.end(reason);
    CHECK(f.turns.back().type == TurnType::Error);
    CHECK(f.turns.back().error_code == "PROTOCOL_ERROR");
  }
}

TEST_CASE("acp: what the agent says without a prompt is a turn of its own") {
  Fixture f;
  f.end("end_turn");
  f.update(R"({"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"psst"}})");
  CHECK(f.turns.back().origin == TurnOrigin::Agent);
  CHECK(f.translator.unprompted_turn_open());
  f.take(f.translator.settle({99}));
  CHECK(f.turns.back().type == TurnType::Complete);
  CHECK_FALSE(f.translator.turn_open());
}

TEST_CASE("acp: plan, commands, mode and title reach the user") {
  Fixture f;
  f.update(R"({"sessionUpdate":"plan","entries":[{"content":"a","status":"completed"},
    {"content":"b","status":"in_progress","priority":"high"}]})");
  CHECK(std::get<Plan>(f.items.at("t:1:0").body).entries.size() == 2);
  f.update(R"({"sessionUpdate":"available_commands_update",
    "availableCommands":[{"name":"/plan","description":"d","input":{"hint":"h"}}]})");
  CHECK(f.translator.facts().commands.at(0) == Command{"plan", "d", "h"});
  f.update(R"({"sessionUpdate":"current_mode_update","currentModeId":"auto"})");
  CHECK(f.translator.facts().mode == "auto");
  f.update(R"({"sessionUpdate":"session_info_update","title":"T"})");
  CHECK(f.titles == std::vector<std::string>{"T"});
  f.update(R"({"sessionUpdate":"no_such_kind","x":1})");
  CHECK(f.emitted.empty());
}

TEST_CASE("acp: the same history twice gives the same ids") {
  const auto replay = [] {
    std::vector<std::string> ids;
    Translator translator(SessionId("s"), "codex");
    translator.begin_replay("cli-1");
    for (const auto* kind : {"user_message_chunk", "agent_message_chunk", "user_message_chunk"}) {
      json::object update = parsed(R"({"content":{"type":"text","text":"x"}})");
      update["sessionUpdate"] = kind;
      for (const Output& output : translator.update(update, {1})) {
        if (const auto* item = std::get_if<Upsert>(&output)) ids.push_back(item->item_id.str());
      }
    }
    translator.end_replay({2});
    return ids;
  };
  const auto ids = replay();
  CHECK(ids.size() >= 3);
  CHECK(ids == replay());
}

}  // namespace
}  // namespace lb::acp
