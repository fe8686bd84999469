/// WarmStarts: which agents are started before a session needs them, and for how long.
///
/// A start counts for one agent and one project, confined or not. Above limits::kWarmMax the oldest
/// goes; what no session took within its life goes too. The processes are the providers'. Owned by
/// the SessionService; lives on the io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <deque>
#include <memory>
#include <string>

#include "providers/provider.h"

namespace lb {

class WarmStarts {
 public:
  WarmStarts(asio::any_io_executor io, std::chrono::milliseconds life)
      : io_(std::move(io)), life_(life) {}

  /// Starts the agent ahead, or keeps what waits for another life. False when there is nothing to
  /// start ahead: the agent runs already, or its kind has no such thing.
  bool start(Provider& provider, const WarmPlace& place);
  /// A session is being made there: what was started for it is the provider's business now.
  void used(const Provider& provider, const WarmPlace& place);

 private:
  struct One {
    One(Provider& agent, WarmPlace where, const asio::any_io_executor& io)
        : provider(agent), place(std::move(where)), life(io) {}
    Provider& provider;
    WarmPlace place;
    asio::steady_timer life;
  };
  using OnePtr = std::shared_ptr<One>;

  [[nodiscard]] OnePtr find(const Provider& provider, const WarmPlace& place) const;
  void arm(const OnePtr& one);
  void end(const OnePtr& one);

  asio::any_io_executor io_;
  std::chrono::milliseconds life_;
  std::deque<OnePtr> started_;  // Oldest first. The only owner.
};

}  // namespace lb
