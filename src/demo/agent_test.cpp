#include "demo/agent.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/id.h"
#include "base/utf8.h"
#include "tests/support/scripted_process.h"

namespace lb::demo {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A client of the demo agent: speaks to it in lines and sees all its lines.
struct Client {
  asio::io_context io;
  std::shared_ptr<test::ScriptedProcess> pipe =
      std::make_shared<test::ScriptedProcess>(io.get_executor());
  fs::path state = fs::temp_directory_path() / ("lb-demo-" + make_uuid());
  std::shared_ptr<Agent> agent;
  std::size_t seen = 0;
  int last_id = 0;
  std::string answer_with = "allow";  // To every question; empty: never answers.
  std::vector<json::object> updates;  // Of the last request.
  std::size_t questions = 0;
  std::string session;

  explicit Client(Options options = {}) {
    options.pace = 0;
    options.state_dir = state.string();
    agent = std::make_shared<Agent>(io.get_executor(), std::move(options));
    agent->serve(pipe, [] {});
  }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client() { fs::remove_all(state); }

  void send(const json::object& message) {
    std::string line;
    append_json(line, message);
    pipe->says(line);
  }
  int begin(std::string_view method, json::object params) {
    send({{"jsonrpc", "2.0"}, {"id", ++last_id}, {"method", method}, {"params", params}});
    updates.clear();
    return last_id;
  }
  void notify(std::string_view method, json::object params) {
    send({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
  }
  /// Handles one line of the agent; its reply to `id` when it is that.
  std::optional<json::object> take(const std::string& line, int id) {
    REQUIRE(is_valid_utf8(line));
    const auto value = parse_json(line);
    if (!value || !value->is_object()) return std::nullopt;
    const json::object& message = value->get_object();
    const std::string_view method = string_at(message, "method");
    if (method == "session/update") {
      updates.push_back(*object_at(*object_at(message, "params"), "update"));
    } else if (method == "session/request_permission") {
      ++questions;
      if (answer_with.empty()) return std::nullopt;
      const json::object outcome = {{"outcome", "selected"}, {"optionId", answer_with}};
      send({{"jsonrpc", "2.0"},
            {"id", *message.if_contains("id")},
            {"result", json::object{{"outcome", outcome}}}});
    } else if (method.empty() && number_at(message, "id", -1) == id) {
      return message;
    }
    return std::nullopt;
  }
  /// Runs until the reply to `id` has come, or until `stop` says so.
  json::object await(int id, const std::function<bool()>& stop = {}) {
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    while (std::chrono::steady_clock::now() < deadline) {
      io.restart();
      io.run_one_for(10ms);
      while (seen < pipe->heard().size()) {
        if (auto reply = take(pipe->heard()[seen++], id)) return *reply;
      }
      if (stop && stop()) return {};
    }
    FAIL("no reply");
    return {};
  }
  json::object call(std::string_view method, json::object params) {
    return await(begin(method, std::move(params)));
  }
  json::object result(std::string_view method, json::object params) {
    const json::object reply = call(method, std::move(params));
    const json::object* object = object_at(reply, "result");
    REQUIRE(object != nullptr);
    return *object;
  }
  double error_code(std::string_view method, json::object params) {
    const json::object reply = call(method, std::move(params));
    const json::object* error = object_at(reply, "error");
    return error != nullptr ? number_at(*error, "code") : 0;
  }
  void open() {
    result("initialize", {{"protocolVersion", 1},
                          {"clientCapabilities",
                           json::object{{"_meta", json::object{{"terminal_output", true}}}}}});
    session = string_at(result("session/new", {{"cwd", "/home/dev/project"}, {"mcpServers", {}}}),
                        "sessionId");
  }
  json::object prompt_params(std::string_view text) const {
    return {{"sessionId", session},
            {"prompt", json::array{json::object{{"type", "text"}, {"text", text}}}}};
  }
  std::string prompt(std::string_view text) {
    return std::string(string_at(result("session/prompt", prompt_params(text)), "stopReason"));
  }
  [[nodiscard]] std::string text_of(std::string_view kind) const {
    std::string text;
    for (const json::object& update : updates) {
      if (string_at(update, "sessionUpdate") != kind) continue;
      text += string_at(*object_at(update, "content"), "text");
    }
    return text;
  }
  [[nodiscard]] std::string said() const { return text_of("agent_message_chunk"); }
  [[nodiscard]] std::size_t count(std::string_view kind) const {
    return static_cast<std::size_t>(std::ranges::count_if(updates, [&](const json::object& update) {
      return string_at(update, "sessionUpdate") == kind;
    }));
  }
  [[nodiscard]] fs::path scratch_file() const { return state / "scratch" / session / "greet.py"; }
};

TEST_CASE("demo: the handshake says what it is and what it can") {
  Client client;
  const json::object result = client.result("initialize", {{"protocolVersion", 1}});
  CHECK(number_at(result, "protocolVersion") == 1);
  CHECK(bool_at(*object_at(result, "agentCapabilities"), "loadSession"));
  CHECK(string_at(*object_at(result, "agentInfo"), "title") == "Demo agent");
  const json::object session = client.result("session/new", {{"cwd", "/"}, {"mcpServers", {}}});
  CHECK(object_at(session, "modes") != nullptr);
  CHECK(array_at(session, "configOptions")->size() == 1);
  client.io.poll();
  CHECK(client.pipe->heard().back().find("available_commands_update") != std::string::npos);
  CHECK(client.error_code("session/new", {{"cwd", "relative"}}) == -32602);
  CHECK(client.error_code("session/prompt", {{"sessionId", "nobody"}}) == -32002);
  CHECK(client.error_code("no/such", {}) == -32601);
}

TEST_CASE("demo: the tour thinks, plans, uses tools, asks, edits for real and sums up") {
  Client client;
  client.open();
  CHECK(client.prompt("What is this?") == "end_turn");
  CHECK(client.questions == 1);
  CHECK(client.text_of("agent_thought_chunk").size() > 50);
  CHECK(client.said().find("no model, no account") != std::string::npos);
  CHECK(client.said().find("| You saw |") != std::string::npos);
  CHECK(client.count("plan") >= 4);
  CHECK(client.count("tool_call") == 5);
  CHECK(client.count("usage_update") == 1);
  CHECK(client.count("session_info_update") == 1);
  CHECK(slurp(client.scratch_file()).find("for name in names") != std::string::npos);
}

TEST_CASE("demo: a refused edit leaves the file alone; always means no more questions") {
  Client client;
  client.open();
  client.answer_with = "reject";
  CHECK(client.prompt("/edit") == "end_turn");
  CHECK(client.said().find("Nothing was changed") != std::string::npos);
  CHECK(slurp(client.scratch_file()).find("range(1,") != std::string::npos);
  client.answer_with = "allow_always";
  CHECK(client.prompt("/edit") == "end_turn");
  CHECK(client.questions == 2);
  CHECK(client.prompt("please fix it") == "end_turn");
  CHECK(client.questions == 2);
  CHECK(slurp(client.scratch_file()).find("for name in names") != std::string::npos);
}

TEST_CASE("demo: modes and models are honoured") {
  Client client;
  client.open();
  const auto set_mode = [&](std::string_view mode) {
    return client.error_code("session/set_mode", {{"sessionId", client.session}, {"modeId", mode}});
  };
  CHECK(set_mode("nonsense") == -32602);
  CHECK(set_mode("auto") == 0);
  CHECK(client.prompt("/edit") == "end_turn");
  CHECK(client.questions == 0);
  CHECK(set_mode("plan") == 0);
  CHECK(client.prompt("/tour") == "end_turn");
  CHECK(client.count("tool_call") == 0);
  const json::object options =
      client.result("session/set_config_option",
                    {{"sessionId", client.session}, {"configId", "model"}, {"value", "demo-calm"}});
  CHECK(string_at(array_at(options, "configOptions")->at(0).as_object(), "currentValue") ==
        "demo-calm");
}

TEST_CASE("demo: cancel ends the turn at once, also while it asks, and the next prompt works") {
  Client client;
  client.open();
  const int running = client.begin("session/prompt", client.prompt_params("/slow seconds=600"));
  client.await(-1, [&] { return client.pipe->unread() == 0; });
  const auto before = std::chrono::steady_clock::now();
  client.notify("session/cancel", {{"sessionId", client.session}});
  CHECK(string_at(*object_at(client.await(running), "result"), "stopReason") == "cancelled");
  CHECK(std::chrono::steady_clock::now() - before < 60s);

  client.answer_with.clear();
  const int asking = client.begin("session/prompt", client.prompt_params("/edit"));
  client.await(-1, [&] { return client.questions == 1; });
  client.notify("session/cancel", {{"sessionId", client.session}});
  CHECK(string_at(*object_at(client.await(asking), "result"), "stopReason") == "cancelled");
  CHECK(client.prompt("hello") == "end_turn");
  client.notify("session/cancel", {{"sessionId", client.session}});  // While idle: nothing.
  CHECK(client.prompt("hello") == "end_turn");
}

TEST_CASE("demo: a second prompt while one runs is refused") {
  Client client;
  client.open();
  client.begin("session/prompt", client.prompt_params("/slow seconds=600"));
  CHECK(client.error_code("session/prompt", client.prompt_params("hello")) == -32600);
}

TEST_CASE("demo: words choose the conversation; anything gets an answer") {
  CHECK(choose("/markdown", true) == "markdown");
  CHECK(choose("/no-such-thing", true) == "chat");
  CHECK(choose("Fix the bug in greet.py", false) == "edit");
  CHECK(choose("run the tests", false) == "run");
  CHECK(choose("Hi!", true) == "hello");
  CHECK(choose("this and that", true) == "tour");  // "hi" is not a word in "this".
  CHECK(choose("this and that", false) == "chat");
  CHECK(choose("", true) == "tour");
  for (const Command& command : commands()) {
    if (command.name == "load") continue;
    CHECK(choose("/" + std::string(command.name), true) == command.name);
  }
  Client client;
  client.open();
  client.prompt("hello");
  CHECK(client.prompt("\xE4\xBD\xA0\xE5\xA5\xBD\nzwei") == "end_turn");
  CHECK(client.said().find("> \xE4\xBD\xA0\xE5\xA5\xBD\n> zwei") != std::string::npos);
  const json::object image = {{"type", "image"}, {"mimeType", "image/png"}, {"data", "AAAA"}};
  json::object params = client.prompt_params("hello");
  params["prompt"].as_array().push_back(image);
  CHECK(string_at(client.result("session/prompt", params), "stopReason") == "end_turn");
  CHECK(client.said().find("image/png") != std::string::npos);
  params = client.prompt_params("hello");
  params["prompt"].as_array().push_back(json::parse(
      R"({"type":"resource","resource":{"uri":"attachment:///build.log","text":"a\nb\nc"}})"));
  CHECK(string_at(client.result("session/prompt", params), "stopReason") == "end_turn");
  CHECK(client.said().find("`build.log` (3 lines)") != std::string::npos);
}

TEST_CASE("demo: load replays the conversation, also in a new process; resume replays nothing") {
  Client client;
  client.open();
  client.prompt("/edit");
  client.prompt("hello");
  const std::string said = client.said();
  client.agent = std::make_shared<Agent>(client.io.get_executor(),
                                         Options{.pace = 0, .state_dir = client.state.string()});
  client.pipe = std::make_shared<test::ScriptedProcess>(client.io.get_executor());
  client.seen = 0;
  client.agent->serve(client.pipe, [] {});
  client.result("initialize", {{"protocolVersion", 1}});
  const json::object listed = client.result("session/list", {{"cwd", "/home/dev/project"}});
  REQUIRE(array_at(listed, "sessions")->size() == 1);
  CHECK(string_at(array_at(listed, "sessions")->at(0).as_object(), "title") == "/edit");
  CHECK(array_at(client.result("session/list", {{"cwd", "/else"}}), "sessions")->empty());

  const json::object params = {
      {"sessionId", client.session}, {"cwd", "/home/dev/project"}, {"mcpServers", {}}};
  client.result("session/load", params);
  std::string replay;
  for (json::object update : client.updates) {
    if (string_at(update, "sessionUpdate") == "available_commands_update") continue;
    append_json(replay, update);
    replay += '\n';
  }
  for (std::size_t at = 0; (at = replay.find(client.state.string())) != std::string::npos;) {
    replay.replace(at, client.state.string().size(), "STATE");
  }
  for (std::size_t at = 0; (at = replay.find(client.session)) != std::string::npos;) {
    replay.replace(at, client.session.size(), "SESSION");
  }
  const fs::path golden = fs::path(LB_SOURCE_DIR) / "src/demo/golden/edit_then_hello.jsonl";
  if (std::getenv("LIMINAL_UPDATE_GOLDEN") != nullptr) {
    fs::create_directories(golden.parent_path());
    std::ofstream(golden) << replay;
  }
  CHECK(replay == slurp(golden));

  client.result("session/resume", params);
  CHECK(client.said().empty());
  CHECK(client.prompt("hello") == "end_turn");
  CHECK(client.said() == said);
  CHECK(client.error_code("session/load", {{"sessionId", "nobody"}}) == -32002);
  CHECK(client.error_code("session/load", {{"sessionId", "../../etc/passwd"}}) == -32002);
}

TEST_CASE("demo: load is so many chunks of so many bytes with rising stamps") {
  Client client;
  client.open();
  CHECK(client.prompt("/load chunks=200 bytes=64 every_us=50") == "end_turn");
  REQUIRE(client.count("agent_message_chunk") == 200);
  std::uint64_t last = 0;
  for (const json::object& update : client.updates) {
    if (string_at(update, "sessionUpdate") != "agent_message_chunk") continue;
    const std::string text(string_at(*object_at(update, "content"), "text"));
    CHECK(text.size() == 64);
    REQUIRE(text.front() == '@');
    const std::uint64_t stamp = std::stoull(text.substr(1));
    CHECK(stamp > last);
    last = stamp;
  }
}

TEST_CASE("demo: faults of a turn") {
  Client client;
  client.open();
  CHECK(client.error_code("session/prompt", client.prompt_params("/error")) == -32603);
  CHECK(client.prompt("/refuse") == "refusal");
  CHECK(client.prompt("/max-tokens") == "max_tokens");
  CHECK(client.prompt("/tools 7") == "end_turn");
  CHECK(client.count("tool_call") == 7);
  CHECK(client.prompt("/huge-line 3") == "end_turn");
  CHECK(client.said().size() > (3U << 20U));
  client.answer_with = "allow";
  CHECK(client.prompt("/approve 3") == "end_turn");
  CHECK(client.said().find("3 of 3") != std::string::npos);
  const int deaf = client.begin("session/prompt", client.prompt_params("/ignore-cancel seconds=1"));
  client.await(-1, [&] { return client.count("agent_message_chunk") > 1; });
  client.notify("session/cancel", {{"sessionId", client.session}});
  CHECK(string_at(*object_at(client.await(deaf), "result"), "stopReason") == "end_turn");
}

TEST_CASE("demo: faults of the handshake, by flag") {
  Client failing({.fail = {"initialize"}});
  CHECK(failing.error_code("initialize", {}) == -32603);

  Client login({.need_auth = true});
  CHECK(array_at(login.result("initialize", {}), "authMethods")->size() == 1);
  CHECK(login.error_code("session/new", {{"cwd", "/"}}) == -32000);
  CHECK(login.error_code("authenticate", {{"methodId", "other"}}) == -32602);
  CHECK(login.error_code("authenticate", {{"methodId", "demo-login"}}) == 0);
  CHECK(login.error_code("session/new", {{"cwd", "/"}}) == 0);

  Client forgetful({.no_load = true});
  CHECK(
      !bool_at(*object_at(forgetful.result("initialize", {}), "agentCapabilities"), "loadSession"));
  CHECK(forgetful.error_code("session/load", {{"sessionId", "x"}}) == -32601);
}

}  // namespace
}  // namespace lb::demo
