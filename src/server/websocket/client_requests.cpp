// What a client asks on its WebSocket. Requests run side by side; the requestId tells the answers
// apart. Which there are says the table of commands; here are only those that belong to the
// connection itself: what it reads.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "base/metrics.h"
#include "commands/command.h"
#include "server/auth/gate.h"
#include "server/websocket/client.h"

namespace lb {
namespace {

using ClientPtr = std::shared_ptr<Client>;
using RequestId = std::optional<std::string>;

asio::awaitable<void> open(ClientPtr client, RequestId id, SessionOpenRequest request) {
  const SessionId session = request.session_id;
  if (client->following() >= limits::kReadersPerConnectionMax) {
    const Error busy{ErrorCode::Busy, "too many sessions are open on this connection"};
    co_return client->fail(busy, id, session);
  }
  const std::uint64_t open = client->begin_open(session);
  const auto prepared = co_await client->sessions().prepare(session);
  const auto turn = co_await client->window_turn();
  Result<Opened> opened = std::unexpected(Error{});
  if (!prepared) {
    opened = std::unexpected(prepared.error());
  } else if (client->is_current(session, open)) {
    OpenOptions options;
    options.session_id = session;
    options.since = request.since;
    options.epoch = std::move(request.epoch);
    options.tail = request.tail;
    options.appends = request.appends;
    opened = co_await client->sessions().open(std::move(options));
  }
  if (!client->is_current(session, open)) {
    // Closed or opened again in the meantime: that later request counts.
    co_return client->send(encode_message(OkMessage{}, id));
  }
  if (!opened) {
    client->unfollow(session);
    co_return client->fail(opened.error(), id, session);
  }
  client->follow(session, std::move(*opened), id);
}

asio::awaitable<void> close(ClientPtr client, RequestId id, SessionCloseRequest request) {
  client->unfollow(request.session_id);
  client->send(encode_message(OkMessage{}, id));
  co_return;
}

asio::awaitable<void> page(ClientPtr client, RequestId id, SessionPageRequest request) {
  const SessionId session = request.session_id;
  const auto prepared = co_await client->sessions().prepare(session);
  if (!prepared) co_return client->fail(prepared.error(), id, session);
  const auto turn = co_await client->window_turn();
  if (client->over()) co_return;
  auto read = co_await client->sessions().page(std::move(request));
  if (!read) co_return client->fail(read.error(), id, session);
  client->send_window(SessionPageMessage::kType, *read, id);
}

/// What sessions do: asked, and its answer passed on.
asio::awaitable<void> run(ClientPtr client, RequestId id, const ClientCommand& command,
                          json::value message) {
  auto answer = co_await client->sessions().run(command, message, client->caller());
  if (answer) co_return client->answer(command.reply, *answer, id);
  const std::string_view session = string_at(message.get_object(), "sessionId");
  client->fail(answer.error(), id,
               is_wire_id(session) ? std::optional(SessionId(std::string(session))) : std::nullopt);
}

template <class Request>
Result<asio::awaitable<void>> decoded(asio::awaitable<void> (*handle)(ClientPtr, RequestId,
                                                                      Request),
                                      const ClientPtr& client, const RequestId& id,
                                      const json::value& message) {
  auto request = decode<Request>(message);
  if (!request) return std::unexpected(std::move(request.error()));
  return handle(client, id, std::move(*request));
}

Result<asio::awaitable<void>> decoded(ConnectionCommand command, const ClientPtr& client,
                                      const RequestId& id, const json::value& message) {
  switch (command) {
    case ConnectionCommand::Open:
      return decoded(open, client, id, message);
    case ConnectionCommand::Close:
      return decoded(close, client, id, message);
    case ConnectionCommand::Page:
      return decoded(page, client, id, message);
  }
  std::unreachable();
}

/// The beginning of every message.
struct Envelope {
  RequestId request_id;
  std::string type;
};
template <class Fields>
void describe(Fields& field, Envelope& envelope) {
  field.optional("requestId", envelope.request_id);
  field("type", envelope.type);
}

Result<asio::awaitable<void>> begin(const ClientPtr& client, const RequestId& id,
                                    Result<json::value> parsed) {
  if (!parsed) return std::unexpected(std::move(parsed.error()));
  auto envelope = decode<Envelope>(*parsed);
  if (!envelope) return std::unexpected(std::move(envelope.error()));
  const ClientCommand* command = message_command(envelope->type);
  if (command == nullptr) return fail(ErrorCode::InvalidRequest, "type: unknown value");
  if (command->row.access == Access::Terminal && !client->caller().terminals) {
    return fail(ErrorCode::ForbiddenTerminal, std::string(kNoTerminals));
  }
  if (command->of_connection) return decoded(*command->of_connection, client, id, *parsed);
  return run(client, id, *command, std::move(*parsed));
}

asio::awaitable<void> finish(ClientPtr client, RequestId id, asio::awaitable<void> work) {
  try {
    co_await std::move(work);
  } catch (const std::exception& error) {
    log_error("ws.request_failed", {{"why", error.what()}});
    client->fail({ErrorCode::Internal, "something went wrong on our side"}, id);
  }
  client->request_done();
}

/// The requestId of a message that may be wrong in every other way.
RequestId request_id_of(const json::value& message) {
  if (!message.is_object()) return std::nullopt;
  const json::value* id = message.get_object().if_contains("requestId");
  if (id == nullptr || !id->is_string()) return std::nullopt;
  return std::string(id->get_string());
}

}  // namespace

void handle_request(std::shared_ptr<Client> client, std::string_view text) {
  static Counter& requests = counter("lb_ws_requests_total", "Requests on WebSockets.");
  requests.add();
  auto parsed = parse_json(text, limits::kClientJsonDepthMax);
  const RequestId id = parsed ? request_id_of(*parsed) : std::nullopt;
  auto work = begin(client, id, std::move(parsed));
  if (!work) {
    // Whatever is wrong with a message, the client sent it; only what it may not do is another
    // thing.
    const bool forbidden = work.error().code == ErrorCode::ForbiddenTerminal;
    client->fail({forbidden ? ErrorCode::ForbiddenTerminal : ErrorCode::InvalidRequest,
                  work.error().message},
                 id);
    return client->request_done();
  }
  asio::co_spawn(client->executor(), finish(client, id, std::move(*work)), asio::detached);
}

}  // namespace lb
