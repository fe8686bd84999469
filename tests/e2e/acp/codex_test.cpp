// The real codex-acp, native and npm, offline against the scripted model.
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>

#include "tests/e2e/acp/world.h"

namespace lb::test {
namespace {

struct Native {
  static constexpr const char* kVariable = "LB_TEST_CODEX_ACP";
  static constexpr const char* kModel = "gpt-5.4";
  static constexpr const char* kAskingMode = "auto";
  static constexpr const char* kProcess = "codex-acp";
};
struct Npm {
  static constexpr const char* kVariable = "LB_TEST_CODEX_ACP_JS";
  static constexpr const char* kModel = "gpt-5.5";
  static constexpr const char* kAskingMode = "workspace-write";
  static constexpr const char* kProcess = "node";
};

template <class Kind>
class CodexWorld : public AgentWorld {
 public:
  CodexWorld() {
    const std::string port = start_model();
    write(root / "home/.codex/config.toml",
          std::string("model = \"") + Kind::kModel +
              "\"\nmodel_provider = \"scripted\"\nmodel_reasoning_summary = \"auto\"\n"
              "[model_providers.scripted]\nname = \"scripted\"\nbase_url = \"http://127.0.0.1:" +
              port +
              "/v1\"\nwire_api = \"responses\"\nenv_key = \"OPENAI_API_KEY\"\n"
              "request_max_retries = 1\nstream_max_retries = 1\n");
    config.cli_type = "codex";
    config.command = required_cli(Kind::kVariable);
    config.env = environment();
    config.env.emplace_back("CODEX_HOME", (root / "home/.codex").string());
    config.env.emplace_back("OPENAI_API_KEY", "sk-test");
    config.env.emplace_back("NO_BROWSER", "1");
    config.path = {fs::path(required_cli("LB_TEST_NODE")).parent_path().string()};
    begin();
  }
};

TEST_CASE_TEMPLATE("codex end to end: create, stream, think, fail and go on", Kind, Native, Npm) {
  CodexWorld<Kind> world;
  const ProviderSession session = world.create(kSession);
  CHECK_FALSE(session.cli_session_id.empty());
  CHECK(world.statuses == std::vector<AgentStatus>{AgentStatus::Starting, AgentStatus::Connected});
  CHECK(world.heard->facts.mode == Kind::kAskingMode);
  CHECK_FALSE(world.heard->facts.models.empty());

  const Turn& first = world.turn(kSession, "t1", "[[scenario:text]] hi");
  CHECK(first.status == TurnStatus::Completed);
  CHECK(world.heard->text("t1") ==
        "Hello! This is a short scripted answer in two sentences. It ends here.");

  world.turn(kSession, "t2", "[[scenario:thinking]] hm");
  CHECK(world.heard->template all<Thinking>("t2").size() == 1);

  const Turn& failed = world.turn(kSession, "t3", "[[scenario:error-400]] fail");
  CHECK(failed.type == TurnType::Error);
  CHECK_FALSE(failed.error_message.value_or("").empty());

  const Turn& after = world.turn(kSession, "t4", "[[scenario:echo]] still there");
  CHECK(after.status == TurnStatus::Completed);
  CHECK(world.heard->text("t4").find("still there") != std::string::npos);
  for (const auto& [id, item] : world.heard->items) CHECK(is_final(item.status));
}

using Calls = std::vector<Upsert>;

std::string output_of(const Upsert& call) {
  const auto& output = std::get<ToolCall>(call.body).tool_output;
  return output ? std::string(output->view()) : "";
}

/// Runs a turn until Codex has reported the end of each of its tools and `enough` of them, and
/// returns the calls. On a busy machine native Codex ends a turn without the last update of a quick
/// command when the model answers faster than any real one, or reports a command without its
/// output: the turn is tried again, with a slower model. A tool whose end was not reported is shown
/// as cancelled, never as complete.
template <class Kind, class Enough>
Calls reported(CodexWorld<Kind>& world, const std::string& name, const std::string& prompt,
               Enough enough) {
  for (int attempt = 1; attempt <= 8; ++attempt) {
    const std::string id = name + "-" + std::to_string(attempt);
    const std::string pace = "[[delay:" + std::to_string(400 * (attempt - 1)) + "]] ";
    CHECK(world.turn(kSession, id, pace + prompt).status == TurnStatus::Completed);
    const Calls calls = world.heard->template all<ToolCall>(id);
    for (const Upsert& call : calls) CHECK(is_final(call.status));
    const bool ended = std::ranges::none_of(
        calls, [](const Upsert& call) { return call.status == ItemStatus::Cancelled; });
    if (ended && enough(calls)) return calls;
  }
  FAIL("Codex never reported the end of its tools");
  return {};
}

TEST_CASE_TEMPLATE("codex end to end: tools read, write and run, with text between", Kind, Native,
                   Npm) {
  CodexWorld<Kind> world;
  world.create(kSession);
  const Calls tools = reported(world, "go", "[[scenario:multi-tool]] go", [](const Calls& calls) {
    REQUIRE(calls.size() == 3);
    return output_of(calls[0]).find("hello world") != std::string::npos ||
           output_of(calls[2]).find("written by step two") != std::string::npos;
  });
  for (const Upsert& tool : tools) CHECK(tool.status == ItemStatus::Complete);
  CHECK(std::get<ToolCall>(tools[1].body).diffs.size() == 1);
  CHECK(fs::exists(world.root / "project/out.txt"));
  // Text before and after each tool: four messages around three tools.
  CHECK(world.heard->template all<Message>(tools[0].turn_id.str()).size() == 4);

  const Calls failed = reported(world, "fail", "[[scenario:bash-fail]] fail",
                                [](const Calls& calls) { return calls.size() == 1; });
  CHECK(std::get<ToolCall>(failed[0].body).exit_code == 3);
  CHECK(failed[0].status == ItemStatus::Error);
}

TEST_CASE_TEMPLATE("codex end to end: confined, with its own sandbox inside, it works as ever" *
                       doctest::skip(kRoot),
                   Kind, Native, Npm) {
  CodexWorld<Kind> world;
  world.confine();
  const ProviderSession session = world.create(kSession);
  const Calls tools = reported(world, "go", "[[scenario:multi-tool]] go", [](const Calls& calls) {
    REQUIRE(calls.size() == 3);
    return output_of(calls[0]).find("hello world") != std::string::npos ||
           output_of(calls[2]).find("written by step two") != std::string::npos;
  });
  for (const Upsert& tool : tools) CHECK(tool.status == ItemStatus::Complete);
  CHECK(fs::exists(world.root / "project/out.txt"));
  world.send(kSession, "ask", "[[scenario:permission]] may I");
  world.answer(world.approval("ask"), OptionKind::AllowOnce);
  REQUIRE(world.until([&] { return world.heard->ended("ask"); }));
  CHECK(fs::exists(world.root / "project/made-by-permission"));

  world.restart();
  const auto loaded = run(
      world.io, world.provider->load_session(kSession, world.load_options(session.cli_session_id)),
      std::chrono::seconds(60));
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
  CHECK(world.turn(kSession, "later", "[[scenario:echo]] there").status == TurnStatus::Completed);
}

TEST_CASE_TEMPLATE("codex end to end: permission allowed and denied", Kind, Native, Npm) {
  CodexWorld<Kind> world;
  world.create(kSession);
  const fs::path made = world.root / "project/made-by-permission";

  world.send(kSession, "t1", "[[scenario:permission]] may I");
  const Upsert denied = world.approval("t1");
  CHECK(denied.status == ItemStatus::Create);
  CHECK_FALSE(std::get<Approval>(denied.body).detail.value_or("").empty());
  world.answer(denied, OptionKind::RejectOnce);
  REQUIRE(world.until([&] { return world.heard->ended("t1"); }));
  CHECK_FALSE(fs::exists(made));
  CHECK(world.heard->items.at(denied.item_id.str()).status == ItemStatus::Complete);
  for (const Upsert& tool : world.heard->template all<ToolCall>("t1")) {
    CHECK(tool.status != ItemStatus::Complete);
  }

  world.send(kSession, "t2", "[[scenario:permission]] may I now");
  world.answer(world.approval("t2"), OptionKind::AllowOnce);
  REQUIRE(world.until([&] { return world.heard->ended("t2"); }));
  CHECK(world.heard->turns.back().status == TurnStatus::Completed);
  CHECK(fs::exists(made));
}

TEST_CASE_TEMPLATE("codex end to end: cancel in text and in a question, then reuse", Kind, Native,
                   Npm) {
  CodexWorld<Kind> world;
  world.create(kSession);
  world.send(kSession, "t1", "[[scenario:slow]] talk");
  REQUIRE(world.until([&] { return !world.heard->text("t1").empty(); }));
  REQUIRE(run(world.io, world.provider->cancel_turn(kSession)).has_value());
  REQUIRE(world.until([&] { return world.heard->ended("t1"); }));
  CHECK(world.heard->turns.back().status == TurnStatus::Cancelled);
  CHECK(world.heard->template all<Message>("t1").back().status == ItemStatus::Cancelled);

  world.send(kSession, "t2", "[[scenario:permission]] may I");
  const Upsert asked = world.approval("t2");
  REQUIRE(run(world.io, world.provider->cancel_turn(kSession)).has_value());
  REQUIRE(world.until([&] { return world.heard->ended("t2"); }));
  CHECK(world.heard->turns.back().status == TurnStatus::Cancelled);
  CHECK(world.heard->items.at(asked.item_id.str()).status == ItemStatus::Cancelled);

  const Turn& after = world.turn(kSession, "t3", "[[scenario:echo]] still there");
  CHECK(after.status == TurnStatus::Completed);
}

TEST_CASE_TEMPLATE("codex end to end: history is discovered and loaded in a new process", Kind,
                   Native, Npm) {
  CodexWorld<Kind> world;
  const ProviderSession session = world.create(kSession);
  world.turn(kSession, "t1", "[[scenario:tool]] first prompt");
  world.turn(kSession, "t2", "[[scenario:echo]] second prompt");

  world.restart();
  const auto found = run(world.io, world.provider->discover(world.project()));
  REQUIRE(found.size() == 1);
  CHECK(found[0].cli_session_id == session.cli_session_id);
  CHECK(found[0].title.find("first prompt") != std::string::npos);

  auto options = world.load_options(session.cli_session_id);
  auto loaded =
      run(world.io, world.provider->load_session(kSession, options), std::chrono::seconds(60));
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
  std::vector<std::string> prompts;
  std::string tools;
  for (const std::string& id : world.heard->order) {
    const Upsert& item = world.heard->items.at(id);
    CHECK(is_final(item.status));
    const auto* message = std::get_if<Message>(&item.body);
    if (message != nullptr && message->origin == Origin::User) {
      prompts.push_back(message->content.str());
    }
    if (const auto* tool = std::get_if<ToolCall>(&item.body)) {
      tools += tool->tool_output.value_or(Text()).view();
    }
  }
  CHECK(prompts == std::vector<std::string>{"[[scenario:tool]] first prompt",
                                            "[[scenario:echo]] second prompt"});
  CHECK(tools.find("hello world") != std::string::npos);
  const std::size_t items = world.heard->items.size();

  // Once known, it is resumed without importing twice.
  world.restart();
  options.last_known_turn = TurnId("t2");
  loaded = run(world.io, world.provider->load_session(kSession, options), std::chrono::seconds(60));
  REQUIRE(loaded.has_value());
  CHECK(world.heard->items.empty());
  CHECK(items > 0);
  const Turn& after = world.turn(kSession, "t3", "[[scenario:echo]] after load");
  CHECK(after.status == TurnStatus::Completed);
}

TEST_CASE_TEMPLATE("E1-TC-5.2b: codex killed in mid-turn is an error, then works again", Kind,
                   Native, Npm) {
  CodexWorld<Kind> world;
  world.create(kSession);
  world.send(kSession, "t1", "[[scenario:gated]] [[gate:never]] wait");
  REQUIRE(world.until([&] { return !world.heard->text("t1").empty(); }));
  const auto agents = marked_named(world.mark, Kind::kProcess);
  REQUIRE_FALSE(agents.empty());
  // The model is a node process too; the agent is the younger one.
  ::kill(agents.back(), SIGKILL);
  REQUIRE(world.until([&] { return world.heard->ended("t1"); }));
  const Turn failed = world.heard->turns.back();
  CHECK(failed.type == TurnType::Error);
  CHECK(failed.error_code == "PROCESS_CRASH");
  CHECK_FALSE(world.provider->is_alive(kSession));
  // It comes back by itself after a second; the prompt does not have to wait for that.
  const Turn& after = world.turn(kSession, "t2", "[[scenario:echo]] back again");
  CHECK(after.status == TurnStatus::Completed);
  CHECK(world.statuses.back() == AgentStatus::Connected);
}

TEST_CASE_TEMPLATE("E1-TC-5.3a: a killed session leaves no process behind", Kind, Native, Npm) {
  CodexWorld<Kind> world;
  world.create(kSession);
  world.send(kSession, "t1", "[[scenario:bash-sleep]] sleep");
  REQUIRE(world.until([&] { return !world.heard->template all<ToolCall>("t1").empty(); }));
  REQUIRE(run(world.io, world.provider->kill_session(kSession)).has_value());
  CHECK(world.heard->ended("t1"));
  CHECK(world.statuses.back() == AgentStatus::Idle);
  REQUIRE(world.until([&] { return marked_named(world.mark, "sleep").empty(); }));
  CHECK(marked_named(world.mark, "codex-acp").empty());
  CHECK(marked_named(world.mark, "codex").empty());
}

TEST_CASE("E1-TC-5.5a: an agent that is not installed says so, with the remedy") {
  World world;
  AgentConfig config;
  config.cli_type = "codex";
  config.env = world.environment();
  config.env.emplace_back("PATH", "/nonexistent");
  Provider& provider = world.start(config);
  CreateSessionOptions options;
  options.session_id = kSession;
  options.project_dir = world.project();
  const auto created = run(world.io, provider.create_session(options));
  REQUIRE_FALSE(created.has_value());
  CHECK(created.error().code == ErrorCode::AgentUnavailable);
  CHECK(created.error().message.starts_with(
      "Could not start Codex. Check that it's installed. Install it with: "));
  const AgentInfo info = run(world.io, provider.inspect());
  CHECK_FALSE(info.installed);
  CHECK(info.remedy.has_value());
}

TEST_CASE("E1-TC-5.5b: a program that is no agent is a failed handshake, and is gone") {
  World world;
  AgentConfig config;
  config.cli_type = "codex";
  config.command = "/bin/sh";
  config.args = {"-c", "echo not an agent; echo why >&2; exit 3"};
  config.env = world.environment();
  Provider& provider = world.start(config);
  CreateSessionOptions options;
  options.session_id = kSession;
  options.project_dir = world.project();
  const auto created = run(world.io, provider.create_session(options));
  REQUIRE_FALSE(created.has_value());
  CHECK(created.error().message.starts_with("Could not connect to Codex"));
  CHECK(created.error().message.find("why") != std::string::npos);
}

}  // namespace
}  // namespace lb::test
