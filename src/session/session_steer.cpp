// Steering: what the user says in the middle of a turn, for that turn.
//
// It is durable before the agent gets it, as every prompt is. The agent takes it up in the turn
// that runs, or begins one behind it; its message is in the conversation from then on. Until then
// nothing that is queued starts.

#include <utility>

#include "session/session.h"
#include "session/turns/prompt_forms.h"

namespace lb {

asio::awaitable<Result<SessionSentMessage>> Session::steer(PromptPtr prompt) {
  const auto self = shared_from_this();
  if (!kept_->facts.steers || provider_ == nullptr) {
    keys_->erase(prompt->key);
    co_return fail(ErrorCode::NotSupported,
                   "This agent takes no message while it works: queue it instead.");
  }
  steering_.emplace(prompt->turn, prompt);
  live_->put_prompt(to_record(*prompt, PromptFate::Unsettled));
  if (auto stored = co_await live_->durable(); !stored) {
    PromptRecord never = to_record(*prompt, PromptFate::Settled);
    never.key.clear();
    live_->put_prompt(std::move(never));  // When it heals: this one never was.
    steering_.erase(prompt->turn);
    keys_->erase(prompt->key);
    start_next();
    co_return std::unexpected(std::move(stored.error()));
  }
  record_->last_active_at = now();
  changed();
  auto given = co_await prompt_for(prompt);
  Result<void> written;
  if (given) {
    written = co_await provider_->steer_turn(id(), std::move(*given));
  } else {
    written = std::unexpected(std::move(given.error()));
  }
  if (!written) steer_failed(prompt->turn, written.error());
  co_await live_->durable();
  if (!written) co_return std::unexpected(std::move(written.error()));
  co_return SessionSentMessage{id(), prompt->turn, false};
}

/// The agent took it up in a turn that runs, or never will.
void Session::steered(const Steered& what) {
  const auto found = steering_.find(what.prompt);
  if (found == steering_.end()) return;
  if (!what.into) return steer_failed(what.prompt, what.into.error());
  const PromptPtr prompt = found->second;
  steering_.erase(found);
  Item said = user_item(*prompt, id(), now());
  said.turn_id = *what.into;
  live_->put(std::move(said));
  live_->put_prompt(to_record(*prompt, PromptFate::Settled));
  start_next();
  changed();
}

/// What the user wrote is never lost: it is shown with why nobody took it.
void Session::steer_failed(const TurnId& turn, const Error& why) {
  const auto found = steering_.find(turn);
  if (found == steering_.end()) return;
  const PromptPtr prompt = found->second;
  steering_.erase(found);
  put_message(*prompt);
  Turn failed = turn_of(*prompt, id(), TurnType::Error);
  failed.ended_at = now();
  if (why.code == ErrorCode::Cancelled) {
    failed.type = TurnType::Complete;
    failed.status = TurnStatus::Cancelled;
  } else {
    failed.error_code = name_of(why.code);
    failed.error_message = why.message;
  }
  turn_ended(failed);
}

}  // namespace lb
