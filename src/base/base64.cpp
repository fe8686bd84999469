#include "base/base64.h"

#include <cstddef>
#include <cstdint>

namespace lb {

std::string to_base64(std::string_view bytes) {
  static constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto byte = at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U;
      group = group << 8U | byte;
    }
    const std::size_t left = bytes.size() - at;
    text += kAlphabet[group >> 18U & 63U];
    text += kAlphabet[group >> 12U & 63U];
    text += left > 1 ? kAlphabet[group >> 6U & 63U] : '=';
    text += left > 2 ? kAlphabet[group & 63U] : '=';
  }
  return text;
}

}  // namespace lb
