/// run_on: blocking work on a thread pool, awaited on the caller's executor.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace lb {

namespace asio = boost::asio;

/// `work` runs on `pool` and must not touch anything of the io thread; what it throws is thrown
/// here. The pool is joined before the caller's io_context goes away.
template <class Work>
auto run_on(asio::any_io_executor pool, Work work) -> asio::awaitable<std::invoke_result_t<Work&>> {
  using Value = std::invoke_result_t<Work&>;
  using Outcome = std::variant<std::exception_ptr, Value>;
  const auto executor = co_await asio::this_coro::executor;
  auto outcome = co_await asio::async_initiate<const asio::use_awaitable_t<>, void(Outcome)>(
      [&pool, executor](auto handler, Work job) {
        auto resume = std::make_shared<decltype(handler)>(std::move(handler));
        asio::post(pool, [resume = std::move(resume), guard = asio::make_work_guard(executor),
                          executor, job = std::move(job)]() mutable {
          auto done = std::make_shared<Outcome>();
          try {
            done->template emplace<1>(job());
          } catch (...) {
            done->template emplace<0>(std::current_exception());
          }
          asio::post(executor, [resume = std::move(resume), done = std::move(done)]() mutable {
            (*resume)(std::move(*done));
          });
        });
      },
      asio::use_awaitable, std::move(work));
  if (outcome.index() == 0) std::rethrow_exception(std::get<0>(outcome));
  co_return std::move(std::get<1>(outcome));
}

template <class Work>
auto run_on(asio::thread_pool& pool, Work work) {
  return run_on(asio::any_io_executor(pool.get_executor()), std::move(work));
}

}  // namespace lb
