#include "server/websocket/large_message.h"

#include <algorithm>

#include "base/limits.h"

namespace lb {
namespace {

constexpr std::string_view kBlank = " \t\r\n";
constexpr std::string_view kField = "\"requestId\"";

void skip_blank(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
}

bool take(std::string_view& text, std::string_view word) {
  skip_blank(text);
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

/// The value behind the field's name, when it is a string without escapes.
std::optional<std::string> value_of(std::string_view& text) {
  if (!take(text, ":") || !take(text, "\"")) return std::nullopt;
  const std::size_t end = text.find_first_of("\"\\");
  if (end == std::string_view::npos || text[end] == '\\') return std::nullopt;
  std::string value(text.substr(0, end));
  text.remove_prefix(end + 1);
  return value;
}

}  // namespace

void LargeMessage::add(std::string_view piece) {
  bytes_ += piece.size();
  head_ += piece.substr(0, limits::kLargeMessageEndBytes - head_.size());
  tail_ += piece.substr(piece.size() - std::min(piece.size(), limits::kLargeMessageEndBytes));
  tail_.erase(0, tail_.size() - std::min(tail_.size(), limits::kLargeMessageEndBytes));
}

std::optional<std::string> LargeMessage::request_id() const {
  std::string_view head = head_;
  if (take(head, "{") && take(head, kField)) return value_of(head);
  // What stands inside a string has its quotes escaped, so this is a name of the outermost object
  // when the object ends right behind its value.
  const std::size_t at = tail_.rfind(kField);
  if (at == std::string::npos || at == 0 || tail_[at - 1] == '\\') return std::nullopt;
  std::string_view tail = std::string_view(tail_).substr(at + kField.size());
  auto value = value_of(tail);
  if (!value || !take(tail, "}")) return std::nullopt;
  skip_blank(tail);
  return tail.empty() ? value : std::nullopt;
}

}  // namespace lb
