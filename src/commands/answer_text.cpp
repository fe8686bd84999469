#include "commands/answer_text.h"

#include "base/codec.h"
#include "commands/bind.h"

namespace lb {

std::string AnswerText<Window>::text(const Window& window) {
  const History& history = window.history;
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
  append_quoted(out, window.epoch);
  out += '}';
  return out;
}

Answering known(Result<std::string> answer) {
  co_return answer;
}

}  // namespace lb
