#include "providers/claude/process/control.h"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace lb::claude {
namespace {

std::string line_of(const json::object& object) {
  std::string text;
  append_json(text, object);
  return text;
}

}  // namespace

asio::awaitable<Result<json::object>> Control::request(std::shared_ptr<AgentProcess> process,
                                                       json::object body,
                                                       std::chrono::milliseconds limit) {
  const std::string id = fmt::format("lb-{}", ++requests_);
  const std::string subtype(string_at(body, "subtype"));
  auto written = process->write_line(
      line_of({{"type", "control_request"}, {"request_id", id}, {"request", std::move(body)}}));
  if (!written) co_return std::unexpected(std::move(written.error()));
  const auto waiting = std::make_shared<Waiting>(io_);
  waiting_[id] = waiting;
  waiting->timer.expires_after(limit);
  co_await waiting->timer.async_wait(asio::as_tuple(asio::use_awaitable));
  waiting_.erase(id);
  if (waiting->answer) co_return std::move(*waiting->answer);
  co_return fail(ErrorCode::Timeout,
                 fmt::format("the agent did not answer \"{}\" within {} s", subtype,
                             std::chrono::duration<double>(limit).count()));
}

void Control::answered(const json::object& record) {
  const json::object* response = object_at(record, "response");
  if (response == nullptr) return;
  const auto found = waiting_.find(string_at(*response, "request_id"));
  if (found == waiting_.end()) return;
  if (string_at(*response, "subtype") == "success") {
    const json::object* payload = object_at(*response, "response");
    // A plain copy would live in the reader's memory, which the next line takes.
    found->second->answer =
        payload != nullptr ? json::object(*payload, json::storage_ptr()) : json::object();
  } else {
    found->second->answer =
        fail(ErrorCode::ProtocolError, std::string(string_at(*response, "error")));
  }
  found->second->timer.cancel();
}

void Control::fail_all(const Error& error) {
  for (auto& [id, waiting] : waiting_) {
    if (!waiting->answer) waiting->answer = std::unexpected(error);
    waiting->timer.cancel();
  }
}

std::string prompt_line(std::string_view uuid, json::array content) {
  return line_of({{"type", "user"},
                  {"message", {{"role", "user"}, {"content", std::move(content)}}},
                  {"parent_tool_use_id", nullptr},
                  {"session_id", ""},
                  {"uuid", uuid}});
}

std::string unsupported_line(std::string_view request_id, std::string_view subtype) {
  return line_of({{"type", "control_response"},
                  {"response",
                   {{"subtype", "error"},
                    {"request_id", request_id},
                    {"error", fmt::format("Unsupported control request subtype: {}", subtype)}}}});
}

}  // namespace lb::claude
