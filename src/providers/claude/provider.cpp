#include "providers/claude/provider.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"
#include "base/run_on.h"
#include "base/together.h"
#include "providers/claude/history/discovery.h"
#include "providers/claude/history/fork_record.h"
#include "providers/claude/history/history_reader.h"
#include "providers/claude/history/records.h"
#include "providers/claude/process/claude_session.h"
#include "providers/claude/process/login.h"
#include "providers/claude/process/warm_pool.h"

namespace lb {
namespace {

using namespace claude;
namespace fs = std::filesystem;

std::unexpected<Error> nothing_said(const ClaudeConfig& config) {
  return fail(ErrorCode::SessionNotFound,
              fmt::format("{} has no record of this session yet: say something in it before you "
                          "fork it.",
                          config.name));
}

/// Lives on the io thread. Sessions keep themselves alive while their coroutines run; they know
/// the provider only while `living_` is there.
class ClaudeProvider final : public ProviderOf<ClaudeSession> {
 public:
  ClaudeProvider(ClaudeConfig config, const ProviderDeps& deps)
      : ProviderOf(config.cli_type, config.name, deps),
        config_(std::make_shared<const ClaudeConfig>(std::move(config))),
        warm_(config_, deps, [this] { count_alive(); }) {}

  [[nodiscard]] std::string records() const override {
    return config_dir(environment_for(*config_)).string();
  }
  asio::awaitable<Result<ProviderSession>> create_session(CreateSessionOptions options) override;
  asio::awaitable<Result<ProviderSession>> load_session(SessionId session,
                                                        LoadSessionOptions options) override;
  asio::awaitable<Result<void>> import_history(SessionId session,
                                               LoadSessionOptions options) override;
  asio::awaitable<Result<ProviderSession>> fork_session(SessionId from,
                                                        CreateSessionOptions options,
                                                        std::optional<ForkPoint> before) override;
  [[nodiscard]] bool can_fork_before(const SessionId&) const override { return true; }
  asio::awaitable<std::vector<DiscoveredSession>> discover(std::string project_dir) override;
  asio::awaitable<std::int64_t> outside_mark(std::string project_dir) override;
  void prewarm(const WarmPlace& place) override;
  void end_prewarmed(const WarmPlace& place) override { warm_.end(place); }
  [[nodiscard]] std::size_t prewarmed() const override { return warm_.count(); }
  [[nodiscard]] bool can_confine() const override { return true; }
  [[nodiscard]] std::optional<bool> takes_text() const override { return true; }
  asio::awaitable<AgentInfo> inspect() override;
  asio::awaitable<Result<void>> reconnect() override;
  asio::awaitable<void> shutdown() override;

 protected:
  /// It stays, so that a prompt is told what has to be done first.
  asio::awaitable<void> after_kill(AnySession) override { co_return; }

 private:
  struct Imported {
    FileMark mark;
    std::string directory;
  };
  asio::awaitable<Result<Imported>> import(SessionId session, LoadSessionOptions options);
  [[nodiscard]] ClaudeSessionEvents events_for(const SessionId& id);
  SessionPtr make(SessionId id, LaunchPlan plan);
  asio::awaitable<Result<ProviderSession>> fork_by_copy(SessionId id, LaunchPlan plan,
                                                        std::optional<ForkPoint> before);
  asio::awaitable<SessionPtr> adopt(SessionId id, LaunchPlan wanted);
  asio::awaitable<Result<ProviderSession>> started(SessionPtr session);
  [[nodiscard]] ProviderSession made(const ClaudeSession& session) const;
  void count_alive();
  void heard(const SessionId& id, const Turn& turn);
  asio::awaitable<void> say_login(AgentInfo& info, std::string program);
  [[nodiscard]] std::vector<FileMark> logins() const {
    return login_marks(config_dir(environment_for(*config_)));
  }

  std::shared_ptr<const ClaudeConfig> config_;
  std::optional<std::string> logged_out_;  // What to do about it; until a turn goes well,
  std::vector<FileMark> logged_out_with_;  // or a login is made.
  LoginCheck login_;
  std::vector<AccountLimit> limits_;  // As a session heard them last.
  std::shared_ptr<bool> living_ = std::make_shared<bool>(true);
  std::optional<std::pair<std::string, std::string>> version_;  // Program → what it said.
  WarmPool warm_;
};

ClaudeSessionEvents ClaudeProvider::events_for(const SessionId& id) {
  ClaudeSessionEvents events;
  events.process_changed = [this, living = std::weak_ptr(living_)] {
    if (living.lock()) count_alive();
  };
  events.turn = [this, living = std::weak_ptr(living_), id](const Turn& turn) {
    if (living.lock()) heard(id, turn);
  };
  events.facts = [this, living = std::weak_ptr(living_)](const SessionFacts& facts) {
    if (living.lock() && !facts.limits.empty()) limits_ = facts.limits;
  };
  return events;
}

ClaudeProvider::SessionPtr ClaudeProvider::make(SessionId id, LaunchPlan plan) {
  auto session = std::make_shared<ClaudeSession>(
      ClaudeSession::Setup{.id = id, .plan = std::move(plan), .config = config_}, deps(),
      events_for(id));
  keep(session);
  return session;
}

ProviderSession ClaudeProvider::made(const ClaudeSession& session) const {
  return {session.id(), config_->cli_type, session.plan().cli_session_id};
}

/// Nothing is locked when a login is missing: the next message tries again. Processes that were
/// started without one end, so that it finds a login that was made meanwhile.
void ClaudeProvider::heard(const SessionId& id, const Turn& turn) {
  if (turn.error_code == kAuthenticationFailed) {
    logged_out_ = turn.error_message;
    logged_out_with_ = logins();
    count_alive();
    for (const auto& waiting : warm_.take_all()) waiting->retire();
    if (const auto session = find(id)) session->retire();
  } else if (logged_out_ &&
             (turn.status == TurnStatus::Completed || turn.error_code == kApiError)) {
    // Whom the model's API refuses for another reason it knows.
    logged_out_.reset();
    count_alive();
  }
}

void ClaudeProvider::count_alive() {
  const bool any = warm_.count() > 0 || any_alive();
  tell_status(any ? AgentStatus::Connected : AgentStatus::Idle, logged_out_);
}

asio::awaitable<Result<ProviderSession>> ClaudeProvider::started(SessionPtr session) {
  if (status() != AgentStatus::Connected) tell_status(AgentStatus::Starting);
  auto ready = co_await session->start();
  if (!ready) {
    if (find(session->id()) == session) drop(session->id());
    if (ready.error().code == ErrorCode::AgentUnavailable) {
      tell_status(AgentStatus::Disconnected, ready.error().message);
    }
    co_return std::unexpected(std::move(ready.error()));
  }
  co_return made(*session);
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
  plan.directory = plan.project_dir = options.project_dir;
  plan.confined = options.confined;
  plan.env = options.env;
  plan.model = options.model;
  plan.mode = options.mode;
  plan.choices = std::move(*choices);
  if (const auto warm = co_await adopt(options.session_id, plan)) {
    co_return made(*warm);
  }
  co_return co_await started(make(options.session_id, std::move(plan)));
}

void ClaudeProvider::prewarm(const WarmPlace& place) {
  if (status() == AgentStatus::Idle) tell_status(AgentStatus::Starting);
  warm_.start(place);
}

/// The process that waits for such a session, if there is one and it can be what is wanted; what
/// can only be said on the command line needs a process of its own.
asio::awaitable<ClaudeProvider::SessionPtr> ClaudeProvider::adopt(SessionId id, LaunchPlan wanted) {
  WarmPlace place(wanted.directory, wanted.confined);
  place.env = wanted.env;
  const SessionPtr warm = warm_.take(place);
  if (!warm) co_return nullptr;
  const Choices& choices = wanted.choices;
  const bool fits = !choices.max_turns && !choices.fallback_model &&
                    !choices.append_system_prompt && choices.disallowed_tools.empty();
  if (!fits) {
    warm->retire();
    co_return nullptr;
  }
  if (auto ready = co_await warm->start(); !ready) co_return nullptr;
  warm->become(id, events_for(id));
  keep(warm);
  warm->tell_facts();
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
  if (const auto known = find(id); known && known->alive()) co_return made(*known);
  LaunchPlan plan;
  plan.cli_session_id = options.cli_session_id;
  plan.directory = plan.project_dir = options.project_dir;
  plan.confined = options.confined;
  plan.env = options.env;
  // Resumed without a model the CLI goes on with whatever name the last answer came under.
  plan.model = options.model ? options.model : options.told.model;
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
  session->spent(options.told);
  if (imported) {
    const auto age_ms = deps().clock.wall().ms - imported->mark.modified.ms;
    const auto recent_ms = std::chrono::milliseconds(limits::kClaudeOtherWriter).count();
    const bool in_use =
        age_ms <= recent_ms && runs_elsewhere(config_->command, session->plan().directory);
    // Someone has it in a terminal: it can be read; the first prompt asks before it takes over.
    if (in_use) co_return made(*session);
    session->file_is(imported->mark);
  }
  co_return co_await started(session);
}

asio::awaitable<Result<ProviderSession>> ClaudeProvider::fork_session(
    SessionId from, CreateSessionOptions options, std::optional<ForkPoint> before) {
  auto original = known(from);
  if (!original) co_return std::unexpected(std::move(original.error()));
  LaunchPlan plan = (*original)->plan();
  const bool elsewhere = plan.project_dir != options.project_dir;
  if (elsewhere) plan.directory = plan.project_dir = options.project_dir;
  plan.confined = options.confined;
  plan.env = options.env;
  if (options.model) plan.model = options.model;
  if (options.mode) plan.mode = options.mode;
  if (options.thinking) (void)choose_thinking(plan.choices, *options.thinking);
  plan.fork_from = std::exchange(plan.cli_session_id, make_uuid());
  if (before && !before->last_kept) {
    plan.begin = Begin::New;  // There is nothing to remember.
    co_return co_await started(make(options.session_id, std::move(plan)));
  }
  if (before || elsewhere) {
    co_return co_await fork_by_copy(options.session_id, std::move(plan), std::move(before));
  }
  const fs::path config = config_dir(environment_for(*config_));
  const bool on_disk = co_await run_on(deps().blocking, [config, id = plan.fork_from] {
    return !find_session_file(config, id).empty();
  });
  if (!on_disk) co_return nothing_said(*config_);
  plan.begin = Begin::Fork;
  co_return co_await started(make(options.session_id, std::move(plan)));
}

/// Resumes a copy of the original's record.
asio::awaitable<Result<ProviderSession>> ClaudeProvider::fork_by_copy(
    SessionId id, LaunchPlan plan, std::optional<ForkPoint> before) {
  const fs::path config = config_dir(environment_for(*config_));
  const auto to = co_await run_on(deps().blocking, [&config, &plan, &before]() -> Result<fs::path> {
    const fs::path original = find_session_file(config, plan.fork_from);
    if (original.empty()) return fs::path();
    // The CLI looks in the folder of its directory; where only it can name that, in all of them.
    const auto folders = project_folders(config, plan.directory);
    const fs::path folder = folders.size() == 1 ? folders.front() : original.parent_path();
    const fs::path copy = folder / (plan.cli_session_id + ".jsonl");
    const auto copied = copy_record({original, copy, plan.cli_session_id, plan.directory, before});
    if (!copied) return std::unexpected(copied.error());
    return *copied ? copy : fs::path();
  });
  if (!to) co_return std::unexpected(to.error());
  if (to->empty() && !before) co_return nothing_said(*config_);
  plan.begin = to->empty() ? Begin::New : Begin::Resume;
  const auto session = make(std::move(id), std::move(plan));
  if (!to->empty()) session->file_is(mark_of(*to));
  auto ready = co_await started(session);
  std::error_code ignored;
  if (!ready && !to->empty()) fs::remove(*to, ignored);
  co_return ready;
}

/// The CLI's record of a session, into its sink: read on a worker, passed on in pieces.
asio::awaitable<Result<ClaudeProvider::Imported>> ClaudeProvider::import(
    SessionId session, LoadSessionOptions options) {
  const fs::path config = config_dir(environment_for(*config_));
  HistoryOptions how;
  how.session = session;
  how.provider_id = config_->cli_type;
  how.after = options.last_known_turn;
  how.after_time = options.last_known_at;
  const Timestamp now = deps().clock.wall();
  const auto reader = co_await run_on(deps().blocking, [config, how, options, now]() mutable {
    const fs::path file = find_session_file(config, options.cli_session_id);
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
    more = co_await run_on(deps().blocking, [history = *reader, &outputs] {
      return history->next(limits::kClaudeImportBytes, outputs);
    });
    for (Output& output : outputs) {
      const auto sink = sink_of(session);
      if (!sink) break;  // Forgotten meanwhile.
      if (auto* upsert = std::get_if<Upsert>(&output)) sink->item(std::move(*upsert));
      if (auto* turn = std::get_if<Turn>(&output)) sink->turn(std::move(*turn));
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

asio::awaitable<std::vector<DiscoveredSession>> ClaudeProvider::discover(std::string project_dir) {
  const fs::path config = config_dir(environment_for(*config_));
  co_return co_await run_on(
      deps().blocking, [config, project_dir] { return discover_sessions(config, project_dir); });
}

/// A folder changes when a file is made in it.
asio::awaitable<std::int64_t> ClaudeProvider::outside_mark(std::string project_dir) {
  const fs::path config = config_dir(environment_for(*config_));
  co_return co_await run_on(deps().blocking, [config, project_dir] {
    std::int64_t newest = 0;
    for (const fs::path& folder : project_folders(config, project_dir)) {
      newest = std::max(newest, changed_at(folder));
    }
    return newest;
  });
}

asio::awaitable<AgentInfo> ClaudeProvider::inspect() {
  AgentInfo info;
  info.cli_type = config_->cli_type;
  info.name = config_->name;
  info.protocol = "claude";
  info.status = status();
  if (warm_.count() > 0) info.warm = warm_.count();
  info.limits = limits_;
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
        deps().launcher.launch({.argv = {*program, "--version"}, .cwd = "/", .env = environment});
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
    co_return info;
  }
  const bool says = *version >= kAuthStatusVersion;
  co_await say_login(info, says ? *program : std::string());
  co_return info;
}

/// `program`: who can be asked; may be empty.
asio::awaitable<void> ClaudeProvider::say_login(AgentInfo& info, std::string program) {
  if (!program.empty()) {
    info.login = co_await login_.ask(std::move(program), environment_for(*config_), deps());
  }
  if (logged_out_ && logged_out_with_ != logins()) {
    logged_out_.reset();  // The next message tells.
    count_alive();
  }
  if (logged_out_) {
    info.login = LoginState::Needed;
    info.problem = logged_out_;
  } else if (info.login == LoginState::Needed) {
    info.problem = config_->name + " is not logged in.";
    info.remedy = login_remedy(terminal_command(*config_));
  }
}

asio::awaitable<Result<void>> ClaudeProvider::reconnect() {
  logged_out_.reset();  // The next message tells.
  count_alive();
  co_return Result<void>();
}

asio::awaitable<void> ClaudeProvider::shutdown() {
  const auto warm = warm_.take_all();
  std::vector<asio::awaitable<void>> all;
  for (const SessionPtr& session : warm) all.push_back(session->shutdown());
  all.push_back(ProviderBase::shutdown());
  co_await together(std::move(all));
}

}  // namespace

std::unique_ptr<Provider> make_claude_provider(ClaudeConfig config, const ProviderDeps& deps) {
  return std::make_unique<ClaudeProvider>(std::move(config), deps);
}

std::unique_ptr<Provider> claude::make_provider(AgentSpec spec, const ProviderDeps& deps) {
  ClaudeConfig config;
  config.cli_type = std::move(spec.cli_type);
  config.name = std::move(spec.name);
  config.command = spec.command();
  config.args.assign(spec.argv.begin() + 1, spec.argv.end());
  config.env = std::move(spec.env);
  config.path_prefix = std::move(spec.path);
  config.allow_bypass = spec.allow_bypass.value_or(false);
  if (spec.idle_minutes) config.idle_end = std::chrono::minutes(*spec.idle_minutes);
  return make_claude_provider(std::move(config), deps);
}

}  // namespace lb
