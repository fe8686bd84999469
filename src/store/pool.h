/// run_on: blocking work on a thread pool, awaited on the caller's executor.
#pragma once

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <memory>
#include <type_traits>
#include <utility>

namespace lb {

namespace asio = boost::asio;

/// `work` runs on a thread of `pool` and must not touch anything of the io thread. The pool is
/// joined before the caller's io_context goes away.
template <class Work>
auto run_on(asio::thread_pool& pool, Work work) -> asio::awaitable<std::invoke_result_t<Work&>> {
  using Value = std::invoke_result_t<Work&>;
  const auto executor = co_await asio::this_coro::executor;
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Value)>(
      [&pool, executor](auto handler, Work job) {
        auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        asio::post(pool, [resume = std::move(resume), guard = asio::make_work_guard(executor),
                          executor, job = std::move(job)]() mutable {
          auto value = std::make_shared<Value>(job());
          asio::post(executor, [resume = std::move(resume), value = std::move(value)]() mutable {
            (*resume)(std::move(*value));
          });
        });
      },
      asio::use_awaitable, std::move(work));
}

}  // namespace lb
