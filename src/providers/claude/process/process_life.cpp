#include "providers/claude/process/process_life.h"

#include <algorithm>

#include "base/match.h"

namespace lb::claude::life {
namespace {

/// What is left of a session whose process is gone.
State after(EndReason why) {
  if (why >= EndReason::Killed) return Killed{};
  return Absent{};
}

}  // namespace

std::optional<State> next(const State& state, const Input& input) {
  using Next = std::optional<State>;
  // clang-format off
  const auto table = Match{
      [](const Absent&,     const Launched& in)  -> Next { return Starting{in.process}; },
      [](const Absent&,     const End& in)       -> Next { return after(in.why); },
      [](const Starting& s, const Greeted&)      -> Next { return Ready{s.process}; },
      [](const Starting& s, const End& in)       -> Next { return Ending{s.process, in.why}; },
      [](const Starting&,   const Exited&)       -> Next { return Absent{}; },
      [](const Ready& s,    const CancelLater&)  -> Next {
        return s.stop == Stop::No ? Next(Ready{s.process, Stop::WhenTaken}) : std::nullopt;
      },
      [](const Ready& s,    const Interrupt&)    -> Next {
        return s.stop != Stop::Asked ? Next(Ready{s.process, Stop::Asked}) : std::nullopt;
      },
      [](const Ready& s,    const TurnOver&)     -> Next { return Ready{s.process}; },
      [](const Ready& s,    const End& in)       -> Next { return Ending{s.process, in.why}; },
      [](const Ready&,      const Exited&)       -> Next { return Absent{}; },
      [](const Ending& s,   const End& in)       -> Next {
        return Ending{s.process, std::max(s.why, in.why)};
      },
      [](const Ending& s,   const Exited&)       -> Next { return after(s.why); },
      [](const auto&,       const auto&)         -> Next { return std::nullopt; },
  };
  // clang-format on
  return std::visit(table, state, input);
}

ProcessPtr process_in(const State& state) {
  return std::visit(
      [](const auto& now) -> ProcessPtr {
        if constexpr (requires { now.process; }) {
          return now.process;
        } else {
          return nullptr;
        }
      },
      state);
}

}  // namespace lb::claude::life
