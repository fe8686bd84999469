#include "session/turns/delivery.h"

#include <type_traits>

#include "base/match.h"

namespace lb::delivery {

std::optional<State> next(const State& state, const Input& input) {
  using Next = std::optional<State>;
  // clang-format off
  const auto table = Match{
      [](const Nothing&,      const Accept& in) -> Next { return Storing{in.prompt}; },
      [](const Storing& s,    const Stored&)    -> Next { return Starting{s.prompt}; },
      [](const Storing& s,    const Withdraw&)  -> Next { return Withdrawn{s.prompt}; },
      [](const Storing&,      const Finish&)    -> Next { return Nothing{}; },
      [](const Starting& s,   const Withdraw&)  -> Next { return Withdrawn{s.prompt}; },
      [](const Starting& s,   const HandOver&)  -> Next { return HandedOver{s.prompt}; },
      [](const Starting&,     const Finish&)    -> Next { return Nothing{}; },
      [](const Withdrawn& s,  const Stored&)    -> Next { return s; },
      [](const Withdrawn& s,  const Withdraw&)  -> Next { return s; },
      [](const Withdrawn&,    const Finish&)    -> Next { return Nothing{}; },
      [](const HandedOver& s, const Begin&)     -> Next { return Begun{s.prompt}; },
      [](const HandedOver&,   const Finish&)    -> Next { return Nothing{}; },
      [](const Begun&,        const Finish&)    -> Next { return Nothing{}; },
      [](const auto&,         const auto&)      -> Next { return std::nullopt; },
  };
  // clang-format on
  return std::visit(table, state, input);
}

const UserPrompt* prompt_in(const State& state) {
  return std::visit(
      []<class S>(const S& now) -> const UserPrompt* {
        if constexpr (std::is_same_v<S, Nothing>) {
          return nullptr;
        } else {
          return now.prompt.get();
        }
      },
      state);
}

}  // namespace lb::delivery
