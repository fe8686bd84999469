#include "session/reader.h"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "base/metrics.h"
#include "session/live_timeline.h"

namespace lb {
namespace {

Gauge& readers_gauge() {
  static Gauge& readers = gauge("lb_readers", "Followers of timelines.");
  return readers;
}

FrameKind kind_of(EntryKind kind) {
  return kind == EntryKind::Item ? FrameKind::Upsert : FrameKind::Turn;
}

}  // namespace

Reader::Reader(std::shared_ptr<LiveTimeline> timeline, Start start)
    : impl_(std::make_shared<Impl>(timeline, start)) {
  timeline->readers_.push_back(impl_);
  readers_gauge().add(1);
  timeline->notify();
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

Reader::Impl::Impl(std::shared_ptr<LiveTimeline> timeline, Start start)
    : cursor(start.since),
      timeline_(std::move(timeline)),
      form_(start.form),
      caught_up_(start.has_everything) {
  ended = timeline_->ended_;
}

void Reader::Impl::detach() {
  on_ready = nullptr;
  std::erase_if(timeline_->readers_, [this](const auto& one) { return one.get() == this; });
  timeline_->rest();
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
  if (!ended && page_.empty() && timeline_->visible() <= cursor) return;
  if (!ended && must_wait()) return;
  tell();
}

/// True while only known text grows and this reader had its share in this step.
bool Reader::Impl::must_wait() {
  if (form_ == ReadForm::Appends || !caught_up_ || cursor < timeline_->timeline_.floor() ||
      timeline_->timeline_.urgent_since(cursor)) {
    return false;
  }
  return !timeline_->may_show_growth(cursor);
}

std::vector<FramePtr> Reader::Impl::next(std::size_t bytes_max) {
  told_ = false;
  live = caught_up_ && page_.empty();
  if (ended || reading_) return {};
  if (!page_.empty()) return next_of_page(bytes_max);
  Timeline& timeline = timeline_->timeline_;
  if (timeline.visible() <= cursor) return {};
  if (cursor < timeline.floor()) {
    reading_ = true;
    // From the loop, not from here: a store that answers at once would call on_ready inside `next`.
    asio::post(timeline_->deps_.io, [self = shared_from_this()] {
      asio::co_spawn(self->timeline_->deps_.io, read_page(self), asio::detached);
    });
    return {};
  }
  if (must_wait()) return {};
  const ReadForm form = caught_up_ ? form_ : ReadForm::Whole;
  Timeline::Changes changes = timeline.changes_since(cursor, form, bytes_max);
  cursor = changes.rev;
  caught_up_ = caught_up_ || cursor >= timeline.visible();
  return std::move(changes.frames);
}

std::vector<FramePtr> Reader::Impl::next_of_page(std::size_t bytes_max) {
  std::vector<FramePtr> frames;
  for (std::size_t bytes = 0; page_at_ < page_.size() && bytes < bytes_max; ++page_at_) {
    bytes += page_[page_at_]->json.size();
    frames.push_back(std::move(page_[page_at_]));
  }
  if (!frames.empty()) cursor = frames.back()->rev;
  if (page_at_ == page_.size()) {
    page_.clear();
    cursor = std::max(cursor, page_upto_);
  }
  return frames;
}

/// What the timeline let go comes from the store, merged with what it still has of that range: the
/// entries that are open, and were changed long ago.
asio::awaitable<void> Reader::Impl::read_page(std::shared_ptr<Impl> self) {
  LiveTimeline& live = *self->timeline_;
  const Revision since = self->cursor;
  const Revision floor = live.timeline_.floor();
  auto read =
      co_await live.deps_.store.read_since(live.id(), since, floor, limits::kStorePageBytes);
  self->reading_ = false;
  if (!read) {
    self->end(read.error());
    co_return;
  }
  const Revision upto = read->more ? read->entries.back().rev : floor;
  std::vector<FramePtr>& page = self->page_;
  for (const StoredEntry& entry : read->entries) {
    page.push_back(frame_from_payload(kind_of(entry.kind), live.id().str(), entry.rev, entry.pos,
                                      entry.payload));
  }
  for (Revision at = since; at < upto;) {
    constexpr std::size_t kAtOnce = 64U << 10U;
    Timeline::Changes changes = live.timeline_.changes_since(at, ReadForm::Whole, kAtOnce);
    for (FramePtr& frame : changes.frames) {
      if (frame->rev <= upto) page.push_back(std::move(frame));
    }
    at = changes.rev;
    if (changes.frames.empty()) break;
  }
  const auto rev_of = [](const FramePtr& frame) { return frame->rev; };
  std::ranges::sort(page, {}, rev_of);
  const auto twice = std::ranges::unique(page, {}, rev_of);
  page.erase(twice.begin(), twice.end());
  self->page_at_ = 0;
  self->page_upto_ = upto;
  self->caught_up_ = false;
  if (page.empty()) self->cursor = upto;
  self->tell();
}

}  // namespace lb
