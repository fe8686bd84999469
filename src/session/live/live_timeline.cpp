#include "session/live/live_timeline.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <cassert>
#include <chrono>
#include <utility>

#include "base/arrival.h"

namespace lb {
namespace {

/// The next moment at which growing text goes to the store, the same one for all sessions: fifty
/// that grow at once then wake the writer once, not fifty times between what they say.
asio::steady_timer::time_point next_round(asio::steady_timer::time_point now) {
  constexpr std::chrono::milliseconds kRound(limits::kFlushMs);
  return now - now.time_since_epoch() % kRound + kRound;
}

}  // namespace

LiveTimeline::LiveTimeline(LiveTimelineDeps deps, const std::shared_ptr<DormantSession>& kept)
    : deps_(std::move(deps)),
      record_(kept, &kept->record),
      timeline_(record_->id, {kept->numbers.head, kept->numbers.next_pos}),
      first_(kept->numbers.first),
      found_(kept->numbers.found),
      active_(kept->numbers.active),
      activating_(deps_.io),
      flush_timer_(deps_.io),
      stored_(deps_.io),
      step_at_(deps_.clock.mono() - limits::kReaderPaceMs),
      step_timer_(deps_.io) {
  pending_.session = record_->id;
}

asio::awaitable<Result<void>> LiveTimeline::activate() {
  const auto self = shared_from_this();
  const auto alone = co_await activating_.lock();
  if (active_) co_return Result<void>{};
  record_->reserved = timeline_.head() + limits::kRevisionBlock;
  record_->next_pos = timeline_.next_pos() + limits::kRevisionBlock;
  WriteBatch batch;
  batch.sessions.emplace_back().session = record_->id;
  batch.sessions.back().record = *record_;
  auto done = co_await deps_.store.commit(std::move(batch));
  active_ = done.has_value();
  co_return done;
}

Timeline::Put LiveTimeline::put(Item item) {
  assert(active_);
  const ItemId id = item.item_id;
  const Timeline::Put put = timeline_.put(std::move(item), Arrival::us());
  if (put.kind == Timeline::PutKind::Refused) return put;
  const auto [dirty, fresh] = dirty_items_.try_emplace(id);
  if (fresh) dirty_items_order_.push_back(id);
  if (!put.grew) dirty->second.form = true;
  after_put(put);
  return put;
}

Timeline::Put LiveTimeline::put(Turn turn) {
  assert(active_);
  const TurnId id = turn.turn_id;
  const Timeline::Put put = timeline_.put(std::move(turn), Arrival::us());
  if (put.kind == Timeline::PutKind::Refused) return put;
  if (std::ranges::find(dirty_turns_, id) == dirty_turns_.end()) dirty_turns_.push_back(id);
  after_put(put);
  return put;
}

void LiveTimeline::after_put(const Timeline::Put& put) {
  reserve_ahead();
  flush_soon(put.kind == Timeline::PutKind::Durable && !bulk_);
  notify();
}

/// Half a block is left when the next one is asked for: no agent says that much during one commit,
/// and while the store cannot write, agents are held back.
void LiveTimeline::reserve_ahead() {
  if (timeline_.head() + limits::kRevisionBlock / 2 < record_->reserved) return;
  record_->reserved += limits::kRevisionBlock;
  record_->next_pos += limits::kRevisionBlock;
  save_record();
  flush_soon(true);
}

void LiveTimeline::put_output(OutputPut output) {
  pending_.outputs.push_back(std::move(output));
}

void LiveTimeline::put_prompt(PromptRecord prompt) {
  pending_.prompts.push_back(std::move(prompt));
  flush_soon(true);
}

void LiveTimeline::save_record() {
  pending_.record = *record_;
  flush_soon(false);
}

void LiveTimeline::save_facts(std::string facts) {
  pending_.facts = std::move(facts);
  flush_soon(false);
}

bool LiveTimeline::idle() {
  release();
  const bool written = durable_ == written_ && !flush_posted_ && !flush_timed_ &&
                       !pending_.record && !pending_.facts && pending_.outputs.empty() &&
                       pending_.prompts.empty();
  return written && readers_.empty() && !activating_.locked() && timeline_.size() == 0;
}

TimelineNumbers LiveTimeline::numbers() const {
  return {timeline_.head(), timeline_.next_pos(), first_, found_, active_};
}

/// `now` still means "after what runs": what one handler puts goes to the store together.
void LiveTimeline::flush_soon(bool now) {
  if (now) {
    if (std::exchange(flush_posted_, true)) return;
    asio::post(deps_.io, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->flush();
    });
    return;
  }
  if (flush_posted_ || std::exchange(flush_timed_, true)) return;
  flush_timer_.expires_at(next_round(asio::steady_timer::clock_type::now()));
  flush_timer_.async_wait([weak = weak_from_this()](boost::system::error_code why) {
    const auto self = weak.lock();
    if (self && !why) self->flush();
  });
}

EntryPut LiveTimeline::entry_put(const ItemId& id) {
  const Item* open = timeline_.open_item(id);
  if (open == nullptr) {
    stored_text_.erase(id);
  } else if (const GrowingText growing = growing_text(*open); growing.text != nullptr) {
    stored_text_[id] = growing.text->size();
  }
  return {EntryKind::Item, id.str(), timeline_.form_of(id), open != nullptr};
}

/// What the text has beyond what is stored; nothing when only a whole form will do.
std::optional<GrowthPut> LiveTimeline::growth_put(const ItemId& id) {
  const Item* open = timeline_.open_item(id);
  const auto stored = stored_text_.find(id);
  if (open == nullptr || stored == stored_text_.end()) return std::nullopt;
  const GrowingText growing = growing_text(*open);
  if (growing.text == nullptr || growing.text->size() < stored->second) return std::nullopt;
  GrowthPut put{id.str(), open->rev, stored->second,
                std::string(growing.text->view().substr(stored->second))};
  stored->second = growing.text->size();
  return put;
}

void LiveTimeline::flush() {
  flush_posted_ = false;
  if (std::exchange(flush_timed_, false)) flush_timer_.cancel();
  SessionWrite write = std::exchange(pending_, {});
  pending_.session = record_->id;
  for (const ItemId& id : dirty_items_order_) {
    std::optional<GrowthPut> growth;
    if (!dirty_items_.at(id).form) growth = growth_put(id);
    if (growth) {
      write.growth.push_back(std::move(*growth));
    } else if (EntryPut entry = entry_put(id); entry.form) {
      write.entries.push_back(std::move(entry));
    }
  }
  for (const TurnId& id : dirty_turns_) {
    if (FramePtr form = timeline_.form_of(id)) {
      const bool open = timeline_.open_turn(id) != nullptr;
      write.entries.push_back({EntryKind::Turn, id.str(), std::move(form), open});
    }
  }
  dirty_items_.clear();
  dirty_items_order_.clear();
  dirty_turns_.clear();
  WriteBatch batch;
  batch.sessions.push_back(std::move(write));
  ++written_;
  deps_.store.write(std::move(batch), [weak = weak_from_this(), upto = timeline_.head()] {
    if (const auto self = weak.lock()) self->on_stored(upto);
  });
}

void LiveTimeline::on_stored(Revision upto) {
  ++durable_;
  const Revision seen = timeline_.visible();
  timeline_.durable_up_to(upto);
  stored_.notify();
  if (timeline_.visible() > seen) notify();
  release();
}

asio::awaitable<Result<void>> LiveTimeline::durable(bool patient) {
  const auto self = shared_from_this();
  flush();
  co_return co_await all_written(patient);
}

asio::awaitable<Result<void>> LiveTimeline::entries_durable() {
  const auto self = shared_from_this();
  if (!dirty_items_.empty() || !dirty_turns_.empty()) flush();
  co_return co_await all_written(false);
}

/// Waits for the batches that the store has by now.
asio::awaitable<Result<void>> LiveTimeline::all_written(bool patient) {
  const auto self = shared_from_this();
  const std::uint64_t mine = written_;
  while (durable_ < mine) {
    const bool heals = deps_.store.state().kind == StoreState::Kind::Full;
    if (auto room = deps_.store.writable(); !room && !(patient && heals)) co_return room;
    // The state is looked at now and then: a store that fills up must not keep a request waiting.
    co_await stored_.wait(std::chrono::milliseconds(100));
  }
  co_return Result<void>{};
}

asio::awaitable<void> LiveTimeline::settle() {
  const auto self = shared_from_this();
  if (visible() < timeline_.head()) (void)co_await durable();
}

void LiveTimeline::notify() {
  if (readers_.empty() || std::exchange(notify_posted_, true)) return;
  asio::post(deps_.io, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    self->notify_posted_ = false;
    // A callback may close its reader, or another one.
    const auto readers = self->readers_;
    for (const auto& reader : readers) reader->wake();
  });
}

bool LiveTimeline::may_show_growth(Revision cursor) {
  const MonoMs now = deps_.clock.mono();
  if (now - step_at_ >= limits::kReaderPaceMs) {
    step_at_ = now;
    step_rev_ = timeline_.visible();
  }
  if (cursor < step_rev_) return true;
  if (std::exchange(step_timed_, true)) return false;
  step_timer_.expires_after(std::chrono::milliseconds(step_at_ + limits::kReaderPaceMs - now));
  step_timer_.async_wait([weak = weak_from_this()](boost::system::error_code) {
    const auto self = weak.lock();
    if (!self) return;
    self->step_timed_ = false;
    self->notify();
  });
  return false;
}

void LiveTimeline::end(Error why) {
  ended_ = why;
  const auto readers = readers_;
  for (const auto& reader : readers) reader->end(why);
}

void LiveTimeline::release() {
  const bool busy = !readers_.empty() || durable_ < written_ || !dirty_items_.empty() ||
                    !dirty_turns_.empty() || timeline_.visible() < timeline_.head();
  if (!busy && timeline_.open_turns().empty()) timeline_.release();
}

}  // namespace lb
