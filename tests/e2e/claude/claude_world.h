/// ClaudeWorld: the Claude provider with the real Claude Code, offline against the scripted model.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/id.h"
#include "tests/e2e/acp/world.h"

namespace lb::test {

class ClaudeWorld : public World {
 public:
  /// `login`: the variable that holds one; none: it has no login.
  explicit ClaudeWorld(const std::string& login = "ANTHROPIC_API_KEY") {
    agent_.cli_type = "claude-code";
    agent_.command = required_cli("LB_TEST_CLAUDE");
    agent_.env = environment();
    for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>{
             {"CLAUDE_CONFIG_DIR", (root / "home/.claude").string()},
             {"ANTHROPIC_BASE_URL",
              "http://127.0.0.1:" + start_model({"--log", model_log(), "--log-bodies"})},
             {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"},
             {"CLAUDE_CODE_MAX_RETRIES", "3"}}) {
      agent_.env.emplace_back(name, value);
    }
    if (!login.empty()) agent_.env.emplace_back(login, "sk-test");
    restart();
  }
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& agent_environment() const {
    return agent_.env;
  }
  /// What the CLI asked of the model, one JSON object per line.
  [[nodiscard]] std::string model_log() const { return (root / "model.log").string(); }
  /// As after a restart of the server.
  void restart() {
    provider = &start(agent_);
    heard = &listen(kSession);
  }
  void begin() { session = create(kSession); }
  const Turn& say(const std::string& text) { return turn(kSession, last = make_uuid(), text); }
  void start_saying(const std::string& text) { send(kSession, last = make_uuid(), text); }
  void wait_for_end() {
    REQUIRE(until([&] { return heard->ended(last); }));
  }
  [[nodiscard]] std::vector<ToolCall> tools() const {
    std::vector<ToolCall> tools;
    for (const Upsert& item : heard->all<ToolCall>(last)) {
      tools.push_back(std::get<ToolCall>(item.body));
    }
    return tools;
  }
  /// Waits until the agent asks something that is not decided.
  Upsert asked() {
    std::optional<Upsert> open;
    REQUIRE(until([&] {
      for (const auto& [id, item] : heard->items) {
        if (std::holds_alternative<Approval>(item.body) && !is_final(item.status)) open = item;
      }
      return open.has_value();
    }));
    return *open;
  }
  void answer(const Upsert& approval, std::string option, std::string message = "") {
    Answer answer;
    answer.item_id = approval.item_id;
    answer.option_id = std::move(option);
    if (!message.empty()) answer.message = message;
    give(kSession, approval, answer);
  }
  void cancel() {
    const auto cancelled = run(io, provider->cancel_turn(kSession), std::chrono::seconds(30));
    REQUIRE(cancelled.has_value());
  }
  bool shows(const std::string& text) {
    return until([&] { return heard->text(last).find(text) != std::string::npos; });
  }
  /// The conversation as the file of the CLI tells it. The CLI writes it a moment after it spoke.
  Heard& from_file() {
    Heard* read = nullptr;
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    do {
      const SessionId copy(make_uuid());
      read = &listen(copy);
      LoadSessionOptions options;
      options.cli_session_id = session.cli_session_id;
      options.project_dir = project();
      const auto imported = run(io, provider->import_history(copy, options));
      REQUIRE_MESSAGE(imported.has_value(), (imported ? "" : imported.error().message));
    } while (!read->ended(last) && std::chrono::steady_clock::now() < limit);
    return *read;
  }

  Provider* provider = nullptr;
  Heard* heard = nullptr;
  ProviderSession session;
  std::string last;

 private:
  AgentConfig agent_;
};

/// What a reader sees: every item's last form without its ids and times.
inline std::vector<std::string> shown(const Heard& heard) {
  std::vector<std::string> lines;
  for (const std::string& id : heard.order) {
    Item item = heard.items.at(id);
    const auto* message = std::get_if<Message>(&item.body);
    if (message != nullptr && message->origin == Origin::User) continue;
    if (std::holds_alternative<Approval>(item.body)) continue;
    Item bare;
    bare.body = item.body;
    bare.status = item.status;
    bare.parent_call_id = item.parent_call_id;
    lines.push_back(encode(bare));
  }
  return lines;
}

}  // namespace lb::test
