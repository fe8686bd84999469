#include "providers/provider_base.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/together.h"

namespace lb {

ProviderBase::AnySession ProviderBase::find_any(const SessionId& session) const {
  const auto found = table_.find(session);
  return found == table_.end() ? nullptr : found->second;
}

Result<ProviderBase::AnySession> ProviderBase::known_any(const SessionId& session) const {
  if (auto found = find_any(session)) return found;
  return fail(ErrorCode::SessionNotFound,
              fmt::format("{} has no such session open; load it first.", name_));
}

void ProviderBase::keep(AnySession session) {
  session->attach(sink_of(session->id()));
  table_.insert_or_assign(session->id(), std::move(session));
}

void ProviderBase::drop(const SessionId& session) {
  table_.erase(session);
}

bool ProviderBase::any_alive() const {
  return std::ranges::any_of(table_, [](const auto& entry) { return entry.second->alive(); });
}

std::shared_ptr<SessionSink> ProviderBase::sink_of(const SessionId& session) const {
  const auto found = sinks_.find(session);
  return found == sinks_.end() ? nullptr : found->second;
}

void ProviderBase::attach(const SessionId& session, std::shared_ptr<SessionSink> sink) {
  if (const auto known = find_any(session)) known->attach(sink);
  sinks_.insert_or_assign(session, std::move(sink));
}

void ProviderBase::forget(const SessionId& session) {
  // Its coroutines may still hold it: nobody hears them any more.
  if (const auto known = find_any(session)) known->attach(nullptr);
  drop(session);
  sinks_.erase(session);
}

void ProviderBase::tell_status(AgentStatus status, std::optional<std::string> message) {
  const bool explained = std::exchange(status_explained_, message.has_value());
  if (status == status_ && !message && !explained) return;
  status_ = status;
  if (const auto callback = status_callback_) callback(status, std::move(message));
}

// --- Commands: find the session and pass them on ------------------------------------------------

asio::awaitable<Result<void>> ProviderBase::reopen(AnySession) {
  co_return Result<void>{};
}

asio::awaitable<void> ProviderBase::after_kill(AnySession session) {
  if (find_any(session->id()) == session) drop(session->id());
  co_return;
}

asio::awaitable<Result<SendResult>> ProviderBase::send_message(SessionId id, Prompt prompt) {
  const auto session = known_any(id);
  if (!session) co_return std::unexpected(session.error());
  if (!(*session)->alive()) {
    if (auto opened = co_await reopen(*session); !opened) {
      co_return std::unexpected(std::move(opened.error()));
    }
  }
  const TurnId turn = prompt.turn_id;
  if (auto begun = co_await (*session)->send(std::move(prompt)); !begun) {
    co_return std::unexpected(std::move(begun.error()));
  }
  co_return SendResult{turn};
}

asio::awaitable<Result<void>> ProviderBase::cancel_turn(SessionId id) {
  const auto session = known_any(id);
  if (!session) co_return std::unexpected(session.error());
  co_return co_await (*session)->cancel();
}

asio::awaitable<Result<void>> ProviderBase::kill_session(SessionId id) {
  const auto session = known_any(id);
  if (!session) co_return std::unexpected(session.error());
  co_await (*session)->kill();
  co_await after_kill(*session);
  co_return Result<void>{};
}

bool ProviderBase::is_alive(const SessionId& id) const {
  const auto session = find_any(id);
  return session && session->alive();
}

Result<PreparedAnswer> ProviderBase::prepare_answer(const SessionId& id, const Answer& answer) {
  const auto session = known_any(id);
  if (!session) return std::unexpected(session.error());
  return (*session)->prepare_answer(answer);
}

asio::awaitable<Result<void>> ProviderBase::steer_turn(SessionId id, Prompt prompt) {
  const auto session = known_any(id);
  if (!session) co_return std::unexpected(session.error());
  co_return co_await (*session)->steer(std::move(prompt));
}

asio::awaitable<Result<void>> ProviderBase::set_mode(SessionId id, std::string mode) {
  const auto session = known_any(id);
  if (!session) co_return std::unexpected(session.error());
  co_return co_await (*session)->set_mode(std::move(mode));
}

asio::awaitable<Result<void>> ProviderBase::set_model(SessionId id, std::string model) {
  const auto session = known_any(id);
  if (!session) co_return std::unexpected(session.error());
  co_return co_await (*session)->set_model(std::move(model));
}

asio::awaitable<Result<void>> ProviderBase::set_thinking(SessionId id, std::string level) {
  const auto session = known_any(id);
  if (!session) co_return std::unexpected(session.error());
  co_return co_await (*session)->set_thinking(std::move(level));
}

void ProviderBase::hold(const SessionId& id, bool held) {
  if (const auto session = find_any(id)) session->hold(held);
}

asio::awaitable<void> ProviderBase::shutdown() {
  const Table sessions = std::exchange(table_, {});
  std::vector<asio::awaitable<void>> all;
  for (const auto& [id, session] : sessions) all.push_back(session->shutdown());
  co_await together(std::move(all));
}

}  // namespace lb
