// Credentials, health, what the server is, metrics, and the upgrade to a WebSocket.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>

#include "base/log.h"
#include "base/metrics.h"
#include "model/answers.h"
#include "server/routes.h"
#include "server/websocket.h"

namespace lb {
namespace {

/// Loopback is shared by all users of the machine, and where a browser is started with the launch
/// URL as an argument all of them can read it: only whose server it is may use the code. A proxy
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

asio::awaitable<HttpResponse> exchange(Api& api, HttpRequest request) {
  auto body = body_of<ExchangeRequest>(request);
  if (!body) co_return error_response(body.error());
  if (is_foreign_user(request)) {
    // The code is neither spent nor counted: it is the user's, and still good.
    counter("lb_auth_failures_total", "Credentials refused.", "kind=\"user\"").add();
    log_warn("auth.foreign_user", {{"uid", *request.peer_user}});
    co_return error_response(
        {ErrorCode::InvalidCode, "this server belongs to another user of this machine"});
  }
  auto token = api.auth.exchange(body->code);
  if (token) co_return answer(200, TokenBody{std::move(*token)});
  HttpResponse response = error_response(token.error());
  if (token.error().code == ErrorCode::RateLimited)
    response.fields.emplace_back("Retry-After", "60");
  co_return response;
}

/// Before a page gives its bearer away it asks whether this is the server it got it from: another
/// program may have taken the port. The Host is part of the proof, so that nobody can pass the
/// question on to the real server, which then listens elsewhere.
asio::awaitable<HttpResponse> prove(Api& api, HttpRequest request) {
  auto body = body_of<ProveRequest>(request);
  if (!body) co_return error_response(body.error());
  constexpr std::size_t kNonceCharsMax = 128;
  if (body->nonce.size() < 32 || body->nonce.size() > kNonceCharsMax) {
    co_return error_response({ErrorCode::InvalidRequest, "nonce: 32 to 128 characters"});
  }
  auto proof =
      api.auth.prove(body->key_id, std::string(request.field("host")) + "\n" + body->nonce);
  if (!proof) {
    co_return error_response(
        {ErrorCode::Unauthenticated, "no valid credential; run: liminal-builder open"});
  }
  co_return answer(200, ProofBody{std::move(*proof)});
}

asio::awaitable<HttpResponse> ticket(Api& api, HttpRequest request) {
  constexpr std::uint64_t kLife =
      std::chrono::duration_cast<std::chrono::milliseconds>(limits::kTicketLife).count();
  co_return answer(200, TicketBody{api.auth.make_ticket(request.grant), kLife});
}

asio::awaitable<HttpResponse> info(Api& api, HttpRequest) {
  co_return answer(200, api.service.info());
}

std::uint64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::uint64_t total = 0;
  std::uint64_t resident = 0;
  statm >> total >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

asio::awaitable<HttpResponse> metrics(Api&, HttpRequest) {
  gauge("process_resident_memory_bytes", "Resident memory.")
      .set(static_cast<std::int64_t>(resident_bytes()));
  HttpResponse response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = metrics_text();
  co_return response;
}

asio::awaitable<HttpResponse> upgrade(Api& api, HttpRequest request) {
  if (auto proper = check_upgrade(request); !proper) co_return error_response(proper.error());
  HttpResponse response;
  response.takeover = make_websocket_task(std::move(request), api.hub, api.service);
  co_return response;
}

asio::awaitable<HttpResponse> health(Api&, HttpRequest) {
  co_return answer(200, HealthBody{});
}

asio::awaitable<HttpResponse> logout(Api& api, HttpRequest request) {
  api.auth.logout(request.grant);
  co_return json_response(200, "{}");
}

asio::awaitable<HttpResponse> openapi(Api& api, HttpRequest) {
  co_return json_response(200, api.openapi);
}

}  // namespace

Result<std::optional<std::uint64_t>> number_of(const HttpRequest& request,
                                               const std::string& name) {
  const auto at = request.query.find(name);
  if (at == request.query.end()) return std::nullopt;
  const std::string& text = at->second;
  const bool digits = !text.empty() && text.size() <= 18 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) return fail(ErrorCode::InvalidRequest, name + ": expected a number");
  return std::stoull(text);
}

void add_system_routes(Router& router, Api& api) {
  router.add({"GET", "/healthz", "Whether the server runs", "", "HealthBody", bind(api, health),
              200, Access::Open});
  router.add({"GET", "/readyz", "Whether the server is ready", "", "HealthBody", bind(api, health),
              200, Access::Open});
  router.add({"POST", "/api/auth/exchange", "Swap a launch code for a bearer", "ExchangeRequest",
              "TokenBody", bind(api, exchange), 200, Access::Open, BodyKind::Json});
  router.add({"POST", "/api/auth/prove", "Whether this server knows a bearer, without sending it",
              "ProveRequest", "ProofBody", bind(api, prove), 200, Access::Open, BodyKind::Json});
  router.add({"POST", "/api/auth/ticket", "A ticket for one WebSocket upgrade", "", "TicketBody",
              bind(api, ticket)});
  router.add({"POST", "/api/auth/logout", "End this bearer and all that was opened with it", "", "",
              bind(api, logout)});
  router.add({"GET", "/api/info", "Versions and the store", "", "InfoBody", bind(api, info)});
  router.add({"GET", "/metrics", "Prometheus metrics", "", "text/plain", bind(api, metrics)});
  router.add(
      {"GET", "/api/openapi.json", "This document", "", "application/json", bind(api, openapi)});
  router.add({"GET", "/ws", "Upgrade to a WebSocket", "", "text/plain", bind(api, upgrade), 101,
              Access::Socket});
}

void add_all_routes(Router& router, Api& api) {
  add_system_routes(router, api);
  add_project_routes(router, api);
  add_session_routes(router, api);
  add_reading_routes(router, api);
}

}  // namespace lb
