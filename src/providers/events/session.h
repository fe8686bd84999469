/// EventsSession: one process that speaks `protocol = "events"`, and the turn it works on.
///
/// To the agent (one JSON object per line on its stdin):
///     {"type":"open","sessionId":…,"cwd":…}                          first, once per process
///     {"type":"prompt","sessionId":…,"turnId":…,"content":…,"images":[{"mimeType":…,"data":…}]}
///     {"type":"cancel","sessionId":…,"turnId":…}
/// From the agent: StreamEvent envelopes, one per line on its stdout (model/stream_event.h).
///
/// The agent names its items as it likes; they get ids of ours. Owned by its provider; shared with
/// the coroutine that reads the process. Lives on the io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "process/agent_process.h"
#include "providers/agent_session.h"
#include "providers/provider.h"
#include "providers/timers.h"
#include "stream/envelope_processor.h"

namespace lb::events {

struct SessionDeps {
  std::string name;  // Of the agent, for people.
  asio::any_io_executor executor;
  const Clock& clock;
  Timers& timers;
};

class EventsSession final : public AgentSession,
                            public std::enable_shared_from_this<EventsSession> {
 public:
  EventsSession(SessionId id, WarmPlace place, SessionDeps deps);

  /// Where its process runs, and how.
  [[nodiscard]] const WarmPlace& place() const { return place_; }
  [[nodiscard]] bool alive() const override { return process_ && process_->alive(); }

  /// Follows a process that was just started for this session.
  void follow(std::shared_ptr<AgentProcess> process);
  /// Returns when the agent has begun the turn (its response_start), or an error.
  asio::awaitable<Result<void>> send(Prompt prompt) override;
  /// Tells the agent; one that does not react is ended, and the turn is cancelled either way.
  asio::awaitable<Result<void>> cancel() override;
  asio::awaitable<void> kill() override;
  asio::awaitable<void> shutdown() override;
  void hold(bool held) override;

 private:
  struct Pending {
    explicit Pending(const asio::any_io_executor& executor)
        : changed(executor, asio::steady_timer::time_point::max()) {}
    TurnId turn_id;
    bool begun = false;
    std::optional<Error> failed;
    asio::steady_timer changed;
  };

  static asio::awaitable<void> read(std::shared_ptr<EventsSession> self,
                                    std::shared_ptr<AgentProcess> process);
  /// Ends the process; an open turn ends with `why`.
  asio::awaitable<void> close(Error why);
  void on_line(const Line& line);
  void on_event(StreamEvent event);
  void on_end(const std::shared_ptr<AgentProcess>& process, const ExitStatus& status);
  void give_our_ids(StreamEvent& event);
  void fail_open(const Error& why);
  void end_cancelled();
  void publish(EnvelopeProcessor::Outputs outputs);
  void tick_later();
  [[nodiscard]] Now now() const { return {deps_.clock.wall(), deps_.clock.mono()}; }

  WarmPlace place_;
  SessionDeps deps_;
  std::shared_ptr<AgentProcess> process_;
  EnvelopeProcessor processor_;
  std::shared_ptr<Pending> pending_;  // A prompt that has not begun.
  std::optional<TurnId> prompted_;    // The turn that a prompt of ours began.
  std::optional<TurnId> open_turn_;
  std::map<std::string, std::string> item_ids_;  // Of the open turn: theirs → ours.
  std::optional<Error> closing_;                 // Why we end the process ourselves.
  bool cancelling_ = false;
  bool held_ = false;
  asio::steady_timer unheld_;  // Never expires: cancelling it wakes the reader.
  Timers::Handle tick_;
  Timers::Handle cancel_watchdog_;
};

}  // namespace lb::events
