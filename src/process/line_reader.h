/// LineReader: bytes of a child's stdout in, lines out, however the bytes were cut.
///
/// A line ends with LF or CRLF. A byte order mark at the start of the stream is dropped. Bytes
/// that are no UTF-8 become U+FFFD. A line of more than `bytes_max` bytes is
/// delivered with its beginning and its true size as soon as it ends; the rest of it is dropped as
/// it arrives, so memory stays bounded. Time is linear in the bytes.
///
/// Pure: no clock, no descriptor. Owned by the process that feeds it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "process/agent_process.h"

namespace lb {

class LineReader {
 public:
  explicit LineReader(std::size_t bytes_max = limits::kLineBytesMax,
                      std::size_t kept_max = limits::kTruncatedLineBytes)
      : bytes_max_(bytes_max), kept_max_(kept_max) {}

  /// Takes more bytes. Take all lines with `next` before feeding again.
  void feed(std::string_view bytes);
  /// The next whole line, or nothing until more is fed.
  std::optional<Line> next();
  /// The stream has ended: what is left of an unfinished line, marked partial, once.
  std::optional<Line> finish();

  /// Bytes held for a line that has not ended.
  [[nodiscard]] std::size_t held_bytes() const { return buffer_.size() - begin_; }

 private:
  Line take(std::size_t end);
  void drop_excess();

  std::size_t bytes_max_;
  std::size_t kept_max_;
  std::string buffer_;
  std::size_t begin_ = 0;    // Where the line in progress begins in buffer_.
  std::size_t scanned_ = 0;  // Up to here there is no line end.
  std::size_t excess_ = 0;   // Bytes of the line in progress that were dropped.
  bool excess_ends_with_cr_ = false;
  bool at_start_ = true;  // Of the stream: a byte order mark may follow.
};

}  // namespace lb
