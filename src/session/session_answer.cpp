// The user's decision on an approval: prepare, commit, write, settle.
//
// Nothing has happened until the agent's provider says that the answer can be given. Then the
// decision is durable, on an approval that is still open; then it is written to the agent; and only
// when the agent's stdin has taken it the approval is answered. So "answered" is never on a screen
// while the agent waits, and what a crash leaves between says what was chosen. What the user said
// with it, where the agent's protocol has no place for it, is queued in the commit that says so.

#include <algorithm>
#include <utility>

#include "session/session.h"
#include "session/texts.h"

namespace lb {
namespace {

/// Before the approval's id: the client's id of what was said with its answer.
constexpr std::string_view kWordsKey = "answer:";

Answer answer_of(SessionAnswerRequest request, std::string answered_by) {
  Answer answer;
  answer.item_id = std::move(request.item_id);
  answer.option_id = std::move(request.option_id);
  answer.message = std::move(request.message);
  answer.answers = std::move(request.answers);
  answer.input = std::move(request.input);
  answer.answered_by = std::move(answered_by);
  return answer;
}

std::optional<ApprovalOption> chosen_option(const Approval& approval) {
  const auto chosen = std::ranges::find(approval.options, approval.answer->option_id.value_or(""),
                                        &ApprovalOption::option_id);
  return chosen == approval.options.end() ? std::nullopt : std::optional(*chosen);
}

/// The approval while the answer is on its way.
Item being_answered(Item item, const Answer& answer) {
  auto& approval = std::get<Approval>(item.body);
  approval.answer = ApprovalAnswer{answer.option_id, answer.message, answer.answers};
  approval.answered_by = answer.answered_by;
  item.status = ItemStatus::Update;
  item.error_code.reset();
  item.error_message.reset();
  return item;
}

Item answered(Item item, Timestamp now) {
  auto& approval = std::get<Approval>(item.body);
  approval.state = ApprovalState::Answered;
  approval.answered_at = now;
  item.status = ItemStatus::Complete;
  item.ended_at = now;
  return item;
}

Item open_again(Item item, const Error& why) {
  auto& approval = std::get<Approval>(item.body);
  approval.answer.reset();
  approval.answered_by.reset();
  item.status = ItemStatus::Update;
  item.error_code = name_of(why.code);
  item.error_message = why.message;
  return item;
}

/// What was chosen, in the words that were on the screen.
std::optional<std::string> chosen_text(const Approval& approval) {
  std::string text;
  if (approval.answer->answers) {
    for (const auto& [question, label] : *approval.answer->answers) {
      text += (text.empty() ? "" : ", ") + label;
    }
  }
  const auto option = chosen_option(approval);
  if (text.empty() && option) text = option->name;
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

/// A line of the audit trail about this approval, which is being answered.
AuditEntry audit_entry(AuditKind kind, const SessionRecord& record, const Item& item,
                       const Caller& caller) {
  const auto& approval = std::get<Approval>(item.body);
  AuditEntry entry;
  entry.kind = kind;
  entry.by = caller.by;
  entry.via = caller.via;
  if (!caller.address.empty()) entry.address = caller.address;
  entry.session_id = record.id;
  entry.session_title = record.title;
  entry.item_id = item.item_id;
  entry.title = approval.title;
  entry.answer = chosen_text(approval);
  if (const auto option = chosen_option(approval)) entry.option_kind = option->kind;
  return entry;
}

}  // namespace

/// First decision wins; it is durable before the agent hears of it, and bound to what was shown.
asio::awaitable<Result<void>> Session::answer(SessionAnswerRequest request, Caller caller) {
  const auto self = shared_from_this();
  const Item* open = live_->timeline().open_item(request.item_id);
  if (open == nullptr || !std::holds_alternative<Approval>(open->body)) {
    co_return co_await why_not_open(std::move(request.item_id));
  }
  if (std::get<Approval>(open->body).answer) {
    co_return fail(ErrorCode::AlreadyAnswered, "This is being answered already.");
  }
  if (request.rev && *request.rev != open->rev) {
    co_return fail(ErrorCode::ApprovalChanged, "The request changed since you saw it: look again.");
  }
  if (auto room = host_.deps().store.writable(); !room) co_return room;
  const TurnId asked_in = open->turn_id;
  const Answer answer = answer_of(std::move(request), caller.via);
  auto prepared = provider_->prepare_answer(id(), answer);
  if (!prepared) co_return std::unexpected(std::move(prepared.error()));
  const bool has_words = !prepared->carries_message && !is_blank(answer.message.value_or(""));
  if (has_words) {
    if (auto fits = words_fit(answer); !fits) co_return fits;
  }
  Item decided = being_answered(*open, answer);
  // The agent may act on it before we hear that it has it.
  decisions_.decide(std::get<Approval>(decided.body), now());
  AuditEntry line = audit_entry(AuditKind::Answered, *record_, decided, caller);
  host_.audit_trail().note(line);  // Before the decision, so that there is none without it.
  live_->put(std::move(decided));
  changed();
  if (auto stored = co_await live_->durable(true); !stored) co_return stored;
  auto given = co_await prepared->write();
  if (!given) given.error() = std::move(given.error()).context("The agent did not take the answer");
  if (!given) {
    line.kind = AuditKind::AnswerLost;
    line.why = given.error().message;
    host_.audit_trail().note(std::move(line));
  }
  settle_answer(answer.item_id, given);
  if (given && has_words) queue_words(answer, asked_in);
  auto stored = co_await live_->durable(true);
  if (!given || stored) co_return given;
  co_return std::unexpected(std::move(stored.error()).context("The agent has the answer"));
}

asio::awaitable<Result<void>> Session::why_not_open(ItemId item) {
  const auto self = shared_from_this();
  auto stored = co_await host_.deps().store.read_entry(id(), EntryKind::Item, item.str());
  const bool open = live_->timeline().open_item(item) != nullptr;
  if (!open && (finals_.contains(item) || (stored && stored->has_value()))) {
    co_return fail(ErrorCode::AlreadyAnswered, "This was answered or withdrawn before.");
  }
  co_return fail(ErrorCode::ItemNotFound, "There is no such approval in this session.");
}

/// The final form, or the open one again. Nothing when the approval ended while it was answered:
/// the agent took it back, or the session was killed.
void Session::settle_answer(const ItemId& item, const Result<void>& given) {
  const Item* open = live_->timeline().open_item(item);
  if (open == nullptr) return;
  if (!given) decisions_.take_back(std::get<Approval>(open->body));
  live_->put(given ? answered(*open, now()) : open_again(*open, given.error()));
  if (given) {
    if (busy()) finals_.insert(item);
    approvals_.erase(item);
  }
  changed();
}

/// Asked before anything has happened: an answer is not given without what was said with it.
Result<void> Session::words_fit(const Answer& answer) const {
  if (answer.message->size() > limits::kPromptBytesMax) {
    return fail(ErrorCode::TooLarge, "message: larger than 1 MiB; put it into a file instead");
  }
  if (queue_.size() >= limits::kQueueMax) {
    return fail(ErrorCode::Busy,
                "Too many messages wait in this session already: answer without a message.");
  }
  return {};
}

/// What the user said with an answer, where the agent's protocol has no place for it.
void Session::queue_words(const Answer& answer, TurnId asked_in) {
  if (record_->deleted || !live_->active()) return;
  UserPrompt words;
  words.turn = TurnId(make_uuid());
  words.content = *answer.message;
  words.key = std::string(kWordsKey) + answer.item_id.str();
  if (keys_) (*keys_)[words.key] = words.turn;
  words_after_ = std::move(asked_in);
  push_queued(std::move(words));
}

/// Some agents end the turn on a refusal, and a turn that was cut holds what is queued. What was
/// said with the refusal was meant for this moment. Anything else that waits keeps waiting.
bool Session::goes_on_after(const Turn& turn) {
  if (words_after_ != turn.turn_id) return false;
  words_after_.reset();
  return turn.status == TurnStatus::Cancelled && queue_.size() == 1 &&
         queue_.prompts().front()->key.starts_with(kWordsKey);
}

}  // namespace lb
