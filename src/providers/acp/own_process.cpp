#include "providers/acp/own_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/together.h"

namespace lb::acp {

OwnProcessProvider::OwnProcessProvider(AgentSpec spec, ProviderDeps deps)
    : spec_(spec), deps_(deps), shared_(std::move(spec), std::move(deps)) {
  listen(shared_);
}

AcpProvider& OwnProcessProvider::of(const SessionId& session) const {
  const auto own = own_.find(session);
  return own == own_.end() ? shared_ : *own->second.by;
}

AgentSpec OwnProcessProvider::spec_for(const WarmPlace& place) const {
  AgentSpec spec = spec_;
  spec.own_process = true;
  spec.confined = place.confined;
  spec.env.insert(spec.env.end(), place.env.begin(), place.env.end());
  return spec;
}

OwnProcessProvider::OwnPtr OwnProcessProvider::unused(const WarmPlace& place) {
  if (!unused_.empty()) {
    auto provider = std::move(unused_.back());
    unused_.pop_back();
    provider->run_as(spec_for(place));  // Nothing of it runs.
    return provider;
  }
  all_.push_back(std::make_shared<AcpProvider>(spec_for(place), deps_));
  listen(*all_.back());
  return all_.back();
}

void OwnProcessProvider::give(const SessionId& session, Own own) {
  own.by->belongs_to(session);
  if (const auto sink = sinks_.find(session); sink != sinks_.end()) {
    own.by->attach(session, sink->second);
  }
  own_.insert_or_assign(session, std::move(own));
}

AcpProvider& OwnProcessProvider::at(const SessionId& session, const WarmPlace& place) {
  if (own_.contains(session) || place.shared()) return of(session);
  if (const auto warm = warm_.find(place); warm != warm_.end()) {
    give(session, {std::move(warm->second), place});
    warm_.erase(warm);
  } else {
    give(session, {unused(place), place});
  }
  return of(session);
}

/// Its process ends; then another session may have it.
void OwnProcessProvider::let_go(OwnPtr own) {
  asio::co_spawn(
      deps_.executor,
      [](OwnProcessProvider* self, OwnPtr ended) -> asio::awaitable<void> {
        co_await ended->shutdown();
        self->unused_.push_back(std::move(ended));
      }(this, std::move(own)),
      asio::detached);
}

asio::awaitable<Result<ProviderSession>> OwnProcessProvider::create_session(
    CreateSessionOptions options) {
  AcpProvider& by = at(options.session_id, WarmPlace::of(options));
  return by.create_session(std::move(options));
}

asio::awaitable<Result<ProviderSession>> OwnProcessProvider::load_session(
    SessionId session, LoadSessionOptions options) {
  AcpProvider& by = at(session, WarmPlace::of(options));
  return by.load_session(std::move(session), std::move(options));
}

asio::awaitable<Result<void>> OwnProcessProvider::import_history(SessionId session,
                                                                 LoadSessionOptions options) {
  AcpProvider& by = at(session, WarmPlace::of(options));
  return by.import_history(std::move(session), std::move(options));
}

asio::awaitable<Result<ProviderSession>> OwnProcessProvider::fork_session(
    SessionId from, CreateSessionOptions options, std::optional<ForkPoint> before) {
  const auto found = own_.find(from);
  const std::optional<Own> original =
      found == own_.end() ? std::nullopt : std::optional(found->second);
  AcpProvider& maker = original ? *original->by : shared_;
  const WarmPlace place = WarmPlace::of(options);
  if (!original && place.shared()) {
    co_return co_await maker.fork_session(std::move(from), std::move(options), std::move(before));
  }
  // Where only the walls matter, both may be behind the same.
  const auto only_walls = [](const WarmPlace& one) {
    return one.confined && !one.own_process && one.env.empty();
  };
  if (original && only_walls(original->place) && only_walls(place)) {
    give(options.session_id, *original);
    co_return co_await maker.fork_session(std::move(from), std::move(options), std::move(before));
  }
  maker.attach(options.session_id, nullptr);  // It is heard where it goes on.
  auto made = co_await maker.fork_session(std::move(from), options, std::move(before));
  if (!made) co_return made;
  co_return co_await move_fork(maker, std::move(*made), std::move(options));
}

/// A copy that was made in the process of its original goes on where it belongs.
asio::awaitable<Result<ProviderSession>> OwnProcessProvider::move_fork(
    AcpProvider& maker, ProviderSession made, CreateSessionOptions options) {
  (void)co_await maker.kill_session(made.session_id);
  maker.forget(made.session_id);
  LoadSessionOptions again;
  again.cli_session_id = made.cli_session_id;
  again.project_dir = options.project_dir;
  again.model = options.model;
  again.mode = options.mode;
  again.thinking = options.thinking;
  again.confined = options.confined;
  again.own_process = options.own_process;
  again.env = options.env;
  again.last_known_turn = TurnId("copied");  // By the session layer: nothing is to be replayed.
  auto loaded = co_await load_session(made.session_id, std::move(again));
  if (loaded) co_return loaded;
  co_return fail(ErrorCode::NotSupported,
                 fmt::format("{} cannot go on with a copy in a process of its own. {}", spec_.name,
                             loaded.error().message));
}

void OwnProcessProvider::attach(const SessionId& session, std::shared_ptr<SessionSink> sink) {
  // Where it will run is known when it is created or loaded.
  if (sink) {
    sinks_[session] = sink;
  } else {
    sinks_.erase(session);
  }
  of(session).attach(session, std::move(sink));
}

void OwnProcessProvider::forget(const SessionId& session) {
  sinks_.erase(session);
  shared_.forget(session);
  const auto found = own_.find(session);
  if (found == own_.end()) return;
  const OwnPtr own = found->second.by;
  own_.erase(found);
  own->forget(session);
  const auto used = [&](const auto& one) { return one.second.by == own; };
  if (!std::ranges::any_of(own_, used)) let_go(own);
}

// --- The agent as a whole -----------------------------------------------------------------------

void OwnProcessProvider::listen(AcpProvider& provider) {
  provider.on_status([this](AgentStatus, std::optional<std::string> message) {
    if (told_) told_(status(), std::move(message));
  });
}

AgentStatus OwnProcessProvider::status() const {
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

asio::awaitable<AgentInfo> OwnProcessProvider::inspect() {
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
asio::awaitable<Result<void>> OwnProcessProvider::reconnect() {
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

std::optional<bool> OwnProcessProvider::takes_text() const {
  auto told = shared_.takes_text();
  for (const OwnPtr& own : all_) {
    if (!told) told = own->takes_text();
  }
  return told;
}

void OwnProcessProvider::prewarm(const WarmPlace& place) {
  if (place.shared()) return shared_.prewarm(place);
  OwnPtr& warm = warm_[place];
  if (!warm) warm = unused(place);
  warm->prewarm(place);
}

void OwnProcessProvider::prewarm_shared(const WarmPlace& place) {
  if (place.shared()) shared_.prewarm_shared(place);
}

void OwnProcessProvider::end_prewarmed(const WarmPlace& place) {
  if (place.shared()) return shared_.end_prewarmed(place);
  const auto warm = warm_.find(place);
  if (warm == warm_.end()) return;
  let_go(std::move(warm->second));
  warm_.erase(warm);
}

std::size_t OwnProcessProvider::prewarmed() const {
  std::size_t count = shared_.prewarmed();
  for (const auto& [place, warm] : warm_) count += warm->prewarmed();
  return count;
}

asio::awaitable<void> OwnProcessProvider::shutdown() {
  std::vector<asio::awaitable<void>> all;
  all.push_back(shared_.shutdown());
  for (const OwnPtr& own : all_) all.push_back(own->shutdown());
  co_await together(std::move(all));
}

}  // namespace lb::acp
