#include "process/line_reader.h"

#include "base/utf8.h"

namespace lb {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
/// Beyond bytes_max only these may stand in the buffer without the line being too long: a byte
/// order mark before it and the CR of its line end.
constexpr std::size_t kSlack = kByteOrderMark.size() + 1;
/// A buffer that once held a huge line is given back.
constexpr std::size_t kBufferKept = std::size_t{1} << 20U;

/// The beginning of `text`, not cutting a code point; bytes that are no UTF-8 may be cut anywhere.
std::string_view beginning(std::string_view text, std::size_t bytes_max) {
  const std::string_view whole = utf8_prefix(text, bytes_max);
  return whole.size() + 3 >= bytes_max ? whole : text.substr(0, bytes_max);
}

}  // namespace

void LineReader::feed(std::string_view bytes) {
  buffer_.erase(0, begin_);
  scanned_ -= begin_;
  begin_ = 0;
  if (buffer_.empty() && buffer_.capacity() > kBufferKept) buffer_ = std::string();
  if (excess_ > 0) {
    // The line in progress is too long already: only its end matters.
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    if (end > 0) excess_ends_with_cr_ = bytes[end - 1] == '\r';
    excess_ += end;
    bytes.remove_prefix(end);
  }
  buffer_ += bytes;
}

std::optional<Line> LineReader::next() {
  const std::size_t end = buffer_.find('\n', scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size();
    drop_excess();
    return std::nullopt;
  }
  Line line = take(end);
  begin_ = end + 1;
  scanned_ = begin_;
  return line;
}

std::optional<Line> LineReader::finish() {
  if (at_start_ && std::string_view(buffer_) == kByteOrderMark) return std::nullopt;
  if (held_bytes() == 0 && excess_ == 0) return std::nullopt;
  Line line = take(buffer_.size());
  line.partial = true;
  begin_ = buffer_.size();
  scanned_ = begin_;
  return line;
}

/// The line in progress cannot become a whole one any more: keep its beginning only.
void LineReader::drop_excess() {
  if (excess_ > 0 || held_bytes() <= bytes_max_ + kSlack) return;
  const std::size_t kept = std::min(kept_max_, bytes_max_) + kSlack;
  excess_ = held_bytes() - kept;
  excess_ends_with_cr_ = buffer_.back() == '\r';
  buffer_ = buffer_.substr(begin_, kept);
  begin_ = 0;
  scanned_ = kept;
}

/// Makes the line in [begin_, end) of the buffer, plus what was dropped behind it.
Line LineReader::take(std::size_t end) {
  std::string_view text = std::string_view(buffer_).substr(begin_, end - begin_);
  if (std::exchange(at_start_, false) && text.starts_with(kByteOrderMark)) {
    text.remove_prefix(kByteOrderMark.size());
  }
  Line line;
  line.bytes = text.size() + excess_;
  if (excess_ > 0 ? excess_ends_with_cr_ : text.ends_with('\r')) {
    --line.bytes;
    if (excess_ == 0) text.remove_suffix(1);
  }
  line.truncated = line.bytes > bytes_max_;
  if (line.truncated) text = beginning(text, std::min(kept_max_, bytes_max_));
  line.text = text;
  repair_utf8(line.text);
  excess_ = 0;
  excess_ends_with_cr_ = false;
  return line;
}

}  // namespace lb
