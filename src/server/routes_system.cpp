// Credentials, health, what the server is, metrics, and the upgrade to a WebSocket.
#include <unistd.h>

#include <fstream>

#include "base/metrics.h"
#include "base/version.h"
#include "server/api_types.h"
#include "server/routes.h"
#include "server/websocket.h"

namespace lb {
namespace {

asio::awaitable<HttpResponse> exchange(Api& api, HttpRequest request) {
  auto body = body_of<ExchangeRequest>(request);
  if (!body) co_return error_response(body.error());
  auto token = api.auth.exchange(body->code);
  if (token) co_return answer(200, TokenBody{std::move(*token)});
  HttpResponse response = error_response(token.error());
  if (token.error().code == ErrorCode::RateLimited)
    response.fields.emplace_back("Retry-After", "60");
  co_return response;
}

asio::awaitable<HttpResponse> ticket(Api& api, HttpRequest request) {
  constexpr std::uint64_t kLife =
      std::chrono::duration_cast<std::chrono::milliseconds>(limits::kTicketLife).count();
  co_return answer(200, TicketBody{api.auth.make_ticket(request.grant), kLife});
}

asio::awaitable<HttpResponse> info(Api& api, HttpRequest) {
  const StoreInfo store = api.service.store().info();
  co_return answer(200, InfoBody{std::string(kVersion),
                                 kWireVersion,
                                 store.epoch,
                                 {store.kind, store.durability},
                                 api.service.started_at()});
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
