/// The version of the program.
#pragma once

#include <string_view>

namespace lb {

inline constexpr std::string_view kVersion = LB_VERSION;

}  // namespace lb
