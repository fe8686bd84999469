#include "stream/batcher.h"

#include <algorithm>

#include "base/utf8.h"

namespace lb {

void WordCounter::add(std::string_view piece) {
  for (std::size_t at = 0; at < piece.size();) {
    const auto byte = static_cast<unsigned char>(piece[at]);
    bool space = false;
    std::size_t bytes = 1;
    if (byte < 0x80U) {
      space = byte == ' ' || (byte >= 0x09U && byte <= 0x0DU);
    } else {
      const CodePoint point = decode_utf8(piece, at);
      space = point.valid && is_js_space(point.value);
      bytes = point.bytes;
    }
    if (!space && !in_word_) ++words_;
    in_word_ = !space;
    at += bytes;
  }
}

Batcher::Batcher(const BatcherOptions& options) : options_(options) {
  if (options_.gradient.empty()) options_.gradient = BatcherOptions{}.gradient;
}

void Batcher::begin_with(std::string_view initial, MonoMs now) {
  take(initial, now);
}

void Batcher::take(std::string_view piece, MonoMs now) {
  if (piece.empty()) return;
  if (text_.size() == bytes_emitted_) oldest_unseen_ = now;
  append_within_limit(text_, piece);
  counter_.add(piece);
  last_delta_ = now;
}

bool Batcher::add(std::string_view delta, MonoMs now) {
  take(delta, now);
  if (pending() <= threshold(step_)) return false;
  emitted();
  return true;
}

std::optional<MonoMs> Batcher::deadline() const {
  std::optional<MonoMs> at;
  if (pending() > 0) at = last_delta_ + options_.idle_ms;
  if (options_.age_ms > 0 && text_.size() > bytes_emitted_) {
    const MonoMs age = oldest_unseen_ + options_.age_ms;
    at = at ? std::min(*at, age) : age;
  }
  return at;
}

bool Batcher::tick(MonoMs now) {
  const auto due = deadline();
  if (!due || now < *due) return false;
  emitted();
  return true;
}

bool Batcher::flush() {
  if (pending() <= 0) return false;
  emitted();
  return true;
}

void Batcher::emitted() {
  // One emission may cross several thresholds; a threshold of 0 or less would never be used up.
  for (std::int64_t rest = pending(); rest > threshold(step_) && threshold(step_) > 0;) {
    rest -= threshold(step_);
    ++step_;
  }
  words_emitted_ = counter_.words();
  bytes_emitted_ = text_.size();
}

std::int64_t Batcher::threshold(std::uint64_t step) const {
  return options_.gradient[std::min<std::uint64_t>(step, options_.gradient.size() - 1)];
}

}  // namespace lb
