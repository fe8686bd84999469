#include "session/texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "base/utf8.h"

namespace lb {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// The first `count` code points.
std::string_view code_points(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count) at += decode_utf8(text, at).bytes;
  return text.substr(0, at);
}

}  // namespace

bool is_blank(std::string_view text) {
  return trimmed(text).empty();
}

std::string title_from_prompt(std::string_view prompt) {
  constexpr std::size_t kTitleMax = 50;
  constexpr std::size_t kEarliestCut = 20;
  std::string text(trimmed(prompt));
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  const std::string_view head = code_points(text, kTitleMax);
  if (head.size() == text.size()) return text;
  const std::size_t space = head.rfind(' ');
  const bool cut =
      space != std::string_view::npos && space > code_points(text, kEarliestCut).size();
  return std::string(cut ? head.substr(0, space) : head) + "...";
}

std::string export_file_name(std::string_view title) {
  constexpr std::size_t kNameMax = 60;
  std::string name;
  for (const char c : title) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                       c == '_' || c == '.';
    if (plain) {
      name += c;
    } else if (!name.ends_with('-')) {
      name += '-';
    }
  }
  // A dash in front would be an option to the next program, a dot would hide the file.
  name.erase(0, name.find_first_not_of("-."));
  name.resize(std::min(name.size(), kNameMax));
  name.erase(name.find_last_not_of("-.") + 1);
  return name.empty() ? "conversation" : name;
}

std::optional<std::string> cut_tool_output(Item& item) {
  auto* tool = std::get_if<ToolCall>(&item.body);
  if (tool == nullptr || !tool->tool_output) return std::nullopt;
  const std::size_t size = tool->tool_output->size();
  if (size <= limits::kToolOutputInlineMax) return std::nullopt;
  std::string whole = tool->tool_output->str();
  constexpr std::size_t kSide = limits::kToolOutputInlineMax / 2 - 64;
  const std::string_view head = utf8_prefix(whole, kSide);
  const std::string_view tail = utf8_suffix(whole, kSide);
  tool->output_bytes = size;
  tool->tool_output = Text(
      fmt::format("{}\n… {} bytes left out …\n{}", head, size - head.size() - tail.size(), tail));
  return whole;
}

std::string snippet(std::string_view text, const std::vector<std::string>& words) {
  constexpr std::size_t kBefore = 60;
  constexpr std::size_t kLength = 200;
  std::size_t at = 0;
  for (const std::string& word : words) {
    const auto found = std::ranges::search(text, word, {}, lower_letter);
    if (!found.empty()) {
      at = static_cast<std::size_t>(found.begin() - text.begin());
      break;
    }
  }
  const std::size_t lead = utf8_suffix(text.substr(0, at), kBefore).size();
  const std::size_t begin = at - lead;
  std::string out(utf8_prefix(text.substr(begin), kLength));
  const bool cut = begin + out.size() < text.size();
  std::ranges::replace_if(out, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return (begin > 0 ? "…" : "") + out + (cut ? "…" : "");
}

}  // namespace lb
