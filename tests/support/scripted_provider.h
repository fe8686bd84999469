/// ScriptedProvider: an agent in memory that does exactly what a test tells it.
///
/// What it was asked is in the public vectors; what it answers is set beforehand; what the agent
/// says is said by the test: `start`, `say`, `tool`, `ask`, `complete`, `fail_turn` … It keeps the
/// promises of provider.h, except where a test makes it break them.
#pragma once

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "providers/agent_session.h"

namespace lb::test {

class ScriptedProvider final : public Provider {
 public:
  struct Sent {
    SessionId session;
    Prompt prompt;
  };
  struct Loaded {
    SessionId session;
    LoadSessionOptions options;
  };

  explicit ScriptedProvider(std::string cli_type = "scripted") : cli_type_(std::move(cli_type)) {
    info.cli_type = cli_type_;
    info.name = cli_type_;
    info.protocol = "acp";
    info.installed = true;
  }

  // --- What it was asked ----------------------------------------------------------------------
  std::vector<CreateSessionOptions> created;
  std::vector<Loaded> loaded;
  std::vector<Loaded> imported;
  std::vector<Sent> sent;
  std::vector<Sent> steered;
  std::vector<SessionId> cancelled;
  std::vector<SessionId> killed;
  std::vector<std::pair<SessionId, Answer>> answers;
  std::vector<std::pair<SessionId, SessionId>> forked;
  std::vector<std::optional<ForkPoint>> forked_before;
  std::map<SessionId, std::string> modes;
  std::map<SessionId, std::string> models;
  std::map<SessionId, std::string> thinking;
  std::vector<std::string> prewarmed_in;
  std::vector<std::string> prewarmed_shared_in;
  std::vector<std::string> prewarmed_ended;
  std::set<SessionId> held;
  int reconnects = 0;
  int discoveries = 0;
  std::int64_t outside_marked = 1;  // Another number: the CLI made something.
  int outside_looks = 0;

  // --- What it answers ------------------------------------------------------------------------
  std::optional<bool> texts = true;  // Whether prompts may carry them.
  std::optional<Error> create_error;
  std::optional<Error> load_error;
  std::optional<Error> history_error;  // Once the history was said: it has more than that.
  std::optional<Error> send_error;
  std::optional<Error> steer_error;
  std::optional<Error> cancel_error;
  /// How the agent takes an answer; none: at once.
  std::function<asio::awaitable<Result<void>>(const Answer&)> take_answer;
  std::function<asio::awaitable<void>()> ending;  // What its end waits for; none: nothing.
  std::function<void()> on_prepare_answer;        // What happens while it is asked.
  bool carries_message = true;
  bool starts_turns = true;  // send_message begins the turn itself, as real providers do.
  bool can_fork = true;
  bool forks_before = true;
  bool confines = true;
  bool starts_ahead = true;
  AgentInfo info;
  std::string records_at;                  // Where the CLI keeps its sessions.
  std::vector<DiscoveredSession> outside;  // The sessions the CLI knows, whatever the project,
  std::string outside_in;                  // or only in this folder.
  /// Called by load_session and import_history: says the history through upsert and turn.
  std::function<void(const SessionId&, const LoadSessionOptions&)> history;

  // --- What the agent does --------------------------------------------------------------------
  void upsert(const Upsert& item) {
    if (const auto sink = sink_of(item.session_id)) sink->item(item);
  }
  void turn(const Turn& turn) {
    if (const auto sink = sink_of(turn.session_id)) sink->turn(turn);
  }
  void report(const SessionId& session, const SessionReport& what) {
    if (const auto sink = sink_of(session)) sink->report(what);
  }
  void status(AgentStatus status, std::optional<std::string> message = {}) {
    info.status = status;
    if (status_) status_(status, std::move(message));
  }

  /// The base of an item or turn of `session`, with times.
  Item item(const SessionId& session, const TurnId& turn, std::string id, ItemBody body,
            ItemStatus status = ItemStatus::Complete) {
    Item item;
    item.session_id = session;
    item.turn_id = turn;
    item.item_id = ItemId(std::move(id));
    item.source_timestamp = item.emitted_at = clock_.wall();
    // Once for each item, as agents do: another start is more than grown text, and no append.
    item.started_at = started_.try_emplace(item.item_id, item.emitted_at).first->second;
    item.status = status;
    if (is_final(status)) item.ended_at = clock_.wall();
    item.body = std::move(body);
    return item;
  }
  void start(const SessionId& session, const TurnId& turn_id,
             TurnOrigin origin = TurnOrigin::User) {
    Turn started;
    started.type = TurnType::Started;
    started.turn_id = turn_id;
    started.session_id = session;
    started.origin = origin;
    started.provider_id = cli_type_;
    started.started_at = clock_.wall();
    turn(started);
  }
  /// The whole text of a message so far.
  void say(const SessionId& session, const TurnId& turn_id, const std::string& id, Text text,
           ItemStatus status = ItemStatus::Complete) {
    Message message;
    message.content = std::move(text);
    upsert(item(session, turn_id, id, std::move(message), status));
  }
  void tool(const SessionId& session, const TurnId& turn_id, const std::string& id,
            std::string output, ItemStatus status = ItemStatus::Complete) {
    ToolCall call;
    call.tool_name = "Bash";
    call.call_id = "call-" + id;
    call.tool_output = Text(std::move(output));
    upsert(item(session, turn_id, id, std::move(call), status));
  }
  /// Asks for permission; options `yes` and `no`.
  void ask(const SessionId& session, const TurnId& turn_id, const std::string& id,
           std::optional<std::string> call_id = {}, ApprovalKind kind = ApprovalKind::Tool) {
    Approval approval;
    approval.kind = kind;
    approval.call_id = std::move(call_id);
    approval.title = "Run rm -r build?";
    approval.detail = "rm -r build";
    approval.options = {{"yes", "Allow", OptionKind::AllowOnce},
                        {"no", "Reject", OptionKind::RejectOnce}};
    asked_[ItemId(id)] = approval;
    upsert(item(session, turn_id, id, std::move(approval), ItemStatus::Create));
  }
  void complete(const SessionId& session, const TurnId& turn_id,
                TurnStatus status = TurnStatus::Completed) {
    Turn ended;
    ended.type = TurnType::Complete;
    ended.status = status;
    ended.turn_id = turn_id;
    ended.session_id = session;
    ended.ended_at = clock_.wall();
    turn(ended);
  }
  void fail_turn(const SessionId& session, const TurnId& turn_id, Error why) {
    Turn ended;
    ended.type = TurnType::Error;
    ended.turn_id = turn_id;
    ended.session_id = session;
    ended.ended_at = clock_.wall();
    ended.error_code = std::string(name_of(why.code));
    ended.error_message = std::move(why.message);
    turn(ended);
  }
  /// The process of a session is gone.
  void crash(const SessionId& session) {
    alive_.erase(session);
    report(session, SessionEnded{{ErrorCode::ProcessCrash, "The agent was killed."}});
  }
  [[nodiscard]] bool knows(const SessionId& session) const { return sinks_.contains(session); }

  // --- Provider -------------------------------------------------------------------------------
  [[nodiscard]] std::string_view cli_type() const override { return cli_type_; }

  asio::awaitable<Result<ProviderSession>> create_session(CreateSessionOptions options) override {
    created.push_back(options);
    if (create_error) co_return std::unexpected(*create_error);
    alive_.insert(options.session_id);
    co_return ProviderSession{options.session_id, cli_type_, "cli-" + options.session_id.str()};
  }
  asio::awaitable<Result<ProviderSession>> load_session(SessionId session,
                                                        LoadSessionOptions options) override {
    loaded.push_back({session, options});
    if (load_error) co_return std::unexpected(*load_error);
    if (history) history(session, options);
    if (history_error) co_return std::unexpected(*history_error);
    alive_.insert(session);
    co_return ProviderSession{session, cli_type_, options.cli_session_id};
  }
  asio::awaitable<Result<void>> import_history(SessionId session,
                                               LoadSessionOptions options) override {
    imported.push_back({session, options});
    if (load_error) co_return std::unexpected(*load_error);
    if (history) history(session, options);
    if (history_error) co_return std::unexpected(*history_error);
    co_return Result<void>{};
  }
  asio::awaitable<Result<SendResult>> send_message(SessionId session, Prompt prompt) override {
    if (send_error) co_return std::unexpected(*send_error);
    sent.push_back({session, prompt});
    if (starts_turns) start(session, prompt.turn_id);
    co_return SendResult{prompt.turn_id};
  }
  asio::awaitable<Result<void>> cancel_turn(SessionId session) override {
    cancelled.push_back(session);
    if (cancel_error) co_return std::unexpected(*cancel_error);
    co_return Result<void>{};
  }
  asio::awaitable<Result<void>> kill_session(SessionId session) override {
    killed.push_back(session);
    alive_.erase(session);
    co_return Result<void>{};
  }
  [[nodiscard]] bool is_alive(const SessionId& session) const override {
    return alive_.contains(session);
  }
  void attach(const SessionId& session, std::shared_ptr<SessionSink> sink) override {
    sinks_[session] = std::move(sink);
  }
  void on_status(StatusCallback callback) override { status_ = std::move(callback); }
  void forget(const SessionId& session) override {
    sinks_.erase(session);
    alive_.erase(session);
  }
  Result<PreparedAnswer> prepare_answer(const SessionId& session, const Answer& answer) override {
    const auto asked = asked_.find(answer.item_id);
    if (asked == asked_.end()) return fail(ErrorCode::ItemNotFound, "Nobody asked that.");
    if (auto valid = check_answer(asked->second, answer); !valid) {
      return std::unexpected(valid.error());
    }
    if (on_prepare_answer) on_prepare_answer();
    return PreparedAnswer{[this, session, answer] { return write_answer(session, answer); },
                          carries_message};
  }
  asio::awaitable<Result<void>> set_mode(SessionId session, std::string mode) override {
    modes[session] = std::move(mode);
    co_return Result<void>{};
  }
  asio::awaitable<Result<void>> set_model(SessionId session, std::string model) override {
    models[session] = std::move(model);
    co_return Result<void>{};
  }
  asio::awaitable<Result<void>> set_thinking(SessionId session, std::string level) override {
    thinking[session] = std::move(level);
    co_return Result<void>{};
  }
  void prewarm(const WarmPlace& place) override { prewarmed_in.push_back(place.project_dir); }
  void prewarm_shared(const WarmPlace& place) override {
    prewarmed_shared_in.push_back(place.project_dir);
  }
  [[nodiscard]] std::size_t prewarmed() const override {
    return starts_ahead ? prewarmed_in.size() : 0;
  }
  void end_prewarmed(const WarmPlace& place) override {
    prewarmed_ended.push_back(place.project_dir);
  }
  asio::awaitable<Result<ProviderSession>> fork_session(SessionId from,
                                                        CreateSessionOptions options,
                                                        std::optional<ForkPoint> before) override {
    if (!can_fork) co_return co_await Provider::fork_session(from, options, before);
    forked.emplace_back(from, options.session_id);
    forked_before.push_back(std::move(before));
    alive_.insert(options.session_id);
    co_return ProviderSession{options.session_id, cli_type_, "cli-" + options.session_id.str()};
  }
  [[nodiscard]] bool can_confine() const override { return confines; }
  [[nodiscard]] bool can_fork_before(const SessionId&) const override { return forks_before; }
  asio::awaitable<Result<void>> steer_turn(SessionId session, Prompt prompt) override {
    if (steer_error) co_return std::unexpected(*steer_error);
    steered.push_back({session, std::move(prompt)});
    co_return Result<void>{};
  }
  asio::awaitable<std::int64_t> outside_mark(std::string) override {
    ++outside_looks;
    co_return outside_marked;
  }
  asio::awaitable<std::vector<DiscoveredSession>> discover(std::string project_dir) override {
    ++discoveries;
    if (!outside_in.empty() && project_dir != outside_in)
      co_return std::vector<DiscoveredSession>();
    co_return outside;
  }
  [[nodiscard]] std::string records() const override { return records_at; }
  [[nodiscard]] std::optional<bool> takes_text() const override { return texts; }
  asio::awaitable<AgentInfo> inspect() override { co_return info; }
  asio::awaitable<Result<void>> reconnect() override {
    ++reconnects;
    co_return Result<void>{};
  }
  void hold(const SessionId& session, bool hold) override {
    if (hold) {
      held.insert(session);
    } else {
      held.erase(session);
    }
  }
  asio::awaitable<void> shutdown() override {
    alive_.clear();
    if (ending) co_await ending();
  }

 private:
  asio::awaitable<Result<void>> write_answer(SessionId session, Answer answer) {
    Result<void> taken;
    if (take_answer) taken = co_await take_answer(answer);
    if (taken) answers.emplace_back(session, answer);
    co_return taken;
  }

  /// A copy: the sink may call back into us.
  [[nodiscard]] std::shared_ptr<SessionSink> sink_of(const SessionId& session) const {
    const auto found = sinks_.find(session);
    return found == sinks_.end() ? nullptr : found->second;
  }

  std::string cli_type_;
  SystemClock clock_;
  std::set<SessionId> alive_;
  std::map<ItemId, Timestamp> started_;
  std::map<ItemId, Approval> asked_;
  std::map<SessionId, std::shared_ptr<SessionSink>> sinks_;
  StatusCallback status_;
};

}  // namespace lb::test
