// What can be done with a session.
#include "model/answers.h"
#include "server/routes.h"

namespace lb {
namespace {

asio::awaitable<HttpResponse> create(Api& api, HttpRequest request) {
  auto body = body_of<SessionCreateRequest>(request);
  if (!body) co_return error_response(body.error());
  auto created = co_await api.service.create(std::move(*body));
  if (!created) co_return error_response(created.error());
  co_return answer(201, *created);
}

asio::awaitable<HttpResponse> load(Api& api, HttpRequest request) {
  auto loaded = co_await api.service.load(session_of(request));
  if (!loaded) co_return error_response(loaded.error());
  co_return answer(200, LoadedBody{loaded->session_id, loaded->cli_type});
}

asio::awaitable<HttpResponse> list(Api& api, HttpRequest request) {
  const auto project = request.query.find("projectId");
  if (project == request.query.end() || project->second.empty()) {
    co_return error_response({ErrorCode::ProjectIdRequired, "add ?projectId= to the address"});
  }
  if (!is_wire_id(project->second)) {
    co_return error_response({ErrorCode::InvalidRequest, "projectId: not a valid id"});
  }
  SessionListRequest wanted;
  wanted.project_id = ProjectId(project->second);
  if (const auto scope = request.query.find("scope"); scope != request.query.end()) {
    wanted.scope = enum_from<ListScope>(scope->second);
    if (!wanted.scope) {
      co_return error_response({ErrorCode::InvalidRequest, "scope: active or all"});
    }
  }
  const auto archived = request.query.find("archived");
  wanted.archived = archived != request.query.end() && archived->second != "0";
  auto sessions = api.service.list(wanted);
  if (!sessions) co_return error_response(sessions.error());
  co_return answer(200, SessionsBody{std::move(*sessions)});
}

asio::awaitable<HttpResponse> status(Api& api, HttpRequest request) {
  auto found = api.service.status(session_of(request));
  if (!found) co_return error_response(found.error());
  co_return answer(200, *found);
}

asio::awaitable<HttpResponse> send(Api& api, HttpRequest request) {
  auto body = body_of<SessionSendRequest>(request, "sessionId");
  if (!body) co_return error_response(body.error());
  if (const std::string_view key = request.field("idempotency-key"); !key.empty()) {
    body->client_message_id = std::string(key);
  }
  auto sent = co_await api.service.send(std::move(*body));
  if (!sent) co_return error_response(sent.error());
  co_return answer(202, SentBody{sent->turn_id, sent->queued});
}

asio::awaitable<HttpResponse> queue(Api& api, HttpRequest request) {
  auto body = body_of<SessionQueueRequest>(request, "sessionId");
  if (!body) co_return error_response(body.error());
  co_return answer_empty(co_await api.service.queue(std::move(*body)));
}

asio::awaitable<HttpResponse> cancel(Api& api, HttpRequest request) {
  auto body = body_of<SessionCancelRequest>(request, "sessionId");
  if (!body) co_return error_response(body.error());
  co_return answer_empty(co_await api.service.cancel(std::move(*body)));
}

asio::awaitable<HttpResponse> kill(Api& api, HttpRequest request) {
  co_return answer_empty(co_await api.service.kill(session_of(request)));
}

asio::awaitable<HttpResponse> answer_approval(Api& api, HttpRequest request) {
  auto body = body_of<SessionAnswerRequest>(request, "sessionId");
  if (!body) co_return error_response(body.error());
  co_return answer_empty(co_await api.service.answer(std::move(*body), "api"));
}

asio::awaitable<HttpResponse> rename(Api& api, HttpRequest request) {
  auto body = body_of<SessionRenameRequest>(request, "sessionId");
  if (!body) co_return error_response(body.error());
  co_return answer_empty(co_await api.service.rename(std::move(*body)));
}

asio::awaitable<HttpResponse> archive(Api& api, HttpRequest request) {
  auto body = body_of<SessionArchiveRequest>(request, "sessionId");
  if (!body) co_return error_response(body.error());
  co_return answer_empty(co_await api.service.archive(std::move(*body)));
}

asio::awaitable<HttpResponse> remove(Api& api, HttpRequest request) {
  const SessionId session = session_of(request);
  const auto known = api.service.status(session);
  if (!known) co_return error_response(known.error());
  auto removed = co_await api.service.remove(session);
  if (!removed) co_return error_response(removed.error());
  SessionListRequest wanted;
  wanted.project_id = known->info.project_id;
  wanted.scope = ListScope::All;
  if (auto left = api.service.list(wanted)) {
    api.hub.session_list({wanted.project_id, std::move(*left)});
  }
  co_return json_response(200, "{}");
}

asio::awaitable<HttpResponse> mode(Api& api, HttpRequest request) {
  auto body = body_of<SessionModeRequest>(request, "sessionId");
  if (!body) co_return error_response(body.error());
  co_return answer_empty(co_await api.service.set_mode(std::move(*body)));
}

asio::awaitable<HttpResponse> model(Api& api, HttpRequest request) {
  auto body = body_of<SessionModelRequest>(request, "sessionId");
  if (!body) co_return error_response(body.error());
  co_return answer_empty(co_await api.service.set_model(std::move(*body)));
}

asio::awaitable<HttpResponse> thinking(Api& api, HttpRequest request) {
  auto body = body_of<SessionThinkingRequest>(request, "sessionId");
  if (!body) co_return error_response(body.error());
  co_return answer_empty(co_await api.service.set_thinking(std::move(*body)));
}

asio::awaitable<HttpResponse> read(Api& api, HttpRequest request) {
  co_return answer_empty(co_await api.service.mark_read(session_of(request)));
}

asio::awaitable<HttpResponse> fork(Api& api, HttpRequest request) {
  auto forked = co_await api.service.fork(session_of(request));
  if (!forked) co_return error_response(forked.error());
  co_return answer(201, ForkedBody{forked->session_id});
}

}  // namespace

void add_session_routes(Router& router, Api& api) {
  constexpr auto kAccess = Access::Credential;
  constexpr auto kJson = BodyKind::Json;
  const std::string one = "/api/session/:id";
  router.add({"POST", "/api/session/create", "Start a session with an agent",
              "SessionCreateRequest", "SessionCreatedMessage", bind(api, create), 201, kAccess,
              kJson});
  router.add({"GET",
              "/api/session/list",
              "Sessions of a project",
              "",
              "SessionsBody",
              bind(api, list),
              200,
              kAccess,
              BodyKind::None,
              {"projectId", "scope", "archived"}});
  router.add({"POST", one + "/load", "Make a session ready for prompts", "", "LoadedBody",
              bind(api, load)});
  router.add({"GET", one + "/status", "Everything known of a session", "", "SessionStatus",
              bind(api, status)});
  router.add({"POST", one + "/send", "Send a prompt", "SessionSendRequest", "SentBody",
              bind(api, send), 202, kAccess, kJson});
  router.add({"POST", one + "/queue", "Edit, remove or release queued prompts",
              "SessionQueueRequest", "", bind(api, queue), 200, kAccess, kJson});
  router.add({"POST", one + "/cancel", "Interrupt the running turn", "SessionCancelRequest", "",
              bind(api, cancel), 200, kAccess, kJson});
  router.add({"POST", one + "/kill", "End the agent's process", "", "", bind(api, kill)});
  router.add({"POST", one + "/answer", "Decide an approval", "SessionAnswerRequest", "",
              bind(api, answer_approval), 200, kAccess, kJson});
  router.add({"POST", one + "/rename", "Give a session a title", "SessionRenameRequest", "",
              bind(api, rename), 200, kAccess, kJson});
  router.add({"POST", one + "/archive", "Archive a session, or bring it back",
              "SessionArchiveRequest", "", bind(api, archive), 200, kAccess, kJson});
  router.add({"POST", one + "/delete", "Delete a session and its conversation", "", "",
              bind(api, remove)});
  router.add({"POST", one + "/mode", "Choose the agent's mode", "SessionModeRequest", "",
              bind(api, mode), 200, kAccess, kJson});
  router.add({"POST", one + "/model", "Choose the agent's model", "SessionModelRequest", "",
              bind(api, model), 200, kAccess, kJson});
  router.add({"POST", one + "/thinking", "Choose how much the agent thinks",
              "SessionThinkingRequest", "", bind(api, thinking), 200, kAccess, kJson});
  router.add({"POST", one + "/read", "Nothing of it is unread any more", "", "", bind(api, read)});
  router.add({"POST", one + "/fork", "A copy that goes its own way", "", "ForkedBody",
              bind(api, fork), 201});
}

}  // namespace lb
