/// Batcher: decides when growing text becomes an upsert. One per open text.
///
/// Early emissions are frequent and later ones rarer (the gradient, in words since the last
/// emission, strictly exceeded); a stream that goes quiet shows what it holds (idle), and nothing
/// waits longer than the age limit, whether or not it has a space in it. Words are counted as they
/// arrive, so the cost is linear in the text.
///
/// Pure: time is an input. When add() or tick() returns true the caller emits text() as it is now.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/text.h"
#include "base/time.h"

namespace lb {

struct BatcherOptions {
  /// Words since the last emission that must be exceeded; the last one repeats. Empty: default.
  std::vector<std::int64_t> gradient = {10, 20, 40, 80, 120};
  MonoMs idle_ms = limits::kBatchIdleMs;
  MonoMs age_ms = limits::kBatchAgeMs;  // 0: off
};

/// Counts maximal runs of what JavaScript's \S matches, over text that arrives in pieces.
class WordCounter {
 public:
  void add(std::string_view piece);
  [[nodiscard]] std::int64_t words() const { return words_; }

 private:
  std::int64_t words_ = 0;
  bool in_word_ = false;
};

class Batcher {
 public:
  explicit Batcher(const BatcherOptions& options = {});

  /// Text that was there when the item began: counted as unseen, but never a reason to emit.
  void begin_with(std::string_view initial, MonoMs now);
  /// True: emit now.
  [[nodiscard]] bool add(std::string_view delta, MonoMs now);
  /// When tick() has something to decide; nothing while nothing waits.
  [[nodiscard]] std::optional<MonoMs> deadline() const;
  /// True: emit now.
  [[nodiscard]] bool tick(MonoMs now);
  /// True when words wait that nobody has seen; the caller is about to emit them.
  [[nodiscard]] bool flush();

  [[nodiscard]] const Text& text() const { return text_; }

 private:
  void take(std::string_view piece, MonoMs now);
  void emitted();
  [[nodiscard]] std::int64_t threshold(std::uint64_t step) const;
  [[nodiscard]] std::int64_t pending() const { return counter_.words() - words_emitted_; }

  BatcherOptions options_;
  Text text_;
  WordCounter counter_;
  std::int64_t words_emitted_ = 0;
  std::uint64_t step_ = 0;
  std::size_t bytes_emitted_ = 0;
  MonoMs last_delta_ = 0;
  MonoMs oldest_unseen_ = 0;
};

}  // namespace lb
