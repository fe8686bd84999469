/// AcpSession: one conversation with an ACP agent, from our side of the wire.
///
/// Keeps the translator, the prompt in flight, the questions waiting for the user and the watchdog;
/// survives its process: `connection` is empty then, and the next prompt loads it again.
/// The sink is told last, after its own state is right, because it may call back.
///
/// Owned by its provider. Lives on the io thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "providers/acp/agent_manager.h"
#include "providers/acp/translator.h"
#include "providers/agent_session.h"
#include "providers/timers.h"

namespace lb::acp {

struct SessionDeps {
  std::string cli_type;
  std::string name;  // Of the agent, for people.
  const Clock& clock;
  Timers& timers;
  /// The agent does not react to this session any more.
  std::function<void()> on_stuck;
  /// The agent said that it is not logged in; answers what to tell the user.
  std::function<Error(const RpcError&)> on_logged_out;
  /// A turn went well.
  std::function<void()> on_well;
};

class AcpSession final : public AgentSession, public std::enable_shared_from_this<AcpSession> {
 public:
  AcpSession(SessionId id, SessionDeps deps);

  // Plain facts that the provider keeps here.
  std::string cli_session_id;
  std::string project_dir;
  std::shared_ptr<Connection> connection;  // Null: the agent does not have this session open.
  bool dropping = false;                   // A replay of what we know already.
  std::optional<std::string> mode;  // What the user or our default chose; put back after a load.
  std::optional<std::string> model;
  std::optional<std::string> thinking;

  [[nodiscard]] Translator& translator() { return translator_; }
  [[nodiscard]] bool alive() const override { return connection && connection->peer->open(); }
  [[nodiscard]] bool prompting() const { return prompt_ != nullptr; }
  [[nodiscard]] bool held() const { return held_; }
  /// No turn runs, whoever began it.
  [[nodiscard]] bool quiet() const { return !prompt_ && !translator_.turn_open(); }
  /// When it was last at work.
  [[nodiscard]] MonoMs worked_at() const { return last_progress_; }

  /// Returns when the turn has begun: the whole line of the prompt is with a live agent.
  asio::awaitable<Result<void>> send(Prompt prompt) override;
  /// Tells the agent to stop. The turn's end comes as a turn.
  asio::awaitable<Result<void>> cancel() override;
  asio::awaitable<void> kill() override;
  asio::awaitable<void> shutdown() override;
  /// One process serves many sessions: the provider holds it back.
  void hold(bool held) override { held_ = held; }
  Result<PreparedAnswer> prepare_answer(const Answer& answer) override;

  // session_choices.cpp
  /// Puts the session into the mode, model and way of thinking that it should have; without a
  /// choice of the user, into the first of `asking_modes` that it offers.
  asio::awaitable<Result<void>> choose(std::vector<std::string> asking_modes);
  asio::awaitable<Result<void>> set_mode(std::string wanted) override;
  asio::awaitable<Result<void>> set_model(std::string wanted) override;
  asio::awaitable<Result<void>> set_thinking(std::string level) override;

  void on_update(const json::object& update);
  void on_permission(const RpcRequest& request, const json::object& params);
  /// The agent takes a question back.
  bool on_withdrawn(const json::value& request_id);
  /// The process is gone, or the session is closed: what is open ends with `why`.
  void lose(const Error& why);
  /// Nobody needs its process: nothing ends, and the next prompt opens it again.
  void let_go() { connection.reset(); }

  /// Passes outputs of the translator on.
  void publish(Outputs outputs);

 private:
  struct PromptState {
    TurnId turn_id;
    bool begun = false;
    std::optional<Error> failed;
  };

  /// A question whose answer is being written.
  struct Answering {
    RpcId question;
    bool over = false;  // It is no longer asked.
  };

  static asio::awaitable<Result<void>> write_answer(std::shared_ptr<AcpSession> self,
                                                    Answer answer);
  Result<void> stop_turn();
  /// The agent's answer to a cancelled turn, or nothing when the time is up.
  asio::awaitable<void> wait_for_turn_end(std::chrono::milliseconds limit);
  void begin_turn();
  void on_reply(const std::shared_ptr<PromptState>& prompt, RpcReply reply);
  void answer_all_cancelled();
  void watch();
  void on_silence();
  void give_up(const Error& why);
  void settle_later();
  [[nodiscard]] Timestamp now() const { return deps_.clock.wall(); }

  SessionDeps deps_;
  bool held_ = false;
  Translator translator_;
  std::shared_ptr<PromptState> prompt_;
  std::map<std::string, RpcId> questions_;  // Pending, by item id.
  std::set<std::string> answered_;          // Of the running turn.
  std::vector<std::shared_ptr<Answering>> answering_;
  MonoMs last_progress_ = 0;
  bool told_of_silence_ = false;
  Timers::Handle watchdog_;
  Timers::Handle cancel_watchdog_;
  Timers::Handle settle_;
  std::vector<std::shared_ptr<asio::steady_timer>> turn_end_waiters_;
};

/// The parameters of every call about one session.
inline json::object at_session(const AcpSession& session) {
  return {{"sessionId", session.cli_session_id}};
}

}  // namespace lb::acp
