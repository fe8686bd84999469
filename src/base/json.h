/// Reading and writing JSON below the typed codecs (see codec.h for those).
///
/// Reading is Boost.JSON with the traps closed: depth is bounded, numbers are finite, a lone
/// surrogate escape (which Node emits when it cuts an emoji) is replaced instead of losing the
/// line. Writing is by hand into a string: growing text is escaped once and kept.
#pragma once

#include <boost/json.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"

namespace lb {

namespace json = boost::json;

/// JSON that we carry and do not look into, as text. Always valid; empty stands for "none".
class RawJson {
 public:
  RawJson() = default;
  /// From a value of ours or one that was parsed.
  explicit RawJson(const json::value& value);
  /// From text that the caller knows to be valid JSON.
  static RawJson trusted(std::string text) {
    RawJson raw;
    raw.text_ = std::move(text);
    return raw;
  }
  [[nodiscard]] const std::string& str() const { return text_; }
  [[nodiscard]] bool empty() const { return text_.empty(); }
  friend bool operator==(const RawJson&, const RawJson&) = default;

 private:
  std::string text_;
};

/// A JSON object that we carry and do not look into; `{}` when nothing is known.
class RawObject {
 public:
  RawObject() = default;
  explicit RawObject(const json::object& object);
  [[nodiscard]] const std::string& str() const { return text_; }
  [[nodiscard]] bool empty() const { return text_ == "{}"; }
  friend bool operator==(const RawObject&, const RawObject&) = default;

 private:
  std::string text_ = "{}";
};

/// Parses one text. The error says where and why.
Result<json::value> parse_json(std::string_view text,
                               std::size_t depth_max = limits::kJsonDepthMax);

/// Parses many texts one after the other, reusing its memory: about half the cost of parse_json.
/// A returned value lives until the next call, and so does a plain copy of any part of it, which
/// uses the reader's memory too: keep one with `json::value(part, json::storage_ptr())`.
class JsonReader {
 public:
  JsonReader();
  Result<const json::value*> parse(std::string_view text);
  /// Lone surrogate escapes replaced so far.
  [[nodiscard]] std::size_t repaired() const { return repaired_; }

 private:
  Result<json::value> parse_once(std::string_view text);

  std::vector<unsigned char> memory_;
  json::stream_parser parser_;
  json::value value_;
  std::size_t repaired_ = 0;
};

/// Appends `text` with JSON's escapes, without the quotes. Invalid UTF-8 must be repaired before.
void append_escaped(std::string& out, std::string_view text);
/// Appends `text` as a JSON string, with quotes.
void append_quoted(std::string& out, std::string_view text);
/// Appends a value; a number that JSON cannot say becomes null.
void append_json(std::string& out, const json::value& value);

/// `object[key]` as a string, or empty when it is absent or something else.
std::string_view string_at(const json::object& object, std::string_view key);
/// `object[key]` as an object, or null.
const json::object* object_at(const json::object& object, std::string_view key);
/// `object[key]` as an array, or null.
const json::array* array_at(const json::object& object, std::string_view key);
/// `object[key]` as a bool, or `otherwise`.
bool bool_at(const json::object& object, std::string_view key, bool otherwise = false);
/// A number to twelve digits. The parser may miss the last bit of a longer one, so that what is
/// read, written and read again would drift; infinite when twelve digits of it are beyond a double.
double read_double(const json::value& number);
/// `object[key]` as a number, or `otherwise`.
double number_at(const json::object& object, std::string_view key, double otherwise = 0);

}  // namespace lb
