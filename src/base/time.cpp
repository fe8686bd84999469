#include "base/time.h"

#include <fmt/format.h>

namespace lb {
namespace {

/// Reads exactly `digits` decimal digits at `at`; -1 where something else stands.
int digits_at(std::string_view text, std::size_t at, std::size_t digits) {
  int value = 0;
  for (std::size_t i = at; i < at + digits; ++i) {
    if (i >= text.size() || text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

/// Milliseconds of `.123456` (any number of digits); -1 when malformed. Moves `at` past it.
int fraction_at(std::string_view text, std::size_t& at) {
  if (at >= text.size() || text[at] != '.') return 0;
  int ms = 0;
  int count = 0;
  for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at, ++count) {
    if (count < 3) ms = ms * 10 + (text[at] - '0');
  }
  if (count == 0) return -1;
  for (; count < 3; ++count) ms *= 10;
  return ms;
}

}  // namespace

std::string to_iso(Timestamp time) {
  using namespace std::chrono;
  const sys_time<milliseconds> at{milliseconds{time.ms}};
  const auto day = floor<days>(at);
  const year_month_day date{day};
  const hh_mm_ss clock{at - day};
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::optional<Timestamp> from_iso(std::string_view text) {
  using namespace std::chrono;
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' ||
      text[16] != ':') {
    return std::nullopt;
  }
  const int y = digits_at(text, 0, 4);
  const int mo = digits_at(text, 5, 2);
  const int d = digits_at(text, 8, 2);
  const int h = digits_at(text, 11, 2);
  const int mi = digits_at(text, 14, 2);
  const int s = digits_at(text, 17, 2);
  if (y < 0 || mo < 1 || d < 1 || h < 0 || h > 23 || mi < 0 || mi > 59 || s < 0 || s > 59) {
    return std::nullopt;
  }
  const year_month_day date{year{y}, month{static_cast<unsigned>(mo)},
                            day{static_cast<unsigned>(d)}};
  std::size_t at = 19;
  const int ms = fraction_at(text, at);
  if (!date.ok() || ms < 0 || at + 1 != text.size() || text[at] != 'Z') return std::nullopt;
  const auto since_epoch =
      sys_days{date}.time_since_epoch() + hours{h} + minutes{mi} + std::chrono::seconds{s};
  return Timestamp{duration_cast<milliseconds>(since_epoch).count() + ms};
}

}  // namespace lb
