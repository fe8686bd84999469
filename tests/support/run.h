/// Running coroutines and conditions in a test, always with a deadline.
#pragma once

#include <doctest/doctest.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

namespace lb::test {

namespace asio = boost::asio;

/// Runs the loop until `done` holds; false when it does not within the limit.
inline bool run_until(asio::io_context& io, const std::function<bool()>& done,
                      std::chrono::milliseconds limit = std::chrono::seconds(10)) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    io.restart();
    if (io.run_one_for(std::chrono::milliseconds(20)) == 0 && done()) return true;
  }
  return true;
}

/// Runs everything that is ready now, and what follows from it, without waiting for time.
inline void run_ready(asio::io_context& io) {
  io.restart();
  while (io.poll() > 0) io.restart();
}

/// The result of a coroutine.
template <class T>
T run(asio::io_context& io, asio::awaitable<T> coroutine,
      std::chrono::milliseconds limit = std::chrono::seconds(20)) {
  std::optional<T> result;
  std::exception_ptr thrown;
  bool ended = false;
  asio::co_spawn(io, std::move(coroutine), [&](std::exception_ptr error, T value) {
    thrown = error;
    if (!error) result.emplace(std::move(value));
    ended = true;
  });
  REQUIRE(run_until(io, [&] { return ended; }, limit));
  if (thrown) std::rethrow_exception(thrown);
  return std::move(*result);
}

inline void run(asio::io_context& io, asio::awaitable<void> coroutine,
                std::chrono::milliseconds limit = std::chrono::seconds(20)) {
  std::exception_ptr thrown;
  bool ended = false;
  asio::co_spawn(io, std::move(coroutine), [&](std::exception_ptr error) {
    thrown = error;
    ended = true;
  });
  REQUIRE(run_until(io, [&] { return ended; }, limit));
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace lb::test
