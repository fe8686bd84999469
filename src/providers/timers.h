/// Timers: "call me later", so that tests can make later now.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace lb {

namespace asio = boost::asio;

/// Lives on the io thread; callbacks run on it.
class Timers {
 public:
  /// Letting go of it cancels the timer.
  using Handle = std::shared_ptr<void>;

  Timers() = default;
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;
  virtual ~Timers() = default;
  [[nodiscard]] virtual Handle after(std::chrono::milliseconds delay,
                                     std::function<void()> callback) = 0;
};

class SystemTimers final : public Timers {
 public:
  explicit SystemTimers(asio::any_io_executor executor) : executor_(std::move(executor)) {}
  [[nodiscard]] Handle after(std::chrono::milliseconds delay,
                             std::function<void()> callback) override {
    auto timer = std::make_shared<asio::steady_timer>(executor_, delay);
    timer->async_wait([weak = std::weak_ptr(timer),
                       callback = std::move(callback)](boost::system::error_code stopped) {
      // A timer that expired and was let go in the same moment must not fire.
      if (!stopped && !weak.expired()) callback();
    });
    return timer;
  }

 private:
  asio::any_io_executor executor_;
};

}  // namespace lb
