/// The routes of docs/wire.md, as rows of the Router.
#pragma once

#include <string>

#include "base/codec.h"
#include "server/auth.h"
#include "server/hub.h"
#include "server/router.h"
#include "session/sessions.h"

namespace lb {

/// What the handlers work with; outlives the router.
struct Api {
  Sessions& service;
  Auth& auth;
  Hub& hub;
  std::string openapi;  // Filled when all routes are known.
};

void add_system_routes(Router& router, Api& api);
void add_project_routes(Router& router, Api& api);
void add_session_routes(Router& router, Api& api);
void add_reading_routes(Router& router, Api& api);
void add_all_routes(Router& router, Api& api);

using ApiHandler = asio::awaitable<HttpResponse> (*)(Api& api, HttpRequest request);
inline Handler bind(Api& api, ApiHandler handler) {
  return [&api, handler](HttpRequest request) { return handler(api, std::move(request)); };
}

/// A body of JSON. Ids of the path stand in it as `field`, as the WebSocket message has them.
template <class Body>
Result<Body> body_of(const HttpRequest& request, std::string_view field = "",
                     const std::string& param = "id") {
  json::value value = json::object();
  if (!request.body.empty()) {
    auto parsed = parse_json(request.body, limits::kClientJsonDepthMax);
    if (!parsed) return fail(ErrorCode::InvalidRequest, parsed.error().message);
    value = std::move(*parsed);
  }
  if (!value.is_object()) return fail(ErrorCode::InvalidRequest, "expected an object");
  if (!field.empty()) value.get_object()[field] = request.param(param);
  return decode<Body>(value);
}

template <class Body>
HttpResponse answer(int status, const Body& body) {
  return json_response(status, encode(body));
}

/// `{}`, or the error.
inline HttpResponse answer_empty(const Result<void>& result, int status = 200) {
  return result ? json_response(status, "{}") : error_response(result.error());
}

inline SessionId session_of(const HttpRequest& request) {
  return SessionId(std::string(request.param("id")));
}

/// A number of the query. Absent: nothing; anything but digits: InvalidRequest.
Result<std::optional<std::uint64_t>> number_of(const HttpRequest& request, const std::string& name);

}  // namespace lb
