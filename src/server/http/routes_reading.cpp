// What is answered in other forms than JSON: events, outputs, exports, images.

#include <charconv>

#include "model/answers.h"
#include "server/http/routes.h"
#include "server/sse.h"
#include "session/texts.h"

namespace lb {
namespace {

asio::awaitable<HttpResponse> events(Api& api, SessionEventsRequest request, HttpRequest http) {
  OpenOptions options;
  options.session_id = std::move(request.session_id);
  options.since = request.since;
  // What a browser's EventSource remembers counts more than the address it was given.
  if (const std::string_view last = http.field("last-event-id"); !last.empty()) {
    const auto read =
        std::from_chars(last.data(), last.data() + last.size(), options.since.emplace());
    if (read.ec != std::errc() || read.ptr != last.data() + last.size()) {
      co_return error_response({ErrorCode::InvalidRequest, "since: expected a number"});
    }
  }
  options.epoch = std::move(request.epoch);
  options.appends = request.appends;
  options.with_history = false;
  auto opened = co_await api.sessions.open(options);
  if (!opened) co_return error_response(opened.error());
  HttpResponse response;
  response.takeover = make_sse_task(options.session_id, std::move(*opened), api.hub, http.grant);
  co_return response;
}

HttpResponse text_response(std::string type, std::string body) {
  HttpResponse response;
  response.content_type = std::move(type);
  response.body = std::move(body);
  return response;
}

asio::awaitable<HttpResponse> output(Api& api, SessionOutputRequest request, HttpRequest) {
  auto text = co_await api.sessions.output(request.session_id, request.item_id);
  if (!text) co_return error_response(text.error());
  co_return text_response("text/plain; charset=utf-8", std::move(*text));
}

asio::awaitable<HttpResponse> export_session(Api& api, SessionExportRequest request, HttpRequest) {
  const ExportFormat format = request.format.value_or(ExportFormat::Markdown);
  const bool markdown = format == ExportFormat::Markdown;
  auto text = co_await api.sessions.export_session(request.session_id, format);
  if (!text) co_return error_response(text.error());
  const auto status = api.sessions.status(request.session_id);
  HttpResponse response =
      text_response(markdown ? "text/markdown; charset=utf-8" : "application/json; charset=utf-8",
                    std::move(*text));
  response.fields.emplace_back(
      "Content-Disposition",
      export_disposition(status ? status->info.title : "", wire_name(format)));
  co_return response;
}

asio::awaitable<HttpResponse> diff(Api& api, SessionDiffRequest request, HttpRequest) {
  auto text = co_await api.sessions.diff(std::move(request));
  if (!text) co_return error_response(text.error());
  co_return text_response("text/plain; charset=utf-8", std::move(*text));
}

asio::awaitable<HttpResponse> file(Api& api, SessionFileRequest request, HttpRequest) {
  auto data = co_await api.sessions.file(std::move(request));
  if (!data) co_return error_response(data.error());
  HttpResponse response = text_response(std::move(data->mime_type), std::move(data->bytes));
  response.fields.emplace_back("Content-Disposition", "attachment");
  co_return response;
}

asio::awaitable<HttpResponse> add_attachment(Api& api, SessionAttachRequest request,
                                             HttpRequest http) {
  AttachmentData data;
  const std::string_view type = http.field("content-type");
  data.mime_type = std::string(type.substr(0, type.find(';')));
  data.bytes = std::move(http.body);
  if (data.bytes.empty()) {
    co_return error_response({ErrorCode::InvalidRequest, "the attachment is empty"});
  }
  auto id = co_await api.sessions.add_attachment(request.session_id, std::move(data));
  if (!id) co_return error_response(id.error());
  co_return answer(201, AttachmentBody{std::move(*id)});
}

asio::awaitable<HttpResponse> attachment(Api& api, SessionAttachmentRequest request, HttpRequest) {
  auto data = co_await api.sessions.attachment(request.session_id, request.attachment_id);
  if (!data) co_return error_response(data.error());
  std::string type = std::move(data->mime_type);
  if (type == Attachment::kText) type += "; charset=utf-8";
  HttpResponse response = text_response(std::move(type), std::move(data->bytes));
  // An image may be a drawing with scripts: shown in a page it is inert, opened alone it is saved.
  response.fields.emplace_back("Content-Disposition", "attachment");
  co_return response;
}

}  // namespace

void bind_reading(OwnHandlers& handlers) {
  handlers["session:events"] = answered_by<SessionEventsRequest, events>;
  handlers["session:output"] = answered_by<SessionOutputRequest, output>;
  handlers["session:export"] = answered_by<SessionExportRequest, export_session>;
  handlers["session:diff"] = answered_by<SessionDiffRequest, diff>;
  handlers["session:file"] = answered_by<SessionFileRequest, file>;
  handlers["session:attach"] = answered_by<SessionAttachRequest, add_attachment>;
  handlers["session:attachment"] = answered_by<SessionAttachmentRequest, attachment>;
}

}  // namespace lb
