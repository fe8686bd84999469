/// The version of the program and of the wire.
#pragma once

#include <cstdint>
#include <string_view>

namespace lb {

inline constexpr std::string_view kVersion = LB_VERSION;
/// Raised when a client of the former version can no longer talk to us.
inline constexpr std::uint64_t kWireVersion = 1;

}  // namespace lb
