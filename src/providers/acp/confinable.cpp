#include "providers/acp/confinable.h"

#include <algorithm>
#include <utility>

#include "base/together.h"

namespace lb::acp {
namespace {

AgentSpec behind_walls(AgentSpec spec) {
  spec.confined = true;
  return spec;
}

}  // namespace

ConfinableProvider::ConfinableProvider(AgentSpec spec, ProviderDeps deps)
    : spec_(behind_walls(spec)), deps_(deps), shared_(std::move(spec), std::move(deps)) {
  listen(shared_);
}

AcpProvider& ConfinableProvider::of(const SessionId& session) {
  const auto own = own_.find(session);
  return own == own_.end() ? shared_ : *own->second;
}

const AcpProvider& ConfinableProvider::of(const SessionId& session) const {
  const auto own = own_.find(session);
  return own == own_.end() ? shared_ : *own->second;
}

ConfinableProvider::OwnPtr ConfinableProvider::unused() {
  if (!unused_.empty()) {
    auto provider = std::move(unused_.back());
    unused_.pop_back();
    return provider;
  }
  all_.push_back(std::make_shared<AcpProvider>(spec_, deps_));
  listen(*all_.back());
  return all_.back();
}

AcpProvider& ConfinableProvider::confine(const SessionId& session, const std::string& project_dir) {
  OwnPtr& own = own_[session];
  if (own) return *own;
  if (const auto warm = warm_.find(project_dir); warm != warm_.end()) {
    own = std::move(warm->second);
    warm_.erase(warm);
  } else {
    own = unused();
  }
  if (const auto sink = sinks_.find(session); sink != sinks_.end()) {
    own->attach(session, sink->second);
  }
  return *own;
}

asio::awaitable<Result<ProviderSession>> ConfinableProvider::create_session(
    CreateSessionOptions options) {
  if (!options.confined) return shared_.create_session(std::move(options));
  AcpProvider& own = confine(options.session_id, options.project_dir);
  return own.create_session(std::move(options));
}

asio::awaitable<Result<ProviderSession>> ConfinableProvider::load_session(
    SessionId session, LoadSessionOptions options) {
  AcpProvider& by = options.confined ? confine(session, options.project_dir) : of(session);
  return by.load_session(std::move(session), std::move(options));
}

asio::awaitable<Result<void>> ConfinableProvider::import_history(SessionId session,
                                                                 LoadSessionOptions options) {
  AcpProvider& by = options.confined ? confine(session, options.project_dir) : of(session);
  return by.import_history(std::move(session), std::move(options));
}

asio::awaitable<Result<ProviderSession>> ConfinableProvider::fork_session(
    SessionId from, CreateSessionOptions options) {
  const auto original = own_.find(from);
  if (original == own_.end()) return shared_.fork_session(std::move(from), std::move(options));
  const OwnPtr own = original->second;
  own_[options.session_id] = own;
  if (const auto sink = sinks_.find(options.session_id); sink != sinks_.end()) {
    own->attach(options.session_id, sink->second);
  }
  return own->fork_session(std::move(from), std::move(options));
}

void ConfinableProvider::attach(const SessionId& session, std::shared_ptr<SessionSink> sink) {
  // Where it will run is known when it is created or loaded.
  if (sink) {
    sinks_[session] = sink;
  } else {
    sinks_.erase(session);
  }
  of(session).attach(session, std::move(sink));
}

void ConfinableProvider::forget(const SessionId& session) {
  sinks_.erase(session);
  shared_.forget(session);
  const auto found = own_.find(session);
  if (found == own_.end()) return;
  const OwnPtr own = found->second;
  own_.erase(found);
  own->forget(session);
  const bool used = std::ranges::any_of(own_, [&](const auto& one) { return one.second == own; });
  if (!used) unused_.push_back(own);
}

// --- What one session is asked to do ------------------------------------------------------------

asio::awaitable<Result<SendResult>> ConfinableProvider::send_message(SessionId session,
                                                                     Prompt prompt) {
  AcpProvider& by = of(session);
  return by.send_message(std::move(session), std::move(prompt));
}

asio::awaitable<Result<void>> ConfinableProvider::steer_turn(SessionId session, Prompt prompt) {
  AcpProvider& by = of(session);
  return by.steer_turn(std::move(session), std::move(prompt));
}

asio::awaitable<Result<void>> ConfinableProvider::cancel_turn(SessionId session) {
  AcpProvider& by = of(session);
  return by.cancel_turn(std::move(session));
}

asio::awaitable<Result<void>> ConfinableProvider::kill_session(SessionId session) {
  AcpProvider& by = of(session);
  return by.kill_session(std::move(session));
}

bool ConfinableProvider::is_alive(const SessionId& session) const {
  return of(session).is_alive(session);
}

Result<PreparedAnswer> ConfinableProvider::prepare_answer(const SessionId& session,
                                                          const Answer& answer) {
  return of(session).prepare_answer(session, answer);
}

asio::awaitable<Result<void>> ConfinableProvider::set_mode(SessionId session, std::string mode) {
  AcpProvider& by = of(session);
  return by.set_mode(std::move(session), std::move(mode));
}

asio::awaitable<Result<void>> ConfinableProvider::set_model(SessionId session, std::string model) {
  AcpProvider& by = of(session);
  return by.set_model(std::move(session), std::move(model));
}

asio::awaitable<Result<void>> ConfinableProvider::set_thinking(SessionId session,
                                                               std::string level) {
  AcpProvider& by = of(session);
  return by.set_thinking(std::move(session), std::move(level));
}

void ConfinableProvider::hold(const SessionId& session, bool held) {
  of(session).hold(session, held);
}

// --- The agent as a whole -----------------------------------------------------------------------

void ConfinableProvider::listen(AcpProvider& provider) {
  provider.on_status([this](AgentStatus, std::optional<std::string> message) {
    if (told_) told_(status(), std::move(message));
  });
}

AgentStatus ConfinableProvider::status() const {
  const auto any = [this](AgentStatus wanted) {
    return std::ranges::any_of(all_, [&](const OwnPtr& own) { return own->status() == wanted; });
  };
  if (shared_.status() != AgentStatus::Idle) return shared_.status();
  for (const AgentStatus one : {AgentStatus::Connected, AgentStatus::Starting,
                                AgentStatus::Reconnecting, AgentStatus::Disconnected}) {
    if (any(one)) return one;
  }
  return AgentStatus::Idle;
}

asio::awaitable<AgentInfo> ConfinableProvider::inspect() {
  AgentInfo info = co_await shared_.inspect();
  info.status = status();
  if (prewarmed() > 0) info.warm = prewarmed();
  for (const OwnPtr& own : all_) {
    if (!info.installed || info.problem || !own->login_problem()) continue;
    info.login = LoginState::Needed;
    info.problem = own->login_problem();
  }
  co_return info;
}

/// Those that wait are brought back; the shared one is not started for their sake.
asio::awaitable<Result<void>> ConfinableProvider::reconnect() {
  bool others = false;
  const auto all = all_;
  for (const OwnPtr& own : all) {
    if (own->status() == AgentStatus::Idle) continue;
    others = true;
    if (auto again = co_await own->reconnect(); !again) co_return again;
  }
  if (others && shared_.status() == AgentStatus::Idle) co_return Result<void>{};
  co_return co_await shared_.reconnect();
}

asio::awaitable<std::vector<DiscoveredSession>> ConfinableProvider::discover(
    std::string project_dir) {
  return shared_.discover(std::move(project_dir));
}

asio::awaitable<std::int64_t> ConfinableProvider::outside_mark(std::string project_dir) {
  return shared_.outside_mark(std::move(project_dir));
}

std::optional<bool> ConfinableProvider::takes_text() const {
  auto told = shared_.takes_text();
  for (const OwnPtr& own : all_) {
    if (!told) told = own->takes_text();
  }
  return told;
}

void ConfinableProvider::prewarm(const WarmPlace& place) {
  if (!place.confined) return shared_.prewarm(place);
  OwnPtr& warm = warm_[place.project_dir];
  if (!warm) warm = unused();
  warm->prewarm(place);
}

void ConfinableProvider::prewarm_shared(const WarmPlace& place) {
  if (!place.confined) shared_.prewarm_shared(place);
}

void ConfinableProvider::end_prewarmed(const WarmPlace& place) {
  if (!place.confined) return shared_.end_prewarmed(place);
  const auto warm = warm_.find(place.project_dir);
  if (warm == warm_.end()) return;
  warm->second->end_prewarmed(place);
  unused_.push_back(std::move(warm->second));
  warm_.erase(warm);
}

std::size_t ConfinableProvider::prewarmed() const {
  std::size_t count = shared_.prewarmed();
  for (const auto& [project, warm] : warm_) count += warm->prewarmed();
  return count;
}

asio::awaitable<void> ConfinableProvider::shutdown() {
  std::vector<asio::awaitable<void>> all;
  all.push_back(shared_.shutdown());
  for (const OwnPtr& own : all_) all.push_back(own->shutdown());
  co_await together(std::move(all));
}

}  // namespace lb::acp
