/// Session: one conversation with one agent in one project.
///
/// Owns the conversation's timeline, its queue and the life of its turns; programs against Provider
/// and knows no CLI. One prompt is with the agent at a time: others wait in the queue, durable, and
/// can be edited. After a cancel, a failed turn or a restart the queue is held until the user
/// releases it; what is sent meanwhile goes at once when nothing runs, and does not release it. A
/// prompt is durable before the agent gets it, so it reaches the agent at most
/// once and is never lost; its idempotency key is kept with it.
///
/// It is there while it is used; suspended it is a DormantSession (dormant_session.h).
/// Owned by the SessionService; lives on the io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "model/requests.h"
#include "model/server_message.h"
#include "providers/provider.h"
#include "session/audit_trail.h"
#include "session/dormant_session.h"
#include "session/event.h"
#include "session/live/live_timeline.h"
#include "session/sessions.h"
#include "session/turns/decisions.h"
#include "session/turns/delivery.h"
#include "session/turns/opening.h"
#include "session/turns/prompt_queue.h"
#include "store/store.h"

namespace lb {

class Session;

/// Where the agent of a session works.
struct Workplace {
  std::string folder;
  Environment env = {};      // Put over the agent's: the ports of its workspace.
  bool own_process = false;  // It shares its process with no other session.
};

/// Whether the files are known as they were before a turn.
struct Checkpointed {
  CheckpointState state = CheckpointState::None;
  std::string problem = {};  // Why there is none.
};

/// The setup commands of a workspace, ready to be run.
struct SetupRun {
  Launcher& launcher;
  LaunchOptions options;
  std::string script;  // For people.
};

/// What a session needs of its service, and tells it.
class SessionHost {
 public:
  SessionHost() = default;
  SessionHost(const SessionHost&) = delete;
  SessionHost& operator=(const SessionHost&) = delete;
  virtual ~SessionHost() = default;
  virtual LiveTimelineDeps deps() = 0;
  virtual AuditTrail& audit_trail() = 0;
  /// An error: its workspace was removed, or is not ready.
  virtual Result<Workplace> workplace(const SessionRecord& record) = 0;
  /// Called right before a prompt goes to the agent: waits until the folder is ready for it, and
  /// for a moment until its files are known. Nothing: checkpoints are switched off.
  virtual asio::awaitable<Result<std::optional<Checkpointed>>> before_turn(SessionId session,
                                                                           TurnId turn) = 0;
  virtual void after_turn(const SessionId& session, const TurnId& turn) = 0;
  virtual void info_changed(const SessionInfo& info) = 0;
  virtual void facts_changed(const SessionId& session, const SessionFacts& facts) = 0;
  /// What waits for the user in a session is now this.
  virtual void inbox_changed(const SessionRecord& record, const std::vector<Item>& items) = 0;
  virtual void cli_id_changed(Session& session) = 0;
  /// A session of this service, resumed when it was suspended; null when there is none.
  virtual std::shared_ptr<Session> resumed(const SessionId& session) = 0;
  /// Ends with the host.
  virtual std::weak_ptr<SessionHost> weak() = 0;
  [[nodiscard]] virtual bool stopping() const = 0;
};

class Session : public std::enable_shared_from_this<Session> {
 public:
  /// `provider` is null when no agent of this type is configured any more: readable, not usable.
  Session(SessionHost& host, std::shared_ptr<DormantSession> kept, Provider* provider);

  [[nodiscard]] const SessionId& id() const { return record_->id; }
  [[nodiscard]] const SessionRecord& record() const { return *record_; }
  [[nodiscard]] const std::shared_ptr<DormantSession>& kept() const { return kept_; }
  [[nodiscard]] const std::shared_ptr<LiveTimeline>& live() const { return live_; }
  [[nodiscard]] SessionInfo info() const;
  [[nodiscard]] SessionStatus status() const;
  [[nodiscard]] SessionState state() const;
  [[nodiscard]] bool alive() const;
  [[nodiscard]] Provider* provider() const { return provider_; }
  /// What waits for the user, each in the newest form that is durable.
  [[nodiscard]] std::vector<Item> inbox() const;

  // --- Life ---------------------------------------------------------------------------------
  asio::awaitable<Result<void>> create(CreateSessionOptions options);
  /// Makes it ready for prompts; nothing happens when it is.
  asio::awaitable<Result<void>> load();
  /// Brings in the history of a session made outside, once, without starting it for prompts.
  asio::awaitable<Result<void>> import_history();
  /// A copy that goes its own way: of everything, or of what was before a turn.
  asio::awaitable<Result<void>> fork_from(std::shared_ptr<Session> from,
                                          std::optional<TurnId> before = {});
  asio::awaitable<Result<void>> kill();
  asio::awaitable<Result<void>> erase();
  /// Ends what a crash left open.
  asio::awaitable<Result<void>> recover(Unfinished left);
  /// Nothing runs, waits or is read, and the store has everything.
  [[nodiscard]] bool idle() const;
  /// Leaves in what is kept what the next Session goes on with; this one is not used any more.
  void suspend();

  // --- Turns --------------------------------------------------------------------------------
  asio::awaitable<Result<SessionSentMessage>> send(SessionSendRequest request);
  asio::awaitable<Result<void>> edit_queue(SessionQueueRequest request);
  asio::awaitable<Result<void>> reorder(SessionReorderRequest request);
  asio::awaitable<Result<void>> cancel(SessionCancelRequest request);
  asio::awaitable<Result<void>> answer(SessionAnswerRequest request, Caller caller);
  /// Runs the setup commands of its workspace, shown as a tool call. True: all went well.
  asio::awaitable<bool> run_setup(SetupRun run);
  asio::awaitable<Result<void>> set_mode(SessionModeRequest request);
  asio::awaitable<Result<void>> set_model(SessionModelRequest request);
  asio::awaitable<Result<void>> set_thinking(SessionThinkingRequest request);

  // --- Facts --------------------------------------------------------------------------------
  void rename(std::string title, TitleSource source);
  /// The user names it.
  asio::awaitable<Result<void>> set_title(SessionRenameRequest request);
  asio::awaitable<Result<void>> set_archived(SessionArchiveRequest request);
  void mark_read();
  /// What discovery found out about a session made outside.
  void rediscovered(const DiscoveredSession& found);
  /// The store can write again: what had to wait for it is told.
  void store_ready() { inbox_soon(); }

 private:
  /// What everyone was told last of the approvals that wait.
  struct InboxTold {
    std::string title;
    std::vector<Item> items;
    friend bool operator==(const InboxTold&, const InboxTold&) = default;
  };

  friend class AgentLine;  // Through which the agent speaks: on_upsert, on_turn, on_report.
  void attach();
  void on_upsert(Upsert item);
  void on_turn(Turn turn);
  void on_report(SessionReport report);
  void turn_ended(const Turn& turn);
  void follow_choices(const SessionFacts& now);

  // How it comes to life: the steps that create, load, import, fork and recover have in common.
  class OpeningScope;
  enum class Start { Agent, HistoryOnly };
  asio::awaitable<Result<void>> ready();
  asio::awaitable<Result<void>> load_keys();
  template <class Options>
  Result<void> choose_for_agent(Options& options) const;
  asio::awaitable<Result<LoadSessionOptions>> load_options();
  asio::awaitable<Result<opening::Known>> known_of_import();
  asio::awaitable<Result<void>> take_history(Start start);
  asio::awaitable<Result<void>> begin_with(asio::awaitable<Result<ProviderSession>> making);
  void agent_is(const ProviderSession& agent);
  asio::awaitable<Result<void>> open();
  asio::awaitable<Result<void>> open_or_begin_afresh(bool for_prompt);
  asio::awaitable<Result<void>> begin_afresh();
  /// Where a copy of this session that ends before a turn ends.
  asio::awaitable<Result<ForkPoint>> point_before(TurnId turn);
  asio::awaitable<Result<void>> copy_history(std::shared_ptr<Session> from,
                                             std::optional<TurnId> before);
  asio::awaitable<Result<void>> copy_attached(SessionId from, Item& item);
  [[nodiscard]] bool tells_history() const { return opening::history(opening_) != nullptr; }

  [[nodiscard]] const UserPrompt* on_its_way() const { return delivery::prompt_in(delivery_); }
  [[nodiscard]] bool on_its_way(const TurnId& turn) const {
    return on_its_way() != nullptr && on_its_way()->turn == turn;
  }
  [[nodiscard]] bool busy() const {
    return on_its_way() != nullptr || !open_turns_.empty() || !steering_.empty();
  }
  asio::awaitable<Result<void>> why_not_open(ItemId item);
  void settle_answer(const ItemId& item, const Result<void>& given);
  [[nodiscard]] Result<void> words_fit(const Answer& answer) const;
  void queue_words(const Answer& answer, TurnId asked_in);
  bool goes_on_after(const Turn& turn);
  asio::awaitable<Result<std::vector<Attachment>>> resolve(std::vector<AttachmentRef> refs);
  asio::awaitable<Result<SessionSentMessage>> enqueue(UserPrompt prompt);
  void push_queued(UserPrompt prompt);
  asio::awaitable<Result<SessionSentMessage>> send_now(PromptPtr prompt);
  asio::awaitable<Result<SessionSentMessage>> steer(PromptPtr prompt);
  void steered(const Steered& what);
  void steer_failed(const TurnId& turn, const Error& why);
  bool step(const delivery::Input& input);
  asio::awaitable<Result<void>> deliver(PromptPtr prompt);
  asio::awaitable<Result<Prompt>> prompt_for(PromptPtr said);
  asio::awaitable<Result<void>> hand_over(PromptPtr said);
  void say_checkpoint(Turn& turn) const;
  void put_setup(Turn turn);
  static asio::awaitable<void> deliver_queued(std::shared_ptr<Session> self, PromptPtr prompt);
  void start_next();
  void hold_queue();
  void release_queue();
  [[nodiscard]] Turn queued_form(const UserPrompt& prompt) const;
  void put_queued(const UserPrompt& prompt);
  void put_all_queued();
  asio::awaitable<Result<void>> change_queued(TurnId turn, std::optional<std::string> content);
  void put_message(const UserPrompt& prompt);
  void begun(const TurnId& turn);
  void prompt_failed(const Error& why);
  void end_open(TurnStatus how);
  [[nodiscard]] Timestamp now() const;
  void changed(bool save = true);
  [[nodiscard]] std::vector<Item> pending_approvals() const;
  void inbox_soon();
  static asio::awaitable<void> tell_inbox(std::shared_ptr<Session> self);

  SessionHost& host_;
  std::shared_ptr<DormantSession> kept_;
  std::shared_ptr<SessionRecord> record_;  // That of kept_.
  Provider* provider_;
  std::shared_ptr<LiveTimeline> live_;
  AsyncMutex opening_mutex_;
  opening::State opening_;

  PromptQueue queue_;                               // Said while something runs,
  std::optional<TurnId> words_after_;               // with an answer in this turn,
  delivery::State delivery_;                        // on its way to the agent,
  std::unordered_set<TurnId> open_turns_;           // begun and not ended.
  std::unordered_map<TurnId, PromptPtr> steering_;  // Given to the agent in the middle of a turn.
  /// Idempotency keys; read from the store when the first is needed.
  std::optional<std::unordered_map<std::string, TurnId>> keys_;
  std::unordered_set<ItemId> finals_;     // Of the turns that run: they never change again.
  std::unordered_set<ItemId> approvals_;  // That wait for the user.
  Decisions decisions_;                   // Of the turns that run.
  std::unordered_map<TurnId, Checkpointed> checkpoints_;  // The same.
  std::unordered_map<ItemId, std::size_t> shown_;         // Output bytes behind the last cut form.
  std::shared_ptr<AgentProcess> setup_;                   // The setup commands, while they run.
  std::optional<SessionInfo> last_info_;
  InboxTold inbox_told_;
  bool inbox_posted_ = false;
};

}  // namespace lb
