/// ScriptedAcp: answers ACP requests of a ScriptedProcess, as a test wants them answered.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "tests/support/scripted_process.h"

namespace lb::test {

/// One agent type: every process launched of it follows the same script.
class ScriptedAcp : public std::enable_shared_from_this<ScriptedAcp> {
 public:
  struct Heard {
    std::string method;
    json::object params;
    json::value id;  // Null for notifications.
    json::value whole;
  };
  using Agent = std::shared_ptr<ScriptedProcess>;
  using Handler = std::function<void(const Agent&, const Heard&)>;

  ScriptedAcp() {
    result["initialize"] = json::parse(
        R"({"protocolVersion":1,"agentInfo":{"name":"scripted","version":"1.2"},
            "agentCapabilities":{"loadSession":true,"promptCapabilities":{"image":true},
              "sessionCapabilities":{"resume":{},"close":{},"list":{},"fork":{}}},
            "authMethods":[]})");
    result["session/new"] = json::parse(R"({"sessionId":"cli-1"})");
    for (const auto* method : {"session/load", "session/resume", "session/set_mode",
                               "session/set_config_option", "session/close", "authenticate"}) {
      result[method] = json::object();
    }
  }

  /// What a method is answered with; one without an entry is left unanswered.
  std::map<std::string, json::value> result;
  /// Methods that the test handles itself.
  std::map<std::string, Handler> on;
  std::vector<Heard> heard;

  void attach(ScriptedLauncher& launcher) {
    launcher.on_launch([self = shared_from_this()](const Agent& agent) {
      asio::co_spawn(agent->executor(), play(self, agent), asio::detached);
    });
  }

  [[nodiscard]] std::vector<std::string> methods() const {
    std::vector<std::string> names;
    for (const Heard& one : heard) names.push_back(one.method);
    return names;
  }
  [[nodiscard]] std::size_t count(const std::string& method) const {
    std::size_t n = 0;
    for (const Heard& one : heard) n += one.method == method ? 1 : 0;
    return n;
  }
  [[nodiscard]] const Heard* last(const std::string& method) const {
    for (auto at = heard.rbegin(); at != heard.rend(); ++at) {
      if (at->method == method) return &*at;
    }
    return nullptr;
  }

  static void respond(const Agent& agent, const json::value& id, const json::value& value) {
    agent->says(json::serialize(json::object{{"jsonrpc", "2.0"}, {"id", id}, {"result", value}}));
  }
  static void respond_error(const Agent& agent, const json::value& id, int code,
                            std::string_view message) {
    agent->says(json::serialize(json::object{
        {"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", message}}}}));
  }
  static void update(const Agent& agent, std::string_view session, std::string_view update) {
    agent->says(json::serialize(
        json::object{{"jsonrpc", "2.0"},
                     {"method", "session/update"},
                     {"params", {{"sessionId", session}, {"update", json::parse(update)}}}}));
  }
  static void text(const Agent& agent, std::string_view session, std::string_view text) {
    json::object chunk = {{"sessionUpdate", "agent_message_chunk"},
                          {"content", {{"type", "text"}, {"text", text}}}};
    update(agent, session, json::serialize(chunk));
  }

 private:
  static asio::awaitable<void> play(std::shared_ptr<ScriptedAcp> self, Agent agent) {
    while (const auto line = co_await agent->hears()) {
      const json::value value = json::parse(*line);
      const json::object& message = value.as_object();
      Heard one;
      one.whole = value;
      one.method = std::string(string_at(message, "method"));
      if (const json::object* params = object_at(message, "params")) one.params = *params;
      if (const json::value* id = message.if_contains("id")) one.id = *id;
      self->heard.push_back(one);
      if (const auto handler = self->on.find(one.method); handler != self->on.end()) {
        handler->second(agent, one);
      } else if (const auto known = self->result.find(one.method);
                 known != self->result.end() && !one.id.is_null()) {
        respond(agent, one.id, known->second);
      }
    }
  }
};

}  // namespace lb::test
