/// together: several coroutines at once, on the caller's executor.
#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <cstddef>
#include <exception>
#include <utility>
#include <vector>

#include "base/awaitable.h"

namespace lb {

/// Returns when the last of them has ended; what one of them throws is thrown here, then.
inline asio::awaitable<void> together(std::vector<asio::awaitable<void>> all) {
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer ended(executor, asio::steady_timer::time_point::max());
  std::exception_ptr thrown;
  std::size_t left = all.size();
  for (auto& one : all) {
    asio::co_spawn(executor, std::move(one), [&](const std::exception_ptr& error) {
      if (error) thrown = error;
      if (--left == 0) ended.cancel();
    });
  }
  while (left > 0) co_await ended.async_wait(kNoThrow);
  if (thrown) std::rethrow_exception(thrown);
}

}  // namespace lb
