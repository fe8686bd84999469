/// Base64 (RFC 4648, with padding), as images travel to agents.
#pragma once

#include <string>
#include <string_view>

namespace lb {

std::string to_base64(std::string_view bytes);

}  // namespace lb
