/// Every bound of the program, each with its reason. A test reaches each one.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lb::limits {

// --- JSON -----------------------------------------------------------------------------------
/// Deep enough for any tool argument seen, far from the stack's end.
inline constexpr std::size_t kJsonDepthMax = 256;
/// What a client may nest: our own messages need four levels.
inline constexpr std::size_t kClientJsonDepthMax = 64;

// --- Timeline -------------------------------------------------------------------------------
/// Final entries kept in memory per session; older ones are read from the store.
inline constexpr std::size_t kTimelineBytesMax = 2U << 20U;
/// Append spans kept per growing text: a reader further behind gets the whole form instead.
inline constexpr std::size_t kSpansMax = 1024;
/// Tool output above this travels as head and tail; the whole is fetched on demand.
inline constexpr std::size_t kToolOutputInlineMax = 256U << 10U;

// --- Batching -------------------------------------------------------------------------------
/// Text that nobody has seen is shown at the latest this long after it arrived.
inline constexpr std::int64_t kBatchAgeMs = 50;
/// A quiet stream shows what it holds after this long.
inline constexpr std::int64_t kBatchIdleMs = 1000;

// --- Processes ------------------------------------------------------------------------------
/// One line of a child: base64 images and tool results are large, 32 MiB is larger than any seen.
inline constexpr std::size_t kLineBytesMax = 32U << 20U;
/// What a child may leave unread on its stdin before a write is refused.
inline constexpr std::size_t kStdinQueueBytesMax = 4U << 20U;
/// How much of a child's stderr is kept for error texts.
inline constexpr std::size_t kStderrTailBytes = 256U << 10U;
/// What is kept of a line beyond kLineBytesMax: enough to see what it was.
inline constexpr std::size_t kTruncatedLineBytes = 64U << 10U;
/// A child that is asked to go gets this long before SIGTERM, and this long before SIGKILL.
inline constexpr std::chrono::milliseconds kStopTermAfter{2000};
inline constexpr std::chrono::milliseconds kStopKillAfter{5000};
/// Output and exit of a child end together; one without the other is believed after this long.
inline constexpr std::chrono::milliseconds kRpcEndGrace{1000};
/// Noise between JSON-RPC messages kept for diagnosis: the last lines, each cut to this length.
inline constexpr std::size_t kRpcNoiseLines = 20;
inline constexpr std::size_t kRpcNoiseLineBytes = 2U << 10U;

}  // namespace lb::limits
