#include "session/turns/opening.h"

#include "base/match.h"

namespace lb::opening {

std::optional<State> next(const State& state, const Input& input) {
  using Next = std::optional<State>;
  // clang-format off
  const auto table = Match{
      [](const Settled&,   const Create&)    -> Next { return Creating{}; },
      [](const Settled&,   const Load& in)   -> Next { return Loading{in.known}; },
      [](const Settled&,   const Import& in) -> Next { return Importing{in.known}; },
      [](const Creating&,  const Finish&)    -> Next { return Settled{}; },
      [](const Loading&,   const Finish&)    -> Next { return Settled{}; },
      [](const Importing&, const Finish&)    -> Next { return Settled{}; },
      [](const auto&,      const auto&)      -> Next { return std::nullopt; },
  };
  // clang-format on
  return std::visit(table, state, input);
}

bool starts_agent(const State& state) {
  return std::holds_alternative<Creating>(state) || std::holds_alternative<Loading>(state);
}

const Known* history(const State& state) {
  if (const auto* loading = std::get_if<Loading>(&state)) return &loading->known;
  if (const auto* importing = std::get_if<Importing>(&state)) return &importing->known;
  return nullptr;
}

}  // namespace lb::opening
