#include "providers/acp/provider.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdlib>
#include <utility>

#include "base/limits.h"
#include "providers/program_info.h"

namespace lb::acp {
namespace {

std::string_view value_of(const Environment& environment, std::string_view name) {
  const auto found = std::ranges::find(
      environment, name, [](const auto& variable) { return std::string_view(variable.first); });
  return found == environment.end() ? std::string_view() : std::string_view(found->second);
}

json::object in_folder(const AcpSession& session) {
  json::object params = at_session(session);
  params["cwd"] = session.project_dir;
  params["mcpServers"] = json::array();
  return params;
}

}  // namespace

AcpProvider::AcpProvider(AgentSpec spec, ProviderDeps deps)
    : spec_(std::move(spec)),
      deps_(std::move(deps)),
      manager_(std::make_shared<AgentManager>(deps_.executor, deps_.launcher, deps_.timers,
                                              manager_options())) {}

AcpProvider::~AcpProvider() = default;

Environment AcpProvider::environment() const {
  return child_environment(spec_.env, spec_.path);
}

AgentManagerOptions AcpProvider::manager_options() {
  AgentManagerOptions options;
  options.name = spec_.name;
  options.remedy = spec_.install_hint;
  options.launch = [this]() -> Result<LaunchOptions> {
    LaunchOptions launch;
    launch.argv = spec_.argv;
    launch.env = environment();
    const std::string_view home = value_of(launch.env, "HOME");
    launch.cwd = home.empty() ? "/" : std::string(home);
    return launch;
  };
  options.on_request = [this](const RpcRequest& request) { return on_request(request); };
  options.on_notification = [this](std::string_view method, const json::value& params) {
    on_notification(method, params);
  };
  options.on_lost = [this](const Error& why) { on_lost(why); };
  options.on_status = [this](AgentStatus status, std::optional<std::string> message) {
    // Who is not logged in is not ready, whatever its process does.
    if (logged_out_) return;
    if (const auto callback = status_) callback(status, std::move(message));
  };
  return options;
}

// --- What the agent says ------------------------------------------------------------------------

bool AcpProvider::on_request(const RpcRequest& request) {
  if (request.method != "session/request_permission") return false;
  const json::object* params = request.params.if_object();
  const auto session = params != nullptr ? find_cli(string_at(*params, "sessionId")) : nullptr;
  if (!session) return false;
  session->on_permission(request, *params);
  return true;
}

void AcpProvider::on_notification(std::string_view method, const json::value& value) {
  const json::object* params = value.if_object();
  if (params == nullptr) return;
  if (method == "session/update") {
    const auto session = find_cli(string_at(*params, "sessionId"));
    const json::object* update = object_at(*params, "update");
    if (session && update != nullptr) session->on_update(*update);
  } else if (method == "$/cancel_request") {
    const json::value* id = params->if_contains("requestId");
    if (id == nullptr) return;
    const auto sessions = sessions_;
    for (const auto& [key, session] : sessions) {
      if (session->on_withdrawn(*id)) return;
    }
  }
}

void AcpProvider::on_lost(const Error& why) {
  const auto sessions = sessions_;  // Callbacks may change the map.
  for (const auto& [id, session] : sessions) session->lose(why);
  if (warm_.empty()) return;
  // Started ahead and dead already: nobody waits for it, so it is not brought back.
  not_warm();
  asio::co_spawn(deps_.executor, manager_->stop(), asio::detached);
}

/// A process that ignores one session is ended, unless others still work with it.
void AcpProvider::on_stuck() {
  const auto sessions = sessions_;
  for (const auto& [id, session] : sessions) {
    if (session->prompting()) return;
  }
  on_lost({ErrorCode::ProcessCrash, spec_.name + " did not react any more and was ended."});
  // What does not hear a cancel does not hear a goodbye either.
  asio::co_spawn(deps_.executor, manager_->stop(false), asio::detached);
}

// --- Sessions -----------------------------------------------------------------------------------

std::shared_ptr<Listeners> AcpProvider::listeners(const SessionId& id) {
  auto& known = listeners_[id];
  if (!known) known = std::make_shared<Listeners>();
  return known;
}

AcpProvider::SessionPtr AcpProvider::make_session(const SessionId& id, std::string project_dir) {
  auto session = std::make_shared<AcpSession>(
      id,
      SessionDeps{spec_.cli_type, spec_.name, deps_.clock, deps_.timers, [this] { on_stuck(); },
                  [this](const RpcError& error) { return on_logged_out(error); },
                  [this] { logged_in(); }},
      listeners(id));
  session->project_dir = std::move(project_dir);
  return session;
}

AcpProvider::SessionPtr AcpProvider::find(const SessionId& id) const {
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second;
}

AcpProvider::SessionPtr AcpProvider::find_cli(std::string_view cli_session_id) const {
  const auto found = by_cli_.find(cli_session_id);
  return found == by_cli_.end() ? nullptr : found->second;
}

void AcpProvider::keep(const SessionPtr& session) {
  drop(session->id());
  sessions_[session->id()] = session;
  by_cli_[session->cli_session_id] = session;
}

void AcpProvider::drop(const SessionId& id) {
  const auto session = find(id);
  if (!session) return;
  sessions_.erase(id);
  const auto heard = by_cli_.find(session->cli_session_id);
  if (heard != by_cli_.end() && heard->second == session) by_cli_.erase(heard);
}

Result<AcpProvider::SessionPtr> AcpProvider::known(const SessionId& id) const {
  if (auto session = find(id)) return session;
  return fail(ErrorCode::SessionNotFound, fmt::format("{} has no such session.", spec_.name));
}

bool AcpProvider::any_open() const {
  return std::ranges::any_of(sessions_, [](const auto& entry) { return entry.second->alive(); });
}

asio::awaitable<Result<json::object>> AcpProvider::call(ConnectionPtr connection,
                                                        std::string method, json::object params,
                                                        AnswerFirst first) {
  struct Waiter {
    explicit Waiter(const asio::any_io_executor& executor)
        : answered(executor, asio::steady_timer::time_point::max()) {}
    asio::steady_timer answered;
    std::optional<RpcReply> reply;
  };
  const auto waiter = std::make_shared<Waiter>(deps_.executor);
  connection->peer->request(method, params, limits::kAgentCall,
                            [waiter, first = std::move(first)](RpcReply reply) {
                              if (reply && reply->is_object() && first) first(reply->get_object());
                              waiter->reply = std::move(reply);
                              waiter->answered.cancel();
                            });
  while (!waiter->reply) {
    co_await waiter->answered.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  if (!*waiter->reply) {
    const RpcError& error = waiter->reply->error();
    if (error.kind == RpcError::Kind::Answered && error.code == rpc_code::kAuthenticationRequired) {
      co_return fail(ErrorCode::Unauthenticated, error_text(error.message, error.data));
    }
    co_return std::unexpected(error_from(error));
  }
  json::value& result = **waiter->reply;
  co_return result.is_object() ? std::move(result.get_object()) : json::object();
}

/// The same, logging in on the way when the agent asks for it and nobody is needed for that.
asio::awaitable<Result<json::object>> AcpProvider::call_logged_in(ConnectionPtr connection,
                                                                  std::string method,
                                                                  json::object params,
                                                                  AnswerFirst first) {
  auto result = co_await call(connection, method, params, first);
  if (result) logged_in();
  if (result || result.error().code != ErrorCode::Unauthenticated) co_return result;
  const Error needed = login_needed(spec_.name, connection->abilities, spec_.login_hint);
  const auto login = unattended_login(connection->abilities, environment());
  if (!login) {
    logged_out(needed);
    co_return std::unexpected(needed);
  }
  auto done = co_await call(connection, "authenticate", {{"methodId", *login}}, {});
  if (!done) {
    logged_out(needed);
    co_return fail(needed.code, fmt::format("{} ({})", needed.message, done.error().message));
  }
  result = co_await call(connection, method, params, first);
  if (!result && result.error().code == ErrorCode::Unauthenticated) {
    logged_out(needed);
    co_return std::unexpected(needed);
  }
  if (result) logged_in();
  co_return result;
}

asio::awaitable<Result<ProviderSession>> AcpProvider::create_session(CreateSessionOptions options) {
  json::object params = {{"cwd", options.project_dir}, {"mcpServers", json::array()}};
  co_return co_await start_session(std::move(options), "session/new", std::move(params));
}

asio::awaitable<Result<ProviderSession>> AcpProvider::fork_session(SessionId from,
                                                                   CreateSessionOptions options) {
  const auto original = known(from);
  if (!original) co_return std::unexpected(original.error());
  if (!(*original)->alive()) {
    if (auto opened = co_await open(*original, History::Skip); !opened) {
      co_return std::unexpected(opened.error());
    }
  }
  if (!(*original)->connection->abilities.fork) {
    co_return fail(ErrorCode::NotSupported, spec_.name + " cannot fork a session.");
  }
  json::object params = in_folder(**original);
  co_return co_await start_session(std::move(options), "session/fork", std::move(params));
}

asio::awaitable<Result<ProviderSession>> AcpProvider::start_session(CreateSessionOptions options,
                                                                    std::string method,
                                                                    json::object params) {
  if (!options.provider_options.empty()) {
    end_prewarmed(options.project_dir);  // It was expected.
    co_return fail(ErrorCode::InvalidRequest,
                   fmt::format("providerOptions: {} knows none", spec_.cli_type));
  }
  not_warm();  // Somebody uses it now.
  auto connection = co_await manager_->ensure();
  if (!connection) co_return std::unexpected(connection.error());
  const auto session = make_session(options.session_id, options.project_dir);
  session->mode = options.mode;
  session->model = options.model;
  session->thinking = options.thinking;
  auto opened = co_await call_logged_in(
      *connection, method, std::move(params),
      [this, session, connection = *connection](const json::object& result) {
        session->cli_session_id = string_at(result, "sessionId");
        if (session->cli_session_id.empty()) return;
        session->connection = connection;
        keep(session);
        session->publish(session->translator().session_result(result));
      });
  if (!opened) {
    const bool ours = opened.error().code == ErrorCode::AgentUnavailable;
    co_return fail(ours ? ErrorCode::AgentUnavailable : ErrorCode::SessionCreateFailed,
                   opened.error().message);
  }
  if (!session->alive()) {
    co_return fail(ErrorCode::SessionCreateFailed,
                   spec_.name + " opened no session: its answer had no id.");
  }
  if (auto chosen = co_await choose(session); !chosen) {
    const Error why = chosen.error();
    co_await kill_session(session->id());
    forget(session->id());
    co_return std::unexpected(why);
  }
  apply_hold();
  co_return ProviderSession{session->id(), spec_.cli_type, session->cli_session_id};
}

// --- Loading ------------------------------------------------------------------------------------

asio::awaitable<Result<ProviderSession>> AcpProvider::load_session(SessionId id,
                                                                   LoadSessionOptions options) {
  auto session = find(id);
  if (!session) {
    session = make_session(id, options.project_dir);
    session->cli_session_id = options.cli_session_id;
    session->mode = options.mode;
    session->model = options.model;
    session->thinking = options.thinking;
  }
  if (!session->alive()) {
    const History history = options.last_known_turn ? History::Skip : History::Import;
    if (auto opened = co_await open(session, history); !opened) {
      co_return std::unexpected(cannot_open(std::move(opened.error())));
    }
  }
  co_return ProviderSession{id, spec_.cli_type, session->cli_session_id};
}

/// Why a session could not be opened, in words for people where it is gone.
Error AcpProvider::cannot_open(Error why) const {
  if (why.code == ErrorCode::SessionNotFound) {
    why.message = fmt::format(
        "{} no longer has this conversation (it may have ended before saving it).", spec_.name);
  } else if (why.code == ErrorCode::NotSupported) {
    why = {ErrorCode::SessionNotFound,
           fmt::format("{} cannot open an earlier conversation again.", spec_.name)};
  }
  return why;
}

asio::awaitable<Result<void>> AcpProvider::import_history(SessionId id,
                                                          LoadSessionOptions options) {
  auto loaded = co_await load_session(std::move(id), std::move(options));
  if (!loaded) co_return std::unexpected(loaded.error());
  co_return Result<void>{};
}

asio::awaitable<Result<void>> AcpProvider::open(SessionPtr session, History history) {
  not_warm();
  auto connection = co_await manager_->ensure();
  if (!connection) co_return std::unexpected(connection.error());
  const AgentAbilities& can = (*connection)->abilities;
  // What we know already need not be replayed; what we do not know can only come by a replay.
  const bool load_first = can.load && (history == History::Import || !can.resume);
  const std::string first = load_first ? "session/load" : "session/resume";
  const std::string second = load_first ? "session/resume" : "session/load";
  auto opened = co_await open_by(session, *connection, first, history);
  if (!opened && opened.error().code == ErrorCode::NotSupported) {
    opened = co_await open_by(session, *connection, second, history);
  }
  if (!opened) co_return opened;
  if (auto chosen = co_await choose(session); !chosen) co_return chosen;
  apply_hold();
  co_return Result<void>{};
}

asio::awaitable<Result<void>> AcpProvider::open_by(SessionPtr session, ConnectionPtr connection,
                                                   std::string method, History history) {
  const bool replay = method == "session/load";
  keep(session);  // The replay comes before the answer.
  session->dropping = replay && history == History::Skip;
  if (replay && history == History::Import) {
    session->translator().begin_replay(session->cli_session_id);
  }
  auto opened = co_await call_logged_in(
      connection, method, in_folder(*session),
      [session, connection, history, clock = &deps_.clock](const json::object& result) {
        session->connection = connection;
        if (history == History::Import) {
          session->publish(session->translator().end_replay(clock->wall()));
        }
        session->publish(session->translator().session_result(result));
      });
  if (!opened) {
    session->dropping = false;
    co_return std::unexpected(std::move(opened.error()));
  }
  co_return Result<void>{};
}

// --- Modes and models ---------------------------------------------------------------------------

std::optional<std::string> AcpProvider::asking_mode(const SessionFacts& facts) const {
  for (const std::string& mode : spec_.asking_modes) {
    if (std::ranges::find(facts.modes, mode, &Choice::id) != facts.modes.end()) return mode;
  }
  return std::nullopt;
}

/// Puts the session into the mode and model it should have.
asio::awaitable<Result<void>> AcpProvider::choose(SessionPtr session) {
  const bool by_user = session->mode.has_value();
  const auto mode = by_user ? session->mode : asking_mode(session->translator().facts());
  if (mode && mode != session->translator().facts().mode) {
    auto applied = co_await apply_mode(session, *mode);
    if (!applied && by_user) co_return applied;
  }
  if (session->model && session->model != session->translator().facts().model) {
    if (auto applied = co_await apply_model(session, *session->model); !applied) co_return applied;
  }
  if (session->thinking && session->thinking != session->translator().facts().thinking) {
    co_return co_await apply_thinking(session, *session->thinking);
  }
  co_return Result<void>{};
}

asio::awaitable<Result<void>> AcpProvider::apply_mode(SessionPtr session, std::string mode) {
  json::object params = at_session(*session);
  const ConfigIds ids = session->translator().config_ids();
  const bool by_option = !ids.set_mode && !ids.mode.empty();
  if (by_option) {
    params["configId"] = ids.mode;
    params["value"] = mode;
  } else {
    params["modeId"] = mode;
  }
  auto done = co_await call(session->connection,
                            by_option ? "session/set_config_option" : "session/set_mode",
                            std::move(params), {});
  if (!done) co_return std::unexpected(std::move(done.error()).context("mode " + mode));
  session->publish(session->translator().session_result(*done));
  session->publish(session->translator().chose_mode(mode));
  session->mode = std::move(mode);
  co_return Result<void>{};
}

asio::awaitable<Result<void>> AcpProvider::apply_model(SessionPtr session, std::string model) {
  json::object params = at_session(*session);
  const std::string config_id = session->translator().config_ids().model;
  if (!config_id.empty()) {
    params["configId"] = config_id;
    params["value"] = model;
  } else {
    params["modelId"] = model;
  }
  auto done = co_await call(session->connection,
                            config_id.empty() ? "session/set_model" : "session/set_config_option",
                            std::move(params), {});
  if (!done) co_return std::unexpected(std::move(done.error()).context("model " + model));
  session->publish(session->translator().chose_model(model));
  session->publish(session->translator().session_result(*done));
  session->model = std::move(model);
  co_return Result<void>{};
}

asio::awaitable<Result<void>> AcpProvider::apply_thinking(SessionPtr session, std::string level) {
  json::object params = at_session(*session);
  const std::string config_id = session->translator().config_ids().thinking;
  if (config_id.empty()) {
    co_return fail(ErrorCode::NotSupported, spec_.name + " has no choice of how much to think.");
  }
  params["configId"] = config_id;
  params["value"] = level;
  auto done =
      co_await call(session->connection, "session/set_config_option", std::move(params), {});
  if (!done) co_return std::unexpected(std::move(done.error()).context("thinking " + level));
  session->publish(session->translator().chose_thinking(level));
  session->publish(session->translator().session_result(*done));
  session->thinking = std::move(level);
  co_return Result<void>{};
}

asio::awaitable<Result<void>> AcpProvider::set_mode(SessionId id, std::string mode) {
  const auto session = known(id);
  if (!session) co_return std::unexpected(session.error());
  if (!(*session)->alive()) {  // Applied when it is opened again.
    (*session)->mode = std::move(mode);
    co_return Result<void>{};
  }
  co_return co_await apply_mode(*session, std::move(mode));
}

asio::awaitable<Result<void>> AcpProvider::set_model(SessionId id, std::string model) {
  const auto session = known(id);
  if (!session) co_return std::unexpected(session.error());
  if (!(*session)->alive()) {
    (*session)->model = std::move(model);
    co_return Result<void>{};
  }
  co_return co_await apply_model(*session, std::move(model));
}

asio::awaitable<Result<void>> AcpProvider::set_thinking(SessionId id, std::string level) {
  const auto session = known(id);
  if (!session) co_return std::unexpected(session.error());
  if (!(*session)->alive()) {
    (*session)->thinking = std::move(level);
    co_return Result<void>{};
  }
  co_return co_await apply_thinking(*session, std::move(level));
}

}  // namespace lb::acp
