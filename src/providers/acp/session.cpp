#include "providers/acp/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/base64.h"
#include "base/limits.h"
#include "providers/acp/login.h"

namespace lb::acp {
namespace {

json::array prompt_blocks(const Prompt& prompt) {
  json::array blocks;
  const bool nothing_else = prompt.images.empty() && prompt.texts.empty();
  if (!prompt.content.empty() || nothing_else) {
    blocks.push_back({{"type", "text"}, {"text", prompt.content}});
  }
  for (const PromptImage& image : prompt.images) {
    blocks.push_back(
        {{"type", "image"}, {"mimeType", image.mime_type}, {"data", to_base64(image.data)}});
  }
  for (const PromptText& text : prompt.texts) {
    blocks.push_back(attached_resource(text.name, text.text));
  }
  return blocks;
}

/// True for what shows that the agent gets on, rather than that it is still there.
bool is_progress(std::string_view kind) {
  return kind != "session_info_update" && kind != "usage_update" &&
         kind != "available_commands_update" && kind != "config_option_update";
}

const json::value& cancelled_outcome() {
  static const json::value outcome = {{"outcome", {{"outcome", "cancelled"}}}};
  return outcome;
}

}  // namespace

AcpSession::AcpSession(SessionId session, SessionDeps deps)
    : AgentSession(std::move(session), deps.name),
      deps_(std::move(deps)),
      translator_(id(), deps_.cli_type) {}

void AcpSession::publish(Outputs outputs) {
  const auto self = shared_from_this();
  bool turn_ended = false;
  for (Output& output : outputs) {
    if (const auto* turn = std::get_if<Turn>(&output)) turn_ended = turn_ended || is_final(*turn);
    std::visit([this](auto& what) { tell(std::move(what)); }, output);
  }
  if (turn_ended) {
    for (const auto& waiter : std::exchange(turn_end_waiters_, {})) waiter->cancel();
  }
}

// --- Prompts ------------------------------------------------------------------------------------

asio::awaitable<Result<void>> AcpSession::send(Prompt prompt) {
  const auto self = shared_from_this();
  dropping = false;
  if (prompt_) co_return fail(ErrorCode::Busy, deps_.name + " is still working on a prompt.");
  if (!prompt.images.empty() && !connection->abilities.images) {
    co_return fail(ErrorCode::NotSupported, deps_.name + " does not take images.");
  }
  if (!prompt.texts.empty() && !connection->abilities.resources) {
    co_return fail(ErrorCode::NotSupported, deps_.name + " does not take attached texts.");
  }
  const auto state = std::make_shared<PromptState>();
  state->turn_id = prompt.turn_id;
  prompt_ = state;
  answered_.clear();
  const auto peer = connection->peer;
  peer->request("session/prompt",
                {{"sessionId", cli_session_id}, {"prompt", prompt_blocks(prompt)}}, std::nullopt,
                [weak = weak_from_this(), state](RpcReply reply) {
                  if (const auto session = weak.lock()) session->on_reply(state, std::move(reply));
                });
  if (!state->failed && !state->begun) {
    const auto written = co_await peer->process().flushed();
    if (!written && !state->begun && !state->failed) state->failed = written.error();
  }
  if (state->failed) {
    if (prompt_ == state) prompt_.reset();
    co_return std::unexpected(*state->failed);
  }
  if (prompt_ == state) begin_turn();
  co_return Result<void>{};
}

/// Once per prompt: when its line was written, or earlier when the agent already reacts to it.
void AcpSession::begin_turn() {
  if (!prompt_ || prompt_->begun) return;
  prompt_->begun = true;
  settle_.reset();
  last_progress_ = deps_.clock.mono();
  told_of_silence_ = false;
  watch();
  publish(translator_.start_turn(prompt_->turn_id, now()));
}

void AcpSession::on_reply(const std::shared_ptr<PromptState>& prompt, RpcReply reply) {
  if (prompt_ != prompt) return;  // Given up meanwhile.
  const bool refused = !reply && !prompt->begun;
  const bool lost = !reply && reply.error().kind != RpcError::Kind::Answered;
  if (refused) {
    // The agent never took it up: that is the sender's to know, not a turn.
    const bool login = is_login_error(reply.error()) && deps_.on_logged_out;
    prompt->failed = login ? deps_.on_logged_out(reply.error()) : error_from(reply.error());
    prompt_.reset();
    return;
  }
  if (lost) return;  // `lose` follows and knows how the process ended.
  begin_turn();
  if (prompt_ != prompt) return;
  prompt_.reset();
  watchdog_.reset();
  cancel_watchdog_.reset();
  answer_all_cancelled();
  last_progress_ = deps_.clock.mono();
  static const json::object nothing;
  if (reply) {
    publish(translator_.end_turn(reply->is_object() ? reply->get_object() : nothing, now()));
    if (deps_.on_well) deps_.on_well();
  } else if (is_login_error(reply.error()) && deps_.on_logged_out) {
    publish(translator_.end_turn_with_error(deps_.on_logged_out(reply.error()), now()));
  } else {
    publish(translator_.end_turn_with_error(reply.error(), now()));
  }
}

asio::awaitable<Result<void>> AcpSession::cancel() {
  co_return stop_turn();
}

Result<void> AcpSession::stop_turn() {
  const auto self = shared_from_this();
  if (!translator_.turn_open() && !prompt_) return {};
  if (!prompt_) {
    publish(translator_.settle(now()));
    return {};
  }
  translator_.cancel_requested();
  answer_all_cancelled();
  if (!alive()) return fail(ErrorCode::ProcessCrash, deps_.name + " is not running.");
  if (auto sent = connection->peer->notify("session/cancel", {{"sessionId", cli_session_id}});
      !sent) {
    return fail(ErrorCode::InterruptFailed,
                fmt::format("{} could not be told to stop: {}", deps_.name, sent.error().message));
  }
  if (!cancel_watchdog_) {
    cancel_watchdog_ = deps_.timers.after(limits::kCancelGrace, [weak = weak_from_this()] {
      const auto session = weak.lock();
      if (!session || !session->prompt_) return;
      session->give_up({ErrorCode::InterruptFailed,
                        fmt::format("{} did not stop when it was told to. The session is opened "
                                    "again with the next message.",
                                    session->deps_.name)});
    });
  }
  return {};
}

asio::awaitable<void> AcpSession::wait_for_turn_end(std::chrono::milliseconds limit) {
  const auto self = shared_from_this();
  if (!translator_.turn_open()) co_return;
  const auto waiter =
      std::make_shared<asio::steady_timer>(co_await asio::this_coro::executor, limit);
  turn_end_waiters_.push_back(waiter);
  co_await waiter->async_wait(asio::as_tuple(asio::use_awaitable));
  std::erase(turn_end_waiters_, waiter);
}

asio::awaitable<void> AcpSession::kill() {
  const auto self = shared_from_this();
  if (alive()) {
    static_cast<void>(stop_turn());
    co_await wait_for_turn_end(limits::kCloseGrace);
  }
  // Politeness with a limit: an agent that does not close is ended with its last session.
  if (alive() && connection->abilities.close) {
    const auto peer = connection->peer;
    co_await peer->call("session/close", at_session(*this), limits::kCloseGrace);
  }
  lose({ErrorCode::Cancelled, "The session was closed."});
}

asio::awaitable<void> AcpSession::shutdown() {
  const auto self = shared_from_this();
  lose({ErrorCode::ServerRestarted, "The server was stopped during this turn."});
  co_return;
}

/// The agent does not react any more: the turn ends here, and the session must be opened again.
void AcpSession::give_up(const Error& why) {
  const auto self = shared_from_this();
  prompt_.reset();
  watchdog_.reset();
  cancel_watchdog_.reset();
  answer_all_cancelled();
  connection.reset();
  publish(translator_.fail_turn(why, now()));
  tell(SessionEnded{why});
  if (const auto stuck = deps_.on_stuck) stuck();
}

void AcpSession::lose(const Error& why) {
  const auto self = shared_from_this();
  const bool was_open = connection != nullptr;
  if (prompt_ && !prompt_->begun) prompt_->failed = why;
  prompt_.reset();
  watchdog_.reset();
  cancel_watchdog_.reset();
  settle_.reset();
  questions_.clear();
  for (const auto& answering : answering_) answering->over = true;
  connection.reset();
  dropping = false;
  publish(translator_.unprompted_turn_open() ? translator_.settle(now())
                                             : translator_.fail_turn(why, now()));
  if (was_open) tell(SessionEnded{why});
}

// --- What the agent says ------------------------------------------------------------------------

void AcpSession::on_update(const json::object& update) {
  if (dropping) return;
  const auto self = shared_from_this();
  if (is_progress(update_kind(update))) {
    // A prompt that the agent already works on has reached it.
    begin_turn();
    last_progress_ = deps_.clock.mono();
    told_of_silence_ = false;
  }
  publish(translator_.update(update, now()));
  if (translator_.unprompted_turn_open()) settle_later();
}

void AcpSession::settle_later() {
  settle_ = deps_.timers.after(limits::kAgentTurnQuiet, [weak = weak_from_this()] {
    const auto session = weak.lock();
    if (session && !session->prompt_) session->publish(session->translator_.settle(session->now()));
  });
}

void AcpSession::on_permission(const RpcRequest& request, const json::object& params) {
  const auto self = shared_from_this();
  begin_turn();
  last_progress_ = deps_.clock.mono();
  auto asked = translator_.permission(params, now());
  if (asked.item_id.empty()) {
    if (alive()) static_cast<void>(connection->peer->respond(request.id, cancelled_outcome()));
  } else {
    questions_.emplace(asked.item_id.str(), request.id);
  }
  publish(std::move(asked.outputs));
}

bool AcpSession::on_withdrawn(const json::value& request_id) {
  const RpcId id{RawJson(request_id)};
  for (const auto& answering : answering_) {
    if (answering->question == id) return answering->over = true;
  }
  const auto found =
      std::ranges::find_if(questions_, [&](const auto& entry) { return entry.second == id; });
  if (found == questions_.end()) return false;
  const ItemId item(found->first);
  questions_.erase(found);
  publish(translator_.withdrawn(item, now()));
  return true;
}

Result<PreparedAnswer> AcpSession::prepare_answer(const Answer& answer) {
  const std::string item = answer.item_id.str();
  const Approval* approval = translator_.pending_approval(answer.item_id);
  if (!questions_.contains(item) || approval == nullptr) {
    if (answered_.contains(item)) return no_longer_asked();
    return fail(ErrorCode::ItemNotFound, "There is no such question, or it is no longer open.");
  }
  if (auto valid = check_answer(*approval, answer); !valid) {
    return std::unexpected(std::move(valid.error()));
  }
  if (!alive()) return fail(ErrorCode::ProcessCrash, deps_.name + " is not running.");
  PreparedAnswer prepared;
  prepared.write = [self = shared_from_this(), answer] { return write_answer(self, answer); };
  prepared.carries_message = false;  // ACP has no place for words.
  return prepared;
}

asio::awaitable<Result<void>> AcpSession::write_answer(std::shared_ptr<AcpSession> self,
                                                       Answer answer) {
  const std::string item = answer.item_id.str();
  if (!self->alive() || !self->questions_.contains(item)) co_return no_longer_asked();
  // Before it is written: the agent may react to it before we hear that it was.
  auto approval = self->translator_.take_approval(answer.item_id);
  const auto answering =
      std::make_shared<Answering>(self->questions_.extract(item).mapped(), !approval);
  self->answered_.insert(item);
  self->answering_.push_back(answering);
  const auto peer = self->connection->peer;
  auto taken = co_await peer->deliver_response(
      answering->question,
      {{"outcome", {{"outcome", "selected"}, {"optionId", answer.option_id.value_or("")}}}},
      limits::kAnswerTaken);
  std::erase(self->answering_, answering);
  if (taken) {
    self->last_progress_ = self->deps_.clock.mono();
  } else if (answering->over || !self->alive() || !self->translator_.turn_open()) {
    if (approval) self->publish(self->translator_.withdrawn(std::move(approval), self->now()));
  } else {
    self->answered_.erase(item);
    self->questions_.emplace(item, answering->question);
    self->translator_.asked_again(std::move(approval));
  }
  co_return taken;
}

/// What is asked is over; what is being answered is, should the answer not be taken.
void AcpSession::answer_all_cancelled() {
  for (const auto& answering : answering_) answering->over = true;
  for (const auto& [item, id] : std::exchange(questions_, {})) {
    answered_.insert(item);
    if (alive()) static_cast<void>(connection->peer->respond(id, cancelled_outcome()));
    publish(translator_.withdrawn(ItemId(item), now()));
  }
}

// --- Silence ------------------------------------------------------------------------------------

void AcpSession::watch() {
  const MonoMs silent = deps_.clock.mono() - last_progress_;
  const MonoMs limit =
      (told_of_silence_ ? limits::kAgentSilenceMax : limits::kAgentSilenceNote).count();
  watchdog_ = deps_.timers.after(std::chrono::milliseconds(std::max<MonoMs>(limit - silent, 1)),
                                 [weak = weak_from_this()] {
                                   if (const auto session = weak.lock()) session->on_silence();
                                 });
}

void AcpSession::on_silence() {
  const auto self = shared_from_this();
  if (!prompt_) return;
  if (translator_.silence_is_normal() || held_) last_progress_ = deps_.clock.mono();
  const MonoMs silent = deps_.clock.mono() - last_progress_;
  if (silent >= limits::kAgentSilenceMax.count()) {
    static_cast<void>(stop_turn());
    return give_up({ErrorCode::Timeout,
                    fmt::format("{} has said nothing for {} minutes. The turn was given up; the "
                                "session is opened again with the next message.",
                                deps_.name, silent / 60'000)});
  }
  if (silent >= limits::kAgentSilenceNote.count() && !told_of_silence_) {
    told_of_silence_ = true;
    publish(translator_.note(fmt::format("{} has said nothing for {} seconds. It may be waiting "
                                         "for its model; you can wait or cancel.",
                                         deps_.name, silent / 1000),
                             now()));
  }
  if (prompt_) watch();
}

}  // namespace lb::acp
