#include "demo/agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <csignal>

#include "base/clock.h"
#include "base/utf8.h"
#include "base/version.h"

namespace lb::demo {
namespace {

constexpr std::size_t kTitleBytesMax = 80;

struct Named {
  std::string_view id;
  std::string_view name;
  std::string_view description;
};
constexpr std::array kModes = {
    Named{"ask", "Ask first", "Asks before it changes a file"},
    Named{"auto", "Just do it", "Changes its scratch files without asking"},
    Named{"plan", "Plan only", "Makes a plan and touches nothing"},
};
constexpr std::array kModels = {
    Named{"demo-swift", "Demo Swift", "A script, played at a good pace"},
    Named{"demo-calm", "Demo Calm", "The same script, three times slower"},
};

bool is_one_of(std::span<const Named> list, std::string_view id) {
  return std::ranges::any_of(list, [&](const Named& entry) { return entry.id == id; });
}

json::object modes_of(const Session& session) {
  json::array modes;
  for (const Named& mode : kModes) {
    modes.push_back(
        json::object{{"id", mode.id}, {"name", mode.name}, {"description", mode.description}});
  }
  return {{"currentModeId", session.mode}, {"availableModes", std::move(modes)}};
}

json::array options_of(const Session& session) {
  json::array models;
  for (const Named& model : kModels) {
    models.push_back(json::object{
        {"value", model.id}, {"name", model.name}, {"description", model.description}});
  }
  return {json::object{{"id", "model"},
                       {"name", "Model"},
                       {"category", "model"},
                       {"type", "select"},
                       {"currentValue", session.model},
                       {"options", std::move(models)}}};
}

json::object facts_of(const Session& session) {
  return {{"modes", modes_of(session)}, {"configOptions", options_of(session)}};
}

/// The text of a prompt, and in words what else came with it.
std::pair<std::string, std::string> text_and_attachments(const json::object& params) {
  std::string text;
  std::string attachments;
  const auto attach = [&](std::string what) {
    attachments += (attachments.empty() ? "" : ", ") + what;
  };
  const json::array* blocks = array_at(params, "prompt");
  for (const json::value& value : blocks != nullptr ? *blocks : json::array()) {
    const json::object* block = value.if_object();
    if (block == nullptr) continue;
    const std::string_view type = string_at(*block, "type");
    if (type == "text") {
      text += string_at(*block, "text");
    } else if (type == "image") {
      attach(fmt::format("an image ({}, about {} kB)", string_at(*block, "mimeType"),
                         string_at(*block, "data").size() * 3 / 4 / 1000));
    } else if (type == "resource_link") {
      attach(fmt::format("`{}`", string_at(*block, "name")));
    } else if (const json::object* resource = object_at(*block, "resource")) {
      const std::string_view uri = string_at(*resource, "uri");
      const std::string_view inside = string_at(*resource, "text");
      const auto lines = std::ranges::count(inside, '\n') + (inside.ends_with('\n') ? 0 : 1);
      attach(fmt::format("`{}` ({} lines)", uri.substr(uri.rfind('/') + 1), lines));
    }
  }
  return {std::move(text), std::move(attachments)};
}

std::string title_from(std::string_view prompt) {
  std::string title(utf8_prefix(prompt.substr(0, prompt.find('\n')), kTitleBytesMax));
  return title.empty() ? "Demo" : title;
}

}  // namespace

void Agent::serve(std::shared_ptr<AgentProcess> client, std::function<void()> ended) {
  RpcHandlers handlers;
  // The agent owns the peer: its handlers never outlive it.
  handlers.request = [this](const RpcRequest& request) { return on_request(request); };
  handlers.notification = [this](std::string_view method, const json::value& params) {
    on_notification(method, params);
  };
  handlers.ended = [ended = std::move(ended)](const ExitStatus&) { ended(); };
  peer_ = std::make_unique<JsonRpcPeer>(executor_, std::move(client), std::move(handlers));
}

Agent::Handler Agent::handler_of(std::string_view method) {
  static constexpr std::array<std::pair<std::string_view, Handler>, 10> kHandlers = {{
      {"initialize", &Agent::initialize},
      {"authenticate", &Agent::authenticate},
      {"session/new", &Agent::new_session},
      {"session/load", &Agent::load},
      {"session/resume", &Agent::resume},
      {"session/list", &Agent::list},
      {"session/close", &Agent::close},
      {"session/set_mode", &Agent::set_mode},
      {"session/set_config_option", &Agent::set_option},
      {"session/prompt", &Agent::prompt},
  }};
  for (const auto& [name, handler] : kHandlers) {
    if (name == method) return handler;
  }
  return nullptr;
}

bool Agent::on_request(const RpcRequest& request) {
  const std::string method(request.method);
  if (options_.crash.contains(method)) ::raise(SIGKILL);
  if (options_.hang.contains(method)) return true;
  if (options_.fail.contains(method)) {
    refuse(request.id, rpc_code::kInternalError, "the demo was told to fail " + method);
    return true;
  }
  const Handler handler = handler_of(method);
  if (handler == nullptr) return false;
  const json::object* params = request.params.if_object();
  (this->*handler)(request.id, params != nullptr ? *params : json::object());
  return true;
}

void Agent::on_notification(std::string_view method, const json::value& params) {
  if (method != "session/cancel" || !params.is_object()) return;
  const auto session = sessions_.find(std::string(string_at(params.get_object(), "sessionId")));
  if (session && session->narrator) session->narrator->cancel();
}

void Agent::initialize(const RpcId& id, const json::object& params) {
  if (const json::object* capabilities = object_at(params, "clientCapabilities")) {
    const json::object* meta = object_at(*capabilities, "_meta");
    live_terminal_ = meta != nullptr && bool_at(*meta, "terminal_output");
  }
  json::object capabilities = {
      {"loadSession", !options_.no_load},
      {"promptCapabilities", json::object{{"image", true}, {"embeddedContext", true}}}};
  json::object session = {{"list", json::object()}, {"close", json::object()}};
  if (!options_.no_load) session["resume"] = json::object();
  capabilities["sessionCapabilities"] = std::move(session);
  json::array methods;
  if (options_.need_auth) {
    methods.push_back(json::object{{"id", "demo-login"},
                                   {"name", "Log in to the demo"},
                                   {"description", "Needs nothing, asks nothing"}});
  }
  respond(id, json::object{{"protocolVersion", 1},
                           {"agentCapabilities", std::move(capabilities)},
                           {"authMethods", std::move(methods)},
                           {"agentInfo", json::object{{"name", "demo"},
                                                      {"title", "Demo agent"},
                                                      {"version", kVersion}}}});
}

void Agent::authenticate(const RpcId& id, const json::object& params) {
  if (string_at(params, "methodId") != "demo-login") {
    return refuse(id, rpc_code::kInvalidParams, "unknown methodId");
  }
  authenticated_ = true;
  respond(id, json::object());
}

void Agent::new_session(const RpcId& id, const json::object& params) {
  if (options_.need_auth && !authenticated_) {
    return refuse(id, rpc_code::kAuthenticationRequired, "Authentication required");
  }
  const std::string_view cwd = string_at(params, "cwd");
  if (!cwd.starts_with('/')) {
    return refuse(id, rpc_code::kInvalidParams, "cwd must be an absolute path");
  }
  const auto session = sessions_.create(std::string(cwd));
  json::object result = facts_of(*session);
  result["sessionId"] = session->id;
  respond(id, result);
  announce_commands(*session);
}

void Agent::load(const RpcId& id, const json::object& params) {
  reopen(id, params, true);
}

void Agent::resume(const RpcId& id, const json::object& params) {
  reopen(id, params, false);
}

void Agent::reopen(const RpcId& id, const json::object& params, bool replay) {
  const auto session = options_.no_load ? nullptr : session_of(id, params);
  if (options_.no_load) return refuse(id, rpc_code::kMethodNotFound, "not offered");
  if (!session) return;
  if (replay) {
    for (const json::object& entry : session->history) update(*session, entry);
  }
  respond(id, facts_of(*session));
  announce_commands(*session);
}

void Agent::list(const RpcId& id, const json::object& params) {
  respond(id, json::object{{"sessions", sessions_.list(string_at(params, "cwd"))},
                           {"nextCursor", nullptr}});
}

void Agent::close(const RpcId& id, const json::object& params) {
  const auto session = session_of(id, params);
  if (!session) return;
  if (session->narrator) session->narrator->cancel();
  sessions_.close(session->id);
  respond(id, json::object());
}

void Agent::set_mode(const RpcId& id, const json::object& params) {
  const auto session = session_of(id, params);
  if (!session) return;
  const std::string_view mode = string_at(params, "modeId");
  if (!is_one_of(kModes, mode)) return refuse(id, rpc_code::kInvalidParams, "unknown modeId");
  session->mode = mode;
  update(*session, {{"sessionUpdate", "current_mode_update"}, {"currentModeId", mode}});
  respond(id, json::object());
}

void Agent::set_option(const RpcId& id, const json::object& params) {
  const auto session = session_of(id, params);
  if (!session) return;
  const std::string_view value = string_at(params, "value");
  if (string_at(params, "configId") != "model" || !is_one_of(kModels, value)) {
    return refuse(id, rpc_code::kInvalidParams, "unknown option or value");
  }
  session->model = value;
  respond(id, json::object{{"configOptions", options_of(*session)}});
}

void Agent::prompt(const RpcId& id, const json::object& params) {
  const auto session = session_of(id, params);
  if (!session) return;
  if (session->narrator) {
    return refuse(id, rpc_code::kInvalidRequest, "a turn is already running in this session");
  }
  auto [text, attachments] = text_and_attachments(params);
  ++session->turns;
  const double pace = session->model == "demo-calm" ? 3 * options_.pace : options_.pace;
  const Narrator::Setting setting{pace, live_terminal_};
  session->narrator = std::make_shared<Narrator>(executor_, *peer_, *session, setting);
  Sessions::record(*session, {{"sessionUpdate", "user_message_chunk"},
                              {"content", json::object{{"type", "text"}, {"text", text}}}});
  if (session->title.empty()) {
    session->title = title_from(text);
    update(*session, {{"sessionUpdate", "session_info_update"}, {"title", session->title}});
  }
  Scene scene{session->narrator, std::move(text), std::move(attachments),
              sessions_.scratch(*session)};
  asio::co_spawn(executor_, run_turn(shared_from_this(), id, session, std::move(scene)),
                 asio::detached);
}

asio::awaitable<void> Agent::run_turn(std::shared_ptr<Agent> self, RpcId id,
                                      std::shared_ptr<Session> session, Scene scene) {
  Ending ending;
  try {
    if (is_fault(scene.prompt)) {
      ending = co_await play_fault(scene);
    } else {
      co_await play(scene);
    }
  } catch (const TurnCancelled&) {
    ending.stop_reason = "cancelled";
  }
  self->finish_turn(id, *session, ending);
}

void Agent::finish_turn(const RpcId& id, Session& session, const Ending& ending) {
  session.narrator->usage();
  session.narrator.reset();
  session.updated_at = to_iso(SystemClock().wall());
  sessions_.save(session);
  if (ending.error) {
    static_cast<void>(peer_->respond_error(id, *ending.error));
    return;
  }
  respond(id, json::object{{"stopReason", ending.stop_reason},
                           {"usage", json::object{{"totalTokens", session.tokens_used}}}});
}

void Agent::respond(const RpcId& id, const json::value& result) {
  // When nobody reads any more, the end of our input says so.
  static_cast<void>(peer_->respond(id, result));
}

void Agent::refuse(const RpcId& id, std::int64_t code, std::string message) {
  RpcError error;
  error.code = code;
  error.message = std::move(message);
  static_cast<void>(peer_->respond_error(id, error));
}

/// The session that the request names; refuses the request when there is none.
std::shared_ptr<Session> Agent::session_of(const RpcId& id, const json::object& params) {
  auto session = sessions_.find(std::string(string_at(params, "sessionId")));
  if (!session) refuse(id, rpc_code::kResourceNotFound, "Session not found");
  return session;
}

void Agent::update(const Session& session, json::object update) {
  static_cast<void>(peer_->notify(
      "session/update", json::object{{"sessionId", session.id}, {"update", std::move(update)}}));
}

void Agent::announce_commands(const Session& session) {
  json::array list;
  for (const Command& command : commands()) {
    json::object entry = {{"name", command.name}, {"description", command.description}};
    if (!command.hint.empty()) entry["input"] = json::object{{"hint", command.hint}};
    list.push_back(std::move(entry));
  }
  update(session,
         {{"sessionUpdate", "available_commands_update"}, {"availableCommands", std::move(list)}});
}

}  // namespace lb::demo
