// Reading a timeline, as a follower or as a whole: what the store has is merged with what is in
// memory.
//
// Memory is looked at first and the store afterwards. An entry that is let go in between is in the
// frames that were taken before; an entry that was let go earlier is final, durable and at or below
// the floor, so the store has it. Nothing can fall between the two.

#include <algorithm>
#include <map>
#include <utility>

#include "session/live/live_timeline.h"

namespace lb {
namespace {

FramePtr frame_of(const SessionId& session, const StoredEntry& entry) {
  return frame_from_payload(entry.kind == EntryKind::Item ? FrameKind::Upsert : FrameKind::Turn,
                            session.str(), entry.rev, entry.pos, entry.payload);
}

void put_in(History& history, FramePtr frame) {
  auto& list = frame->kind == FrameKind::Turn ? history.turns : history.items;
  list.push_back(std::move(frame));
}

}  // namespace

std::optional<Error> LiveTimeline::follow(std::shared_ptr<TimelineFollower> follower) {
  readers_.push_back(std::move(follower));
  notify();
  return ended_;
}

void LiveTimeline::leave(const TimelineFollower& follower) {
  std::erase_if(readers_, [&](const auto& one) { return one.get() == &follower; });
  release();
}

bool LiveTimeline::must_wait(const Ask& ask) {
  if (ask.form == ReadForm::Appends || !ask.caught_up || ask.cursor < timeline_.floor() ||
      timeline_.urgent_since(ask.cursor)) {
    return false;
  }
  return !may_show_growth(ask.cursor);
}

bool LiveTimeline::has_news(const Ask& ask) {
  return timeline_.visible() > ask.cursor && !must_wait(ask);
}

TimelineSource::Answer LiveTimeline::next(const Ask& ask) {
  if (timeline_.visible() <= ask.cursor) return {};
  if (ask.cursor < timeline_.floor()) return {Have::Older, {}};
  if (must_wait(ask)) return {};
  const ReadForm form = ask.caught_up ? ask.form : ReadForm::Whole;
  return {Have::Changes, timeline_.changes_since(ask.cursor, form, ask.bytes_max)};
}

/// What the timeline let go comes from the store, merged with what it still has of that range: the
/// entries that are open, and were changed long ago.
asio::awaitable<Result<TimelineSource::Page>> LiveTimeline::read_older(Revision since) {
  const auto self = shared_from_this();
  const Revision floor = timeline_.floor();
  auto read = co_await deps_.store.read_since(id(), since, floor, limits::kStorePageBytes);
  if (!read) co_return std::unexpected(std::move(read.error()));
  Page page;
  page.upto = read->more ? read->entries.back().rev : floor;
  for (const StoredEntry& entry : read->entries) page.frames.push_back(frame_of(id(), entry));
  for (Revision at = since; at < page.upto;) {
    constexpr std::size_t kAtOnce = 64U << 10U;
    Timeline::Changes changes = timeline_.changes_since(at, ReadForm::Whole, kAtOnce);
    for (FramePtr& frame : changes.frames) {
      if (frame->rev <= page.upto) page.frames.push_back(std::move(frame));
    }
    at = changes.rev;
    if (changes.frames.empty()) break;
  }
  const auto rev_of = [](const FramePtr& frame) { return frame->rev; };
  std::ranges::sort(page.frames, {}, rev_of);
  const auto twice = std::ranges::unique(page.frames, {}, rev_of);
  page.frames.erase(twice.begin(), twice.end());
  co_return page;
}

/// Everything is written in revision order: what is stored at or above a cursor of an earlier life
/// proves that all below it was stored as well. What that life left open has a new revision by now
/// and was noted before.
asio::awaitable<Result<bool>> LiveTimeline::remembers(Revision since) {
  if (since > visible()) co_return false;
  if (since <= found_ || since >= first_) co_return true;
  const auto self = shared_from_this();
  auto above = co_await deps_.store.read_since(id(), since - 1, first_, 1);
  if (!above) co_return std::unexpected(std::move(above.error()));
  co_return !above->entries.empty();
}

asio::awaitable<Result<History>> LiveTimeline::window(std::uint64_t before, std::uint64_t count) {
  const auto self = shared_from_this();
  History history;
  history.session_id = id();
  history.rev = timeline_.visible();
  const Revision floor = timeline_.floor();
  std::map<std::uint64_t, FramePtr> by_pos;
  for (FramePtr& frame : timeline_.snapshot()) {
    if (frame->pos < before) by_pos.emplace(frame->pos, std::move(frame));
  }
  auto page = co_await deps_.store.read_window(id(), before, count);
  if (!page) co_return std::unexpected(std::move(page.error()));
  for (const StoredEntry& entry : page->entries) {
    if (entry.rev <= floor && !by_pos.contains(entry.pos)) {
      by_pos.emplace(entry.pos, frame_of(id(), entry));
    }
  }
  bool more = page->more;
  while (by_pos.size() > count) {
    by_pos.erase(by_pos.begin());
    more = true;
  }
  if (more && !by_pos.empty()) history.before = by_pos.begin()->first;
  for (auto& [pos, frame] : by_pos) put_in(history, std::move(frame));
  co_return history;
}

asio::awaitable<Result<History>> LiveTimeline::changes(Revision since) {
  const auto self = shared_from_this();
  History history;
  history.session_id = id();
  history.rev = timeline_.visible();
  const Revision floor = timeline_.floor();
  std::map<Revision, FramePtr> by_rev;
  for (FramePtr& frame : timeline_.changes_since(since, ReadForm::Whole).frames) {
    by_rev.emplace(frame->rev, std::move(frame));
  }
  for (Revision at = since; at < floor;) {
    auto page = co_await deps_.store.read_since(id(), at, floor, limits::kStorePageBytes);
    if (!page) co_return std::unexpected(std::move(page.error()));
    for (const StoredEntry& entry : page->entries) {
      by_rev.try_emplace(entry.rev, frame_of(id(), entry));
    }
    if (!page->more) break;
    at = page->entries.back().rev;
  }
  for (auto& [rev, frame] : by_rev) put_in(history, std::move(frame));
  co_return history;
}

}  // namespace lb
