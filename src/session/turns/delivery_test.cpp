#include "session/turns/delivery.h"

#include <doctest/doctest.h>

#include <array>
#include <string>

#include "base/match.h"

namespace lb::delivery {
namespace {

PromptPtr prompt(const char* turn) {
  UserPrompt made;
  made.turn = TurnId(turn);
  return std::make_shared<const UserPrompt>(std::move(made));
}

TEST_CASE("delivery: every state and every input") {
  const PromptPtr p = prompt("p");
  // By index of the variants; -1: not allowed.
  constexpr int kNo = -1;
  constexpr int kNothing = 0;
  constexpr int kStoring = 1;
  constexpr int kStarting = 2;
  constexpr int kWithdrawn = 3;
  constexpr int kHandedOver = 4;
  constexpr int kBegun = 5;
  const std::array<State, 6> states = {Nothing{},    Storing{p},    Starting{p},
                                       Withdrawn{p}, HandedOver{p}, Begun{p}};
  const std::array<Input, 6> inputs = {
      Accept{prompt("other")}, Stored{}, Withdraw{}, HandOver{}, Begin{}, Finish{}};
  const std::array<std::array<int, 6>, 6> expected = {{
      // Accept, Stored, Withdraw, HandOver, Begin, Finish
      {kStoring, kNo, kNo, kNo, kNo, kNo},
      {kNo, kStarting, kWithdrawn, kNo, kNo, kNothing},
      {kNo, kNo, kWithdrawn, kHandedOver, kNo, kNothing},
      {kNo, kWithdrawn, kWithdrawn, kNo, kNo, kNothing},
      {kNo, kNo, kNo, kNo, kBegun, kNothing},
      {kNo, kNo, kNo, kNo, kNo, kNothing},
  }};
  static_assert(std::variant_size_v<State> == 6 && std::variant_size_v<Input> == 6);
  for (std::size_t at = 0; at < states.size(); ++at) {
    for (std::size_t in = 0; in < inputs.size(); ++in) {
      CAPTURE(at);
      CAPTURE(in);
      const auto to = next(states[at], inputs[in]);
      CHECK((to ? static_cast<int>(to->index()) : kNo) == expected[at][in]);
      // The prompt goes along: nobody else's comes in, and it leaves with the last step.
      if (to && at != kNothing && to->index() != kNothing) CHECK(prompt_in(*to) == p.get());
    }
  }
}

TEST_CASE("delivery: an input that is not allowed changes nothing") {
  State state;
  CHECK(prompt_in(state) == nullptr);
  CHECK(!transition(state, Input(HandOver{})));
  CHECK(transition(state, Input(Accept{prompt("one")})));
  CHECK(!transition(state, Input(Accept{prompt("two")})));
  CHECK(prompt_in(state)->turn == TurnId("one"));
}

}  // namespace
}  // namespace lb::delivery
