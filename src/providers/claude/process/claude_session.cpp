#include "providers/claude/process/claude_session.h"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <filesystem>

#include "base/arrival.h"
#include "base/log.h"

namespace lb::claude {
namespace {

/// Lines read in a row before others get their turn.
constexpr int kLinesInARow = 64;

constexpr std::string_view kStopped = "The server was stopped during this turn.";

TranslatorOptions translator_options(const SessionId& id, const ClaudeConfig& config) {
  TranslatorOptions options;
  options.session = id;
  options.provider_id = config.cli_type;
  options.agent = config.name;
  options.command = terminal_command(config);
  options.batching.age_ms = config.batch_age_ms;
  options.bypass_allowed = config.allow_bypass;
  return options;
}

}  // namespace

ClaudeSession::ClaudeSession(Setup setup, const ProviderDeps& deps, ClaudeSessionEvents events)
    : AgentSession(std::move(setup.id), setup.config->name),
      plan_(std::move(setup.plan)),
      config_(std::move(setup.config)),
      deps_(deps),
      events_(std::move(events)),
      translator_(std::in_place, translator_options(id(), *config_)),
      control_(deps.executor),
      batch_timer_(deps.executor),
      idle_timer_(deps.executor),
      changed_(deps.executor, asio::steady_timer::time_point::max()) {}

bool ClaudeSession::step(const life::Input& input) {
  auto state = life::next(life_, input);
  if (!state) return false;
  life_ = std::move(*state);
  changed_.cancel();
  return true;
}

Result<ClaudeSession::ProcessPtr> ClaudeSession::launch() {
  std::error_code why;
  if (!std::filesystem::is_directory(plan_.directory, why)) {
    return fail(ErrorCode::SessionCreateFailed,
                fmt::format("The directory {} does not exist.", plan_.directory));
  }
  auto process = deps_.launcher.launch({.argv = argv_for(*config_, plan_),
                                        .cwd = plan_.directory,
                                        .env = environment_for(*config_, plan_.env),
                                        .confined = plan_.confined,
                                        .owner = owner()});
  if (!process) return std::unexpected(not_startable(*config_, process.error()));
  return process;
}

asio::awaitable<Result<void>> ClaudeSession::start() {
  const auto self = shared_from_this();
  // One at a time; whoever comes second sees what became of the first.
  while (starting() || leaving()) co_await change();
  if (ready()) co_return Result<void>();
  if (killed()) {
    co_return fail(ErrorCode::ProcessCrash, "This session was ended; load it before you send.");
  }
  auto started = co_await start_once();
  process_changed();
  co_return started;
}

asio::awaitable<Result<void>> ClaudeSession::start_once() {
  const auto self = shared_from_this();
  auto launched = launch();
  if (!launched) co_return std::unexpected(std::move(launched.error()));
  const auto process = *launched;
  step(life::Launched{process});
  process_changed();
  asio::co_spawn(deps_.executor, read(self, process), asio::detached);

  json::object initialize{{"subtype", "initialize"}, {"forwardSubagentText", true}};
  if (plan_.choices.append_system_prompt) {
    initialize["appendSystemPrompt"] = *plan_.choices.append_system_prompt;
  }
  auto answer = co_await control_.request(process, std::move(initialize), config_->start_max);
  if (!answer) {
    if (answer.error().code == ErrorCode::Timeout) {
      step(life::End{life::EndReason::Idle});
      process->kill();
      co_return fail(
          ErrorCode::AgentUnavailable,
          fmt::format("Could not connect to {}: {}", config_->name, answer.error().message));
    }
    const ExitStatus status = co_await process->exited();
    co_return std::unexpected(explain_start(*config_, process->stderr_tail(), status));
  }
  if (!step(life::Greeted{})) {
    co_return fail(ErrorCode::ProcessCrash,
                   fmt::format("{} was stopped while it started.", config_->name));
  }
  hello_ = std::move(*answer);
  tell_facts();
  co_return Result<void>();
}

void ClaudeSession::process_changed() {
  if (const auto changed = events_.process_changed) changed();
}

void ClaudeSession::tell_facts() {
  translator_->facts().initialized(hello_);
  if (plan_.mode) translator_->facts().set_mode(*plan_.mode);
  if (plan_.model) translator_->facts().set_model(*plan_.model);
  translator_->facts().set_thinking(thinking_of(plan_.choices));
  translator_->publish_facts();
  flush();
  arm_idle();
}

void ClaudeSession::become(SessionId session, ClaudeSessionEvents events) {
  rename(std::move(session));
  events_ = std::move(events);
  translator_.emplace(translator_options(id(), *config_));
  outputs_.clear();
}

asio::awaitable<void> ClaudeSession::read(std::shared_ptr<ClaudeSession> self, ProcessPtr process) {
  int in_a_row = 0;
  while (auto line = co_await process->next_line()) {
    {
      const Arrival::Scope handling(Arrival::take());
      self->line(*line);
    }
    // Not reading is how the CLI is held back: its pipe fills.
    while (self->held_ && process->alive()) co_await self->change();
    if (++in_a_row < kLinesInARow) continue;
    in_a_row = 0;
    co_await asio::post(asio::use_awaitable);
  }
  const ExitStatus status = co_await stop_gracefully(process);
  self->ended(process, status);
}

void ClaudeSession::line(const Line& line) {
  if (line.truncated) {
    translator_->note(
        fmt::format("A line of {} bytes was too long to read and is left out.", line.bytes), now());
    return flush();
  }
  const auto parsed = json_.parse(line.text);
  const json::object* record = parsed ? (*parsed)->if_object() : nullptr;
  if (record == nullptr) {
    log_debug("claude_noise", {{"session", id().str()}, {"bytes", line.bytes}});
    return;
  }
  const std::string_view type = string_at(*record, "type");
  // Silence is measured from the last sign of life.
  if (binding_ && !binding_->outcome) binding_->timer.expires_after(config_->bind_max);
  if (type == "control_response") return control_.answered(*record);
  if (type == "control_request") {
    const json::object* request = object_at(*record, "request");
    const std::string_view subtype =
        request != nullptr ? string_at(*request, "subtype") : std::string_view();
    if (subtype != "can_use_tool" && process()) {
      (void)process()->write_line(unsupported_line(string_at(*record, "request_id"), subtype));
      return;
    }
  }
  translator_->line(*record, now());
  flush();
}

TurnEnd ClaudeSession::end_of(const ExitStatus& status, std::string_view said) const {
  using life::EndReason;
  const auto* ours = std::get_if<life::Ending>(&life_);
  TurnEnd end;
  if (ours != nullptr &&
      (ours->why == EndReason::TurnCancelled || ours->why == EndReason::Killed)) {
    end.status = TurnStatus::Cancelled;
    end.finish_reason = "cancelled";
    return end;
  }
  end.type = TurnType::Error;
  if (ours != nullptr && ours->why == EndReason::Shutdown) {
    end.error_code = std::string(name_of(ErrorCode::ServerRestarted));
    end.error_message = kStopped;
    return end;
  }
  end.error_code = std::string(name_of(ErrorCode::ProcessCrash));
  end.error_message =
      ours == nullptr ? fmt::format("{} {}.{}{} Send again to resume the session.", config_->name,
                                    status.text(), said.empty() ? "" : " It said: ", said)
                      : fmt::format("{} was stopped.", config_->name);
  return end;
}

void ClaudeSession::ended(const ProcessPtr& gone, const ExitStatus& status) {
  if (process() != gone) return;
  const std::string said = last_words(gone->stderr_tail());
  const bool by_itself = std::holds_alternative<life::Ready>(life_);
  const auto* ours = std::get_if<life::Ending>(&life_);
  const bool stopped = ours != nullptr && ours->why == life::EndReason::Shutdown;
  const TurnEnd end = end_of(status, said);
  step(life::Exited{});
  idle_timer_.cancel();
  other_writers_.seen(
      mark_of(find_session_file(config_dir(environment_for(*config_)), plan_.cli_session_id)));
  translator_->process_ended(end, now());
  const ErrorCode code = stopped ? ErrorCode::ServerRestarted : ErrorCode::ProcessCrash;
  control_.fail_all({code, end.error_message});
  if (binding_ && !binding_->outcome) {
    binding_->outcome =
        fail(code, stopped ? std::string(kStopped)
                           : fmt::format("{} {} before it took up the message.{}{}", config_->name,
                                         status.text(), said.empty() ? "" : " It said: ", said));
    binding_->timer.cancel();
  }
  flush();
  if (by_itself) tell(SessionEnded{{ErrorCode::ProcessCrash, end.error_message}});
  changed_.cancel();
  process_changed();
}

// --- What comes out ---------------------------------------------------------------------------

/// The sink may make us say more: that waits until what was said before has been heard.
void ClaudeSession::flush() {
  for (Output& output : translator_->take()) outputs_.push_back(std::move(output));
  if (std::exchange(dispatching_, true)) return;
  while (!outputs_.empty()) {
    Output output = std::move(outputs_.front());
    outputs_.pop_front();
    dispatch(std::move(output));
    for (Output& more : translator_->take()) outputs_.push_back(std::move(more));
  }
  dispatching_ = false;
  arm_batch();
}

void ClaudeSession::dispatch(Output output) {
  if (auto* upsert = std::get_if<Upsert>(&output)) {
    tell(std::move(*upsert));
  } else if (const auto* turn = std::get_if<Turn>(&output)) {
    tell(*turn);
    if (const auto heard = events_.turn) heard(*turn);
    if (is_final(*turn)) {
      step(life::TurnOver{});
      arm_idle();
      changed_.cancel();
    } else {
      idle_timer_.cancel();
    }
  } else if (auto* facts = std::get_if<SessionFacts>(&output)) {
    if (facts->mode && translator_->facts().offers_mode(*facts->mode)) plan_.mode = facts->mode;
    if (facts->model) plan_.model = facts->model;
    if (const auto heard = events_.facts) heard(*facts);
    tell(std::move(*facts));
  } else if (auto* identity = std::get_if<CliIdentity>(&output)) {
    plan_.cli_session_id = identity->cli_session_id;
    tell(std::move(*identity));
  } else if (auto* steered = std::get_if<Steered>(&output)) {
    tell(std::move(*steered));
    changed_.cancel();
  } else {
    bound_turn(std::get<TurnBound>(output));
  }
}

void ClaudeSession::bound_turn(const TurnBound& bound) {
  if (binding_ && binding_->turn == bound.turn) {
    binding_->outcome = Result<void>();
    binding_->timer.cancel();
  }
  const auto* running = std::get_if<life::Ready>(&life_);
  if (running != nullptr && running->stop == life::Stop::WhenTaken) {
    asio::co_spawn(deps_.executor, interrupt(shared_from_this()), asio::detached);
  }
}

void ClaudeSession::arm_batch() {
  const auto due = translator_->deadline();
  if (due == batch_due_) return;
  batch_due_ = due;
  batch_timer_.cancel();
  if (!due) return;
  batch_timer_.expires_after(
      std::chrono::milliseconds(std::max<MonoMs>(*due - deps_.clock.mono(), 0)));
  batch_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& why) {
    const auto self = weak.lock();
    if (why || !self) return;
    self->batch_due_.reset();
    self->translator_->tick(self->now());
    self->flush();
  });
}

void ClaudeSession::arm_idle() {
  idle_timer_.cancel();
  if (!process() || config_->idle_end.count() <= 0) return;
  idle_timer_.expires_after(config_->idle_end);
  idle_timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& why) {
    const auto self = weak.lock();
    if (why || !self || !self->process() || self->binding_ || self->translator_->turn_open())
      return;
    if (self->translator_->in_background()) return self->arm_idle();
    self->retire();
  });
}

void ClaudeSession::retire() {
  const auto going = process();
  if (!going || !step(life::End{life::EndReason::Idle})) return;
  asio::co_spawn(
      deps_.executor,
      [](ProcessPtr process) -> asio::awaitable<void> {
        co_await stop_gracefully(std::move(process));
      }(going),
      asio::detached);
}

}  // namespace lb::claude
