/// Match: the lines of a transition table, one lambda each, for std::visit. And `transition`, which
/// takes a state along a table. A state machine here is a variant and a pure function
///
///     std::optional<State> next(const State& state, const Input& input);
///
/// whose answer is empty when the input is not allowed in that state.
#pragma once

#include <optional>
#include <utility>

namespace lb {

template <class... Lines>
struct Match : Lines... {
  using Lines::operator()...;
};

/// True when the input was allowed; the state is then the next one, else it stays as it is.
template <class State, class Input>
bool transition(State& state, const Input& input) {
  std::optional<State> to = next(std::as_const(state), input);
  if (!to) return false;
  state = std::move(*to);
  return true;
}

}  // namespace lb
