#include "store/store.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <memory>
#include <utility>

namespace lb {

Result<void> Store::writable() const {
  const StoreState now = state();
  if (now.kind == StoreState::Kind::Ready) return {};
  return fail(ErrorCode::StoreFull, "Nothing can be stored now: " + now.message);
}

asio::awaitable<Result<void>> Store::commit(WriteBatch batch) {
  if (auto room = writable(); !room) co_return room;

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
    if (waiting->done) break;
    if (auto room = writable(); !room) co_return room;
  }
  co_return Result<void>{};
}

}  // namespace lb
