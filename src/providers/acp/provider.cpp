#include "providers/acp/provider.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "providers/acp/codex_sessions.h"
#include "providers/acp/login.h"
#include "providers/acp/own_process.h"

namespace lb::acp {
namespace {

json::object in_folder(const AcpSession& session) {
  json::object params = at_session(session);
  params["cwd"] = session.project_dir;
  params["mcpServers"] = json::array();
  return params;
}

}  // namespace

AcpProvider::AcpProvider(AgentSpec spec, ProviderDeps deps)
    : ProviderOf(spec.cli_type, spec.name, std::move(deps)),
      spec_(std::move(spec)),
      manager_(std::make_shared<AgentManager>(this->deps().executor, this->deps().launcher,
                                              this->deps().timers, manager_options())) {}

AcpProvider::~AcpProvider() = default;

std::string AcpProvider::records() const {
  return spec_.kind == "codex" ? codex_home(spec_.environment()) : std::string();
}

std::unique_ptr<Provider> make_provider(AgentSpec spec, const ProviderDeps& deps) {
  if (spec.kind == "codex") {
    const auto sessions = std::make_shared<CodexSessions>(codex_home(spec.environment()));
    spec.discover = [sessions](const std::string& project) { return sessions->find(project); };
  }
  return std::make_unique<OwnProcessProvider>(std::move(spec), deps);
}

AgentManagerOptions AcpProvider::manager_options() {
  AgentManagerOptions options;
  options.name = spec_.name;
  options.remedy = spec_.install_hint;
  options.launch = [this]() -> Result<LaunchOptions> {
    LaunchOptions launch;
    launch.argv = spec_.argv;
    launch.env = spec_.environment();
    const std::string_view home = variable(launch.env, "HOME");
    launch.cwd = home.empty() ? "/" : std::string(home);
    launch.confined = spec_.confined;
    launch.owner = owner_;
    return launch;
  };
  options.on_request = [this](const RpcRequest& request) { return on_request(request); };
  options.on_notification = [this](std::string_view method, const json::value& params) {
    on_notification(method, params);
  };
  options.on_lost = [this](const Error& why) { on_lost(why); };
  options.on_status = [this](AgentStatus status, std::optional<std::string> message) {
    tell_status(status, message ? std::move(message) : logged_out_);
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
    for (const SessionPtr& session : sessions()) {
      if (session->on_withdrawn(*id)) return;
    }
  }
}

void AcpProvider::on_lost(const Error& why) {
  for (const SessionPtr& session : sessions()) session->lose(why);
  if (warm_.empty()) return;
  // Started ahead and dead already: nobody waits for it, so it is not brought back.
  not_warm();
  asio::co_spawn(deps().executor, manager_->stop(), asio::detached);
}

/// A process that ignores one session is ended, unless others still work with it.
void AcpProvider::on_stuck() {
  for (const SessionPtr& session : sessions()) {
    if (session->prompting()) return;
  }
  on_lost({ErrorCode::ProcessCrash, spec_.name + " did not react any more and was ended."});
  // What does not hear a cancel does not hear a goodbye either.
  asio::co_spawn(deps().executor, manager_->stop(false), asio::detached);
}

// --- Sessions -----------------------------------------------------------------------------------

AcpProvider::SessionPtr AcpProvider::make_session(const SessionId& id, std::string project_dir) {
  auto session = std::make_shared<AcpSession>(
      id,
      SessionDeps{spec_.cli_type, spec_.name, deps().clock, deps().timers, [this] { on_stuck(); },
                  [this](const RpcError& error) { return on_logged_out(error); },
                  [this] { logged_in(); }});
  session->project_dir = std::move(project_dir);
  return session;
}

AcpProvider::SessionPtr AcpProvider::find_cli(std::string_view cli_session_id) const {
  const auto found = by_cli_.find(cli_session_id);
  return found == by_cli_.end() ? nullptr : found->second;
}

void AcpProvider::keep(AnySession session) {
  drop(session->id());
  const SessionPtr acp = own(session);
  by_cli_[acp->cli_session_id] = acp;
  ProviderBase::keep(std::move(session));
}

void AcpProvider::drop(const SessionId& id) {
  const SessionPtr session = find(id);
  if (!session) return;
  ProviderBase::drop(id);
  const auto heard = by_cli_.find(session->cli_session_id);
  if (heard != by_cli_.end() && heard->second == session) by_cli_.erase(heard);
}

/// The same, logging in on the way when the agent asks for it and nobody is needed for that.
asio::awaitable<Result<json::object>> AcpProvider::call_logged_in(ConnectionPtr connection,
                                                                  std::string method,
                                                                  json::object params,
                                                                  AnswerFirst first) {
  auto result = co_await call(connection, method, params, first);
  if (result) logged_in();
  if (result || result.error().code != ErrorCode::Unauthenticated) co_return result;
  const Error needed = login_needed(spec_, connection->abilities);
  const auto login = unattended_login(connection->abilities, spec_.environment());
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

asio::awaitable<Result<ProviderSession>> AcpProvider::fork_session(
    SessionId from, CreateSessionOptions options, std::optional<ForkPoint> before) {
  const auto original = known(from);
  if (!original) co_return std::unexpected(original.error());
  if (before) {
    co_return fail(ErrorCode::NotSupported,
                   spec_.name + " can only copy a whole session, not what was before a turn.");
  }
  if (!(*original)->alive()) {
    if (auto opened = co_await open(*original, History::Skip); !opened) {
      co_return std::unexpected(opened.error());
    }
  }
  if (!(*original)->connection->abilities.fork) {
    co_return fail(ErrorCode::NotSupported, spec_.name + " cannot fork a session.");
  }
  json::object params = in_folder(**original);
  params["cwd"] = options.project_dir;
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
  if (auto chosen = co_await session->choose(spec_.asking_modes); !chosen) {
    const Error why = chosen.error();
    co_await kill_session(session->id());
    forget(session->id());
    co_return std::unexpected(why);
  }
  apply_hold();
  watch_idle();
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
  if (auto chosen = co_await session->choose(spec_.asking_modes); !chosen) co_return chosen;
  apply_hold();
  watch_idle();
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
      [session, connection, history, clock = &deps().clock](const json::object& result) {
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

}  // namespace lb::acp
