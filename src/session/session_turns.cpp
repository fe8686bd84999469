// The life of prompts and turns: send, queue, deliver, cancel. Answers are in session_answer.cpp.

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <cassert>
#include <utility>

#include "base/log.h"
#include "base/match.h"
#include "base/slash_command.h"
#include "session/session.h"
#include "session/texts.h"
#include "session/turns/prompt_forms.h"

namespace lb {

namespace {

Result<void> check_size(std::string_view content) {
  if (content.size() <= limits::kPromptBytesMax) return {};
  return fail(ErrorCode::TooLarge, "content: larger than 1 MiB; put it into a file instead");
}

}  // namespace

asio::awaitable<Result<SessionSentMessage>> Session::send(SessionSendRequest request) {
  const auto self = shared_from_this();
  if (is_blank(request.content)) {
    request.content.clear();  // What is attached may say it all; agents refuse a text of spaces.
    if (request.attachments.empty()) {
      co_return fail(ErrorCode::InvalidRequest, "content: must not be empty");
    }
  }
  if (auto fits = check_size(request.content); !fits) co_return std::unexpected(fits.error());
  if (request.client_message_id.value_or("").size() > limits::kIdempotencyKeyBytesMax) {
    co_return fail(ErrorCode::InvalidRequest, "clientMessageId: longer than 256 bytes");
  }
  if (host_.stopping()) co_return fail(ErrorCode::Busy, "The server is stopping.");
  if (auto active = co_await ready(); !active) co_return std::unexpected(active.error());

  UserPrompt prompt;
  prompt.key = request.client_message_id.value_or("");
  if (const auto known = keys_->find(prompt.key); known != keys_->end() && !prompt.key.empty()) {
    const bool queued = queue_.find(known->second) != nullptr;
    co_return SessionSentMessage{id(), known->second, queued};
  }
  prompt.turn = TurnId(make_uuid());
  prompt.content = std::move(request.content);
  if (!prompt.key.empty()) (*keys_)[prompt.key] = prompt.turn;
  auto attachments = co_await resolve(std::move(request.attachments));
  if (!attachments) {
    keys_->erase(prompt.key);
    co_return std::unexpected(std::move(attachments.error()));
  }
  prompt.attachments = std::move(*attachments);
  if (request.steer && busy()) {
    co_return co_await steer(std::make_shared<const UserPrompt>(std::move(prompt)));
  }
  // What is held waits for the user's word, and this is not it.
  const bool flows = !queue_.empty() && !queue_.held();
  if (busy() || flows) co_return co_await enqueue(std::move(prompt));
  co_return co_await send_now(std::make_shared<const UserPrompt>(std::move(prompt)));
}

asio::awaitable<Result<SessionSentMessage>> Session::send_now(PromptPtr prompt) {
  const auto self = shared_from_this();
  step(delivery::Accept{prompt});
  live_->put_prompt(to_record(*prompt, PromptFate::Unsettled));
  if (auto stored = co_await live_->durable(); !stored) {
    PromptRecord never = to_record(*prompt, PromptFate::Settled);
    never.key.clear();
    live_->put_prompt(std::move(never));  // When it heals: this one never was.
    step(delivery::Finish{});
    keys_->erase(prompt->key);
    start_next();
    co_return std::unexpected(std::move(stored.error()));
  }
  auto delivered = co_await deliver(prompt);
  co_await live_->durable();  // The user's message, and what became of it.
  if (!delivered) co_return std::unexpected(std::move(delivered.error()));
  co_return SessionSentMessage{id(), prompt->turn, false};
}

asio::awaitable<Result<std::vector<Attachment>>> Session::resolve(std::vector<AttachmentRef> refs) {
  const auto self = shared_from_this();
  std::vector<Attachment> attachments;
  for (AttachmentRef& ref : refs) {
    auto found = co_await host_.deps().store.read_attachment(id(), ref.attachment_id);
    if (!found) co_return std::unexpected(std::move(found.error()));
    if (!found->has_value()) {
      co_return fail(ErrorCode::InvalidRequest,
                     fmt::format("attachments: there is no attachment {}", ref.attachment_id));
    }
    const bool text = (*found)->mime_type == Attachment::kText;
    if (text && provider_ != nullptr && provider_->takes_text() == false) {
      co_return fail(ErrorCode::NotSupported,
                     "This agent takes no attached texts. A message itself may have 1 MiB; put "
                     "more into a file of the project.");
    }
    attachments.push_back(attachment_of(std::move(ref), **found));
  }
  co_return attachments;
}

asio::awaitable<Result<SessionSentMessage>> Session::enqueue(UserPrompt prompt) {
  const auto self = shared_from_this();
  Result<void> fits = host_.deps().store.writable();
  if (fits && queue_.size() >= limits::kQueueMax) {
    fits = fail(ErrorCode::Busy, "Too many messages wait in this session already.");
  }
  if (!fits) {
    keys_->erase(prompt.key);
    co_return std::unexpected(std::move(fits.error()));
  }
  const TurnId turn = prompt.turn;
  const std::string key = prompt.key;
  push_queued(std::move(prompt));
  if (auto stored = co_await live_->durable(true); !stored) {
    keys_->erase(key);
    co_return std::unexpected(std::move(stored.error()));
  }
  co_return SessionSentMessage{id(), turn, true};
}

void Session::push_queued(UserPrompt prompt) {
  prompt.queued_at = now();
  queue_.push(std::make_shared<const UserPrompt>(std::move(prompt)));
  put_queued(*queue_.prompts().back());
  record_->last_active_at = now();
  start_next();
  changed();
}

Turn Session::queued_form(const UserPrompt& prompt) const {
  Turn turn = turn_of(prompt, id(), TurnType::Queued);
  turn.content = Text(prompt.content);
  turn.attachments = prompt.attachments;
  turn.held = queue_.held();
  if (const Turn* shown = live_->timeline().open_turn(prompt.turn)) turn.place = shown->place;
  return turn;
}

void Session::put_queued(const UserPrompt& prompt) {
  live_->put(queued_form(prompt));
  live_->put_prompt(to_record(prompt, PromptFate::Settled));
}

void Session::put_all_queued() {
  for (const PromptPtr& prompt : queue_.prompts()) put_queued(*prompt);
}

void Session::hold_queue() {
  if (queue_.hold()) put_all_queued();
}

void Session::release_queue() {
  if (queue_.release()) put_all_queued();
  start_next();
}

void Session::start_next() {
  if (busy() || host_.stopping()) return;
  PromptPtr prompt = queue_.take();
  if (!prompt) return;
  step(delivery::Accept{prompt});
  asio::co_spawn(host_.deps().io, deliver_queued(shared_from_this(), std::move(prompt)),
                 asio::detached);
}

asio::awaitable<void> Session::deliver_queued(std::shared_ptr<Session> self, PromptPtr prompt) {
  // Before the agent gets it the store knows that it may have got it: after a crash it is shown as
  // failed and not sent again.
  self->live_->put_prompt(to_record(*prompt, PromptFate::Unsettled));
  if (auto stored = co_await self->live_->durable(true); !stored) {
    co_return self->prompt_failed(stored.error());
  }
  if (auto delivered = co_await self->deliver(prompt); !delivered) {
    log_info("queued_turn_failed",
             {{"session", self->id().str()}, {"why", delivered.error().message}});
  }
}

/// Takes a step on the way of a prompt. Only the user, who takes it back, and the hand-over race
/// with each other: one of them comes too late and is told so.
bool Session::step(const delivery::Input& input) {
  const bool allowed = transition(delivery_, input);
  assert(allowed || std::holds_alternative<delivery::Withdraw>(input) ||
         std::holds_alternative<delivery::HandOver>(input));
  return allowed;
}

/// Gives a prompt that is durable to the agent and waits until its turn has begun. When that fails
/// the turn is shown as failed: what the user wrote is never lost.
asio::awaitable<Result<void>> Session::deliver(PromptPtr prompt) {
  const auto self = shared_from_this();
  const TurnId turn = prompt->turn;
  step(delivery::Stored{});
  record_->last_active_at = now();
  // What is about the agent names the session only until something is said about the work.
  rename(title_from_prompt(words_of(*prompt)),
         is_housekeeping(prompt->content) ? TitleSource::None : TitleSource::Prompt);
  changed();
  auto handed = co_await hand_over(prompt);
  if (!handed) {
    if (on_its_way(turn)) {
      prompt_failed(handed.error());
    } else if (open_turns_.contains(turn)) {
      end_open(TurnStatus::Cancelled);
    }
    co_return handed;
  }
  if (!on_its_way(turn)) co_return handed;  // Its turn has ended already.
  begun(turn);
  if (!open_turns_.contains(turn)) {  // The agent did not say so by itself.
    Turn started = turn_of(*prompt, id(), TurnType::Started);
    started.started_at = now();
    say_checkpoint(started);
    live_->put(std::move(started));
    open_turns_.insert(turn);
    record_->last_turn = turn;
  }
  step(delivery::Finish{});
  changed();
  co_return handed;
}

/// As its agent gets it, with everything that is attached to it.
asio::awaitable<Result<Prompt>> Session::prompt_for(PromptPtr said) {
  const auto self = shared_from_this();
  Prompt prompt;
  prompt.turn_id = said->turn;
  prompt.content = said->content;
  for (const Attachment& attachment : said->attachments) {
    auto found = co_await host_.deps().store.read_attachment(id(), attachment.attachment_id);
    if (!found) co_return std::unexpected(std::move(found.error()));
    if (!found->has_value()) continue;
    if (attachment.mime_type == Attachment::kText) {
      prompt.texts.push_back({attachment.name.value_or("text.txt"), std::move((*found)->bytes)});
    } else {
      prompt.images.push_back({attachment.mime_type, std::move((*found)->bytes)});
    }
  }
  co_return prompt;
}

asio::awaitable<Result<void>> Session::hand_over(PromptPtr said) {
  const auto self = shared_from_this();
  auto prompt = co_await prompt_for(said);
  if (!prompt) co_return std::unexpected(std::move(prompt.error()));
  if (!alive()) {
    if (auto opened = co_await open_or_begin_afresh(true); !opened) co_return opened;
  }
  auto checkpoint = co_await host_.before_turn(id(), said->turn);
  if (!checkpoint) co_return std::unexpected(std::move(checkpoint.error()));
  if (*checkpoint) checkpoints_[said->turn] = std::move(**checkpoint);
  if (!step(delivery::HandOver{})) {
    co_return fail(ErrorCode::Cancelled, "Cancelled before the agent got it.");
  }
  auto sent = co_await provider_->send_message(id(), std::move(*prompt));
  if (!sent) co_return std::unexpected(std::move(sent.error()));
  co_return Result<void>{};
}

/// The agent works on this turn: the user's message goes into the conversation, once.
void Session::begun(const TurnId& turn) {
  if (const auto steered = steering_.extract(turn)) put_message(*steered.mapped());
  const auto* handed = std::get_if<delivery::HandedOver>(&delivery_);
  if (handed == nullptr || handed->prompt->turn != turn) return;
  step(delivery::Begin{});
  put_message(*on_its_way());
}

void Session::put_message(const UserPrompt& prompt) {
  live_->put(user_item(prompt, id(), now()));
  live_->put_prompt(to_record(prompt, PromptFate::Settled));
}

void Session::prompt_failed(const Error& why) {
  const UserPrompt& prompt = *on_its_way();
  if (!std::holds_alternative<delivery::Begun>(delivery_)) put_message(prompt);
  Turn failed = turn_of(prompt, id(), TurnType::Error);
  if (const Turn* open = live_->timeline().open_turn(prompt.turn)) failed = *open;
  failed.type = TurnType::Error;
  failed.content.reset();
  failed.held = false;
  failed.ended_at = now();
  if (std::holds_alternative<delivery::Withdrawn>(delivery_)) {
    failed.type = TurnType::Complete;
    failed.status = TurnStatus::Cancelled;
  } else {
    failed.error_code = name_of(why.code);
    failed.error_message = why.message;
  }
  turn_ended(failed);
}

asio::awaitable<Result<void>> Session::edit_queue(SessionQueueRequest request) {
  const auto self = shared_from_this();
  if (auto active = co_await ready(); !active) co_return active;
  if (request.turn_id) {
    auto changed_one = co_await change_queued(*request.turn_id, std::move(request.content));
    if (!changed_one) co_return changed_one;
  }
  if (request.resume) release_queue();
  changed();
  co_return co_await live_->durable();
}

asio::awaitable<Result<void>> Session::reorder(SessionReorderRequest request) {
  const auto self = shared_from_this();
  if (auto active = co_await ready(); !active) co_return active;
  const auto waits = [this](const TurnId& turn) { return queue_.find(turn) != nullptr; };
  if (!std::ranges::all_of(request.turn_ids, waits)) {
    co_return fail(ErrorCode::TurnStarted, "One of these messages waits no longer: look again.");
  }
  std::vector<std::uint64_t> places;  // Of the queue as it is: they stay, and change hands.
  for (const PromptPtr& prompt : queue_.prompts()) {
    places.push_back(place_in_queue(*live_->timeline().open_turn(prompt->turn)));
  }
  if (!queue_.reorder(request.turn_ids)) {
    co_return fail(ErrorCode::InvalidRequest, "turnIds: must name every queued message once");
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    Turn turn = queued_form(*queue_.prompts()[i]);
    turn.place = places[i];
    live_->put(std::move(turn));
  }
  co_return co_await live_->durable();
}

/// Another text for a turn that waits; without one it is removed.
asio::awaitable<Result<void>> Session::change_queued(TurnId turn,
                                                     std::optional<std::string> content) {
  const auto self = shared_from_this();
  const PromptPtr waits = queue_.find(turn);
  if (!waits) {
    const bool running = open_turns_.contains(turn) || on_its_way(turn);
    auto stored = co_await host_.deps().store.read_entry(id(), EntryKind::Turn, turn.str());
    if (running || (stored && stored->has_value())) {
      co_return fail(ErrorCode::TurnStarted, "This message is with the agent already.");
    }
    co_return fail(ErrorCode::TurnNotFound, "There is no such turn in this session.");
  }
  if (content) {
    if (is_blank(*content)) content->clear();
    if (content->empty() && waits->attachments.empty()) {
      co_return fail(ErrorCode::InvalidRequest, "content: must not be empty (null removes it)");
    }
    if (auto fits = check_size(*content); !fits) co_return fits;
    put_queued(*queue_.edit(turn, std::move(*content)));
    co_return Result<void>{};
  }
  Turn removed = turn_of(*queue_.remove(turn), id(), TurnType::Complete);
  removed.status = TurnStatus::Cancelled;
  removed.ended_at = now();
  live_->put(std::move(removed));
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Session::cancel(SessionCancelRequest request) {
  const auto self = shared_from_this();
  const std::optional<TurnId> turn = std::move(request.turn_id);
  if (turn && queue_.find(*turn)) {
    SessionQueueRequest remove;
    remove.session_id = id();
    remove.turn_id = turn;
    co_return co_await edit_queue(std::move(remove));
  }
  // It is being stored, or its agent is starting: the agent will not hear of it.
  const bool meant = !turn || on_its_way(*turn);
  if (meant && step(delivery::Withdraw{})) co_return Result<void>{};
  const bool runs = busy() && (meant || open_turns_.contains(*turn));
  if (runs && setup_) {
    setup_->kill();
    co_return Result<void>{};
  }
  if (!runs || provider_ == nullptr) co_return Result<void>{};
  words_after_.reset();  // Whoever stops the turn wants to say what comes next.
  co_return co_await provider_->cancel_turn(id());
}

asio::awaitable<Result<void>> Session::set_mode(SessionModeRequest request) {
  const auto self = shared_from_this();
  std::string mode = std::move(request.mode);
  if (auto loaded = co_await load(); !loaded) co_return loaded;
  auto set = co_await provider_->set_mode(id(), mode);
  if (!set) co_return set;
  record_->mode = std::move(mode);
  changed();
  co_return set;
}

asio::awaitable<Result<void>> Session::set_model(SessionModelRequest request) {
  const auto self = shared_from_this();
  std::string model = std::move(request.model);
  if (auto loaded = co_await load(); !loaded) co_return loaded;
  auto set = co_await provider_->set_model(id(), model);
  if (!set) co_return set;
  record_->model = std::move(model);
  changed();
  co_return set;
}

/// The choice is kept with the facts, which the agent reports again with it.
asio::awaitable<Result<void>> Session::set_thinking(SessionThinkingRequest request) {
  const auto self = shared_from_this();
  if (auto loaded = co_await load(); !loaded) co_return loaded;
  co_return co_await provider_->set_thinking(id(), std::move(request.thinking));
}

}  // namespace lb
