// Credentials, health, metrics, the OpenAPI document and the upgrade to a WebSocket.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "base/limits.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/process_tree.h"
#include "base/run_on.h"
#include "commands/derived.h"
#include "model/answers.h"
#include "server/http/routes.h"
#include "server/websocket/terminal_socket.h"
#include "server/websocket/websocket.h"

namespace lb {
namespace {

/// Loopback is shared by all users of the machine: only whose server it is may use a code. A proxy
/// connects as itself, so behind one this cannot be told.
bool is_foreign_user(const HttpRequest& request) {
  const std::string_view host = request.field("host");
  const bool direct =
      std::ranges::any_of(std::array<std::string_view, 3>{"localhost", "127.0.0.1", "[::1]"},
                          [&](std::string_view local) {
                            return host.starts_with(local) &&
                                   (host.size() == local.size() || host[local.size()] == ':');
                          });
  constexpr unsigned kRoot = 0;  // Can do anything anyway; tunnels into machines run as root.
  return direct && request.peer_user && *request.peer_user != ::getuid() &&
         *request.peer_user != kRoot;
}

/// Agents see what the user sees, and a code may be seen: what they started may not use it. A
/// connection from this machine has its other end in some process; where none of those we may look
/// at has it, it is a service like `sshd` (for `ssh -L`), unless an agent hides something.
asio::awaitable<bool> is_an_agents(Api& api, const HttpRequest& request) {
  if (!request.peer_user) co_return false;  // From elsewhere, through a proxy.
  if (request.peer_inode == 0) co_return true;
  asio::steady_timer pause(co_await asio::this_coro::executor);
  for (int look = 0; look < limits::kHolderLooks; ++look) {
    const Holder holder = co_await run_on(
        api.blocking, [inode = request.peer_inode] { return holder_of(inode, ::getpid()); });
    if (holder != Holder::Hidden) co_return holder == Holder::Descendant;
    // An agent that is just being started cannot be looked at until it has become its program.
    pause.expires_after(limits::kHolderPause);
    co_await pause.async_wait(asio::use_awaitable);
  }
  co_return true;
}

asio::awaitable<HttpResponse> exchange(Api& api, ExchangeRequest request, HttpRequest http) {
  if (is_foreign_user(http)) {
    // The code is neither spent nor counted: it is the user's, and still good.
    counter("lb_auth_failures_total", "Credentials refused.", "kind=\"user\"").add();
    log_warn("auth.foreign_user", {{"uid", *http.peer_user}});
    api.logins.turned_away(http.address, "It came from another user of this machine (uid " +
                                             std::to_string(*http.peer_user) + ").");
    co_return error_response(
        {ErrorCode::InvalidCode, "this server belongs to another user of this machine"});
  }
  // Looked at for good codes only: with many processes it takes a while, which nobody else may have
  // us spend.
  if (api.auth.knows_code(request.code) && co_await is_an_agents(api, http)) {
    api.auth.drop_code(request.code);
    counter("lb_auth_failures_total", "Credentials refused.", "kind=\"agent\"").add();
    log_warn("auth.agent_refused");
    api.logins.turned_away(http.address,
                           "It came from a program that an agent started, or from one that cannot "
                           "be told from it.");
    co_return error_response({ErrorCode::InvalidCode,
                              "this code was shown by a program that an agent started, or by one "
                              "that cannot be told from it; run: liminal-builder open"});
  }
  auto token = co_await api.logins.log_in(
      {std::move(request.code), std::string(http.field("user-agent")), http.address});
  if (token) co_return answer(200, TokenBody{std::move(*token)});
  HttpResponse response = error_response(token.error());
  if (token.error().code == ErrorCode::RateLimited)
    response.fields.emplace_back("Retry-After", "60");
  co_return response;
}

/// Before a page gives its bearer away it asks whether this is the server it got it from: another
/// program may have taken the port. The Host is part of the proof, so that nobody can pass the
/// question on to the real server, which then listens elsewhere.
asio::awaitable<HttpResponse> prove(Api& api, ProveRequest request, HttpRequest http) {
  if (request.nonce.size() < limits::kNonceCharsMin ||
      request.nonce.size() > limits::kNonceCharsMax) {
    co_return error_response({ErrorCode::InvalidRequest, "nonce: 32 to 128 characters"});
  }
  auto proof =
      api.auth.prove(request.key_id, std::string(http.field("host")) + "\n" + request.nonce);
  if (!proof) {
    co_return error_response(
        {ErrorCode::Unauthenticated, "no valid credential; run: liminal-builder open"});
  }
  co_return answer(200, ProofBody{std::move(*proof)});
}

asio::awaitable<HttpResponse> ticket(Api& api, Empty, HttpRequest http) {
  constexpr std::uint64_t kLife =
      std::chrono::duration_cast<std::chrono::milliseconds>(limits::kTicketLife).count();
  co_return answer(200, TicketBody{api.auth.make_ticket(http.grant), kLife});
}

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

asio::awaitable<HttpResponse> metrics(Api&, Empty, HttpRequest) {
  gauge("process_resident_memory_bytes", "Resident memory.")
      .set(static_cast<std::int64_t>(resident_bytes()));
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = metrics_text();
  co_return response;
}

asio::awaitable<HttpResponse> upgrade(Api& api, Empty, HttpRequest http) {
  if (auto proper = check_upgrade(http); !proper) co_return error_response(proper.error());
  HttpResponse response;
  Caller caller = caller_of(api, http);
  caller.via = "browser";
  response.takeover =
      make_websocket_task(std::move(http), std::move(caller), api.hub, api.sessions);
  co_return response;
}

asio::awaitable<HttpResponse> health(Api&, Empty, HttpRequest) {
  co_return answer(200, HealthBody{});
}

asio::awaitable<HttpResponse> logout(Api& api, Empty, HttpRequest http) {
  api.logins.log_out(http.grant, caller_of(api, http));
  co_return json_response(200, "{}");
}

asio::awaitable<HttpResponse> list_logins(Api& api, Empty, HttpRequest http) {
  co_return answer(200, LoginsBody{api.auth.logins(http.grant)});
}

asio::awaitable<HttpResponse> end_login(Api& api, LoginEndRequest request, HttpRequest http) {
  if (auto ended = api.logins.end(request.login_id, caller_of(api, http)); !ended) {
    co_return error_response(ended.error());
  }
  co_return json_response(200, "{}");
}

asio::awaitable<HttpResponse> terminal_socket(Api& api, TerminalSocketRequest request,
                                              HttpRequest http) {
  if (auto proper = check_upgrade(http); !proper) co_return error_response(proper.error());
  auto reader = api.sessions.open_terminal(request);
  if (!reader) co_return error_response(reader.error());
  HttpResponse response;
  response.takeover = make_terminal_task(std::move(http), std::move(*reader), api.hub);
  co_return response;
}

asio::awaitable<HttpResponse> openapi(Api&, Empty, HttpRequest) {
  static const std::string document = openapi_document();
  co_return json_response(200, document);
}

}  // namespace

void bind_system(OwnHandlers& handlers) {
  handlers["auth:exchange"] = answered_by<ExchangeRequest, exchange>;
  handlers["auth:prove"] = answered_by<ProveRequest, prove>;
  handlers["auth:ticket"] = answered_by<Empty, ticket>;
  handlers["auth:logout"] = answered_by<Empty, logout>;
  handlers["logins"] = answered_by<Empty, list_logins>;
  handlers["login:end"] = answered_by<LoginEndRequest, end_login>;
  handlers["health"] = answered_by<Empty, health>;
  handlers["ready"] = answered_by<Empty, health>;
  handlers["metrics"] = answered_by<Empty, metrics>;
  handlers["openapi"] = answered_by<Empty, openapi>;
  handlers["socket"] = answered_by<Empty, upgrade>;
  handlers["terminal:socket"] = answered_by<TerminalSocketRequest, terminal_socket>;
}

}  // namespace lb
