/// How our coroutines wait for Asio.
#pragma once

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace lb {

namespace asio = boost::asio;

/// The outcome as values, `auto [error, result] = co_await …(kNoThrow)`: what the world does to us
/// is no exception.
inline constexpr auto kNoThrow = asio::as_tuple(asio::use_awaitable);

}  // namespace lb
