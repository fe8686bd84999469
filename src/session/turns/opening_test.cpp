#include "session/turns/opening.h"

#include <doctest/doctest.h>

#include <array>

namespace lb::opening {
namespace {

TEST_CASE("opening: every state and every input") {
  Known known;
  known.items.emplace("i1");
  constexpr int kNo = -1;
  constexpr int kSettled = 0;
  constexpr int kCreating = 1;
  constexpr int kLoading = 2;
  constexpr int kImporting = 3;
  const std::array<State, 4> states = {Settled{}, Creating{}, Loading{known}, Importing{known}};
  const std::array<Input, 4> inputs = {Create{}, Load{known}, Import{known}, Finish{}};
  const std::array<std::array<int, 4>, 4> expected = {{
      // Create, Load, Import, Finish
      {kCreating, kLoading, kImporting, kNo},
      {kNo, kNo, kNo, kSettled},
      {kNo, kNo, kNo, kSettled},
      {kNo, kNo, kNo, kSettled},
  }};
  static_assert(std::variant_size_v<State> == 4 && std::variant_size_v<Input> == 4);
  for (std::size_t at = 0; at < states.size(); ++at) {
    for (std::size_t in = 0; in < inputs.size(); ++in) {
      CAPTURE(at);
      CAPTURE(in);
      const auto to = next(states[at], inputs[in]);
      CHECK((to ? static_cast<int>(to->index()) : kNo) == expected[at][in]);
      if (to && history(*to) != nullptr) CHECK(history(*to)->items.contains(ItemId("i1")));
    }
  }
  const std::array<bool, 4> starts = {false, true, true, false};
  const std::array<bool, 4> tells = {false, false, true, true};
  for (std::size_t at = 0; at < states.size(); ++at) {
    CHECK(starts_agent(states[at]) == starts[at]);
    CHECK((history(states[at]) != nullptr) == tells[at]);
  }
}

}  // namespace
}  // namespace lb::opening
