#include "demo/narrator.h"

#include <fmt/format.h>

#include "base/awaitable.h"
#include "base/utf8.h"

namespace lb::demo {
namespace {

using namespace std::chrono_literals;

constexpr auto kWordPause = 22ms;
constexpr auto kOutputPause = 260ms;
/// About what a model's tokenizer makes of English.
constexpr std::size_t kBytesPerToken = 4;
constexpr std::size_t kContextTokens = 200'000;

json::object text_block(std::string_view text) {
  return {{"type", "text"}, {"text", text}};
}

json::array text_content(std::string_view text) {
  return {json::object{{"type", "content"}, {"content", text_block(text)}}};
}

json::array diff_content(const Edit& edit) {
  json::object diff = {{"type", "diff"}, {"path", edit.path}, {"newText", edit.new_text}};
  diff["oldText"] = edit.old_text ? json::value(*edit.old_text) : json::value(nullptr);
  return {std::move(diff)};
}

json::array location_of(const std::string& path) {
  return {json::object{{"path", path}, {"line", 1}}};
}

/// The next few words of `text` from `at`, with the white space behind them.
std::string_view next_words(std::string_view text, std::size_t at, std::size_t words) {
  std::size_t end = at;
  while (words-- > 0 && end < text.size()) {
    end = std::min(text.find_first_of(" \n", end), text.size());
    end = std::min(text.find_first_not_of(" \n", end), text.size());
  }
  return text.substr(at, end - at);
}

}  // namespace

Narrator::Narrator(const asio::any_io_executor& executor, JsonRpcPeer& peer, Session& session,
                   Setting setting)
    : peer_(peer), session_(session), setting_(setting), wake_(executor) {}

void Narrator::send(json::object update) {
  // Nobody reads any more: the end of stdin will say so too.
  static_cast<void>(peer_.notify(
      "session/update", json::object{{"sessionId", session_.id}, {"update", std::move(update)}}));
}

void Narrator::update(json::object update) {
  Sessions::record(session_, update);
  send(std::move(update));
}

std::string Narrator::new_id(std::string_view prefix) {
  return fmt::format("{}-{}-{}", prefix, session_.turns, ++ids_);
}

void Narrator::throw_if_cancelled() const {
  if (cancelled_ && !ignores_cancel_) throw TurnCancelled{};
}

void Narrator::cancel() {
  cancelled_ = true;
  wake_.cancel();
}

asio::awaitable<void> Narrator::wait(std::chrono::microseconds time) {
  const auto self = shared_from_this();
  throw_if_cancelled();
  const auto until = std::chrono::steady_clock::now() + time;
  do {  // At least once, so that a fast conversation hears a cancel too.
    wake_.expires_at(until);
    co_await wake_.async_wait(kNoThrow);
    throw_if_cancelled();
  } while (std::chrono::steady_clock::now() < until);
}

asio::awaitable<void> Narrator::pause(std::chrono::microseconds time) {
  const auto scaled = std::chrono::duration<double, std::micro>(time) * setting_.pace;
  return wait(std::chrono::duration_cast<std::chrono::microseconds>(scaled));
}

asio::awaitable<void> Narrator::stream(std::string_view kind, std::string text) {
  const std::string message = new_id("message");
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view words = next_words(text, at, 3);
    at += words.size();
    update({{"sessionUpdate", kind}, {"messageId", message}, {"content", text_block(words)}});
    co_await pause(kWordPause);
  }
  session_.tokens_used += text.size() / kBytesPerToken;
}

asio::awaitable<void> Narrator::say(std::string text) {
  return stream("agent_message_chunk", std::move(text));
}

asio::awaitable<void> Narrator::think(std::string text) {
  return stream("agent_thought_chunk", std::move(text));
}

void Narrator::plan(std::vector<PlanEntry> entries) {
  json::array list;
  for (const PlanEntry& entry : entries) {
    list.push_back(
        json::object{{"content", entry.content}, {"priority", "medium"}, {"status", entry.status}});
  }
  update({{"sessionUpdate", "plan"}, {"entries", std::move(list)}});
}

void Narrator::usage() {
  send({{"sessionUpdate", "usage_update"},
        {"used", session_.tokens_used},
        {"size", kContextTokens}});
}

std::string Narrator::begin_tool(ToolStart tool) {
  std::string id = new_id("call");
  json::object call = {{"sessionUpdate", "tool_call"}, {"toolCallId", id},
                       {"title", tool.title},          {"kind", tool.kind},
                       {"status", "in_progress"},      {"rawInput", std::move(tool.raw_input)}};
  if (!tool.path.empty()) call["locations"] = location_of(tool.path);
  update(std::move(call));
  return id;
}

void Narrator::end_tool(const std::string& id, std::string_view output, bool failed) {
  session_.tokens_used += output.size() / kBytesPerToken;
  update({{"sessionUpdate", "tool_call_update"},
          {"toolCallId", id},
          {"status", failed ? "failed" : "completed"},
          {"content", text_content(output)}});
}

asio::awaitable<void> Narrator::run_command(std::string command, std::vector<std::string> output,
                                            int exit_code) {
  const std::string id = new_id("call");
  json::object call = {{"sessionUpdate", "tool_call"},
                       {"toolCallId", id},
                       {"title", command},
                       {"kind", "execute"},
                       {"status", "in_progress"},
                       {"rawInput", json::object{{"command", command}, {"cwd", session_.cwd}}}};
  if (setting_.live_terminal) {
    call["content"] = json::array{json::object{{"type", "terminal"}, {"terminalId", id}}};
  }
  update(std::move(call));
  std::string so_far;
  for (const std::string& piece : output) {
    co_await pause(kOutputPause);
    so_far += piece;
    json::object more = {{"sessionUpdate", "tool_call_update"}, {"toolCallId", id}};
    if (setting_.live_terminal) {
      more["_meta"] = json::object{
          {"terminal_output_delta", json::object{{"data", piece}, {"terminal_id", id}}}};
    } else {
      more["content"] = text_content(so_far);
    }
    send(std::move(more));
  }
  co_await pause(kOutputPause);
  json::object end = {{"sessionUpdate", "tool_call_update"},
                      {"toolCallId", id},
                      {"status", exit_code == 0 ? "completed" : "failed"},
                      {"rawOutput", json::object{{"output", so_far}, {"exit_code", exit_code}}}};
  if (setting_.live_terminal) {
    end["_meta"] = json::object{
        {"terminal_exit", json::object{{"exit_code", exit_code}, {"terminal_id", id}}}};
  }
  session_.tokens_used += so_far.size() / kBytesPerToken;
  update(std::move(end));
}

asio::awaitable<Decision> Narrator::propose_edit(std::string id, std::string title, Edit edit) {
  const auto self = shared_from_this();
  json::object call = {{"toolCallId", id},
                       {"title", title},
                       {"kind", "edit"},
                       {"status", "pending"},
                       {"rawInput", json::object{{"path", edit.path}}},
                       {"locations", location_of(edit.path)},
                       {"content", diff_content(edit)}};
  json::object announced = call;
  announced["sessionUpdate"] = "tool_call";
  update(std::move(announced));
  if (session_.mode == "auto" || session_.always_allow) co_return Decision::Once;
  const Decision decision = co_await ask(std::move(call));
  if (decision == Decision::Always) session_.always_allow = true;
  co_return decision;
}

void Narrator::end_edit(const std::string& id, const Edit& edit, bool done) {
  json::object end = {{"sessionUpdate", "tool_call_update"},
                      {"toolCallId", id},
                      {"status", done ? "completed" : "failed"}};
  if (done) end["content"] = diff_content(edit);
  update(std::move(end));
}

asio::awaitable<Decision> Narrator::ask(json::object tool_call) {
  const auto self = shared_from_this();
  const json::array options = {
      json::object{{"optionId", "allow"}, {"name", "Allow"}, {"kind", "allow_once"}},
      json::object{{"optionId", "allow_always"},
                   {"name", "Always allow in this session"},
                   {"kind", "allow_always"}},
      json::object{{"optionId", "reject"}, {"name", "No, leave it"}, {"kind", "reject_once"}}};
  const json::object params = {
      {"sessionId", session_.id}, {"toolCall", std::move(tool_call)}, {"options", options}};
  const auto answer = std::make_shared<std::optional<RpcReply>>();
  peer_.request("session/request_permission", params, std::nullopt,
                [weak = weak_from_this(), answer](RpcReply reply) {
                  *answer = std::move(reply);
                  if (const auto waiting = weak.lock()) waiting->wake_.cancel();
                });
  while (!*answer) {
    throw_if_cancelled();
    wake_.expires_at(asio::steady_timer::time_point::max());
    co_await wake_.async_wait(kNoThrow);
  }
  throw_if_cancelled();
  const RpcReply& reply = **answer;
  const json::object* result = reply ? reply->if_object() : nullptr;
  const json::object* outcome = result != nullptr ? object_at(*result, "outcome") : nullptr;
  if (outcome == nullptr) co_return Decision::Rejected;
  if (string_at(*outcome, "outcome") == "cancelled") throw TurnCancelled{};
  const std::string_view option = string_at(*outcome, "optionId");
  if (option == "allow") co_return Decision::Once;
  co_return option == "allow_always" ? Decision::Always : Decision::Rejected;
}

}  // namespace lb::demo
