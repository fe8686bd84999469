#include "session/live/reader.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/metrics.h"
#include "session/live/timeline_source.h"

namespace lb {
namespace {

Gauge& readers_gauge() {
  static Gauge& readers = gauge("lb_readers", "Followers of timelines.");
  return readers;
}

}  // namespace

class Reader::Impl final : public TimelineFollower,
                           public std::enable_shared_from_this<Reader::Impl> {
 public:
  Impl(std::shared_ptr<TimelineSource> source, Start start)
      : cursor(start.since),
        source_(std::move(source)),
        form_(start.form),
        caught_up_(start.has_everything) {}

  void attach() { ended = source_->follow(shared_from_this()); }
  void detach() {
    on_ready = nullptr;
    source_->leave(*this);
  }
  void wake() override;
  void end(const Error& why) override;
  std::vector<FramePtr> next(std::size_t bytes_max);

  std::function<void()> on_ready;
  Revision cursor = 0;
  std::optional<Error> ended;
  bool live = false;

 private:
  [[nodiscard]] TimelineSource::Ask ask(std::size_t bytes_max = SIZE_MAX) const {
    return {cursor, form_, caught_up_, bytes_max};
  }
  void tell();
  std::vector<FramePtr> next_of_page(std::size_t bytes_max);
  static asio::awaitable<void> read_page(std::shared_ptr<Impl> self);

  std::shared_ptr<TimelineSource> source_;
  ReadForm form_;
  bool caught_up_;
  bool told_ = false;          // on_ready was called and `next` not yet.
  bool reading_ = false;       // The pool reads a page.
  TimelineSource::Page page_;  // What came from the store; handed out from page_at_ on.
  std::size_t page_at_ = 0;
};

Reader::Reader(std::shared_ptr<TimelineSource> source, Start start)
    : impl_(std::make_shared<Impl>(std::move(source), start)) {
  impl_->attach();
  readers_gauge().add(1);
}

Reader::~Reader() {
  impl_->detach();
  readers_gauge().add(-1);
}

void Reader::on_ready(std::function<void()> callback) {
  impl_->on_ready = std::move(callback);
}
std::vector<FramePtr> Reader::next(std::size_t bytes_max) {
  return impl_->next(bytes_max);
}
Revision Reader::cursor() const {
  return impl_->cursor;
}
bool Reader::live() const {
  return impl_->live;
}
const std::optional<Error>& Reader::ended() const {
  return impl_->ended;
}

void Reader::Impl::end(const Error& why) {
  ended = why;
  tell();
}

void Reader::Impl::tell() {
  if (std::exchange(told_, true)) return;
  const auto call = on_ready;  // It may replace or destroy us.
  if (call) call();
}

void Reader::Impl::wake() {
  if (told_ || reading_) return;
  if (!ended && page_.frames.empty() && !source_->has_news(ask())) return;
  tell();
}

std::vector<FramePtr> Reader::Impl::next(std::size_t bytes_max) {
  told_ = false;
  live = caught_up_ && page_.frames.empty();
  if (ended || reading_) return {};
  if (!page_.frames.empty()) return next_of_page(bytes_max);
  TimelineSource::Answer answer = source_->next(ask(bytes_max));
  if (answer.have == TimelineSource::Have::Nothing) return {};
  if (answer.have == TimelineSource::Have::Older) {
    reading_ = true;
    // From the loop, not from here: a store that answers at once would call on_ready inside `next`.
    asio::post(source_->executor(), [self = shared_from_this()] {
      asio::co_spawn(self->source_->executor(), read_page(self), asio::detached);
    });
    return {};
  }
  cursor = answer.changes.rev;
  caught_up_ = caught_up_ || cursor >= source_->visible();
  return std::move(answer.changes.frames);
}

std::vector<FramePtr> Reader::Impl::next_of_page(std::size_t bytes_max) {
  std::vector<FramePtr> frames;
  for (std::size_t bytes = 0; page_at_ < page_.frames.size() && bytes < bytes_max; ++page_at_) {
    bytes += page_.frames[page_at_]->json.size();
    frames.push_back(std::move(page_.frames[page_at_]));
  }
  if (!frames.empty()) cursor = frames.back()->rev;
  if (page_at_ == page_.frames.size()) {
    page_.frames.clear();
    cursor = std::max(cursor, page_.upto);
  }
  return frames;
}

asio::awaitable<void> Reader::Impl::read_page(std::shared_ptr<Impl> self) {
  auto page = co_await self->source_->read_older(self->cursor);
  self->reading_ = false;
  if (!page) {
    self->end(page.error());
    co_return;
  }
  self->page_ = std::move(*page);
  self->page_at_ = 0;
  self->caught_up_ = false;
  if (self->page_.frames.empty()) self->cursor = self->page_.upto;
  self->tell();
}

}  // namespace lb
