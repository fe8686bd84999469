#include "providers/claude/process/process_life.h"

#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>
#include <string>
#include <vector>

#include "base/match.h"
#include "tests/support/scripted_process.h"

namespace lb::claude::life {
namespace {

struct Fixture {
  asio::io_context io;
  ProcessPtr process = std::make_shared<test::ScriptedProcess>(io.get_executor());

  [[nodiscard]] std::vector<State> states() const {
    return {Absent{},
            Starting{process},
            Ready{process},
            Ready{process, Stop::WhenTaken},
            Ready{process, Stop::Asked},
            Ending{process, EndReason::Idle},
            Ending{process, EndReason::TurnCancelled},
            Ending{process, EndReason::Killed},
            Killed{}};
  }
  [[nodiscard]] std::vector<Input> inputs() const {
    return {Launched{process},
            Greeted{},
            CancelLater{},
            Interrupt{},
            TurnOver{},
            End{EndReason::Idle},
            End{EndReason::Killed},
            Exited{}};
  }
};

std::string reason(EndReason why) {
  switch (why) {
    case EndReason::Idle:
      return "idle";
    case EndReason::TurnCancelled:
      return "cancelled";
    case EndReason::Killed:
      return "killed";
    case EndReason::Shutdown:
      return "shutdown";
  }
  return "?";
}

std::string name(const State& state) {
  return std::visit(Match{[](const Absent&) { return std::string("absent"); },
                          [](const Starting&) { return std::string("starting"); },
                          [](const Ready& s) {
                            return std::string(s.stop == Stop::No          ? "ready"
                                               : s.stop == Stop::WhenTaken ? "ready, stop later"
                                                                           : "ready, stopping");
                          },
                          [](const Ending& s) { return "ending, " + reason(s.why); },
                          [](const Killed&) { return std::string("killed"); }},
                    state);
}

TEST_CASE("process life: every input in every state") {
  const Fixture f;
  // In the order of inputs(): launched, greeted, cancel later, interrupt, turn over, end because
  // idle, end because killed, exited. "-": not allowed.
  const std::vector<std::vector<std::string>> table = {
      {"starting", "-", "-", "-", "-", "absent", "killed", "-"},
      {"-", "ready", "-", "-", "-", "ending, idle", "ending, killed", "absent"},
      {"-", "-", "ready, stop later", "ready, stopping", "ready", "ending, idle", "ending, killed",
       "absent"},
      {"-", "-", "-", "ready, stopping", "ready", "ending, idle", "ending, killed", "absent"},
      {"-", "-", "-", "-", "ready", "ending, idle", "ending, killed", "absent"},
      {"-", "-", "-", "-", "-", "ending, idle", "ending, killed", "absent"},
      {"-", "-", "-", "-", "-", "ending, cancelled", "ending, killed", "absent"},
      {"-", "-", "-", "-", "-", "ending, killed", "ending, killed", "killed"},
      {"-", "-", "-", "-", "-", "-", "-", "-"},
  };
  const auto states = f.states();
  const auto inputs = f.inputs();
  REQUIRE(table.size() == states.size());
  for (std::size_t from = 0; from < states.size(); ++from) {
    REQUIRE(table[from].size() == inputs.size());
    for (std::size_t in = 0; in < inputs.size(); ++in) {
      const auto to = next(states[from], inputs[in]);
      INFO(name(states[from]), " + input ", in);
      CHECK((to ? name(*to) : "-") == table[from][in]);
    }
  }
}

TEST_CASE("process life: there is a process exactly where a state has one") {
  const Fixture f;
  for (const State& state : f.states()) {
    const bool without =
        std::holds_alternative<Absent>(state) || std::holds_alternative<Killed>(state);
    INFO(name(state));
    CHECK(process_in(state) == (without ? nullptr : f.process));
  }
}

}  // namespace
}  // namespace lb::claude::life
