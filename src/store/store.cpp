#include "store/store.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>
#include <utility>

namespace lb {

asio::awaitable<Result<void>> Store::commit(WriteBatch batch) {
  const auto refusal = [](const StoreState& state) {
    return fail(ErrorCode::StoreFull, "Nothing can be stored now: " + state.message);
  };
  if (state().kind != StoreState::Kind::Ready) co_return refusal(state());

  struct Waiting {
    explicit Waiting(const asio::any_io_executor& executor) : timer(executor) {}
    asio::steady_timer timer;
    bool done = false;
  };
  const auto waiting = std::make_shared<Waiting>(co_await asio::this_coro::executor);
  write(std::move(batch), [waiting] {
    waiting->done = true;
    waiting->timer.cancel();
  });
  // The state is looked at now and then: a store that fills up must not keep a request waiting.
  while (!waiting->done) {
    waiting->timer.expires_after(std::chrono::milliseconds(100));
    co_await waiting->timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (!waiting->done && state().kind != StoreState::Kind::Ready) co_return refusal(state());
  }
  co_return Result<void>{};
}

}  // namespace lb
