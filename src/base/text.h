/// Text that only grows, shared between the one who writes it and all who hold an earlier form.
///
/// An upsert carries the whole text of its item, thousands of times while a model streams. Copying
/// a Text copies a pointer and a length; appending to the newest copy writes into the shared
/// buffer and leaves every older copy as it was. So "each upsert carries the full content" costs
/// nothing, and `grew_from` tells the timeline that only the tail is new.
///
/// Appending to a copy that is not the newest forks the buffer. A view is valid until the next
/// append to any copy of the same buffer. Not for use from several threads.
#pragma once

#include <cassert>
#include <memory>
#include <string>
#include <string_view>

namespace lb {

class Text {
 public:
  Text() = default;
  Text(std::string text)  // NOLINT(google-explicit-constructor): a Text is a string that can grow.
      : size_(text.size()),
        buffer_(text.empty() ? nullptr : std::make_shared<std::string>(std::move(text))) {}
  Text(std::string_view text) : Text(std::string(text)) {}  // NOLINT(google-explicit-constructor)
  Text(const char* text) : Text(std::string(text)) {}       // NOLINT(google-explicit-constructor)

  [[nodiscard]] std::string_view view() const {
    return buffer_ ? std::string_view(buffer_->data(), size_) : std::string_view();
  }
  [[nodiscard]] std::string str() const { return std::string(view()); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }

  void append(std::string_view more) {
    if (more.empty()) return;
    if (!buffer_) {
      buffer_ = std::make_shared<std::string>(more);
    } else {
      if (buffer_->size() != size_) buffer_ = std::make_shared<std::string>(view());
      buffer_->append(more);
    }
    size_ += more.size();
  }

  /// True when this is `older` with nothing or something appended, known without comparing text.
  [[nodiscard]] bool grew_from(const Text& older) const {
    return older.size_ == 0 || (buffer_ == older.buffer_ && size_ >= older.size_);
  }
  /// What came after `older`; only where grew_from holds.
  [[nodiscard]] std::string_view since(const Text& older) const {
    assert(grew_from(older));
    return view().substr(older.size_);
  }

  friend bool operator==(const Text& a, const Text& b) {
    return a.size_ == b.size_ && (a.buffer_ == b.buffer_ || a.view() == b.view());
  }

 private:
  std::size_t size_ = 0;
  std::shared_ptr<std::string> buffer_;
};

/// Appends, but not beyond limits::kGrowingBytesMax: there the text says that it was cut, and what
/// comes after is only counted. One that writes without end must not take the machine's memory.
void append_within_limit(Text& text, std::string_view more);

}  // namespace lb
