#include "session/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "base/log.h"
#include "base/metrics.h"
#include "base/utf8.h"
#include "session/texts.h"
#include "session/turns/prompt_forms.h"

namespace lb {
namespace {

struct SessionMeters {
  Counter& upserts = counter("lb_upserts_total", "Items and their changes from agents.");
  Counter& turns = counter("lb_turn_changes_total", "Turn changes from agents.");
  Counter& refused = counter("lb_upserts_refused_total", "Changes of items that were final.");
  Counter& cut = counter("lb_tool_outputs_cut_total", "Tool outputs shown as head and tail.");
  Counter& skipped =
      counter("lb_tool_outputs_coalesced_total", "Small growths of a cut output not shown apart.");
};
SessionMeters& meters() {
  static SessionMeters all;
  return all;
}

/// Where an entry stands that an import left open; 0 when it is new.
template <class Places, class Id>
std::uint64_t place_in(const Places& places, const Id& id) {
  const auto found = places.find(id);
  return found == places.end() ? 0 : found->second;
}

}  // namespace

Session::Session(SessionHost& host, std::shared_ptr<DormantSession> kept, Provider* provider)
    : host_(host),
      kept_(std::move(kept)),
      record_(kept_, &kept_->record),
      provider_(provider),
      live_(std::make_shared<LiveTimeline>(host.deps(), kept_)),
      opening_mutex_(host.deps().io) {}

Timestamp Session::now() const {
  return host_.deps().clock.wall();
}

bool Session::alive() const {
  return provider_ != nullptr && provider_->is_alive(id());
}

SessionState Session::state() const {
  if (opening::starts_agent(opening_)) return SessionState::Loading;
  return alive() ? SessionState::Open : SessionState::Dead;
}

SessionInfo Session::info() const {
  SessionInfo info = info_of(*kept_, provider_);
  info.status = state();
  if (busy()) info.activity = Activity::Working;
  if (!approvals_.empty()) info.activity = Activity::NeedsApproval;
  info.needs_review = needs_review(info, kept_->work);
  return info;
}

SessionStatus Session::status() const {
  return {info(), alive(), state(), kept_->facts};
}

std::vector<Item> Session::pending_approvals() const {
  std::vector<Item> items;
  for (const ItemId& approval : approvals_) {
    if (const Item* item = live_->timeline().open_item(approval)) items.push_back(*item);
  }
  std::ranges::sort(items, {}, &Item::pos);
  return items;
}

/// An approval that changes keeps the form that everyone knows until the next one is durable.
std::vector<Item> Session::inbox() const {
  std::vector<Item> items;
  for (Item& item : pending_approvals()) {
    const auto told = std::ranges::find(inbox_told_.items, item.item_id, &Item::item_id);
    if (item.rev <= live_->visible()) {
      items.push_back(std::move(item));
    } else if (told != inbox_told_.items.end()) {
      items.push_back(*told);
    }
  }
  return items;
}

/// Tells everyone when the glance has changed, and keeps the record.
void Session::changed(bool save) {
  if (save) live_->save_record();
  decisions_.waits(!approvals_.empty(), now());
  inbox_soon();
  SessionInfo current = info();
  if (last_info_ == current) return;
  last_info_ = current;
  if (!record_->deleted) host_.info_changed(current);
}

void Session::inbox_soon() {
  if (approvals_.empty() && inbox_told_.items.empty()) return;
  if (std::exchange(inbox_posted_, true)) return;
  asio::co_spawn(host_.deps().io, tell_inbox(shared_from_this()), asio::detached);
}

/// An approval is told when it is durable, here as to every reader. While the store cannot write it
/// waits; `store_ready` asks again.
asio::awaitable<void> Session::tell_inbox(std::shared_ptr<Session> self) {
  const std::weak_ptr<SessionHost> host = self->host_.weak();
  const LiveTimeline& live = *self->live_;
  co_await self->live_->settle();
  if (host.expired()) co_return;
  self->inbox_posted_ = false;
  std::vector<Item> items = self->pending_approvals();
  const auto shown = [&](const Item& item) { return item.rev <= live.visible(); };
  if (!std::ranges::all_of(items, shown)) {
    const bool writes = self->host_.deps().store.state().kind == StoreState::Kind::Ready;
    if (writes) self->inbox_soon();
    co_return;
  }
  InboxTold now{items.empty() ? "" : self->record_->title, std::move(items)};
  if (now == self->inbox_told_) co_return;
  self->inbox_told_ = now;
  self->host_.inbox_changed(*self->record_, now.items);
}

void Session::attach() {
  const bool known = kept_->line != nullptr;
  if (!known) kept_->line = std::make_shared<AgentLine>(host_.weak(), id());
  kept_->line->connect(weak_from_this());
  if (!known) provider_->attach(id(), kept_->line);
}

bool Session::idle() const {
  const bool opens = !std::holds_alternative<opening::Settled>(opening_) || opening_mutex_.locked();
  const bool waits = !queue_.empty() || !approvals_.empty();
  // Whoever holds the timeline reads, or waits for the store.
  return !opens && !busy() && !waits && live_.use_count() == 1 && live_->idle();
}

void Session::suspend() {
  changed(false);  // Its process may have gone without a word.
  kept_->numbers = live_->numbers();
  if (kept_->line) kept_->line->connect({});
  if (alive() || provider_ == nullptr || record_->deleted) return;
  // No process: the next prompt loads it, as after a restart of the server.
  provider_->forget(id());
  kept_->line.reset();
}

void Session::on_upsert(Upsert item) {
  meters().upserts.add();
  if (record_->deleted || !live_->active()) return;
  if (const opening::Known* history = opening::history(opening_)) {
    if (history->items.contains(item.item_id)) return;
    if (kept_->cut_import) item.pos = place_in(kept_->cut_import->items, item.item_id);
  }
  begun(item.turn_id);
  if (finals_.contains(item.item_id)) return meters().refused.add();
  decisions_.apply(item);
  const bool final = is_final(item.status);
  if (auto whole = cut_tool_output(item)) {
    // Each cut form is a quarter of a megabyte: while it runs, show it when it has grown by that.
    std::size_t& shown = shown_[item.item_id];
    if (!final && shown != 0 && whole->size() < shown + limits::kToolOutputInlineMax / 4) {
      return meters().skipped.add();
    }
    shown = whole->size();
    if (final) {
      shown_.erase(item.item_id);
      meters().cut.add();
      live_->put_output({item.item_id.str(), std::move(*whole)});
    }
  }
  const bool approval = std::holds_alternative<Approval>(item.body);
  const ItemId item_id = item.item_id;
  if (final && busy()) finals_.insert(item_id);
  if (live_->put(std::move(item)).kind == Timeline::PutKind::Refused) meters().refused.add();
  if (!approval) return;
  if (final) {
    approvals_.erase(item_id);
  } else if (approvals_.insert(item_id).second && !tells_history()) {
    record_->unread = true;
  }
  changed();
}

void Session::on_turn(Turn turn) {
  meters().turns.add();
  if (record_->deleted || !live_->active()) return;
  if (const auto steered = steering_.find(turn.turn_id); steered != steering_.end()) {
    turn.client_message_id = client_message_id(steered->second->key);
  }
  begun(turn.turn_id);
  if (on_its_way(turn.turn_id)) {
    turn.client_message_id = client_message_id(on_its_way()->key);
  }
  if (const Turn* known = live_->timeline().open_turn(turn.turn_id)) {
    if (!turn.queued_at) turn.queued_at = known->queued_at;
    if (!turn.started_at) turn.started_at = known->started_at;
    if (!turn.model_id) turn.model_id = known->model_id;
    if (!turn.provider_id) turn.provider_id = known->provider_id;
    if (known->client_message_id) turn.client_message_id = known->client_message_id;
    turn.origin = known->origin;
  }
  say_checkpoint(turn);
  turn.content.reset();
  turn.attachments.clear();
  turn.held = false;
  record_->last_turn = turn.turn_id;
  if (const opening::Known* history = opening::history(opening_)) {
    if (history->turns.contains(turn.turn_id)) return;
    if (kept_->cut_import) turn.pos = place_in(kept_->cut_import->turns, turn.turn_id);
  }
  if (is_final(turn)) return turn_ended(turn);
  if (live_->put(turn).kind == Timeline::PutKind::Refused) return;
  open_turns_.insert(turn.turn_id);
  if (!tells_history()) record_->failed = false;
  changed();
}

/// Every form of a turn says whether it can be rewound, as soon as that is known.
void Session::say_checkpoint(Turn& turn) const {
  const auto made = checkpoints_.find(turn.turn_id);
  if (made == checkpoints_.end()) return;
  turn.checkpoint = made->second.state;
  if (!made->second.problem.empty()) turn.checkpoint_problem = made->second.problem;
}

void Session::turn_ended(const Turn& turn) {
  Turn ended = turn;
  say_checkpoint(ended);
  ended.waited_ms = decisions_.waited_ms(now());
  if (live_->put(std::move(ended)).kind == Timeline::PutKind::Refused) return;
  open_turns_.erase(turn.turn_id);
  if (!tells_history()) host_.after_turn(id(), turn.turn_id);
  checkpoints_.erase(turn.turn_id);
  if (on_its_way(turn.turn_id)) step(delivery::Finish{});
  if (!busy()) {
    finals_.clear();
    decisions_.clear();
  }
  if (!tells_history()) {
    record_->failed = turn.type == TurnType::Error;
    record_->unread = true;
    record_->last_active_at = now();
    const bool smooth = turn.status == TurnStatus::Completed;
    if (!smooth && !goes_on_after(turn)) hold_queue();
    start_next();
  }
  changed();
}

void Session::on_report(SessionReport report) {
  if (record_->deleted) return;
  if (const auto* facts = std::get_if<SessionFacts>(&report)) {
    if (kept_->facts == *facts) return;
    follow_choices(*facts);
    kept_->facts = *facts;
    live_->save_facts(encode(kept_->facts));
    // They follow the history: it is stored while the mode is still being chosen.
    if (tells_history()) live_->flush();
    host_.facts_changed(id(), kept_->facts);
  } else if (const auto* identity = std::get_if<CliIdentity>(&report)) {
    record_->cli_session_id = identity->cli_session_id;
    live_->save_record();
    host_.cli_id_changed(*this);
  } else if (const auto* title = std::get_if<SessionTitle>(&report)) {
    rename(title->title, TitleSource::Agent);
  } else if (const auto* what = std::get_if<Steered>(&report)) {
    steered(*what);
  } else {
    changed(false);
  }
}

/// Mode and model in effect are kept, however they changed: an approved plan ends plan mode, a
/// slash command names a model. What the agent tells first is its own default and stays that.
void Session::follow_choices(const SessionFacts& now) {
  // An agent that opens the session tells its defaults before it is told what is wanted.
  if (!std::holds_alternative<opening::Settled>(opening_)) return;
  const SessionFacts& was = kept_->facts;
  const SessionRecord before = *record_;
  const auto offered = std::ranges::find(now.modes, now.mode.value_or(""), &Choice::id);
  if (was.mode && now.mode != was.mode && offered != now.modes.end()) record_->mode = *now.mode;
  if (was.model && now.model && now.model != was.model) record_->model = *now.model;
  if (*record_ != before) live_->save_record();
}

void Session::rename(std::string title, TitleSource source) {
  if (title.empty() || source < record_->title_source) return;
  if (source == TitleSource::Prompt && record_->title_source != TitleSource::None) return;
  record_->title = std::move(title);
  record_->title_source = source;
  changed();
}

asio::awaitable<Result<void>> Session::set_title(SessionRenameRequest request) {
  const auto self = shared_from_this();
  if (is_blank(request.title)) {
    co_return fail(ErrorCode::InvalidRequest, "title: must not be empty");
  }
  std::string title(utf8_prefix(request.title, limits::kTitleBytesMax));
  std::ranges::replace_if(title, [](char c) { return c >= 0 && c < ' '; }, ' ');
  rename(std::move(title), TitleSource::User);
  co_return co_await live_->durable();
}

asio::awaitable<Result<void>> Session::set_archived(SessionArchiveRequest request) {
  const auto self = shared_from_this();
  record_->archived = request.archived.value_or(true);
  changed();
  // Nobody looks at it any more: an agent that does nothing need not wait for it.
  if (record_->archived && info().activity == Activity::Idle && alive()) co_await kill();
  co_return co_await live_->durable();
}

void Session::mark_read() {
  if (!record_->unread) return;
  record_->unread = false;
  changed();
}

void Session::rediscovered(const DiscoveredSession& found) {
  if (busy()) return;
  SessionRecord known = with_discovered(*record_, found);
  if (known == *record_) return;
  *record_ = std::move(known);
  changed();
}

}  // namespace lb
