/// LargeMessage: what is kept of a message that is too large to be taken.
///
/// It is read to its end, so that the connection goes on, and forgotten piece by piece: only its
/// length and its two ends stay, where its requestId stands in what every client of ours writes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lb {

class LargeMessage {
 public:
  void add(std::string_view piece);
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  /// Of its first field or its last; nothing when it is neither.
  [[nodiscard]] std::optional<std::string> request_id() const;

 private:
  std::string head_;
  std::string tail_;
  std::uint64_t bytes_ = 0;
};

}  // namespace lb
