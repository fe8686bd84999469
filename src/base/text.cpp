#include "base/text.h"

#include <fmt/format.h>

#include "base/limits.h"
#include "base/metrics.h"
#include "base/utf8.h"

namespace lb {

void append_within_limit(Text& text, std::string_view more) {
  if (text.size() + more.size() <= limits::kGrowingBytesMax) {
    text.append(more);
    return;
  }
  static Counter& dropped = counter("lb_text_dropped_bytes_total", "Bytes beyond a text's limit.");
  const bool full = text.size() > limits::kGrowingBytesMax;  // It ends with our words already.
  const std::size_t room = full ? 0 : limits::kGrowingBytesMax - text.size();
  const std::string_view fits = utf8_prefix(more, room);
  dropped.add(more.size() - fits.size());
  if (full) return;
  text.append(fits);
  text.append(fmt::format("\n[Cut: longer than {} MiB.]", limits::kGrowingBytesMax >> 20U));
}

}  // namespace lb
