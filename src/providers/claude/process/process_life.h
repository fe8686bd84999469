/// ProcessLife: the life of the process behind a session of Claude Code, as a value.
///
///     absent → starting → ready → ending → absent (or killed)
///
/// A process that ends by itself leaves `absent` behind, from wherever it was. `killed` stays: the
/// session has to be loaded again. Pure.
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "process/agent_process.h"

namespace lb::claude::life {

using ProcessPtr = std::shared_ptr<AgentProcess>;

/// Why we end a process, the weaker reasons first.
enum class EndReason {
  Idle,           // Nobody needs it; the next prompt resumes the session.
  TurnCancelled,  // It did not stop when it was asked to.
  Killed,         // The session was ended.
  Shutdown,       // The server stops.
};

/// Whether the user wants the turn to stop.
enum class Stop {
  No,
  WhenTaken,  // The CLI ignores an interrupt before it has taken the prompt up.
  Asked,
};

struct Absent {};  // The next prompt starts one.
struct Starting {
  ProcessPtr process;  // It has not answered `initialize`.
};
struct Ready {
  ProcessPtr process;
  Stop stop = Stop::No;
};
struct Ending {
  ProcessPtr process;  // Takes no more prompts.
  EndReason why = EndReason::Idle;
};
struct Killed {};  // No process until the session is loaded again.
using State = std::variant<Absent, Starting, Ready, Ending, Killed>;

struct Launched {
  ProcessPtr process;
};
struct Greeted {};      // `initialize` was answered.
struct CancelLater {};  // Cancelled while the prompt is not taken up yet.
struct Interrupt {};    // Once per turn.
struct TurnOver {};
struct End {
  EndReason why;
};
struct Exited {};
using Input = std::variant<Launched, Greeted, CancelLater, Interrupt, TurnOver, End, Exited>;

/// The whole table. Empty: the input is not allowed now, or changes nothing.
std::optional<State> next(const State& state, const Input& input);

/// The process there is; null when there is none.
ProcessPtr process_in(const State& state);

}  // namespace lb::claude::life
