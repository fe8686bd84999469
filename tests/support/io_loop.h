/// IoLoop: an io_context that a test drives by hand.
///
///     auto sent = loop.run(service.send(request));        // Runs until the coroutine is done.
///     REQUIRE(loop.until([&] { return provider.sent.size() == 2; }));
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <optional>
#include <stdexcept>
#include <utility>

namespace lb::test {

namespace asio = boost::asio;

class IoLoop {
 public:
  /// Long enough for a loaded machine under a sanitizer; no test waits this long when it passes.
  static constexpr std::chrono::seconds kDeadline{60};

  asio::io_context& context() { return context_; }
  auto executor() { return context_.get_executor(); }

  /// Runs the loop until the coroutine has returned, and returns what it did.
  template <class T>
  T run(asio::awaitable<T> work) {
    std::optional<T> value;
    std::exception_ptr thrown;
    asio::co_spawn(context_, std::move(work), [&](std::exception_ptr error, T result) {
      thrown = error;
      value.emplace(std::move(result));
    });
    if (!until([&] { return value.has_value(); })) throw std::runtime_error("deadline passed");
    if (thrown) std::rethrow_exception(thrown);
    return std::move(*value);
  }
  void run(asio::awaitable<void> work) {
    bool done = false;
    asio::co_spawn(context_, std::move(work), [&](std::exception_ptr) { done = true; });
    if (!until([&] { return done; })) throw std::runtime_error("deadline passed");
  }

  /// Runs the loop until `holds`; false when the deadline passed.
  template <class Condition>
  bool until(Condition holds, std::chrono::milliseconds limit = kDeadline) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (!holds()) {
      if (std::chrono::steady_clock::now() >= deadline) return false;
      context_.restart();
      context_.run_one_for(std::chrono::milliseconds(10));
    }
    return true;
  }

  /// Runs what is ready now, and nothing that waits for time.
  void settle() {
    context_.restart();
    context_.poll();
  }

 private:
  asio::io_context context_{1};
};

}  // namespace lb::test
