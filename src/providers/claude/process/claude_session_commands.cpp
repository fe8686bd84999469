// What the user asks of a session: send, cancel, answer, switch, kill.

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/base64.h"
#include "base/limits.h"
#include "base/log.h"
#include "providers/claude/process/claude_session.h"

namespace lb::claude {
namespace {

/// The words stand before attached texts: the CLI makes its title from the first text there is.
json::array blocks_of(const Prompt& prompt) {
  json::array blocks;
  for (const PromptImage& image : prompt.images) {
    blocks.push_back(
        {{"type", "image"},
         {"source",
          {{"type", "base64"}, {"media_type", image.mime_type}, {"data", to_base64(image.data)}}}});
  }
  // The model's API refuses a block of text that has none.
  const bool nothing_else = prompt.images.empty() && prompt.texts.empty();
  if (!prompt.content.empty() || nothing_else) {
    blocks.push_back({{"type", "text"}, {"text", prompt.content}});
  }
  for (const PromptText& text : prompt.texts) {
    blocks.push_back({{"type", "text"}, {"text", attached_text(text.name, text.text)}});
  }
  return blocks;
}

}  // namespace

/// A process that can take a prompt: the one there is, or a new one that resumes the session.
asio::awaitable<Result<void>> ClaudeSession::make_ready() {
  const auto self = shared_from_this();
  while (leaving()) co_await change();
  if (ready()) co_return Result<void>();
  if (!starting() && !killed()) {
    const FileMark file =
        mark_of(find_session_file(config_dir(environment_for(*config_)), plan_.cli_session_id));
    if (file.size > 0) plan_.begin = Begin::Resume;
    auto free = other_writers_.may_resume(file, deps_.clock.wall(),
                                          runs_elsewhere(config_->command, plan_.directory));
    if (!free) co_return free;
  }
  auto started = co_await start();
  if (started) co_return started;
  Error why = std::move(started.error());
  if (why.code != ErrorCode::AgentUnavailable) why.code = ErrorCode::ProcessCrash;
  co_return std::unexpected(std::move(why).context("The session could not be resumed"));
}

asio::awaitable<Result<void>> ClaudeSession::send(Prompt prompt) {
  const auto self = shared_from_this();
  for (;;) {
    if (auto made = co_await make_ready(); !made) co_return made;
    // In a turn that the agent began by itself a prompt would be folded in and never answered
    // alone.
    if (!translator_->turn_open() && !binding_ && !translator_->steering()) break;
    co_await change();
  }
  auto written = process()->write_line(prompt_line(prompt.turn_id.str(), blocks_of(prompt)));
  if (!written) co_return written;
  idle_timer_.cancel();
  const auto binding = std::make_shared<Binding>(deps_.executor);
  binding->turn = prompt.turn_id;
  binding_ = binding;
  translator_->prompt(prompt.turn_id);
  auto outcome = co_await bound(binding);
  if (binding_ == binding) binding_.reset();
  changed_.cancel();
  if (!outcome) translator_->retract(prompt.turn_id);
  co_return outcome;
}

/// The CLI takes it up with its next request to the model; if the turn has none, it becomes the
/// next turn.
asio::awaitable<Result<void>> ClaudeSession::steer(Prompt prompt) {
  const auto self = shared_from_this();
  while (ready() && binding_ && !translator_->turn_open()) co_await change();
  if (!ready() || !translator_->turn_open()) co_return co_await send(std::move(prompt));
  auto written = process()->write_line(prompt_line(prompt.turn_id.str(), blocks_of(prompt)));
  if (written) translator_->steer(prompt.turn_id);
  co_return written;
}

asio::awaitable<Result<void>> ClaudeSession::bound(std::shared_ptr<Binding> binding) {
  const auto self = shared_from_this();
  binding->timer.expires_after(config_->bind_max);
  while (!binding->outcome) {
    const auto [why] = co_await binding->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (why || binding->outcome) continue;  // Woken by a sign of life, or by the outcome.
    // What was not taken up must not run later, behind our back.
    binding->outcome =
        fail(ErrorCode::AgentUnavailable,
             fmt::format("{} did not take up the message within {} s; it was stopped. Send again.",
                         config_->name, std::chrono::duration<double>(config_->bind_max).count()));
    co_await end_process(life::EndReason::Idle);
  }
  co_return std::move(*binding->outcome);
}

asio::awaitable<Result<void>> ClaudeSession::cancel() {
  const auto self = shared_from_this();
  if (!alive()) co_return Result<void>();
  if (!translator_->turn_open()) {
    // The CLI ignores an interrupt before it has taken the prompt up.
    if (binding_) step(life::CancelLater{});
    co_return Result<void>();
  }
  co_await interrupt(self);
  co_return Result<void>();
}

/// Asks the CLI to stop the turn, and ends the process if it does not.
asio::awaitable<void> ClaudeSession::interrupt(std::shared_ptr<ClaudeSession> self) {
  if (!self->alive() || !self->translator_->turn_open()) co_return;
  if (!self->step(life::Interrupt{})) co_return;
  const TurnId turn = *self->translator_->turn_id();
  const auto process = self->process();
  self->translator_->interrupted();
  for (std::string& line : self->translator_->refuse_open(self->now())) {
    (void)process->write_line(std::move(line));
  }
  self->flush();
  json::object stop{{"subtype", "interrupt"}};
  // Whoever stops the turn wants to say what comes next.
  if (self->translator_->steering()) stop["cancel_queued"] = true;
  auto answer =
      co_await self->control_.request(process, std::move(stop), self->config_->interrupt_max);
  const auto running = [&] {
    return self->process() == process && process->alive() && self->translator_->turn_open() &&
           *self->translator_->turn_id() == turn;
  };
  if (answer) {
    asio::steady_timer limit(self->deps_.executor, self->config_->interrupt_max);
    bool late = false;
    limit.async_wait([&late, self](const boost::system::error_code& why) {
      if (why) return;
      late = true;
      self->changed_.cancel();
    });
    while (running() && !late) co_await self->change();
    limit.cancel();
    // Let a cancelled handler go by before `late` goes away.
    co_await asio::post(asio::use_awaitable);
  }
  if (!running()) co_return;
  log_warn("claude_interrupt_unanswered", {{"session", self->id().str()}});
  co_await self->end_process(life::EndReason::TurnCancelled);
}

asio::awaitable<void> ClaudeSession::end_process(life::EndReason why) {
  const auto self = shared_from_this();
  const auto going = process();
  step(life::End{why});
  if (!going) co_return;
  going->kill();
  hold(false);
  while (process() == going) co_await change();
}

asio::awaitable<void> ClaudeSession::kill() {
  co_await end_process(life::EndReason::Killed);
}

asio::awaitable<void> ClaudeSession::shutdown() {
  co_await end_process(life::EndReason::Shutdown);
}

Result<PreparedAnswer> ClaudeSession::prepare_answer(const Answer& answer) {
  auto prepared = translator_->prepare(answer);
  if (!prepared) return std::unexpected(std::move(prepared.error()));
  if (!process()) return fail(ErrorCode::ProcessCrash, "The agent that asked is gone.");
  return PreparedAnswer{[self = shared_from_this(), answer, line = std::move(prepared->line)] {
                          return write_answer(self, answer, line);
                        },
                        prepared->carries_message};
}

asio::awaitable<Result<void>> ClaudeSession::write_answer(std::shared_ptr<ClaudeSession> self,
                                                          Answer answer, std::string line) {
  const auto process = self->process();
  // Before it is written: the CLI may react to it before we hear that it was.
  if (!process || !self->translator_->answering(answer)) co_return no_longer_asked();
  auto taken = co_await process->deliver_line(std::move(line), limits::kAnswerTaken);
  if (taken) {
    self->translator_->answered(answer.item_id);
  } else {
    self->translator_->unanswered(answer.item_id, self->now());
    self->flush();
  }
  co_return taken;
}

asio::awaitable<Result<json::object>> ClaudeSession::ask(json::object body) {
  const auto self = shared_from_this();
  co_return co_await control_.request(process(), std::move(body), config_->start_max);
}

asio::awaitable<Result<void>> ClaudeSession::set_mode(std::string mode) {
  const auto self = shared_from_this();
  // The older CLI answers success to any mode and ignores it.
  if (!translator_->facts().offers_mode(mode)) {
    co_return std::unexpected(no_such_mode(*config_, mode));
  }
  if (ready()) {
    auto answer = co_await ask({{"subtype", "set_permission_mode"}, {"mode", mode}});
    if (!answer) co_return std::unexpected(std::move(answer.error()));
  }
  plan_.mode = mode;
  translator_->facts().set_mode(mode);
  translator_->publish_facts();
  flush();
  co_return Result<void>();
}

asio::awaitable<Result<void>> ClaudeSession::set_model(std::string model) {
  const auto self = shared_from_this();
  if (model.empty()) co_return fail(ErrorCode::InvalidRequest, "model: must not be empty");
  if (ready()) {
    auto answer = co_await ask({{"subtype", "set_model"}, {"model", model}});
    if (!answer) co_return std::unexpected(std::move(answer.error()));
  }
  plan_.model = model;
  translator_->facts().set_model(model);
  translator_->publish_facts();
  flush();
  co_return Result<void>();
}

asio::awaitable<Result<void>> ClaudeSession::set_thinking(std::string level) {
  const auto self = shared_from_this();
  // Newer models ignore a budget, older ones an effort, and the CLI says success to both.
  if (!translator_->facts().offers_thinking(level)) {
    co_return fail(ErrorCode::InvalidRequest,
                   fmt::format("This model has no way of thinking \"{}\".", level));
  }
  Choices wanted = plan_.choices;
  if (auto chosen = choose_thinking(wanted, level); !chosen) co_return chosen;
  const auto or_none = [](const auto& value) { return value ? json::value(*value) : nullptr; };
  if (ready() && wanted.effort != plan_.choices.effort) {
    auto answer = co_await ask({{"subtype", "apply_flag_settings"},
                                {"settings", {{"effortLevel", or_none(wanted.effort)}}}});
    if (!answer) co_return std::unexpected(std::move(answer.error()));
  }
  if (ready() && wanted.max_thinking_tokens != plan_.choices.max_thinking_tokens) {
    auto answer = co_await ask({{"subtype", "set_max_thinking_tokens"},
                                {"max_thinking_tokens", or_none(wanted.max_thinking_tokens)}});
    if (!answer) co_return std::unexpected(std::move(answer.error()));
  }
  plan_.choices = std::move(wanted);
  translator_->facts().set_thinking(level);
  translator_->publish_facts();
  flush();
  co_return Result<void>();
}

void ClaudeSession::hold(bool held) {
  held_ = held;
  changed_.cancel();
}

}  // namespace lb::claude
