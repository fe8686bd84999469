#include "providers/claude/provider.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <filesystem>
#include <map>

#include "providers/claude/callbacks.h"
#include "providers/claude/history/discovery.h"
#include "providers/claude/history/history_reader.h"
#include "providers/claude/history/records.h"
#include "providers/claude/process/claude_session.h"
#include "providers/claude/process/warm_pool.h"

namespace lb {
namespace {

using namespace claude;
namespace fs = std::filesystem;

/// Does blocking work on a worker thread and comes back to where it was asked.
template <class Work>
asio::awaitable<std::invoke_result_t<Work>> on_worker(asio::any_io_executor pool, Work work) {
  co_return co_await asio::co_spawn(
      pool,
      [](Work job) -> asio::awaitable<std::invoke_result_t<Work>> {
        co_return job();
      }(std::move(work)),
      asio::use_awaitable);
}

/// Lives on the io thread. Sessions keep themselves alive while their coroutines run, but reach
/// the callbacks only through their sinks, which goes with the provider.
class ClaudeProvider final : public Provider {
 public:
  ClaudeProvider(ClaudeConfig config, const ClaudeDeps& deps)
      : config_(std::make_shared<const ClaudeConfig>(std::move(config))),
        deps_(deps),
        warm_(config_, deps_, [this] { count_alive(); }) {}

  [[nodiscard]] std::string_view cli_type() const override { return config_->cli_type; }
  [[nodiscard]] std::string records() const override {
    return config_dir(environment_for(*config_)).string();
  }

  asio::awaitable<Result<ProviderSession>> create_session(CreateSessionOptions options) override;
  asio::awaitable<Result<ProviderSession>> load_session(SessionId session,
                                                        LoadSessionOptions options) override;
  asio::awaitable<Result<ProviderSession>> fork_session(SessionId from,
                                                        CreateSessionOptions options) override;
  asio::awaitable<Result<SendResult>> send_message(SessionId session, Prompt prompt) override;
  asio::awaitable<Result<void>> cancel_turn(SessionId session) override;
  asio::awaitable<Result<void>> kill_session(SessionId session) override;
  [[nodiscard]] bool is_alive(const SessionId& session) const override;

  void on_upsert(const SessionId& session, UpsertCallback callback) override {
    (*callbacks_)[session].upsert = std::move(callback);
  }
  void on_turn(const SessionId& session, TurnCallback callback) override {
    (*callbacks_)[session].turn = std::move(callback);
  }
  void on_report(const SessionId& session, ReportCallback callback) override {
    (*callbacks_)[session].report = std::move(callback);
  }
  void on_status(StatusCallback callback) override { status_callback_ = std::move(callback); }
  void forget(const SessionId& session) override;

  asio::awaitable<Result<void>> import_history(SessionId session,
                                               LoadSessionOptions options) override;
  asio::awaitable<Result<void>> answer(SessionId session, Answer answer) override;
  asio::awaitable<Result<void>> set_mode(SessionId session, std::string mode) override;
  asio::awaitable<Result<void>> set_model(SessionId session, std::string model) override;
  asio::awaitable<Result<void>> set_thinking(SessionId session, std::string level) override;
  asio::awaitable<std::vector<DiscoveredSession>> discover(std::string project_dir) override;
  void prewarm(const std::string& project_dir) override;
  void end_prewarmed(const std::string& project_dir) override { warm_.end_prewarmed(project_dir); }
  [[nodiscard]] std::size_t prewarmed() const override { return warm_.count(); }
  asio::awaitable<AgentInfo> inspect() override;
  asio::awaitable<Result<void>> reconnect() override;
  void hold(const SessionId& session, bool held) override;
  asio::awaitable<void> shutdown() override;

 private:
  struct Imported {
    FileMark mark;
    std::string directory;
  };
  asio::awaitable<Result<Imported>> import(SessionId session, LoadSessionOptions options);
  [[nodiscard]] SessionHooks hooks_for(SessionId id);
  std::shared_ptr<ClaudeSession> make(SessionId id, LaunchPlan plan);
  asio::awaitable<std::shared_ptr<ClaudeSession>> adopt(SessionId id, LaunchPlan wanted);
  [[nodiscard]] Result<std::shared_ptr<ClaudeSession>> find(const SessionId& session) const;
  asio::awaitable<Result<ProviderSession>> started(SessionId id,
                                                   std::shared_ptr<ClaudeSession> session);
  void show_status(AgentStatus status, std::optional<std::string> message = {});
  void count_alive();
  void heard(const SessionId& id, const Turn& turn);

  std::shared_ptr<const ClaudeConfig> config_;
  ClaudeDeps deps_;
  std::shared_ptr<CallbackMap> callbacks_ = std::make_shared<CallbackMap>();
  std::map<SessionId, std::shared_ptr<ClaudeSession>> sessions_;
  StatusCallback status_callback_;
  AgentStatus status_ = AgentStatus::Idle;
  std::optional<std::string> logged_out_;  // What to do about it; until a turn goes well.
  std::shared_ptr<bool> living_ = std::make_shared<bool>(true);
  std::optional<std::pair<std::string, std::string>> version_;  // Program → what it said.
  WarmPool warm_;
};

SessionHooks ClaudeProvider::hooks_for(SessionId id) {
  const std::weak_ptr<CallbackMap> map = callbacks_;
  SessionHooks hooks;
  hooks.upsert = [map, id](const Upsert& upsert) { call(map, id, &Callbacks::upsert, upsert); };
  hooks.turn = [this, living = std::weak_ptr(living_), map, id](const Turn& turn) {
    call(map, id, &Callbacks::turn, turn);
    if (living.lock()) heard(id, turn);
  };
  hooks.report = [map, id](const SessionReport& report) {
    call(map, id, &Callbacks::report, report);
  };
  hooks.liveness = [this, living = std::weak_ptr(living_)] {
    if (living.lock()) count_alive();
  };
  return hooks;
}

std::shared_ptr<ClaudeSession> ClaudeProvider::make(SessionId id, LaunchPlan plan) {
  auto session = std::make_shared<ClaudeSession>(
      ClaudeSession::Setup{.id = id, .plan = std::move(plan), .config = config_}, deps_,
      hooks_for(id));
  sessions_[id] = session;
  return session;
}

Result<std::shared_ptr<ClaudeSession>> ClaudeProvider::find(const SessionId& session) const {
  const auto found = sessions_.find(session);
  if (found != sessions_.end()) return found->second;
  return fail(ErrorCode::SessionNotFound, "No such session is loaded; load it first.");
}

void ClaudeProvider::show_status(AgentStatus status, std::optional<std::string> message) {
  if (status == status_ && !message) return;
  status_ = status;
  if (status_callback_) status_callback_(status, std::move(message));
}

/// Who is not logged in is not ready. Processes that were started without a login end, so that the
/// next message finds one that was made meanwhile.
void ClaudeProvider::heard(const SessionId& id, const Turn& turn) {
  if (turn.error_code == kAuthenticationFailed) {
    logged_out_ = turn.error_message;
    show_status(AgentStatus::Disconnected, logged_out_);
    for (const auto& waiting : warm_.take_all()) waiting->retire();
    if (const auto known = sessions_.find(id); known != sessions_.end()) known->second->retire();
  } else if (logged_out_ && turn.status == TurnStatus::Completed) {
    logged_out_.reset();
    count_alive();
  }
}

void ClaudeProvider::count_alive() {
  if (logged_out_) {
    if (status_ != AgentStatus::Disconnected) show_status(AgentStatus::Disconnected, logged_out_);
    return;
  }
  const bool any = warm_.count() > 0 || std::ranges::any_of(sessions_, [](const auto& known) {
                     return known.second->alive();
                   });
  show_status(any ? AgentStatus::Connected : AgentStatus::Idle);
}

asio::awaitable<Result<ProviderSession>> ClaudeProvider::started(
    SessionId id, std::shared_ptr<ClaudeSession> session) {
  if (status_ != AgentStatus::Connected) show_status(AgentStatus::Starting);
  auto ready = co_await session->start();
  if (!ready) {
    if (const auto known = sessions_.find(id);
        known != sessions_.end() && known->second == session) {
      sessions_.erase(known);
    }
    if (ready.error().code == ErrorCode::AgentUnavailable) {
      show_status(AgentStatus::Disconnected, ready.error().message);
    }
    co_return std::unexpected(std::move(ready.error()));
  }
  co_return ProviderSession{id, config_->cli_type, session->plan().cli_session_id};
}

asio::awaitable<Result<ProviderSession>> ClaudeProvider::create_session(
    CreateSessionOptions options) {
  auto choices = choices_from(options.provider_options);
  if (!choices) co_return std::unexpected(std::move(choices.error()));
  const FactKeeper known(config_->allow_bypass);
  if (options.mode && !known.offers_mode(*options.mode)) {
    co_return std::unexpected(no_such_mode(*config_, *options.mode));
  }
  if (options.thinking) {
    auto chosen = choose_thinking(*choices, *options.thinking);
    if (!chosen) co_return std::unexpected(std::move(chosen.error()));
  }
  LaunchPlan plan;
  plan.cli_session_id = make_uuid();
  plan.directory = options.project_dir;
  plan.model = options.model;
  plan.mode = options.mode;
  plan.choices = std::move(*choices);
  if (const auto warm = co_await adopt(options.session_id, plan)) {
    co_return ProviderSession{options.session_id, config_->cli_type, warm->plan().cli_session_id};
  }
  co_return co_await started(options.session_id, make(options.session_id, std::move(plan)));
}

void ClaudeProvider::prewarm(const std::string& project_dir) {
  if (status_ == AgentStatus::Idle) show_status(AgentStatus::Starting);
  warm_.start(project_dir);
}

/// The process that waits for such a session, if there is one and it can be what is wanted; what
/// can only be said on the command line needs a process of its own.
asio::awaitable<std::shared_ptr<ClaudeSession>> ClaudeProvider::adopt(SessionId id,
                                                                      LaunchPlan wanted) {
  const std::shared_ptr<ClaudeSession> warm = warm_.take(wanted.directory);
  if (!warm) co_return nullptr;
  const Choices& choices = wanted.choices;
  const bool fits = !choices.max_turns && !choices.fallback_model &&
                    !choices.append_system_prompt && choices.disallowed_tools.empty();
  if (!fits) {
    warm->retire();
    co_return nullptr;
  }
  if (auto ready = co_await warm->start(); !ready) co_return nullptr;
  sessions_[id] = warm;
  warm->become(id, hooks_for(id));
  Result<void> set;
  const std::string thinking = thinking_of(choices);
  if (wanted.model) set = co_await warm->set_model(*wanted.model);
  if (set && wanted.mode) set = co_await warm->set_mode(*wanted.mode);
  if (set && thinking != "default") set = co_await warm->set_thinking(thinking);
  if (set && warm->alive()) {
    count_alive();
    co_return warm;
  }
  co_await warm->kill();
  co_return nullptr;
}

asio::awaitable<Result<ProviderSession>> ClaudeProvider::load_session(SessionId id,
                                                                      LoadSessionOptions options) {
  if (const auto known = sessions_.find(id); known != sessions_.end() && known->second->alive()) {
    co_return ProviderSession{id, config_->cli_type, known->second->plan().cli_session_id};
  }
  LaunchPlan plan;
  plan.cli_session_id = options.cli_session_id;
  plan.directory = options.project_dir;
  plan.model = options.model;
  plan.mode = options.mode;
  if (options.thinking) (void)choose_thinking(plan.choices, *options.thinking);
  const bool first = !options.last_known_turn;
  auto imported = co_await import(id, options);
  if (imported) {
    plan.begin = Begin::Resume;
    // The CLI finds a session only from where it was made.
    std::error_code why;
    if (!imported->directory.empty() && fs::is_directory(imported->directory, why)) {
      plan.directory = imported->directory;
    }
  } else if (imported.error().code == ErrorCode::SessionNotFound && !first) {
    co_return fail(ErrorCode::SessionNotFound,
                   fmt::format("{} no longer has this conversation: its record of it is gone.",
                               config_->name));
  } else if (imported.error().code != ErrorCode::SessionNotFound && first) {
    co_return std::unexpected(std::move(imported.error()));
  }
  // Without a file nothing was said yet: the session begins under the same id.
  const auto session = make(id, std::move(plan));
  if (imported) {
    const auto age_ms = deps_.clock.wall().ms - imported->mark.modified.ms;
    const auto recent_ms = std::chrono::milliseconds(limits::kClaudeOtherWriter).count();
    const bool in_use =
        age_ms <= recent_ms && runs_elsewhere(config_->command, session->plan().directory);
    // Someone has it in a terminal: it can be read; the first prompt asks before it takes over.
    if (in_use) co_return ProviderSession{id, config_->cli_type, session->plan().cli_session_id};
    session->file_is(imported->mark);
  }
  co_return co_await started(id, session);
}

asio::awaitable<Result<ProviderSession>> ClaudeProvider::fork_session(
    SessionId from, CreateSessionOptions options) {
  auto original = find(from);
  if (!original) co_return std::unexpected(std::move(original.error()));
  LaunchPlan plan = (*original)->plan();
  const fs::path config = config_dir(environment_for(*config_));
  const bool on_disk = co_await on_worker(deps_.blocking, [config, id = plan.cli_session_id] {
    return !find_session_file(config, id).empty();
  });
  if (!on_disk) {
    co_return fail(ErrorCode::SessionNotFound,
                   fmt::format("{} has no record of this session yet: say something in it before "
                               "you fork it.",
                               config_->name));
  }
  plan.begin = Begin::Fork;
  plan.fork_from = std::exchange(plan.cli_session_id, make_uuid());
  if (options.model) plan.model = options.model;
  if (options.mode) plan.mode = options.mode;
  if (options.thinking) (void)choose_thinking(plan.choices, *options.thinking);
  co_return co_await started(options.session_id, make(options.session_id, std::move(plan)));
}

/// The CLI's record of a session, into the callbacks: read on a worker, passed on in pieces.
asio::awaitable<Result<ClaudeProvider::Imported>> ClaudeProvider::import(
    SessionId session, LoadSessionOptions options) {
  const std::weak_ptr<CallbackMap> map = callbacks_;
  const fs::path config = config_dir(environment_for(*config_));
  HistoryOptions how;
  how.session = session;
  how.provider_id = config_->cli_type;
  how.after = options.last_known_turn;
  how.after_time = options.last_known_at;
  const Timestamp now = deps_.clock.wall();
  const auto reader = co_await on_worker(deps_.blocking, [config, how, options, now]() mutable {
    const fs::path file = options.view_file_path
                              ? fs::path(*options.view_file_path)
                              : find_session_file(config, options.cli_session_id);
    const auto recent_ms = std::chrono::milliseconds(limits::kClaudeOtherWriter).count();
    how.leave_unfinished = now.ms - mark_of(file).modified.ms <= recent_ms;
    auto opened = std::make_shared<HistoryReader>(file, how);
    auto result = opened->open();
    if (!result) return Result<std::shared_ptr<HistoryReader>>(std::unexpected(result.error()));
    return Result<std::shared_ptr<HistoryReader>>(opened);
  });
  if (!reader) co_return std::unexpected(reader.error());
  bool more = true;
  while (more) {
    std::vector<Output> outputs;
    more = co_await on_worker(deps_.blocking, [history = *reader, &outputs] {
      return history->next(limits::kClaudeImportBytes, outputs);
    });
    for (const Output& output : outputs) {
      if (const auto* upsert = std::get_if<Upsert>(&output)) {
        call(map, session, &Callbacks::upsert, *upsert);
      } else if (const auto* turn = std::get_if<Turn>(&output)) {
        call(map, session, &Callbacks::turn, *turn);
      }
    }
  }
  co_return Imported{(*reader)->mark(), (*reader)->directory()};
}

asio::awaitable<Result<void>> ClaudeProvider::import_history(SessionId session,
                                                             LoadSessionOptions options) {
  auto imported = co_await import(std::move(session), std::move(options));
  if (!imported) co_return std::unexpected(std::move(imported.error()));
  co_return Result<void>();
}

asio::awaitable<Result<SendResult>> ClaudeProvider::send_message(SessionId session, Prompt prompt) {
  auto found = find(session);
  if (!found) co_return std::unexpected(std::move(found.error()));
  co_return co_await (*found)->send(std::move(prompt));
}

asio::awaitable<Result<void>> ClaudeProvider::cancel_turn(SessionId session) {
  auto found = find(session);
  if (!found) co_return std::unexpected(std::move(found.error()));
  co_return co_await (*found)->cancel();
}

asio::awaitable<Result<void>> ClaudeProvider::kill_session(SessionId session) {
  auto found = find(session);
  if (!found) co_return std::unexpected(std::move(found.error()));
  co_await (*found)->kill();
  co_return Result<void>();
}

bool ClaudeProvider::is_alive(const SessionId& session) const {
  const auto found = sessions_.find(session);
  return found != sessions_.end() && found->second->alive();
}

void ClaudeProvider::forget(const SessionId& session) {
  sessions_.erase(session);
  callbacks_->erase(session);
}

asio::awaitable<Result<void>> ClaudeProvider::answer(SessionId session, Answer answer) {
  auto found = find(session);
  if (!found) co_return std::unexpected(std::move(found.error()));
  co_return (*found)->answer(answer);
}

asio::awaitable<Result<void>> ClaudeProvider::set_mode(SessionId session, std::string mode) {
  auto found = find(session);
  if (!found) co_return std::unexpected(std::move(found.error()));
  co_return co_await (*found)->set_mode(std::move(mode));
}

asio::awaitable<Result<void>> ClaudeProvider::set_model(SessionId session, std::string model) {
  auto found = find(session);
  if (!found) co_return std::unexpected(std::move(found.error()));
  co_return co_await (*found)->set_model(std::move(model));
}

asio::awaitable<Result<void>> ClaudeProvider::set_thinking(SessionId session, std::string level) {
  auto found = find(session);
  if (!found) co_return std::unexpected(std::move(found.error()));
  co_return co_await (*found)->set_thinking(std::move(level));
}

asio::awaitable<std::vector<DiscoveredSession>> ClaudeProvider::discover(std::string project_dir) {
  const fs::path config = config_dir(environment_for(*config_));
  co_return co_await on_worker(
      deps_.blocking, [config, project_dir] { return discover_sessions(config, project_dir); });
}

asio::awaitable<AgentInfo> ClaudeProvider::inspect() {
  AgentInfo info;
  info.cli_type = config_->cli_type;
  info.name = config_->name;
  info.protocol = "claude";
  info.status = status_;
  if (warm_.count() > 0) info.warm = warm_.count();
  const auto environment = environment_for(*config_);
  const auto program = find_program(config_->command, variable(environment, "PATH"));
  if (!program) {
    info.problem = fmt::format("{} was not found.", config_->command);
    info.remedy = "Install it with: npm install -g @anthropic-ai/claude-code";
    co_return info;
  }
  info.installed = true;
  if (!version_ || version_->first != *program) {
    auto process =
        deps_.launcher.launch({.argv = {*program, "--version"}, .cwd = "/", .env = environment});
    std::string said;
    if (process) {
      if (const auto line = co_await (*process)->next_line()) said = line->text;
      (*process)->kill();
      co_await (*process)->exited();
    }
    version_ = {*program, said};
  }
  const auto version = version_of(version_->second);
  if (!version) {
    info.problem = fmt::format("{} did not say its version.", *program);
    info.remedy = fmt::format("Run `{} --version` in a terminal and see what it says.", *program);
    co_return info;
  }
  info.version = fmt::format("{}.{}.{}", (*version)[0], (*version)[1], (*version)[2]);
  if (*version < kOldestVersion) {
    info.problem = fmt::format("Version {} is too old.", *info.version);
    info.remedy = "Update it with: npm install -g @anthropic-ai/claude-code@latest";
  } else if (logged_out_) {
    info.problem = logged_out_;
  }
  co_return info;
}

asio::awaitable<Result<void>> ClaudeProvider::reconnect() {
  logged_out_.reset();  // The next message tells.
  count_alive();
  co_return Result<void>();
}

void ClaudeProvider::hold(const SessionId& session, bool held) {
  if (const auto found = sessions_.find(session); found != sessions_.end()) {
    found->second->hold(held);
  }
}

asio::awaitable<void> ClaudeProvider::shutdown() {
  std::vector<std::shared_ptr<ClaudeSession>> all = warm_.take_all();
  for (const auto& [id, session] : sessions_) all.push_back(session);
  for (const auto& session : all) co_await session->shutdown();
}

}  // namespace

std::unique_ptr<Provider> make_claude_provider(ClaudeConfig config, ClaudeDeps deps) {
  return std::make_unique<ClaudeProvider>(std::move(config), deps);
}

}  // namespace lb
