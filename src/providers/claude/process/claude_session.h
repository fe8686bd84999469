/// ClaudeSession: one conversation with Claude Code, and the process that holds it while it is
/// needed.
///
/// One process serves many turns. It may end (idle, crash, kill) without ending the session: the
/// next prompt resumes it in a new process. Everything the CLI says goes through the translator
/// and is told to the sink in order; the sink may call back into the session.
/// Owned by the provider, kept alive by its own coroutines. Lives on the io thread.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/awaitable.h"
#include "providers/claude/history/records.h"
#include "providers/claude/process/control.h"
#include "providers/claude/process/launch.h"
#include "providers/claude/process/other_writers.h"
#include "providers/claude/process/process_life.h"
#include "providers/claude/translate/translator.h"
#include "providers/provider_base.h"

namespace lb::claude {

/// What its owner wants to know, beside what the sink is told.
struct ClaudeSessionEvents {
  std::function<void()> process_changed;  // One came or went.
  std::function<void(const Turn&)> turn;
  std::function<void(const SessionFacts&)> facts;
};

class ClaudeSession final : public AgentSession,
                            public std::enable_shared_from_this<ClaudeSession> {
 public:
  struct Setup {
    SessionId id;
    LaunchPlan plan;
    std::shared_ptr<const ClaudeConfig> config;
  };
  ClaudeSession(Setup setup, const ProviderDeps& deps, ClaudeSessionEvents events);

  /// Starts the process and waits until it is ready.
  asio::awaitable<Result<void>> start();
  asio::awaitable<Result<void>> send(Prompt prompt) override;
  asio::awaitable<Result<void>> steer(Prompt prompt) override;
  asio::awaitable<Result<void>> cancel() override;
  /// Ends the process and everything it started; the session can be loaded again.
  asio::awaitable<void> kill() override;
  /// Gives a session that was started ahead its name; it is ready for prompts.
  void become(SessionId id, ClaudeSessionEvents events);
  /// What the session had cost before this was made.
  void spent(const SessionFacts& before) { translator_->facts().spent(before); }
  /// Says what is known of the session now that its process is ready.
  void tell_facts();
  /// Lets a process go that nobody needs.
  void retire();
  /// Like kill, but the end is ours: an open turn fails.
  asio::awaitable<void> shutdown() override;
  Result<PreparedAnswer> prepare_answer(const Answer& answer) override;
  asio::awaitable<Result<void>> set_mode(std::string mode) override;
  asio::awaitable<Result<void>> set_model(std::string model) override;
  asio::awaitable<Result<void>> set_thinking(std::string level) override;
  void hold(bool held) override;

  [[nodiscard]] bool starting() const { return std::holds_alternative<life::Starting>(life_); }
  [[nodiscard]] bool alive() const override { return process() && process()->alive(); }
  [[nodiscard]] const LaunchPlan& plan() const { return plan_; }
  /// The CLI's file has been read up to here: what grows from now on is someone else's doing.
  void file_is(const FileMark& mark) { other_writers_.seen(mark); }

 private:
  using ProcessPtr = life::ProcessPtr;
  struct Binding {
    explicit Binding(const asio::any_io_executor& io) : timer(io) {}
    TurnId turn;
    asio::steady_timer timer;
    std::optional<Result<void>> outcome;
  };

  [[nodiscard]] ProcessPtr process() const { return life::process_in(life_); }
  /// The process can take a prompt.
  [[nodiscard]] bool ready() const {
    return std::holds_alternative<life::Ready>(life_) && process()->alive();
  }
  /// It is going, or gone and not heard to the end: it makes room first.
  [[nodiscard]] bool leaving() const {
    return process() && (std::holds_alternative<life::Ending>(life_) || !process()->alive());
  }
  [[nodiscard]] bool killed() const { return std::holds_alternative<life::Killed>(life_); }
  bool step(const life::Input& input);
  /// Until something of the above changed: look again.
  asio::awaitable<void> change() { co_await changed_.async_wait(kNoThrow); }

  // claude_session.cpp
  Result<ProcessPtr> launch();
  asio::awaitable<Result<void>> start_once();
  static asio::awaitable<void> read(std::shared_ptr<ClaudeSession> self, ProcessPtr process);
  void line(const Line& line);
  void ended(const ProcessPtr& gone, const ExitStatus& status);
  [[nodiscard]] TurnEnd end_of(const ExitStatus& status, std::string_view said) const;
  void flush();
  void dispatch(Output output);
  void bound_turn(const TurnBound& bound);
  void process_changed();
  void arm_batch();
  void arm_idle();
  [[nodiscard]] Moment now() const { return {deps_.clock.wall(), deps_.clock.mono()}; }

  // claude_session_commands.cpp
  asio::awaitable<Result<void>> make_ready();
  asio::awaitable<Result<void>> bound(std::shared_ptr<Binding> binding);
  static asio::awaitable<void> interrupt(std::shared_ptr<ClaudeSession> self);
  asio::awaitable<void> end_process(life::EndReason why);
  static asio::awaitable<Result<void>> write_answer(std::shared_ptr<ClaudeSession> self,
                                                    Answer answer, std::string line);
  asio::awaitable<Result<json::object>> ask(json::object body);

  LaunchPlan plan_;
  std::shared_ptr<const ClaudeConfig> config_;
  ProviderDeps deps_;
  ClaudeSessionEvents events_;
  OtherWriters other_writers_;
  std::optional<Translator> translator_;  // Always there; made anew by `become`.
  Control control_;
  JsonReader json_;

  life::State life_;
  bool held_ = false;   // What the process says is not read now.
  json::object hello_;  // What the process answered to `initialize`.
  std::shared_ptr<Binding> binding_;
  std::deque<Output> outputs_;
  bool dispatching_ = false;
  asio::steady_timer batch_timer_;
  std::optional<MonoMs> batch_due_;
  asio::steady_timer idle_timer_;
  asio::steady_timer changed_;  // Never expires: cancelling it wakes everyone who waits.
};

}  // namespace lb::claude
