/// Event: coroutines that wait until something has happened, and the one who says so.
#pragma once

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <vector>

namespace lb {

namespace asio = boost::asio;

/// Lives on the io thread and outlives everyone who waits: they hold its owner.
class Event {
 public:
  explicit Event(asio::any_io_executor io) : io_(std::move(io)) {}

  /// Returns at the next `notify`, or when the time is over: look again at what you wait for.
  asio::awaitable<void> wait(std::chrono::milliseconds limit) {
    asio::steady_timer timer(io_, limit);
    waiting_.push_back(&timer);
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    std::erase(waiting_, &timer);
  }
  void notify() {
    for (asio::steady_timer* timer : waiting_) timer->cancel();
  }

 private:
  asio::any_io_executor io_;
  std::vector<asio::steady_timer*> waiting_;
};

/// One at a time: `co_await lock()` and hold what it returns.
class AsyncMutex {
 public:
  class Guard {
   public:
    explicit Guard(AsyncMutex& mutex) : mutex_(&mutex) {}
    Guard(Guard&& other) noexcept : mutex_(std::exchange(other.mutex_, nullptr)) {}
    Guard& operator=(Guard&&) = delete;
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() {
      if (mutex_ != nullptr) mutex_->unlock();
    }

   private:
    AsyncMutex* mutex_;
  };

  explicit AsyncMutex(const asio::any_io_executor& io) : freed_(io) {}
  asio::awaitable<Guard> lock() {
    while (locked_) co_await freed_.wait(std::chrono::hours(1));
    locked_ = true;
    co_return Guard(*this);
  }
  [[nodiscard]] bool locked() const { return locked_; }

 private:
  void unlock() {
    locked_ = false;
    freed_.notify();
  }
  Event freed_;
  bool locked_ = false;
};

}  // namespace lb
