#include "session/texts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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

bool is_plain(char32_t c) {
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' ||
         c == '.';
}

struct Range {
  char32_t first;
  char32_t last;
};
/// Beyond ASCII: blanks, signs, what turns a line and what cannot be seen.
constexpr std::array kUnwritten = {
    Range{0x80, 0xbf},       Range{0xd7, 0xd7},       Range{0xf7, 0xf7},
    Range{0x34f, 0x34f},     Range{0x600, 0x605},     Range{0x61c, 0x61c},
    Range{0x6dd, 0x6dd},     Range{0x70f, 0x70f},     Range{0x115f, 0x1160},
    Range{0x1680, 0x1680},   Range{0x17b4, 0x17b5},   Range{0x180b, 0x180f},
    Range{0x2000, 0x2bff},   Range{0x2e00, 0x2e7f},   Range{0x3000, 0x3004},
    Range{0x3008, 0x3020},   Range{0x3164, 0x3164},   Range{0xd800, 0xf8ff},
    Range{0xfe00, 0xfe1f},   Range{0xfe30, 0xfe6f},   Range{0xfeff, 0xfeff},
    Range{0xffa0, 0xffa0},   Range{0xffe0, 0xffff},   Range{0x16fe4, 0x16fe4},
    Range{0x1bca0, 0x1bca3}, Range{0x1d000, 0x1d3ff}, Range{0x1f000, 0x1faff},
    Range{0xe0000, 0x10ffff}};

/// A letter or digit of any script.
bool is_written(char32_t c) {
  if (c < 0x80) return is_plain(c);
  return std::ranges::none_of(
      kUnwritten, [c](const Range& range) { return c >= range.first && c <= range.last; });
}

/// What a file may be called, without an ending: dashes for all that `keeps` does not.
std::string file_name(std::string_view title, bool (*keeps)(char32_t)) {
  constexpr std::size_t kNameMax = 60;
  std::string name;
  for (std::size_t at = 0; at < title.size();) {
    const CodePoint point = decode_utf8(title, at);
    if (point.valid && keeps(point.value)) {
      name += title.substr(at, point.bytes);
    } else if (!name.ends_with('-')) {
      name += '-';
    }
    at += point.bytes;
  }
  // A dash in front would be an option to the next program, a dot would hide the file.
  name.erase(0, name.find_first_not_of("-."));
  name.resize(code_points(name, kNameMax).size());
  name.erase(name.find_last_not_of("-.") + 1);
  return name.empty() ? "conversation" : name;
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

std::string export_disposition(std::string_view title, std::string_view ending) {
  const std::string plain = file_name(title, is_plain);
  const std::string whole = file_name(title, is_written);
  std::string said = fmt::format("attachment; filename=\"{}.{}\"", plain, ending);
  if (whole == plain) return said;
  said += "; filename*=UTF-8''";
  for (const char c : whole) {
    if (is_plain(static_cast<unsigned char>(c)) || c == '-') {
      said += c;
    } else {
      said += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return fmt::format("{}.{}", said, ending);
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
