/// Points in time as the wire and the pure parts see them.
///
/// Timestamp is wall-clock time for people and records; MonoMs is what timers and limits compare.
/// Pure parts get both as inputs; only clock.h asks the system.
#pragma once

#include <chrono>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lb {

/// Milliseconds since 1970 UTC; on the wire ISO 8601 with milliseconds and Z.
struct Timestamp {
  std::int64_t ms = 0;
  friend auto operator<=>(const Timestamp&, const Timestamp&) = default;
};

/// Milliseconds of a clock that never goes back.
using MonoMs = std::int64_t;

template <class Duration>
MonoMs to_ms(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

std::string to_iso(Timestamp time);

/// Accepts `YYYY-MM-DDTHH:MM:SS[.fraction]Z` naming a real instant, nothing else.
std::optional<Timestamp> from_iso(std::string_view text);

}  // namespace lb
