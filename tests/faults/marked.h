/// Finding what a test started, wherever it went: by a marker in the environment.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace lb::test {

/// The variable that carries the marker; every descendant inherits it.
inline constexpr std::string_view kMarkVariable = "LB_FAULT_MARK";

/// A marker that no other process has.
std::string new_mark();

/// Every living process with this marker; zombies have no environment and do not count.
std::vector<pid_t> marked(std::string_view mark);
/// The marked processes of this name (/proc/PID/comm).
std::vector<pid_t> marked_named(std::string_view mark, std::string_view name);

/// Milliseconds until no marked process is left, or -1 when some still are after `limit`: those
/// are killed, so that a failing test leaves nothing behind.
std::int64_t ms_until_gone(std::string_view mark, std::chrono::milliseconds limit);

}  // namespace lb::test
