// SHA-256 as FIPS 180-4 writes it: the message in blocks of 64 bytes, padded with its length in
// bits. Ours, because it is one page and the program then needs no cryptographic library.
#include "base/secret.h"

#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <span>

namespace lb {
namespace {

constexpr std::array<std::uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

using State = std::array<std::uint32_t, 8>;

void mix(State& state, std::span<const std::uint8_t, 64> block) {
  std::array<std::uint32_t, 64> w{};
  for (std::size_t i = 0; i < 16; ++i) {
    w[i] = static_cast<std::uint32_t>(block[i * 4]) << 24U |
           static_cast<std::uint32_t>(block[i * 4 + 1]) << 16U |
           static_cast<std::uint32_t>(block[i * 4 + 2]) << 8U |
           static_cast<std::uint32_t>(block[i * 4 + 3]);
  }
  for (std::size_t i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ w[i - 15] >> 3U;
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ w[i - 2] >> 10U;
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  const State round = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += round[i];
}

}  // namespace

Digest sha256(std::string_view text) {
  State state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> block{};
  std::string_view rest = text;
  for (; rest.size() >= block.size(); rest.remove_prefix(block.size())) {
    std::memcpy(block.data(), rest.data(), block.size());
    mix(state, block);
  }
  block.fill(0);
  std::ranges::copy(rest, block.begin());
  block[rest.size()] = 0x80;
  if (rest.size() >= 56) {
    mix(state, block);
    block.fill(0);
  }
  const std::uint64_t bits = text.size() * 8;
  for (unsigned i = 0; i < 8; ++i) {
    block[63 - i] = static_cast<std::uint8_t>(bits >> (8U * i) & 0xFFU);
  }
  mix(state, block);

  Digest digest{};
  for (std::size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<std::uint8_t>(state[i / 4] >> (24U - 8U * (i % 4)) & 0xFFU);
  }
  return digest;
}

namespace {

std::string hex(const Digest& digest) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  for (const std::uint8_t byte : digest) {
    out += kHex[byte >> 4U];
    out += kHex[byte & 0x0FU];
  }
  return out;
}

std::string bytes_of(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

}  // namespace

std::string sha256_hex(std::string_view text) {
  return hex(sha256(text));
}

std::string hmac_sha256_hex(std::string_view key, std::string_view text) {
  constexpr std::size_t kBlock = 64;
  std::string padded = key.size() > kBlock ? bytes_of(sha256(key)) : std::string(key);
  padded.resize(kBlock, '\0');
  std::string inner = padded;
  std::string outer = padded;
  for (char& c : inner) c = static_cast<char>(c ^ 0x36);
  for (char& c : outer) c = static_cast<char>(c ^ 0x5c);
  inner += text;
  return hex(sha256(outer + bytes_of(sha256(inner))));
}

std::string make_secret() {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::array<std::uint8_t, 33> random{};
  // Without randomness tokens would be guessable: there is nothing sensible to go on with.
  for (ssize_t got = 0; got != static_cast<ssize_t>(random.size());) {
    got = ::getrandom(random.data(), random.size(), 0);
    if (got < 0 && errno != EINTR) std::abort();
  }
  std::string out;
  for (std::size_t i = 0; i < random.size(); i += 3) {
    const std::uint32_t three = static_cast<std::uint32_t>(random[i]) << 16U |
                                static_cast<std::uint32_t>(random[i + 1]) << 8U |
                                static_cast<std::uint32_t>(random[i + 2]);
    for (unsigned shift = 24; shift > 0;) out += kDigits[three >> (shift -= 6) & 0x3FU];
  }
  out.pop_back();  // 43 characters: 258 bits.
  return out;
}

}  // namespace lb
