/// Delivery: the way of one prompt from the user to its agent, as a value.
///
///     nothing → storing → starting → handed over → begun → nothing
///                   ↓         ↓
///                  withdrawn ──────────────────────────→ nothing
///
/// A prompt is stored before its agent may have it, so it reaches the agent at most once and is
/// never lost. Until it is handed over the user can take it back, and the agent never hears of it.
/// One prompt of a session is on its way at a time; the others wait in the PromptQueue. Pure.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "model/item.h"

namespace lb {

/// What the user said, queued or on its way.
struct UserPrompt {
  TurnId turn;
  std::string content;
  std::vector<Attachment> attachments;
  std::string key;  // The client's id of the message; may be empty.
  std::optional<Timestamp> queued_at;
};
using PromptPtr = std::shared_ptr<const UserPrompt>;

namespace delivery {

struct Nothing {};
struct Storing {
  PromptPtr prompt;  // Not durable yet: the agent must not have it.
};
struct Starting {
  PromptPtr prompt;  // Durable; its agent is being made ready.
};
struct Withdrawn {
  PromptPtr prompt;  // The user took it back; whoever is at work with it will see that.
};
struct HandedOver {
  PromptPtr prompt;  // The agent has it, or is being given it.
};
struct Begun {
  PromptPtr prompt;  // The agent works on it, and the user's message is in the timeline.
};
using State = std::variant<Nothing, Storing, Starting, Withdrawn, HandedOver, Begun>;

struct Accept {
  PromptPtr prompt;
};
struct Stored {};
struct Withdraw {};
struct HandOver {};
struct Begin {};
/// It is no longer on its way: its turn runs, or has ended, or it could not be stored.
struct Finish {};
using Input = std::variant<Accept, Stored, Withdraw, HandOver, Begin, Finish>;

/// The whole table. Empty: the input is not allowed now.
std::optional<State> next(const State& state, const Input& input);

/// What is on its way; null when nothing is.
const UserPrompt* prompt_in(const State& state);

}  // namespace delivery
}  // namespace lb
