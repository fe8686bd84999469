/// Load and faults on demand, by prompt: what the benchmarks measure and the tests survive.
///
///     /load chunks=N bytes=B every_us=T   N chunks of B bytes, each begins with "@" and the
///                                         monotonic time in nanoseconds at which it was written;
///                                         with apart=1 each session has moments of its own
///     /slow seconds=S                     silent for S seconds, then an answer
///     /tools N                            N tool calls, one after the other
///     /approve N                          N questions, one after the other
///     /crash, /exit N, /hang              ends by SIGSEGV, ends with a code, stops for ever
///     /error, /refuse, /max-tokens        the turn ends with an error or another stop reason
///     /ignore-cancel seconds=S            goes on talking for S seconds after a cancel
///     /garbage                            noise, broken JSON, unknown messages in between
///     /huge-line MB, /stderr-flood MB     one line of so many megabytes; so much on stderr
///     /fork plain|setsid|double|term-ignoring …   children that stay
#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "demo/conversations.h"

namespace lb::demo {

/// How a prompt ends: a stop reason, or a JSON-RPC error when `error` is set.
struct Ending {
  std::string stop_reason = "end_turn";
  std::optional<RpcError> error;
};

bool is_fault(std::string_view prompt);

/// Plays the fault or the load that the prompt names.
asio::awaitable<Ending> play_fault(Scene scene);

}  // namespace lb::demo
