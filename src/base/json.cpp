#include "base/json.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>

namespace lb {
namespace {

json::parse_options options_for(std::size_t depth_max) {
  json::parse_options options;
  options.max_depth = depth_max;
  return options;
}

bool is_hex4(std::string_view text, std::size_t at) {
  if (at + 4 > text.size()) return false;
  for (std::size_t i = at; i < at + 4; ++i) {
    if (std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
  }
  return true;
}

/// True for `\uXXXX` at `at` whose second hex digits put it in [low, high] of the surrogates.
bool is_surrogate_escape(std::string_view text, std::size_t at, char low, char high) {
  if (at + 6 > text.size() || text[at] != '\\' || text[at + 1] != 'u') return false;
  if (!is_hex4(text, at + 2) || (text[at + 2] | 0x20) != 'd') return false;
  const char second = static_cast<char>(text[at + 3] | 0x20);
  return second >= low && second <= high;
}

/// `text` with every lone surrogate escape replaced by \ufffd; nothing when there was none.
std::optional<std::string> without_lone_surrogates(std::string_view text, std::size_t& replaced) {
  if (text.find("\\u") == std::string_view::npos) return std::nullopt;
  std::string fixed;
  fixed.reserve(text.size());
  bool changed = false;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\' || at + 1 >= text.size()) {
      fixed += text[at++];
      continue;
    }
    const bool high = is_surrogate_escape(text, at, '8', 'b');
    if (high && is_surrogate_escape(text, at + 6, 'c', 'f')) {
      fixed.append(text, at, 12);
      at += 12;
    } else if (high || is_surrogate_escape(text, at, 'c', 'f')) {
      fixed += "\\ufffd";
      at += 6;
      changed = true;
      ++replaced;
    } else {
      fixed.append(text, at, 2);
      at += 2;
    }
  }
  if (!changed) return std::nullopt;
  return fixed;
}

Error parse_error(const boost::system::error_code& why, std::size_t at) {
  return {ErrorCode::InvalidRequest,
          fmt::format("not valid JSON at byte {}: {}", at, why.message())};
}

}  // namespace

RawJson::RawJson(const json::value& value) {
  append_json(text_, value);
}

RawObject::RawObject(const json::object& object) {
  text_.clear();
  append_json(text_, object);
}

Result<json::value> parse_json(std::string_view text, std::size_t depth_max) {
  const auto attempt = [&](std::string_view input) -> Result<json::value> {
    json::stream_parser parser({}, options_for(depth_max));
    boost::system::error_code why;
    const std::size_t read = parser.write(input.data(), input.size(), why);
    if (!why) parser.finish(why);
    if (why) return std::unexpected(parse_error(why, read));
    return parser.release();
  };
  auto value = attempt(text);
  if (value) return value;
  std::size_t replaced = 0;
  const auto fixed = without_lone_surrogates(text, replaced);
  return fixed ? attempt(*fixed) : std::move(value);
}

JsonReader::JsonReader()
    : memory_(std::size_t{64} << 10U), parser_({}, options_for(limits::kJsonDepthMax)) {}

Result<json::value> JsonReader::parse_once(std::string_view text) {
  auto memory =
      json::make_shared_resource<json::monotonic_resource>(memory_.data(), memory_.size());
  parser_.reset(memory);
  boost::system::error_code why;
  const std::size_t read = parser_.write(text.data(), text.size(), why);
  if (!why) parser_.finish(why);
  if (why) return std::unexpected(parse_error(why, read));
  return parser_.release();
}

Result<const json::value*> JsonReader::parse(std::string_view text) {
  // The old value's memory is about to be reused: let go of it first.
  value_.~value();
  new (&value_) json::value();
  auto value = parse_once(text);
  if (!value) {
    const auto fixed = without_lone_surrogates(text, repaired_);
    if (!fixed) return std::unexpected(std::move(value.error()));
    value = parse_once(*fixed);
    if (!value) return std::unexpected(std::move(value.error()));
  }
  // Moving keeps the memory resource of the parsed value; assignment would copy into ours.
  value_.~value();
  new (&value_) json::value(std::move(*value));
  return &value_;
}

namespace {

/// What JSON does not let stand in a string.
bool needs_escape(unsigned char c) {
  return c < 0x20 || c == '"' || c == '\\';
}

/// The first byte from `at` on that needs an escape, or the end. Eight bytes at a time: a long text
/// is escaped again for each whole form, so this is as hot as copying it.
std::size_t next_escape(std::string_view text, std::size_t at) {
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  constexpr std::uint64_t kHighs = 0x8080808080808080U;
  const auto has_zero = [](std::uint64_t word) { return (word - kOnes) & ~word & kHighs; };
  for (; at + 8 <= text.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, 8);
    const std::uint64_t controls = (word - kOnes * 0x20U) & ~word & kHighs;
    if ((controls | has_zero(word ^ (kOnes * '"')) | has_zero(word ^ (kOnes * '\\'))) != 0) break;
  }
  while (at < text.size() && !needs_escape(static_cast<unsigned char>(text[at]))) ++at;
  return at;
}

}  // namespace

void append_escaped(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (std::size_t run = 0;;) {
    const std::size_t at = next_escape(text, run);
    out.append(text, run, at - run);
    if (at == text.size()) return;
    run = at + 1;
    const auto c = static_cast<unsigned char>(text[at]);
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\r':
        out += "\\r";
        break;
      case '\t':
        out += "\\t";
        break;
      default:
        out += "\\u00";
        out += kHex[c >> 4U];
        out += kHex[c & 0xFU];
    }
  }
}

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  append_escaped(out, text);
  out += '"';
}

// Recursion is bounded: every value was parsed with kJsonDepthMax or built by us.
void append_json(std::string& out, const json::value& value) {
  switch (value.kind()) {
    case json::kind::object: {
      out += '{';
      bool first = true;
      for (const auto& member : value.get_object()) {
        if (!std::exchange(first, false)) out += ',';
        append_quoted(out, member.key());
        out += ':';
        append_json(out, member.value());
      }
      out += '}';
      return;
    }
    case json::kind::array: {
      out += '[';
      bool first = true;
      for (const auto& element : value.get_array()) {
        if (!std::exchange(first, false)) out += ',';
        append_json(out, element);
      }
      out += ']';
      return;
    }
    case json::kind::string:
      append_quoted(out, value.get_string());
      return;
    case json::kind::double_:
      // Boost.JSON reads 1e999 as infinity, which no JSON can say.
      if (!std::isfinite(value.get_double())) {
        out += "null";
        return;
      }
      [[fallthrough]];
    default:
      out += json::serialize(value);
  }
}

std::string_view string_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string())
                                                : std::string_view();
}

const json::object* object_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr ? value->if_object() : nullptr;
}

const json::array* array_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr ? value->if_array() : nullptr;
}

bool bool_at(const json::object& object, std::string_view key, bool otherwise) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_bool() ? value->get_bool() : otherwise;
}

double read_double(const json::value& number) {
  constexpr int kDigits = 12;
  std::array<char, 32> text{};
  const auto written =
      std::to_chars(text.data(), text.data() + text.size(), number.to_number<double>(),
                    std::chars_format::scientific, kDigits - 1);
  double value = 0;
  const auto read = std::from_chars(text.data(), written.ptr, value);
  return read.ec == std::errc() ? value : std::numeric_limits<double>::infinity();
}

double number_at(const json::object& object, std::string_view key, double otherwise) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_number()) return otherwise;
  const double number = value->to_number<double>();
  return std::isfinite(number) ? number : otherwise;
}

}  // namespace lb
