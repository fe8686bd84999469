// What a client may ask on its WebSocket: each request is one coroutine that calls the
// Sessions and answers. They run side by side; the requestId tells the answers apart.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/limits.h"
#include "base/log.h"
#include "base/metrics.h"
#include "server/client.h"

namespace lb {
namespace {

using ClientPtr = std::shared_ptr<Client>;
using RequestId = std::optional<std::string>;

/// `ok`, or the error.
void conclude(const ClientPtr& client, const RequestId& id, const Result<void>& result,
              const std::optional<SessionId>& session) {
  if (!result) return client->fail(result.error(), id, session);
  client->send(encode_message(OkMessage{}, id));
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, ProjectListRequest) {
  client->send(encode_message(ProjectListMessage{client->service().projects()}, id));
  co_return;
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, ProjectAddRequest request) {
  auto added = co_await client->service().add_project(std::move(request.path));
  if (!added) co_return client->fail(added.error(), id);
  if (added->existed) {
    const Error exists{ErrorCode::ProjectExists, "this directory is a project already"};
    co_return client->fail(exists, id);
  }
  client->hub().board().except(project_key(added->project.project_id), client.get());
  client->send(encode_message(ProjectAddedMessage{added->project}, id));
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, ProjectRemoveRequest request) {
  auto removed = co_await client->service().remove_project(request.project_id);
  if (!removed) co_return client->fail(removed.error(), id);
  client->hub().board().except(project_key(request.project_id), client.get());
  client->send(encode_message(ProjectRemovedMessage{request.project_id}, id));
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionListRequest request) {
  auto sessions = client->service().list(request);
  if (!sessions) co_return client->fail(sessions.error(), id);
  client->send(encode_message(SessionListMessage{request.project_id, std::move(*sessions)}, id));
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionCreateRequest request) {
  auto created = co_await client->service().create(std::move(request));
  if (!created) co_return client->fail(created.error(), id);
  client->hub().board().except(created_key(created->session_id), client.get());
  client->send(encode_message(*created, id));
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionOpenRequest request) {
  const SessionId session = request.session_id;
  if (client->following() >= limits::kReadersPerConnectionMax) {
    const Error busy{ErrorCode::Busy, "too many sessions are open on this connection"};
    co_return client->fail(busy, id, session);
  }
  const std::uint64_t open = client->begin_open(session);
  const auto prepared = co_await client->service().prepare(session);
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
    opened = co_await client->service().open(std::move(options));
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

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionCloseRequest request) {
  client->unfollow(request.session_id);
  client->send(encode_message(OkMessage{}, id));
  co_return;
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionPageRequest request) {
  const SessionId session = request.session_id;
  const auto prepared = co_await client->service().prepare(session);
  if (!prepared) co_return client->fail(prepared.error(), id, session);
  const auto turn = co_await client->window_turn();
  if (client->over()) co_return;
  auto page = co_await client->service().page(std::move(request));
  if (!page) co_return client->fail(page.error(), id, session);
  client->send_window(SessionPageMessage::kType, *page, id);
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionSendRequest request) {
  const SessionId session = request.session_id;
  auto sent = co_await client->service().send(std::move(request));
  if (!sent) co_return client->fail(sent.error(), id, session);
  client->send(encode_message(*sent, id));
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionQueueRequest request) {
  const SessionId session = request.session_id;
  conclude(client, id, co_await client->service().queue(std::move(request)), session);
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionCancelRequest request) {
  const SessionId session = request.session_id;
  conclude(client, id, co_await client->service().cancel(std::move(request)), session);
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionAnswerRequest request) {
  const SessionId session = request.session_id;
  conclude(client, id, co_await client->service().answer(std::move(request), "browser"), session);
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionArchiveRequest request) {
  const SessionId session = request.session_id;
  conclude(client, id, co_await client->service().archive(std::move(request)), session);
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionRenameRequest request) {
  const SessionId session = request.session_id;
  conclude(client, id, co_await client->service().rename(std::move(request)), session);
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionModeRequest request) {
  const SessionId session = request.session_id;
  conclude(client, id, co_await client->service().set_mode(std::move(request)), session);
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionModelRequest request) {
  const SessionId session = request.session_id;
  conclude(client, id, co_await client->service().set_model(std::move(request)), session);
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionThinkingRequest request) {
  const SessionId session = request.session_id;
  conclude(client, id, co_await client->service().set_thinking(std::move(request)), session);
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionKillRequest request) {
  const SessionId session = request.session_id;
  conclude(client, id, co_await client->service().kill(session), session);
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionReadRequest request) {
  const SessionId session = request.session_id;
  conclude(client, id, co_await client->service().mark_read(session), session);
}

asio::awaitable<void> handle(ClientPtr client, RequestId id, SessionReconnectRequest request) {
  auto done = co_await client->service().reconnect(std::move(request.cli_type));
  conclude(client, id, done, std::nullopt);
}

template <class Request>
asio::awaitable<void> run(ClientPtr client, RequestId id, Request request) {
  try {
    co_await handle(client, id, std::move(request));
  } catch (const std::exception& error) {
    log_error("ws.request_failed", {{"type", Request::kType}, {"why", error.what()}});
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
  auto message = parsed ? decode<ClientMessage>(*parsed)
                        : Result<ClientMessage>(std::unexpected(std::move(parsed.error())));
  if (!message) {
    client->fail({ErrorCode::InvalidRequest, message.error().message}, id);
    return client->request_done();
  }
  std::visit(
      [&]<class Request>(Request& request) {
        asio::co_spawn(client->executor(), run(client, id, std::move(request)), asio::detached);
      },
      message->body);
}

}  // namespace lb
