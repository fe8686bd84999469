/// Secrets: random tokens, what is kept of them, and how they are compared.
///
/// A token is 256 bits from the kernel, spelled in base64url. Only its SHA-256 is ever stored, so
/// that reading our files gives nobody a credential. Comparing takes the same time wherever the
/// difference is.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace lb {

/// 43 characters of [A-Za-z0-9_-].
std::string make_secret();

using Digest = std::array<std::uint8_t, 32>;
Digest sha256(std::string_view text);
/// The digest in hexadecimal.
std::string sha256_hex(std::string_view text);

/// HMAC-SHA256 (RFC 2104), in hexadecimal.
std::string hmac_sha256_hex(std::string_view key, std::string_view text);

}  // namespace lb
