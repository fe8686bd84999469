/// From the table of commands to the routes of HTTP.
///
/// What sessions do needs nothing here. What the server does itself is bound by its name, and gets
/// its request decoded:
///
///     handlers["session:export"] = own<SessionExportRequest, export_session>;
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/codec.h"
#include "commands/command.h"
#include "server/auth/auth.h"
#include "server/auth/logins.h"
#include "server/http/router.h"
#include "server/hub.h"

namespace lb {

/// What the handlers work with; outlives the router.
struct Api {
  Sessions& sessions;
  Auth& auth;
  LoginBook& logins;
  Hub& hub;
  asio::any_io_executor blocking;  // For what takes milliseconds.
};

using OwnHandler = asio::awaitable<HttpResponse> (*)(Api& api, const json::value& fields,
                                                     HttpRequest request);
using OwnHandlers = std::map<std::string_view, OwnHandler>;

/// Decodes the request and calls `handle(api, request, http)`.
asio::awaitable<HttpResponse> refused(Error error);
template <class Request, auto Handle>
asio::awaitable<HttpResponse> answered_by(Api& api, const json::value& fields, HttpRequest http) {
  auto request = decode<Request>(fields);
  if (!request) return refused(std::move(request.error()));
  return Handle(api, std::move(*request), std::move(http));
}

/// Who asks, over HTTP.
Caller caller_of(const Api& api, const HttpRequest& request);

void bind_system(OwnHandlers& handlers);
void bind_reading(OwnHandlers& handlers);

/// All rows of the table that are asked over HTTP.
void add_all_routes(Router& router, Api& api);

template <class Body>
HttpResponse answer(int status, const Body& body) {
  return json_response(status, encode(body));
}

}  // namespace lb
