#include "providers/claude/process/warm_pool.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/id.h"
#include "base/log.h"
#include "base/metrics.h"

namespace lb::claude {
namespace {

/// Every process here is a session's own.
WarmPlace own(WarmPlace place) {
  place.own_process = true;
  return place;
}

Gauge& waiting() {
  static Gauge& count = gauge("lb_warm_agents", "Agents started ahead that no session uses yet.");
  return count;
}

}  // namespace

WarmPool::WarmPool(std::shared_ptr<const ClaudeConfig> config, const ProviderDeps& deps,
                   std::function<void()> changed)
    : config_(std::move(config)), deps_(deps), changed_(std::move(changed)) {}

WarmPool::~WarmPool() {
  sessions_.clear();
  show_count();
}

void WarmPool::start(const WarmPlace& place) {
  if (sessions_.contains(own(place))) return;
  LaunchPlan plan;
  plan.cli_session_id = make_uuid();
  plan.directory = plan.project_dir = place.project_dir;
  plan.confined = place.confined;
  plan.env = place.env;
  ClaudeSessionEvents events;
  events.process_changed = [this, living = std::weak_ptr(living_)] {
    if (living.lock()) drop_dead();
  };
  const auto session = std::make_shared<ClaudeSession>(
      ClaudeSession::Setup{.id = SessionId("warm"), .plan = std::move(plan), .config = config_},
      deps_, std::move(events));
  sessions_[own(place)] = session;
  show_count();
  asio::co_spawn(deps_.executor, run(session), asio::detached);
}

asio::awaitable<void> WarmPool::run(std::shared_ptr<ClaudeSession> session) {
  if (auto ready = co_await session->start(); !ready) {
    log_info("warm_start_failed",
             {{"directory", session->plan().directory}, {"why", ready.error().message}});
  }
}

/// A process that ended makes room for the next one.
void WarmPool::drop_dead() {
  std::erase_if(sessions_, [](const auto& waits) {
    return !waits.second->alive() && !waits.second->starting();
  });
  show_count();
  changed_();
}

std::shared_ptr<ClaudeSession> WarmPool::take(const WarmPlace& place) {
  const auto found = sessions_.find(own(place));
  if (found == sessions_.end()) return nullptr;
  auto session = std::move(found->second);
  sessions_.erase(found);
  show_count();
  return session;
}

void WarmPool::end(const WarmPlace& place) {
  if (const auto session = take(place)) session->retire();
}

std::vector<std::shared_ptr<ClaudeSession>> WarmPool::take_all() {
  std::vector<std::shared_ptr<ClaudeSession>> all;
  for (auto& [place, session] : sessions_) all.push_back(std::move(session));
  sessions_.clear();
  show_count();
  return all;
}

void WarmPool::show_count() {
  const auto now = static_cast<std::int64_t>(sessions_.size());
  waiting().add(now - std::exchange(shown_, now));
}

}  // namespace lb::claude
