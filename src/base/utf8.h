/// UTF-8 as it arrives from children and leaves for browsers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lb {

/// One decoded code point and how many bytes it took; `valid` is false for a byte that starts none.
struct CodePoint {
  char32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;
};
CodePoint decode_utf8(std::string_view text, std::size_t at);

bool is_valid_utf8(std::string_view text);

/// Replaces every ill-formed sequence by U+FFFD; returns how many were replaced.
std::size_t repair_utf8(std::string& text);

/// Length as a browser counts it: UTF-16 code units. The text must be valid UTF-8.
std::size_t utf16_length(std::string_view text);

/// The longest prefix of at most `bytes_max` bytes that does not cut a code point.
std::string_view utf8_prefix(std::string_view text, std::size_t bytes_max);
/// The longest suffix of at most `bytes_max` bytes that does not cut a code point.
std::string_view utf8_suffix(std::string_view text, std::size_t bytes_max);

/// ASCII letters in lower case, all else as it is.
constexpr char lower_letter(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
std::string ascii_lower(std::string_view text);

/// White space as JavaScript's \s knows it.
bool is_js_space(char32_t c);

}  // namespace lb
