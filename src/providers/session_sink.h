/// SessionSink: where a provider tells what happens in one session.
///
/// Given once with Provider::attach; it may come before the session exists and survives its
/// process. Everything arrives in order and on the io thread. A sink may call back into the
/// provider, also to be detached.
#pragma once

#include <string>
#include <variant>

#include "base/result.h"
#include "model/item.h"
#include "model/session.h"
#include "model/turn.h"

namespace lb {

/// What a provider says of a session beside its conversation.
struct CliIdentity {
  std::string cli_session_id;  // It may change during a session (/clear, fork).
};
struct SessionTitle {
  std::string title;  // Given by the agent.
};
struct SessionEnded {
  Error why;  // The process is gone; the next send resumes it.
};
/// What became of a message that was given to the agent in the middle of a turn, where it did not
/// become a turn of its own (that says so itself).
struct Steered {
  TurnId prompt;
  Result<TurnId> into;  // The turn that took it up; or why none did.
};
using SessionReport = std::variant<SessionFacts, CliIdentity, SessionTitle, SessionEnded, Steered>;

class SessionSink {
 public:
  SessionSink() = default;
  SessionSink(const SessionSink&) = delete;
  SessionSink& operator=(const SessionSink&) = delete;
  virtual ~SessionSink() = default;

  virtual void item(Upsert item) = 0;
  virtual void turn(Turn turn) = 0;
  virtual void report(SessionReport report) = 0;
};

}  // namespace lb
