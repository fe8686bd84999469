/// NoticeBoard: what every connection is told, synchronised instead of queued.
///
/// News about projects, sessions and agents are states too: only the newest form of each matters.
/// Each is posted under a key with the next number; a connection holds the number it has seen and
/// asks for what came after. So a client that does not read costs nothing here either.
/// Owned by the Hub; lives on the io thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lb {

class NoticeBoard {
 public:
  using Number = std::uint64_t;
  using Message = std::shared_ptr<const std::string>;

  /// Replaces what was posted under `key`.
  void post(const std::string& key, std::string message);
  /// `reader` got this very message as the answer to its own request: it is not told again.
  void skip(std::string_view message, const void* reader);

  /// Messages after `since`, oldest first, until `bytes_max` is reached; moves `since` on.
  std::vector<Message> take(Number& since, const void* reader, std::size_t bytes_max) const;

  [[nodiscard]] Number head() const { return head_; }
  [[nodiscard]] std::size_t size() const { return notices_.size(); }
  /// Everyone has seen everything up to `number`.
  void forget_up_to(Number number);

 private:
  struct Notice {
    std::string key;
    Message message;
    const void* except = nullptr;
  };
  Number head_ = 0;
  std::map<Number, Notice> notices_;
  std::unordered_map<std::string, Number> by_key_;
};

}  // namespace lb
