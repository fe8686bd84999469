/// Opening: what a session is doing with its agent before it can be used, as a value.
///
///     settled → creating  → settled      the agent begins: a new conversation, afresh, or a copy
///     settled → loading   → settled      the agent takes up the conversation and tells its history
///     settled → importing → settled      its history is read, without an agent for prompts
///
/// One at a time: who comes meanwhile waits (Session::opening_mutex_). Pure.
#pragma once

#include <optional>
#include <unordered_set>
#include <variant>

#include "base/id.h"

namespace lb::opening {

/// Entries that an import which was cut off has stored: they come a second time now.
struct Known {
  std::unordered_set<ItemId> items;
  std::unordered_set<TurnId> turns;
};

struct Settled {};
struct Creating {};
struct Loading {
  Known known;
};
struct Importing {
  Known known;
};
using State = std::variant<Settled, Creating, Loading, Importing>;

struct Create {};
struct Load {
  Known known;
};
struct Import {
  Known known;
};
struct Finish {};
using Input = std::variant<Create, Load, Import, Finish>;

/// The whole table. Empty: the input is not allowed now.
std::optional<State> next(const State& state, const Input& input);

/// The agent is being started: what the lists call loading.
bool starts_agent(const State& state);
/// Set while what arrives is history: it makes nothing active or unread.
const Known* history(const State& state);

}  // namespace lb::opening
