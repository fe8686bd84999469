#include "base/together.h"

#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>
#include <stdexcept>

namespace lb {
namespace {

TEST_CASE("together: all run at once, and their end is that of the last") {
  asio::io_context io;
  asio::steady_timer gate(io, asio::steady_timer::time_point::max());
  std::string order;
  const auto waits = [&]() -> asio::awaitable<void> {
    co_await gate.async_wait(kNoThrow);
    order += "waited ";
  };
  const auto opens = [&](bool fails) -> asio::awaitable<void> {
    gate.cancel();
    order += "opened ";
    if (fails) throw std::runtime_error("it broke");
    co_return;
  };
  for (const bool fails : {false, true}) {
    std::vector<asio::awaitable<void>> all;
    all.push_back(waits());  // One after the other, this one would never end.
    all.push_back(opens(fails));
    asio::co_spawn(io, together(std::move(all)), [&](const std::exception_ptr& thrown) {
      order += "ended";
      CHECK((thrown != nullptr) == fails);
    });
    io.restart();
    io.run();
    CHECK(order == "opened waited ended");
    order.clear();
  }
  asio::co_spawn(io, together({}), [&](const std::exception_ptr&) { order = "nothing to do"; });
  io.restart();
  io.run();
  CHECK(order == "nothing to do");
}

}  // namespace
}  // namespace lb
