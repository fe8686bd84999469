#include "providers/events/session.h"

#include <fmt/format.h>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <utility>

#include "base/arrival.h"
#include "base/base64.h"
#include "base/limits.h"
#include "base/utf8.h"

namespace lb::events {
namespace {

std::string prompt_line(const SessionId& session, const Prompt& prompt) {
  json::object line = {{"type", "prompt"},
                       {"sessionId", session.str()},
                       {"turnId", prompt.turn_id.str()},
                       {"content", prompt.content}};
  json::array images;
  for (const PromptImage& image : prompt.images) {
    images.push_back({{"mimeType", image.mime_type}, {"data", to_base64(image.data)}});
  }
  if (!images.empty()) line["images"] = std::move(images);
  return json::serialize(line);
}

std::string* item_id_of(StreamPayload& payload) {
  return std::visit(
      []<class T>(T& body) -> std::string* {
        if constexpr (requires { body.item_id; }) return &body.item_id.text;
        return nullptr;
      },
      payload.body);
}

}  // namespace

EventsSession::EventsSession(SessionId session, WarmPlace place, SessionDeps deps)
    : AgentSession(std::move(session), deps.name),
      place_(std::move(place)),
      deps_(std::move(deps)),
      unheld_(deps_.executor, asio::steady_timer::time_point::max()) {}

void EventsSession::follow(std::shared_ptr<AgentProcess> process) {
  process_ = std::move(process);
  processor_ = EnvelopeProcessor();
  closing_.reset();
  cancelling_ = false;
  json::object open = {{"type", "open"}, {"sessionId", id().str()}, {"cwd", place_.project_dir}};
  // A line that cannot be written means that the agent ended: the reader tells.
  static_cast<void>(process_->write_line(json::serialize(open)));
  asio::co_spawn(deps_.executor, read(shared_from_this(), process_), asio::detached);
}

asio::awaitable<void> EventsSession::read(std::shared_ptr<EventsSession> self,
                                          std::shared_ptr<AgentProcess> process) {
  while (auto line = co_await process->next_line()) {
    const std::uint64_t read_us = Arrival::take();
    while (self->held_ && self->process_ == process) {
      co_await self->unheld_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    const Arrival::Scope handling(read_us);
    if (self->process_ == process) self->on_line(*line);
  }
  // Without output it is of no use, and its end must come.
  const ExitStatus status = co_await stop_gracefully(process);
  self->on_end(process, status);
}

// --- What the agent says ------------------------------------------------------------------------

void EventsSession::on_line(const Line& line) {
  auto event =
      line.truncated
          ? Result<StreamEvent>(fail(ErrorCode::InvalidStreamEvent, "the line is too long"))
          : decode_text<StreamEvent>(line.text);
  if (event && event->session_id.text != id().str()) {
    event = fail(ErrorCode::InvalidStreamEvent, "sessionId: not the session of this process");
  }
  if (event && !is_wire_id(event->turn_id.text)) {
    event = fail(ErrorCode::InvalidStreamEvent, "turnId: not a valid id");
  }
  if (event) return on_event(std::move(*event));
  // Outside of a turn it is noise; inside, its author wants to know.
  if (!open_turn_ && !pending_) return;
  fail_open({ErrorCode::InvalidStreamEvent,
             fmt::format("{} wrote a line that is no event ({}): {}", deps_.name,
                         event.error().message, utf8_prefix(line.text, 200))});
}

void EventsSession::give_our_ids(StreamEvent& event) {
  std::string* theirs = item_id_of(event.payload);
  if (theirs == nullptr) return;
  const auto [known, added] = item_ids_.try_emplace(*theirs);
  if (added) known->second = fmt::format("{}:1:{}", event.turn_id.text, item_ids_.size() - 1);
  *theirs = known->second;
}

void EventsSession::on_event(StreamEvent event) {
  const auto self = shared_from_this();
  if (event.type == StreamEventType::ResponseStart) {
    item_ids_.clear();
    cancelling_ = false;
    if (pending_ && pending_->turn_id.str() == event.turn_id.text) {
      prompted_ = pending_->turn_id;
      pending_->begun = true;
      std::exchange(pending_, nullptr)->changed.cancel();
    }
  } else if (!open_turn_ || open_turn_->str() != event.turn_id.text) {
    return;  // Of a turn that is over or was given up.
  }
  give_our_ids(event);
  publish(processor_.process(event, now()));
}

void EventsSession::publish(EnvelopeProcessor::Outputs outputs) {
  const auto self = shared_from_this();
  for (StreamOutput& output : outputs) {
    if (auto* item = std::get_if<Upsert>(&output)) {
      tell(std::move(*item));
      continue;
    }
    Turn turn = std::get<Turn>(std::move(output));
    turn.origin = prompted_ == turn.turn_id ? TurnOrigin::User : TurnOrigin::Agent;
    if (is_final(turn)) {
      open_turn_.reset();
      cancel_watchdog_.reset();
    } else {
      open_turn_ = turn.turn_id;
    }
    tell(std::move(turn));
  }
  tick_later();
}

void EventsSession::tick_later() {
  tick_.reset();
  const auto deadline = processor_.deadline();
  if (!deadline) return;
  const auto wait = std::chrono::milliseconds(std::max<MonoMs>(*deadline - deps_.clock.mono(), 0));
  tick_ = deps_.timers.after(wait, [weak = weak_from_this()] {
    if (const auto session = weak.lock()) {
      session->publish(session->processor_.tick(session->now()));
    }
  });
}

/// What is open ends with `why`; what the agent still says of it is ignored.
void EventsSession::fail_open(const Error& why) {
  if (pending_) {
    pending_->failed = why;
    std::exchange(pending_, nullptr)->changed.cancel();
  }
  if (open_turn_) {
    publish(processor_.destroy({std::string(name_of(why.code)), why.message}, now()));
  }
}

void EventsSession::end_cancelled() {
  if (!open_turn_) return;
  StreamEvent event;
  event.event_id.text = "cancelled";
  event.timestamp = deps_.clock.wall();
  event.turn_id.text = open_turn_->str();
  event.session_id.text = id().str();
  event.type = StreamEventType::ResponseDone;
  event.payload.body = ResponseDone{.status = ResponseStatus::Cancelled};
  publish(processor_.process(event, now()));
}

void EventsSession::on_end(const std::shared_ptr<AgentProcess>& process, const ExitStatus& status) {
  const auto self = shared_from_this();
  if (process_ != process) return;
  Error why = closing_.value_or(
      Error{ErrorCode::ProcessCrash,
            fmt::format("{} {}.{}", deps_.name, status.text(),
                        process->stderr_tail().empty()
                            ? ""
                            : " It said: " + std::string(utf8_suffix(process->stderr_tail(),
                                                                     limits::kErrorStderrBytes)))});
  process_.reset();
  cancel_watchdog_.reset();
  if (cancelling_) end_cancelled();
  fail_open(why);
  tell(SessionEnded{why});
}

// --- What the user says -------------------------------------------------------------------------

asio::awaitable<Result<void>> EventsSession::send(Prompt prompt) {
  const auto self = shared_from_this();
  if (open_turn_ || pending_) {
    co_return fail(ErrorCode::Busy, deps_.name + " is still working on a prompt.");
  }
  if (auto sent = process_->write_line(prompt_line(id(), prompt)); !sent) co_return sent;
  const auto pending = std::make_shared<Pending>(deps_.executor);
  pending->turn_id = prompt.turn_id;
  pending_ = pending;
  pending->changed.expires_after(limits::kAgentHandshake);
  co_await pending->changed.async_wait(asio::as_tuple(asio::use_awaitable));
  if (pending->begun) co_return Result<void>{};
  if (pending_ == pending) pending_.reset();
  co_return std::unexpected(pending->failed.value_or(
      Error{ErrorCode::Timeout, deps_.name + " did not take the prompt up in time."}));
}

asio::awaitable<Result<void>> EventsSession::cancel() {
  if (!open_turn_ || !alive()) co_return Result<void>{};
  cancelling_ = true;
  json::object line = {
      {"type", "cancel"}, {"sessionId", id().str()}, {"turnId", open_turn_->str()}};
  static_cast<void>(process_->write_line(json::serialize(line)));
  cancel_watchdog_ = deps_.timers.after(limits::kEventsCancelGrace, [weak = weak_from_this()] {
    const auto session = weak.lock();
    if (!session || !session->process_) return;
    session->end_cancelled();
    if (session->process_) session->process_->kill();
  });
  co_return Result<void>{};
}

asio::awaitable<void> EventsSession::kill() {
  co_await close({ErrorCode::Cancelled, "The session was closed."});
}

asio::awaitable<void> EventsSession::shutdown() {
  co_await close({ErrorCode::ServerRestarted, "The server was stopped during this turn."});
}

asio::awaitable<void> EventsSession::close(Error why) {
  const auto self = shared_from_this();
  closing_ = why;
  const auto process = process_;
  hold(false);
  if (!process) {
    fail_open(why);
    co_return;
  }
  co_await stop_gracefully(process);
  on_end(process, {});
}

void EventsSession::hold(bool held) {
  held_ = held;
  if (!held) unheld_.cancel();
}

}  // namespace lb::events
