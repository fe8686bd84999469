// The life of prompts and turns: send, queue, deliver, cancel, answer.

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "base/log.h"
#include "session/session.h"
#include "session/texts.h"

namespace lb {

Turn Session::new_turn(const TurnId& turn, TurnType type) const {
  Turn made;
  made.turn_id = turn;
  made.session_id = id();
  made.type = type;
  return made;
}

Turn Session::turn_of(const Prompted& prompt, TurnType type) const {
  Turn made = new_turn(prompt.turn, type);
  made.client_message_id = client_message_id(prompt.key);
  made.queued_at = prompt.queued_at;
  return made;
}

Item Session::user_item(const Prompted& prompt) const {
  Item item;
  item.session_id = id();
  item.turn_id = prompt.turn;
  item.item_id = ItemId(prompt.turn.str() + ":user");
  item.status = ItemStatus::Complete;
  item.source_timestamp = item.emitted_at = item.started_at = now();
  item.ended_at = now();
  Message message;
  message.content = Text(prompt.content);
  message.origin = Origin::User;
  message.attachments = prompt.attachments;
  message.client_message_id = client_message_id(prompt.key);
  item.body = std::move(message);
  return item;
}

PromptRecord Session::prompt_record(const Prompted& prompt, bool settled) const {
  PromptRecord record;
  record.turn_id = prompt.turn;
  record.key = prompt.key;
  record.content = prompt.content;
  if (!prompt.attachments.empty()) record.attachments = encode(prompt.attachments);
  record.settled = settled;
  return record;
}

asio::awaitable<Result<SessionSentMessage>> Session::send(SessionSendRequest request) {
  const auto self = shared_from_this();
  if (title_from_prompt(request.content).empty()) {
    co_return fail(ErrorCode::InvalidRequest, "content: must not be empty");
  }
  if (request.content.size() > limits::kPromptBytesMax) {
    co_return fail(ErrorCode::TooLarge, "content: larger than 1 MiB; put it into a file instead");
  }
  if (request.client_message_id.value_or("").size() > limits::kIdempotencyKeyBytesMax) {
    co_return fail(ErrorCode::InvalidRequest, "clientMessageId: longer than 256 bytes");
  }
  if (host_.stopping()) co_return fail(ErrorCode::Busy, "The server is stopping.");
  if (auto active = co_await ready(); !active) co_return std::unexpected(active.error());

  Prompted prompt;
  prompt.key = request.client_message_id.value_or("");
  if (const auto known = keys_.find(prompt.key); known != keys_.end() && !prompt.key.empty()) {
    const bool queued = is_queued(known->second);
    co_return SessionSentMessage{id(), known->second, queued};
  }
  prompt.turn = TurnId(make_uuid());
  prompt.content = std::move(request.content);
  if (!prompt.key.empty()) keys_[prompt.key] = prompt.turn;
  auto attachments = co_await resolve(std::move(request.attachments));
  if (!attachments) {
    keys_.erase(prompt.key);
    co_return std::unexpected(std::move(attachments.error()));
  }
  prompt.attachments = std::move(*attachments);
  if (busy() || !queue_.empty()) co_return co_await enqueue(std::move(prompt));

  const TurnId turn = prompt.turn;
  const std::string key = prompt.key;
  starting_ = std::move(prompt);
  live_->put_prompt(prompt_record(*starting_, false));
  if (auto stored = co_await live_->durable(); !stored) {
    starting_->key.clear();
    live_->put_prompt(prompt_record(*starting_, true));  // When it heals: this one never was.
    starting_.reset();
    keys_.erase(key);
    start_next();
    co_return std::unexpected(std::move(stored.error()));
  }
  auto delivered = co_await deliver();
  co_await live_->durable();  // The user's message, and what became of it.
  if (!delivered) co_return std::unexpected(std::move(delivered.error()));
  co_return SessionSentMessage{id(), turn, false};
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
    attachments.push_back({ref.attachment_id, std::move(ref.name), (*found)->mime_type});
  }
  co_return attachments;
}

asio::awaitable<Result<SessionSentMessage>> Session::enqueue(Prompted prompt) {
  const auto self = shared_from_this();
  const StoreState store = host_.deps().store.state();
  if (queue_.size() >= limits::kQueueMax || store.kind != StoreState::Kind::Ready) {
    keys_.erase(prompt.key);
    if (store.kind == StoreState::Kind::Ready) {
      co_return fail(ErrorCode::Busy, "Too many messages wait in this session already.");
    }
    co_return fail(ErrorCode::StoreFull, "Nothing can be stored now: " + store.message);
  }
  const TurnId turn = prompt.turn;
  prompt.queued_at = now();
  put_queued(prompt, false);
  queue_.push_back(std::move(prompt));
  record_->last_active_at = now();
  release_queue();
  changed();
  co_await live_->durable(true);
  co_return SessionSentMessage{id(), turn, true};
}

void Session::put_queued(const Prompted& prompt, bool held) {
  Turn turn = turn_of(prompt, TurnType::Queued);
  turn.content = Text(prompt.content);
  turn.held = held;
  live_->put(std::move(turn));
  live_->put_prompt(prompt_record(prompt, true));
}

void Session::hold_queue() {
  if (queue_.empty() || std::exchange(held_, true)) return;
  for (const Prompted& prompt : queue_) put_queued(prompt, true);
}

void Session::release_queue() {
  if (std::exchange(held_, false)) {
    for (const Prompted& prompt : queue_) put_queued(prompt, false);
  }
  start_next();
}

void Session::start_next() {
  if (busy() || held_ || queue_.empty() || host_.stopping()) return;
  starting_ = std::move(queue_.front());
  queue_.pop_front();
  asio::co_spawn(host_.deps().io, run_queue(shared_from_this()), asio::detached);
}

asio::awaitable<void> Session::run_queue(std::shared_ptr<Session> self) {
  // Before the agent gets it the store knows that it may have got it: after a crash it is shown as
  // failed and not sent again.
  self->live_->put_prompt(self->prompt_record(*self->starting_, false));
  co_await self->live_->durable(true);
  if (auto delivered = co_await self->deliver(); !delivered) {
    log_info("queued_turn_failed",
             {{"session", self->id().str()}, {"why", delivered.error().message}});
  }
}

/// Gives the prompt in `starting_` to the agent and waits until its turn has begun. When that fails
/// the turn is shown as failed: what the user wrote is never lost.
asio::awaitable<Result<void>> Session::deliver() {
  const auto self = shared_from_this();
  const TurnId turn = starting_->turn;
  record_->last_active_at = now();
  rename(title_from_prompt(starting_->content), TitleSource::Prompt);
  changed();
  auto handed = co_await hand_over();
  const bool mine = starting_ && starting_->turn == turn;
  if (!handed) {
    if (mine) {
      prompt_failed(handed.error());
    } else if (open_turns_.contains(turn)) {
      end_open(TurnStatus::Cancelled);
    }
    co_return handed;
  }
  if (!mine) co_return handed;
  announce();
  if (!open_turns_.contains(turn)) {  // The agent did not say so by itself.
    Turn started = turn_of(*starting_, TurnType::Started);
    started.started_at = now();
    live_->put(std::move(started));
    open_turns_.insert(turn);
    record_->last_turn = turn;
  }
  starting_.reset();
  changed();
  co_return handed;
}

asio::awaitable<Result<void>> Session::hand_over() {
  const auto self = shared_from_this();
  Prompt prompt;
  prompt.turn_id = starting_->turn;
  prompt.content = starting_->content;
  auto images = co_await images_of(starting_->attachments);
  if (!images) co_return std::unexpected(std::move(images.error()));
  prompt.images = std::move(*images);
  if (!alive()) {
    if (auto opened = co_await open_or_begin_afresh(true); !opened) co_return opened;
  }
  if (starting_->cancelled) {
    co_return fail(ErrorCode::Cancelled, "Cancelled before the agent got it.");
  }
  starting_->handed = true;
  auto sent = co_await provider_->send_message(id(), std::move(prompt));
  if (!sent) co_return std::unexpected(std::move(sent.error()));
  co_return Result<void>{};
}

asio::awaitable<Result<std::vector<PromptImage>>> Session::images_of(
    std::vector<Attachment> attachments) {
  const auto self = shared_from_this();
  std::vector<PromptImage> images;
  for (const Attachment& attachment : attachments) {
    auto found = co_await host_.deps().store.read_attachment(id(), attachment.attachment_id);
    if (!found) co_return std::unexpected(std::move(found.error()));
    if (found->has_value()) {
      images.push_back({attachment.mime_type, std::move((*found)->bytes)});
    }
  }
  co_return images;
}

/// Puts the user's message into the conversation, once, when its turn begins.
void Session::announce() {
  if (std::exchange(starting_->announced, true)) return;
  live_->put(user_item(*starting_));
  live_->put_prompt(prompt_record(*starting_, true));
}

void Session::prompt_failed(const Error& why) {
  announce();
  Turn failed = turn_of(*starting_, TurnType::Error);
  if (const Turn* open = live_->timeline().open_turn(starting_->turn)) failed = *open;
  failed.type = TurnType::Error;
  failed.content.reset();
  failed.held = false;
  failed.ended_at = now();
  if (starting_->cancelled) {
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
    const auto found = std::ranges::find(queue_, *request.turn_id, &Prompted::turn);
    if (found == queue_.end()) {
      const bool running = open_turns_.contains(*request.turn_id) ||
                           (starting_ && starting_->turn == *request.turn_id);
      auto stored =
          co_await host_.deps().store.read_entry(id(), EntryKind::Turn, request.turn_id->str());
      if (running || (stored && stored->has_value())) {
        co_return fail(ErrorCode::TurnStarted, "This message is with the agent already.");
      }
      co_return fail(ErrorCode::TurnNotFound, "There is no such turn in this session.");
    }
    if (request.content) {
      if (title_from_prompt(*request.content).empty()) {
        co_return fail(ErrorCode::InvalidRequest, "content: must not be empty (null removes it)");
      }
      found->content = *request.content;
      put_queued(*found, held_);
    } else {
      Turn removed = turn_of(*found, TurnType::Complete);
      removed.status = TurnStatus::Cancelled;
      removed.ended_at = now();
      live_->put(std::move(removed));
      queue_.erase(found);
      if (queue_.empty()) held_ = false;
    }
  }
  if (request.resume) release_queue();
  changed();
  co_return co_await live_->durable();
}

asio::awaitable<Result<void>> Session::cancel(std::optional<TurnId> turn) {
  const auto self = shared_from_this();
  if (turn && is_queued(*turn)) {
    SessionQueueRequest remove;
    remove.session_id = id();
    remove.turn_id = turn;
    co_return co_await edit_queue(std::move(remove));
  }
  if (starting_ && !starting_->handed && (!turn || starting_->turn == *turn)) {
    starting_->cancelled = true;  // It is being stored, or its agent is starting.
    co_return Result<void>{};
  }
  const bool runs =
      busy() && (!turn || open_turns_.contains(*turn) || (starting_ && starting_->turn == *turn));
  if (!runs || provider_ == nullptr) co_return Result<void>{};
  co_return co_await provider_->cancel_turn(id());
}

namespace {

/// What must hold before an answer is recorded: it cannot be taken back.
Result<void> check_answer(const Approval& approval, const SessionAnswerRequest& request) {
  if (request.option_id) {
    const auto option =
        std::ranges::find(approval.options, *request.option_id, &ApprovalOption::option_id);
    if (option == approval.options.end()) {
      return fail(ErrorCode::InvalidRequest, "optionId: not one of this approval's options");
    }
  } else if (approval.questions.empty() || !request.answers) {
    return fail(ErrorCode::InvalidRequest,
                approval.questions.empty() ? "optionId: missing" : "answers: missing");
  }
  return {};
}

}  // namespace

/// First decision wins; it is durable before the agent hears of it, and bound to what was shown.
asio::awaitable<Result<void>> Session::answer(SessionAnswerRequest request,
                                              std::string answered_by) {
  const auto self = shared_from_this();
  const Item* open = live_->timeline().open_item(request.item_id);
  if (open == nullptr || !std::holds_alternative<Approval>(open->body)) {
    auto stored =
        co_await host_.deps().store.read_entry(id(), EntryKind::Item, request.item_id.str());
    const bool was = finals_.contains(request.item_id) || (stored && stored->has_value());
    if (was && open == nullptr) {
      co_return fail(ErrorCode::AlreadyAnswered, "This was answered or withdrawn before.");
    }
    co_return fail(ErrorCode::ItemNotFound, "There is no such approval in this session.");
  }
  if (request.rev && *request.rev != open->rev) {
    co_return fail(ErrorCode::ApprovalChanged, "The request changed since you saw it: look again.");
  }
  Item answered = *open;
  auto& approval = std::get<Approval>(answered.body);
  if (auto valid = check_answer(approval, request); !valid) co_return valid;
  if (host_.deps().store.state().kind != StoreState::Kind::Ready) {
    co_return fail(ErrorCode::StoreFull, "Nothing can be stored now: try again later.");
  }
  approval.state = ApprovalState::Answered;
  approval.answer = ApprovalAnswer{request.option_id, request.message, request.answers};
  approval.answered_at = now();
  approval.answered_by = answered_by;
  answered.status = ItemStatus::Complete;
  answered.ended_at = now();
  finals_.insert(request.item_id);
  approvals_.erase(request.item_id);
  live_->put(std::move(answered));
  changed();
  co_await live_->durable(true);
  Answer answer;
  answer.item_id = request.item_id;
  answer.option_id = std::move(request.option_id);
  answer.message = std::move(request.message);
  answer.answers = std::move(request.answers);
  answer.input = std::move(request.input);
  answer.answered_by = std::move(answered_by);
  co_return co_await provider_->answer(id(), std::move(answer));
}

asio::awaitable<Result<void>> Session::set_mode(std::string mode) {
  const auto self = shared_from_this();
  if (auto loaded = co_await load(); !loaded) co_return loaded;
  auto set = co_await provider_->set_mode(id(), mode);
  if (!set) co_return set;
  record_->mode = std::move(mode);
  changed();
  co_return set;
}

asio::awaitable<Result<void>> Session::set_model(std::string model) {
  const auto self = shared_from_this();
  if (auto loaded = co_await load(); !loaded) co_return loaded;
  auto set = co_await provider_->set_model(id(), model);
  if (!set) co_return set;
  record_->model = std::move(model);
  changed();
  co_return set;
}

/// The choice is kept with the facts, which the agent reports again with it.
asio::awaitable<Result<void>> Session::set_thinking(std::string level) {
  const auto self = shared_from_this();
  if (auto loaded = co_await load(); !loaded) co_return loaded;
  co_return co_await provider_->set_thinking(id(), std::move(level));
}

}  // namespace lb
