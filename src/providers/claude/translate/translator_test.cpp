// The conditions of AC-3.3, each on the smallest session that shows it.

#include "providers/claude/translate/translator.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

using namespace lb;

namespace {

/// A translator with one turn of ours under way.
struct Bench {
  claude::Translator translator{[] {
    claude::TranslatorOptions options;
    options.session = SessionId("session");
    options.batching.age_ms = 0;  // Only the gradient: TC-3.3a counts emissions.
    return options;
  }()};
  MonoMs now = 0;
  std::vector<Upsert> upserts;
  std::vector<Turn> turns;

  Bench() {
    translator.prompt(TurnId("turn"));
    say(R"({"type":"system","subtype":"init","session_id":"cli","model":"opus","permissionMode":"default"})");
  }
  void say(std::string_view line) {
    const auto value = parse_json(line);
    REQUIRE_MESSAGE(value.has_value(), line);
    translator.line(value->get_object(), {{1'000 + now}, now});
    ++now;
    for (const claude::Output& output : translator.take()) {
      if (const auto* upsert = std::get_if<Upsert>(&output)) upserts.push_back(*upsert);
      if (const auto* turn = std::get_if<Turn>(&output)) turns.push_back(*turn);
    }
  }
  void event(std::string_view event) {
    say(fmt::format(R"({{"type":"stream_event","parent_tool_use_id":null,"event":{}}})", event));
  }
  void start(std::string_view id) {
    event(fmt::format(R"({{"type":"message_start","message":{{"id":"{}","model":"opus"}}}})", id));
  }
  void block(int index, std::string_view content) {
    event(fmt::format(R"({{"type":"content_block_start","index":{},"content_block":{}}})", index,
                      content));
  }
  void delta(int index, std::string_view type, std::string_view key, std::string_view text) {
    json::object delta{{"type", type}, {key, text}};
    event(json::serialize(
        json::object{{"type", "content_block_delta"}, {"index", index}, {"delta", delta}}));
  }
  void stop(int index) {
    event(fmt::format(R"({{"type":"content_block_stop","index":{}}})", index));
  }
  void stop_message(std::string_view reason) {
    event(fmt::format(R"({{"type":"message_delta","delta":{{"stop_reason":"{}"}},)"
                      R"("usage":{{"input_tokens":5,"output_tokens":7}}}})",
                      reason));
    event(R"({"type":"message_stop"})");
  }
  void result(std::string_view more = "") {
    say(fmt::format(
        R"({{"type":"result","subtype":"success","is_error":false,"stop_reason":"end_turn",)"
        R"("usage":{{"input_tokens":5,"output_tokens":7}},"total_cost_usd":0.5{}}})",
        more));
  }
  void tool_result(std::string_view id, std::string_view text, bool failed = false) {
    say(fmt::format(
        R"({{"type":"user","parent_tool_use_id":null,"message":{{"role":"user","content":[)"
        R"({{"type":"tool_result","tool_use_id":"{}","content":"{}","is_error":{}}}]}}}})",
        id, text, failed));
  }
  [[nodiscard]] const Upsert& last(std::string_view id) const {
    const Upsert* found = nullptr;
    for (const Upsert& upsert : upserts) {
      if (upsert.item_id.str() == id) found = &upsert;
    }
    REQUIRE_MESSAGE(found != nullptr, id);
    return *found;
  }
  [[nodiscard]] std::vector<std::string> forms(std::string_view id) const {
    std::vector<std::string> forms;
    for (const Upsert& upsert : upserts) {
      if (upsert.item_id.str() == id) forms.emplace_back(wire_name(upsert.status));
    }
    return forms;
  }
};

const ToolCall& tool_of(const Upsert& upsert) {
  return std::get<ToolCall>(upsert.body);
}

}  // namespace

TEST_CASE("TC-3.3a: text blocks become a message with create, update and complete") {
  Bench bench;
  bench.start("m1");
  bench.block(0, R"({"type":"text","text":""})");
  std::string whole;
  for (int i = 0; i < 40; ++i) {
    bench.delta(0, "text_delta", "text", "word ");
    whole += "word ";
  }
  bench.stop(0);
  bench.stop_message("end_turn");
  const auto forms = bench.forms("turn:1:0");
  REQUIRE(forms.size() >= 3);
  CHECK(forms.front() == "create");
  CHECK(forms[1] == "update");
  CHECK(forms.back() == "complete");
  CHECK(std::get<Message>(bench.last("turn:1:0").body).content.view() == whole);
  CHECK(std::get<Message>(bench.last("turn:1:0").body).origin == Origin::Agent);
  // Each form holds all of the text, and shares it.
  CHECK(growing_text(bench.upserts.back()).text->grew_from(*growing_text(bench.upserts[0]).text));
}

TEST_CASE("TC-3.3b: tool_use blocks become a tool_call, complete with arguments and result") {
  Bench bench;
  bench.start("m1");
  bench.block(0, R"({"type":"tool_use","id":"call-1","name":"Read","input":{}})");
  CHECK(tool_of(bench.last("turn:1:0")).tool_arguments.str() == "{}");
  bench.delta(0, "input_json_delta", "partial_json", "{\"file_pa");
  bench.delta(0, "input_json_delta", "partial_json", "th\":\"/a\"}");
  bench.stop(0);
  CHECK(bench.forms("turn:1:0") == std::vector<std::string>{"create", "update"});
  CHECK(tool_of(bench.last("turn:1:0")).tool_arguments.str() == R"({"file_path":"/a"})");
  bench.stop_message("tool_use");
  bench.tool_result("call-1", "content");
  CHECK(bench.forms("turn:1:0") == std::vector<std::string>{"create", "update", "complete"});
  const ToolCall& tool = tool_of(bench.last("turn:1:0"));
  CHECK(tool.tool_name == "Read");
  CHECK(tool.call_id == "call-1");
  CHECK(tool.tool_arguments.str() == R"({"file_path":"/a"})");
  CHECK(tool.kind == ToolKind::Read);
  CHECK(tool.locations == std::vector<Location>{{"/a", {}}});
}

TEST_CASE("TC-3.3c: tool results reach the call they belong to, in any order") {
  Bench bench;
  bench.start("m1");
  for (int i = 0; i < 3; ++i) {
    bench.block(
        i, fmt::format(R"({{"type":"tool_use","id":"call-{}","name":"Bash","input":{{}}}})", i));
    bench.stop(i);
  }
  bench.stop_message("tool_use");
  bench.tool_result("call-2", "two");
  bench.tool_result("call-0", "Exit code 3\\nzero", true);
  CHECK(tool_of(bench.last("turn:1:2")).tool_output->view() == "two");
  CHECK(tool_of(bench.last("turn:1:0")).tool_output_is_error == true);
  CHECK(tool_of(bench.last("turn:1:0")).exit_code == 3);
  CHECK(bench.last("turn:1:0").status == ItemStatus::Error);
  CHECK(bench.last("turn:1:1").status == ItemStatus::Create);
  bench.result();
  CHECK(bench.last("turn:1:1").status == ItemStatus::Error);  // No result ever came.
}

TEST_CASE("TC-3.3d: thinking blocks become thinking items, streamed or whole") {
  Bench bench;
  bench.start("m1");
  bench.block(0, R"({"type":"thinking","thinking":""})");
  bench.delta(0, "thinking_delta", "thinking", "Let me see.");
  bench.say(R"({"type":"assistant","parent_tool_use_id":null,"message":{"id":"m1","model":"opus",)"
            R"("content":[{"type":"thinking","thinking":"Let me see. Yes."}]}})");
  bench.stop(0);
  bench.stop_message("end_turn");
  CHECK(std::get<Thinking>(bench.last("turn:1:0").body).content.view() == "Let me see. Yes.");
  CHECK(bench.last("turn:1:0").status == ItemStatus::Complete);
  // A message that was never streamed.
  bench.say(R"({"type":"assistant","parent_tool_use_id":null,"message":{"id":"m2","model":"opus",)"
            R"("content":[{"type":"thinking","thinking":"Again."},{"type":"text","text":"Hi"}]}})");
  CHECK(std::get<Thinking>(bench.last("turn:2:0").body).content.view() == "Again.");
  CHECK(std::get<Thinking>(bench.last("turn:2:0").body).provider_id == "claude-code");
  CHECK(std::get<Message>(bench.last("turn:2:1").body).content.view() == "Hi");
}

TEST_CASE("TC-3.3e: several blocks of one response are followed by their index") {
  Bench bench;
  bench.start("m1");
  bench.block(0, R"({"type":"text","text":""})");
  bench.block(1, R"({"type":"tool_use","id":"c","name":"Bash","input":{}})");
  bench.block(2, R"({"type":"text","text":""})");
  bench.delta(2, "text_delta", "text", "third");
  bench.delta(0, "text_delta", "text", "first");
  bench.delta(1, "input_json_delta", "partial_json", R"({"command":"ls"})");
  bench.delta(1, "text_delta", "text", "of the wrong kind");
  for (int i = 0; i < 3; ++i) bench.stop(i);
  bench.stop_message("tool_use");
  CHECK(std::get<Message>(bench.last("turn:1:0").body).content.view() == "first");
  CHECK(tool_of(bench.last("turn:1:1")).tool_arguments.str() == R"({"command":"ls"})");
  CHECK(std::get<Message>(bench.last("turn:1:2").body).content.view() == "third");
}

TEST_CASE("TC-3.3f: a turn starts with its model and ends with result, not with message_stop") {
  Bench bench;
  REQUIRE(bench.turns.size() == 1);
  CHECK(bench.turns[0].type == TurnType::Started);
  CHECK(bench.turns[0].model_id == "opus");
  CHECK(bench.turns[0].provider_id == "claude-code");
  bench.start("m1");
  bench.stop_message("tool_use");
  bench.start("m2");
  bench.stop_message("end_turn");
  CHECK(bench.turns.size() == 1);
  bench.result();
  REQUIRE(bench.turns.size() == 2);
  CHECK(bench.turns[1].type == TurnType::Complete);
  CHECK(bench.turns[1].status == TurnStatus::Completed);
  CHECK(bench.turns[1].finish_reason == "end_turn");
  CHECK(bench.turns[1].usage->output_tokens == 7);
  CHECK(bench.turns[1].cost_usd == 0.5);

  // The second turn of a process: cost is what was added.
  bench.translator.prompt(TurnId("turn2"));
  bench.say(R"({"type":"system","subtype":"init","session_id":"cli","model":"opus"})");
  bench.say(R"({"type":"result","subtype":"success","is_error":true,"api_error_status":500,)"
            R"("result":"API Error: 500 no","total_cost_usd":0.75})");
  const Turn& failed = bench.turns.back();
  CHECK(failed.type == TurnType::Error);
  CHECK(failed.error_code == "API_ERROR");
  CHECK(failed.error_message == "API Error: 500 no");
  CHECK(failed.cost_usd == 0.25);
}

TEST_CASE("TC-3.3g: a result for an unknown call is shown and harms nothing") {
  Bench bench;
  bench.tool_result("never-made", "surprise", true);
  const Upsert& item = bench.upserts.back();
  CHECK(is_final(item.status));
  CHECK(tool_of(item).call_id == "never-made");
  CHECK(tool_of(item).tool_name == "unknown_tool");
  CHECK(tool_of(item).tool_output->view() == "surprise");
  CHECK(tool_of(item).tool_output_is_error == true);
  bench.tool_result("never-made", "again");
  CHECK(bench.upserts.size() == 1);
  bench.result();
  CHECK(bench.turns.back().status == TurnStatus::Completed);
}

TEST_CASE("a prompt written just as the agent began a turn of its own is still answered") {
  Bench bench;  // This init was the agent's own: its result says so.
  bench.result(R"(,"origin":{"kind":"task-notification"})");
  CHECK(bench.turns.size() == 1);
  bench.say(R"({"type":"system","subtype":"init","session_id":"cli","model":"opus"})");
  bench.result();
  CHECK(bench.turns.back().turn_id == TurnId("turn"));
  CHECK(bench.turns.back().status == TurnStatus::Completed);

  Bench merged;  // The CLI took both into one: nothing more comes.
  merged.result(R"(,"origin":{"kind":"task-notification"})");
  merged.say(R"({"type":"system","subtype":"session_state_changed","state":"idle"})");
  CHECK(merged.turns.back().status == TurnStatus::Completed);
}

TEST_CASE("to-do lists become a plan, from either tool") {
  Bench bench;
  bench.say(
      R"({"type":"assistant","parent_tool_use_id":null,"message":{"id":"m","model":"opus","content":[)"
      R"({"type":"tool_use","id":"c","name":"TodoWrite","input":{"todos":[)"
      R"({"content":"one","status":"completed"},{"content":"two","status":"in_progress"}]}}]}})");
  bench.tool_result("c", "ok");
  const Plan& plan = std::get<Plan>(bench.last("turn:plan").body);
  REQUIRE(plan.entries.size() == 2);
  CHECK(plan.entries[0].status == PlanStatus::Completed);
  CHECK(plan.entries[1].content == "two");
  bench.result();
  CHECK(bench.last("turn:plan").status == ItemStatus::Complete);
}

TEST_CASE("images in results are shown by their labels") {
  Bench bench;
  bench.say(
      R"({"type":"assistant","parent_tool_use_id":null,"message":{"id":"m","model":"opus",)"
      R"("content":[{"type":"tool_use","id":"c","name":"Read","input":{"file_path":"/a.png"}}]}})");
  bench.say(
      R"({"type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"c",)"
      R"("content":[{"type":"text","text":"here"},{"type":"image","source":{"type":"base64",)"
      R"("media_type":"image/png","data":"AAAA"}}]}]}})");
  CHECK(tool_of(bench.last("turn:1:0")).tool_output->view() == "here\n[Image: image/png]");
}

TEST_CASE("a question is told as its questions, and the answers as what they do") {
  Bench bench;
  const auto ask = [&](std::string_view id, std::string_view tool, std::string_view input,
                       std::string_view suggestions) {
    bench.say(fmt::format(
        R"({{"type":"control_request","request_id":"{}","request":{{"subtype":"can_use_tool",)"
        R"("tool_name":"{}","input":{},"tool_use_id":"{}","permission_suggestions":{}}}}})",
        id, tool, input, id, suggestions));
    return std::get<Approval>(bench.upserts.back().body);
  };
  const Approval question =
      ask("q", "AskUserQuestion",
          R"({"questions":[{"question":"Which?","multiSelect":true,"options":[{"label":"A"}]}]})",
          "[]");
  CHECK(question.kind == ApprovalKind::Question);
  CHECK_FALSE(question.detail.has_value());
  REQUIRE(question.tool_arguments.has_value());
  CHECK(question.title == "Which?");
  for (const ApprovalOption& option : question.options) {
    CHECK(option.kind == OptionKind::RejectOnce);
  }
  // A rule is named to its end: whoever allows it for ever has read it.
  const std::string command = "npm run " + std::string(300, 'x') + " -- --danger";
  const Approval tool = ask("t", "Bash", R"({"command":"ls"})",
                            R"([{"type":"addRules","rules":[{"toolName":"Bash","ruleContent":")" +
                                command + R"("}],"destination":"session"}])");
  CHECK(tool.detail == "ls");
  REQUIRE(tool.options.size() == 4);
  CHECK(tool.options[1].name == "Always allow Bash(" + command + ") in this session");
  CHECK(tool.options[3] ==
        ApprovalOption{"reject-and-stop", "Reject and stop", OptionKind::RejectOnce});
}

TEST_CASE("a turn that was stopped with an answer is stopped, however soon the CLI says so") {
  Bench bench;
  bench.say(R"({"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool",)"
            R"("tool_name":"Bash","input":{"command":"ls"},"tool_use_id":"c"}})");
  Answer answer;
  answer.item_id = bench.upserts.back().item_id;
  answer.option_id = "reject-and-stop";
  REQUIRE(bench.translator.prepare(answer).has_value());
  REQUIRE(bench.translator.answering(answer));
  bench.say(R"({"type":"result","subtype":"error_during_execution","is_error":true,)"
            R"("terminal_reason":"aborted_tools","usage":{"input_tokens":5,"output_tokens":7}})");
  bench.translator.answered(answer.item_id);
  CHECK(bench.turns.back().status == TurnStatus::Cancelled);
}

TEST_CASE("what the CLI asks its model for again is not on the screen twice") {
  Bench bench;
  bench.start("m1");
  bench.block(0, R"({"type":"text","text":""})");
  for (int i = 0; i < 12; ++i) bench.delta(0, "text_delta", "text", "half ");
  REQUIRE(bench.last("turn:1:0").status == ItemStatus::Create);
  SUBCASE("as a stream again") {  // As recorded in 13-error-drop.
    bench.stop(0);
    bench.event(R"({"type":"message_stop"})");
    bench.say(R"({"type":"system","subtype":"api_retry","attempt":1,"max_retries":3,)"
              R"("error_status":529})");
    bench.start("m2");
    bench.block(0, R"({"type":"text","text":""})");
    bench.delta(0, "text_delta", "text", "The whole answer.");
    bench.stop(0);
    bench.stop_message("end_turn");
  }
  SUBCASE("at once") {
    bench.say(
        R"({"type":"assistant","parent_tool_use_id":null,"message":{"id":"m2","model":"opus",)"
        R"("stop_reason":"end_turn","content":[{"type":"text","text":"The whole answer."}]}})");
  }
  bench.result();
  const Upsert& half = bench.last("turn:1:0");
  CHECK(half.status == ItemStatus::Cancelled);
  CHECK(std::get<Message>(half.body).content.empty());
  CHECK(std::get<Message>(bench.last("turn:2:0").body).content == Text("The whole answer."));
}

TEST_CASE("words that the CLI confirmed before it went on elsewhere stay") {
  Bench bench;
  bench.start("m1");
  bench.block(0, R"({"type":"text","text":""})");
  bench.delta(0, "text_delta", "text", "The first half");
  bench.say(R"({"type":"assistant","parent_tool_use_id":null,"message":{"id":"m1","model":"opus",)"
            R"("stop_reason":null,"content":[{"type":"text","text":"The first half"}]}})");
  bench.start("m2");
  bench.result();
  CHECK(std::get<Message>(bench.last("turn:1:0").body).content == Text("The first half"));
}

TEST_CASE("a turn costs what it used, the session all of them, also where the CLI counts on") {
  Bench bench;
  const auto used = [](double usd) {
    return fmt::format(R"(,"model_usage_since_last_result":{{"opus":{{"costUSD":{}}}}})", usd);
  };
  SessionFacts before;
  before.cost_usd = 2.0;
  bench.translator.facts().spent(before);
  bench.result(used(0.25));  // A total of 0.5: what the CLI had counted before it was resumed.
  CHECK(bench.turns.back().cost_usd == doctest::Approx(0.25));
  CHECK(bench.translator.facts().facts().cost_usd == doctest::Approx(2.25));
}

TEST_CASE("the context is that of the session's model, whatever else was used") {
  Bench bench;
  bench.result(R"(,"modelUsage":{"small":{"contextWindow":200000},"opus":{"contextWindow":500000},)"
               R"("huge":{"contextWindow":1000000}})");
  CHECK(bench.translator.facts().facts().context->size == 500'000);
}

TEST_CASE("the limits of an account are told as the CLI tells them") {  // As 2.1.325 was seen to.
  Bench bench;
  bench.say(
      R"({"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1794850006,)"
      R"("rateLimitType":"five_hour","unifiedWindows":{"five_hour":{"utilization":1.02,)"
      R"("resetsAt":1794850006,"status":"rejected"},"seven_day":{"utilization":0.31,)"
      R"("resetsAt":1794936406,"status":"allowed"}}}})");
  const std::vector<AccountLimit> limits = bench.translator.facts().facts().limits;
  REQUIRE(limits.size() == 2);
  CHECK(limits[0] == AccountLimit{"five_hour", "5 hours", 1.0, Timestamp{1'794'850'006'000}, true});
  CHECK(limits[1] ==
        AccountLimit{"seven_day", "7 days", 0.31, Timestamp{1'794'936'406'000}, false});
}
