#include "server/http/routes.h"

#include <cassert>

#include "server/http/http_fields.h"

namespace lb {
namespace {

/// What sessions do: asked, and its answer passed on.
asio::awaitable<HttpResponse> ask_sessions(Api& api, const ClientCommand& command,
                                           HttpRequest request) {
  const auto fields = fields_of(command, request);
  if (!fields) co_return error_response(fields.error());
  auto answer = co_await api.sessions.run(command, *fields, caller_of(api, request));
  if (!answer) co_return error_response(answer.error());
  co_return json_response(command.row.status, std::move(*answer));
}

asio::awaitable<HttpResponse> run_own(Api& api, const ClientCommand& command, OwnHandler handler,
                                      HttpRequest request) {
  const auto fields = fields_of(command, request);
  if (!fields) co_return error_response(fields.error());
  co_return co_await handler(api, *fields, std::move(request));
}

}  // namespace

Caller caller_of(const Api& api, const HttpRequest& request) {
  return {"api", api.auth.who(request.grant), request.address,
          api.auth.may_use_terminals(request.grant)};
}

asio::awaitable<HttpResponse> refused(Error error) {
  co_return error_response(error);
}

void add_all_routes(Router& router, Api& api) {
  OwnHandlers handlers;
  bind_system(handlers);
  bind_reading(handlers);
  for (const ClientCommand& command : commands()) {
    if (command.path.empty()) continue;
    Route route{std::string(command.method), std::string(command.path), {}, command.row.access};
    if (!command.row.takes.empty()) route.body = BodyKind::Attachment;
    if (command.handler != nullptr) {
      route.handler = [&api, &command](HttpRequest request) {
        return ask_sessions(api, command, std::move(request));
      };
    } else {
      const auto found = handlers.find(command.name);
      assert(found != handlers.end());
      route.handler = [&api, &command, handler = found->second](HttpRequest request) {
        return run_own(api, command, handler, std::move(request));
      };
    }
    router.add(std::move(route));
  }
}

}  // namespace lb
