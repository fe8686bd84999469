#include "server/notice_board.h"

namespace lb {

void NoticeBoard::post(const std::string& key, std::string message) {
  if (const auto old = by_key_.find(key); old != by_key_.end()) notices_.erase(old->second);
  const Number number = ++head_;
  by_key_[key] = number;
  notices_[number] = {key, std::make_shared<const std::string>(std::move(message)), nullptr};
}

void NoticeBoard::skip(std::string_view message, const void* reader) {
  for (auto& [number, notice] : notices_) {
    if (*notice.message == message) notice.except = reader;
  }
}

std::vector<NoticeBoard::Message> NoticeBoard::take(Number& since, const void* reader,
                                                    std::size_t bytes_max) const {
  std::vector<Message> out;
  std::size_t bytes = 0;
  for (auto at = notices_.upper_bound(since); at != notices_.end(); ++at) {
    since = at->first;
    if (at->second.except == reader) continue;
    out.push_back(at->second.message);
    bytes += out.back()->size();
    if (bytes >= bytes_max) return out;
  }
  since = head_;
  return out;
}

void NoticeBoard::forget_up_to(Number number) {
  while (!notices_.empty() && notices_.begin()->first <= number) {
    by_key_.erase(notices_.begin()->second.key);
    notices_.erase(notices_.begin());
  }
}

}  // namespace lb
