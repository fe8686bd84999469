// What can be read of sessions: timelines, events, outputs, exports, attachments, search.
#include <fmt/format.h>

#include "model/answers.h"
#include "server/routes.h"
#include "server/sse.h"
#include "session/texts.h"

namespace lb {
namespace {

constexpr std::uint64_t kPageDefault = 100;
constexpr std::uint64_t kPageMax = 10'000;
constexpr std::uint64_t kSearchMax = 200;

void append_payloads(std::string& out, const std::vector<FramePtr>& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (i > 0) out += ',';
    out += frames[i]->payload();
  }
}

/// TimelineBody, from payloads that are encoded already.
HttpResponse answer_window(Api& api, const History& history) {
  std::size_t bytes = 256;
  for (const auto& frame : history.items) bytes += frame->payload().size() + 1;
  for (const auto& frame : history.turns) bytes += frame->payload().size() + 1;
  std::string out;
  out.reserve(bytes);
  out += R"({"sessionId":)";
  append_quoted(out, history.session_id.str());
  out += ",\"rev\":" + std::to_string(history.rev) + ",\"entries\":[";
  append_payloads(out, history.items);
  out += "],\"turns\":[";
  append_payloads(out, history.turns);
  out += ']';
  if (history.before) out += ",\"before\":" + std::to_string(*history.before);
  out += ",\"epoch\":";
  append_quoted(out, api.service.info().epoch);
  out += '}';
  return json_response(200, std::move(out));
}

struct Window {
  std::optional<std::uint64_t> since;
  std::optional<std::uint64_t> tail;
  std::optional<std::uint64_t> before;
  std::optional<std::uint64_t> count;
};

Result<Window> window_of(const HttpRequest& request) {
  Window window;
  const std::pair<const char*, std::optional<std::uint64_t>*> fields[] = {
      {"since", &window.since},
      {"tail", &window.tail},
      {"before", &window.before},
      {"count", &window.count}};
  for (const auto& [name, value] : fields) {
    auto number = number_of(request, name);
    if (!number) return std::unexpected(number.error());
    *value = *number;
  }
  return window;
}

asio::awaitable<Result<History>> read_window(Api& api, SessionId session, Window window) {
  if (window.tail) {
    co_return co_await api.service.tail(session, std::min(*window.tail, kPageMax));
  }
  if (window.before) {
    SessionPageRequest page;
    page.session_id = session;
    page.before = *window.before;
    page.count = std::min(window.count.value_or(kPageDefault), kPageMax);
    co_return co_await api.service.page(std::move(page));
  }
  co_return co_await api.service.timeline(session, window.since.value_or(0));
}

asio::awaitable<HttpResponse> timeline(Api& api, HttpRequest request) {
  auto window = window_of(request);
  if (!window) co_return error_response(window.error());
  auto history = co_await read_window(api, session_of(request), *window);
  if (!history) co_return error_response(history.error());
  co_return answer_window(api, *history);
}

asio::awaitable<HttpResponse> events(Api& api, HttpRequest request) {
  // What a browser's EventSource remembers counts more than the address it was given.
  if (const std::string_view last = request.field("last-event-id"); !last.empty()) {
    request.query["since"] = std::string(last);
  }
  auto since = number_of(request, "since");
  if (!since) co_return error_response(since.error());
  OpenOptions options;
  options.session_id = session_of(request);
  options.since = *since;
  if (const auto epoch = request.query.find("epoch"); epoch != request.query.end()) {
    options.epoch = epoch->second;
  }
  const auto appends = request.query.find("appends");
  options.appends = appends != request.query.end() && appends->second != "0";
  options.with_history = false;
  auto opened = co_await api.service.open(options);
  if (!opened) co_return error_response(opened.error());
  HttpResponse response;
  response.takeover = make_sse_task(options.session_id, std::move(*opened), api.hub, request.grant);
  co_return response;
}

HttpResponse text_response(std::string type, std::string body) {
  HttpResponse response;
  response.content_type = std::move(type);
  response.body = std::move(body);
  return response;
}

asio::awaitable<HttpResponse> output(Api& api, HttpRequest request) {
  const ItemId item{std::string(request.param("itemId"))};
  auto text = co_await api.service.output(session_of(request), item);
  if (!text) co_return error_response(text.error());
  co_return text_response("text/plain; charset=utf-8", std::move(*text));
}

asio::awaitable<HttpResponse> export_session(Api& api, HttpRequest request) {
  const auto wanted = request.query.find("format");
  const std::string format = wanted == request.query.end() ? "md" : wanted->second;
  if (format != "md" && format != "json") {
    co_return error_response({ErrorCode::InvalidRequest, "format: md or json"});
  }
  const bool markdown = format == "md";
  auto text = co_await api.service.export_session(
      session_of(request), markdown ? ExportFormat::Markdown : ExportFormat::Json);
  if (!text) co_return error_response(text.error());
  const auto status = api.service.status(session_of(request));
  const std::string name = export_file_name(status ? status->info.title : "");
  HttpResponse response =
      text_response(markdown ? "text/markdown; charset=utf-8" : "application/json; charset=utf-8",
                    std::move(*text));
  response.fields.emplace_back("Content-Disposition",
                               fmt::format("attachment; filename=\"{}.{}\"", name, format));
  co_return response;
}

asio::awaitable<HttpResponse> add_attachment(Api& api, HttpRequest request) {
  AttachmentData data;
  const std::string_view type = request.field("content-type");
  data.mime_type = std::string(type.substr(0, type.find(';')));
  data.bytes = std::move(request.body);
  if (data.bytes.empty()) {
    co_return error_response({ErrorCode::InvalidRequest, "the image is empty"});
  }
  auto id = co_await api.service.add_attachment(session_of(request), std::move(data));
  if (!id) co_return error_response(id.error());
  co_return answer(201, AttachmentBody{std::move(*id)});
}

asio::awaitable<HttpResponse> attachment(Api& api, HttpRequest request) {
  auto data = co_await api.service.attachment(session_of(request),
                                              std::string(request.param("attachmentId")));
  if (!data) co_return error_response(data.error());
  HttpResponse response = text_response(std::move(data->mime_type), std::move(data->bytes));
  // An image may be a drawing with scripts: shown in a page it is inert, opened alone it is saved.
  response.fields.emplace_back("Content-Disposition", "attachment");
  co_return response;
}

asio::awaitable<HttpResponse> search(Api& api, HttpRequest request) {
  SearchRequest wanted;
  wanted.text = request.query["q"];
  auto limit = number_of(request, "limit");
  if (!limit) co_return error_response(limit.error());
  wanted.limit = std::min(limit->value_or(wanted.limit), kSearchMax);
  const std::string& project = request.query["projectId"];
  const std::string& cli_type = request.query["cliType"];
  if (!project.empty()) wanted.project_id = ProjectId(project);
  if (!cli_type.empty()) wanted.cli_type = cli_type;
  auto results = co_await api.service.search(std::move(wanted));
  if (!results) co_return error_response(results.error());
  co_return answer(200, SearchBody{std::move(*results)});
}

asio::awaitable<HttpResponse> inbox(Api& api, HttpRequest) {
  co_return answer(200, InboxBody{api.service.inbox()});
}

}  // namespace

void add_reading_routes(Router& router, Api& api) {
  constexpr auto kAccess = Access::Credential;
  constexpr auto kNone = BodyKind::None;
  const std::string one = "/api/session/:id";
  router.add({"GET",
              one + "/timeline",
              "What changed after a revision, or a window by position",
              "",
              "TimelineBody",
              bind(api, timeline),
              200,
              kAccess,
              kNone,
              {"since", "tail", "before", "count"}});
  router.add({"GET",
              one + "/events",
              "The changes as they happen",
              "",
              "text/event-stream",
              bind(api, events),
              200,
              kAccess,
              kNone,
              {"since", "epoch", "appends"}});
  router.add({"GET", one + "/item/:itemId/output", "The whole output of a tool call", "",
              "text/plain", bind(api, output)});
  router.add({"GET",
              one + "/export",
              "The conversation as a document",
              "",
              "text/markdown",
              bind(api, export_session),
              200,
              kAccess,
              kNone,
              {"format"}});
  router.add({"POST", one + "/attachment", "Add an image for a prompt", "image/*", "AttachmentBody",
              bind(api, add_attachment), 201, kAccess, BodyKind::Image});
  router.add({"GET", one + "/attachment/:attachmentId", "An image of a prompt", "", "image/*",
              bind(api, attachment)});
  router.add({"GET",
              "/api/search",
              "Search all conversations",
              "",
              "SearchBody",
              bind(api, search),
              200,
              kAccess,
              kNone,
              {"q", "projectId", "cliType", "limit"}});
  router.add({"GET", "/api/inbox", "Everything that waits for the user", "", "InboxBody",
              bind(api, inbox)});
}

}  // namespace lb
