// Any bytes in any pieces: the lines are those of the whole, valid UTF-8, and memory is bounded.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"
#include "process/line_reader.h"

namespace {

constexpr std::size_t kBytesMax = 64;
constexpr std::size_t kKept = 16;

std::vector<lb::Line> read(std::string_view stream, std::size_t piece) {
  lb::LineReader reader(kBytesMax, kKept);
  std::vector<lb::Line> lines;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    reader.feed(stream.substr(at, piece));
    while (auto line = reader.next()) lines.push_back(std::move(*line));
    if (reader.held_bytes() > kBytesMax + 8) std::abort();
  }
  if (auto last = reader.finish()) lines.push_back(std::move(*last));
  return lines;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view stream(reinterpret_cast<const char*>(data) + 1, size - 1);
  const auto pieces = read(stream, 1 + data[0] % 80U);
  const auto whole = read(stream, stream.size() + 1);
  if (pieces.size() != whole.size()) std::abort();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (pieces[i].text != whole[i].text || pieces[i].bytes != whole[i].bytes ||
        pieces[i].truncated != whole[i].truncated || pieces[i].partial != whole[i].partial ||
        !lb::is_valid_utf8(whole[i].text)) {
      std::abort();
    }
  }
  return 0;
}
