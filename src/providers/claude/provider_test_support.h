/// House: the Claude provider over a scripted CLI, for the tests of this folder.
#pragma once

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "providers/claude/provider.h"
#include "tests/support/answers.h"
#include "tests/support/recording_sink.h"
#include "tests/support/scripted_process.h"

namespace lb::test {

namespace fs = std::filesystem;

inline constexpr std::string_view kInit =
    R"({"type":"system","subtype":"init","session_id":"cli-1","model":"opus","permissionMode":"default"})";
inline constexpr std::string_view kResult =
    R"({"type":"result","subtype":"success","is_error":false,"stop_reason":"end_turn","terminal_reason":"completed"})";
inline constexpr std::string_view kAborted =
    R"({"type":"result","subtype":"error_during_execution","is_error":true,"terminal_reason":"aborted_tools"})";

inline std::string text_line(std::string_view text) {
  return fmt::format(R"({{"type":"assistant","parent_tool_use_id":null,"message":{{"id":"m-{}",)"
                     R"("model":"opus","content":[{{"type":"text","text":"{}"}}]}}}})",
                     make_uuid(), text);
}

inline void answers(const std::shared_ptr<ScriptedProcess>& agent, const json::object& request) {
  agent->says(fmt::format(R"({{"type":"control_response","response":{{"subtype":"success",)"
                          R"("request_id":"{}","response":{{"commands":[{{"name":"compact"}}],)"
                          R"("models":[{{"value":"opus","displayName":"Opus"}},{{"value":"new",)"
                          R"("displayName":"New","supportedEffortLevels":["low","high"]}}]}}}}}})",
                          string_at(request, "request_id")));
}

/// A CLI that answers every prompt by echoing it; the text may ask for more.
inline asio::awaitable<void> play(std::shared_ptr<ScriptedProcess> agent) {
  bool deaf = false;   // Interrupts are not answered any more.
  bool stuck = false;  // They are, but the turn goes on.
  while (const auto line = co_await agent->hears()) {
    const auto parsed = parse_json(*line);
    REQUIRE(parsed.has_value());
    const json::object& record = parsed->get_object();
    const std::string_view type = string_at(record, "type");
    if (type == "control_request") {
      const std::string_view subtype = string_at(record.at("request").get_object(), "subtype");
      if (subtype == "interrupt" && deaf) continue;
      answers(agent, record);
      if (subtype == "interrupt" && !stuck) agent->says(std::string(kAborted));
    }
    if (type != "user") continue;
    const json::array& content = record.at("message").at("content").get_array();
    const std::string text(string_at(content.back().get_object(), "text"));
    if (text == "die silently") {
      agent->exits({.code = 3, .signal = {}});
      co_return;
    }
    if (text == "never mind") continue;
    agent->says(std::string(kInit));
    deaf = text == "hang deaf";
    stuck = text == "hang stuck";
    if (text.starts_with("hang")) continue;
    if (text == "crash") {
      agent->complains("out of luck\n");
      agent->exits({.code = {}, .signal = 9});
      co_return;
    }
    if (text == "logged out") {  // As recorded in 13-no-api-key.
      agent->says(
          R"({"type":"assistant","message":{"id":"m","model":"<synthetic>","role":"assistant",)"
          R"("content":[{"type":"text","text":"Not logged in · Please run /login"}]},)"
          R"("parent_tool_use_id":null,"error":"authentication_failed"})");
      agent->says(R"({"type":"result","subtype":"success","is_error":true,"api_error_status":null,)"
                  R"("result":"Not logged in · Please run /login","stop_reason":"stop_sequence"})");
      continue;
    }
    if (text == "limited") {  // As recorded in 13-error-429.
      agent->says(R"({"type":"result","subtype":"success","is_error":true,"api_error_status":429,)"
                  R"("result":"API Error: Request rejected: 429","stop_reason":"stop_sequence"})");
      continue;
    }
    if (text == "ask") {
      agent->says(
          R"({"type":"assistant","parent_tool_use_id":null,"message":{"id":"m","model":"opus","content":[)"
          R"({"type":"tool_use","id":"call","name":"Bash","input":{"command":"rm x"}}]}})");
      agent->says(
          R"({"type":"control_request","request_id":"q1","request":{"subtype":"can_use_tool","tool_name":"Bash",)"
          R"("input":{"command":"rm x"},"tool_use_id":"call","permission_suggestions":[)"
          R"({"type":"addRules","rules":[{"toolName":"Bash","ruleContent":"rm x"}],"behavior":"allow","destination":"localSettings"}]}})");
      continue;
    }
    agent->says(text_line("You said: " + text));
    agent->says(std::string(kResult));
  }
}

struct House {
  asio::io_context io;
  asio::thread_pool workers{1};
  SystemClock clock;
  SystemTimers timers{io.get_executor()};
  ScriptedLauncher launcher{io.get_executor()};
  fs::path folder;
  std::unique_ptr<Provider> provider;
  SessionId session{"session-1"};
  std::vector<Upsert> upserts;
  std::vector<Turn> turns;
  std::vector<SessionReport> reports;

  explicit House(ClaudeConfig config = {}) {
    std::string name = (fs::temp_directory_path() / "lb-claude-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    folder = fs::canonical(name);
    fs::create_directories(folder / "project");
    config.env.emplace_back("CLAUDE_CONFIG_DIR", (folder / "config").string());
    launcher.on_launch([](std::shared_ptr<ScriptedProcess> agent) {
      asio::co_spawn(agent->executor(), play(agent), asio::detached);
    });
    provider = make_claude_provider(std::move(config), {.executor = io.get_executor(),
                                                        .blocking = workers.get_executor(),
                                                        .launcher = launcher,
                                                        .clock = clock,
                                                        .timers = timers});
    provider->attach(
        session, sink({.item = [this](const Upsert& upsert) { upserts.push_back(upsert); },
                       .turn = [this](const Turn& turn) { turns.push_back(turn); },
                       .report = [this](const SessionReport& said) { reports.push_back(said); }}));
  }
  ~House() {
    run(provider->shutdown());
    provider.reset();
    workers.join();
    fs::remove_all(folder);
  }

  template <class T>
  T run(asio::awaitable<T> work) {
    std::optional<T> result;
    asio::co_spawn(io, std::move(work), [&](std::exception_ptr error, T value) {
      if (error) std::rethrow_exception(error);
      result = std::move(value);
    });
    spin([&] { return result.has_value(); });
    return std::move(*result);
  }
  void run(asio::awaitable<void> work) {
    bool done = false;
    asio::co_spawn(io, std::move(work), [&](std::exception_ptr) { done = true; });
    spin([&] { return done; });
  }
  /// Runs until it is so; a minute is more than any of this takes.
  void spin(const std::function<bool()>& so) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    io.restart();
    while (!so()) {
      REQUIRE(std::chrono::steady_clock::now() < limit);
      io.run_one_for(std::chrono::milliseconds(50));
      if (io.stopped()) io.restart();
    }
  }
  void settle_turn() {
    const std::size_t ended = ended_turns();
    spin([&] { return ended_turns() > ended; });
  }
  [[nodiscard]] std::size_t ended_turns() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(turns, [](const Turn& turn) { return is_final(turn); }));
  }
  [[nodiscard]] std::string project() const { return (folder / "project").string(); }
  [[nodiscard]] CreateSessionOptions options() const {
    CreateSessionOptions how;
    how.session_id = session;
    how.project_dir = project();
    return how;
  }
  Result<ProviderSession> create(RawObject provider_options = {}) {
    CreateSessionOptions how = options();
    how.provider_options = std::move(provider_options);
    return run(provider->create_session(how));
  }
  /// What the CLI would have written about a session.
  void record(const std::string& cli_session_id, const std::string& lines) const {
    fs::create_directories(folder / "config/projects/p");
    std::ofstream(folder / "config/projects/p" / (cli_session_id + ".jsonl")) << lines;
  }
  [[nodiscard]] const SessionFacts& facts() const {
    const SessionFacts* newest = nullptr;
    for (const SessionReport& report : reports) {
      if (const auto* told = std::get_if<SessionFacts>(&report)) newest = told;
    }
    REQUIRE(newest != nullptr);
    return *newest;
  }
  Result<SendResult> send(std::string text, std::string turn = make_uuid()) {
    return run(provider->send_message(session, {TurnId(std::move(turn)), std::move(text), {}}));
  }
  [[nodiscard]] std::vector<json::object> heard(std::size_t agent, std::string_view type) const {
    std::vector<json::object> lines;
    for (const std::string& line : launcher.agents().at(agent)->heard()) {
      auto parsed = parse_json(line);
      if (string_at(parsed->get_object(), "type") == type) lines.push_back(parsed->get_object());
    }
    return lines;
  }
  [[nodiscard]] const Upsert* approval() const {
    const Upsert* found = nullptr;
    for (const Upsert& upsert : upserts) {
      if (std::holds_alternative<Approval>(upsert.body)) found = &upsert;
    }
    return found;
  }
};

}  // namespace lb::test
