#include "server/auth/peer.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace lb {
namespace {

namespace ip = boost::asio::ip;

/// An address as the kernel prints it: words of 32 bits in the machine's order, then the port.
template <std::size_t Bytes>
std::string printed(const std::array<unsigned char, Bytes>& bytes, unsigned port) {
  std::string out;
  for (std::size_t at = 0; at < Bytes; at += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + at, 4);
    out += fmt::format("{:08X}", word);
  }
  return out + fmt::format(":{:04X}", port);
}

std::string printed(const ip::tcp::endpoint& end) {
  if (end.address().is_v4()) return printed(end.address().to_v4().to_bytes(), end.port());
  return printed(end.address().to_v6().to_bytes(), end.port());
}

/// An IPv4 connection to a socket that takes both is an IPv4 one at its other end.
ip::tcp::endpoint plain(const ip::tcp::endpoint& end) {
  if (!end.address().is_v6() || !end.address().to_v6().is_v4_mapped()) return end;
  return {ip::make_address_v4(ip::v4_mapped, end.address().to_v6()), end.port()};
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t begin = line.find_first_not_of(' ');
    if (begin == std::string_view::npos) break;
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
  return words;
}

}  // namespace

std::optional<UserId> owner_in(std::string_view table, const ConnectionEnds& ends) {
  constexpr std::size_t kNear = 1;
  constexpr std::size_t kFar = 2;
  constexpr std::size_t kUser = 7;
  const std::string near = printed(ends.near);
  const std::string far = printed(ends.far);
  while (!table.empty()) {
    const std::size_t end = std::min(table.find('\n'), table.size());
    const std::string_view line = table.substr(0, end);
    table.remove_prefix(std::min(end + 1, table.size()));
    if (line.find(near) == std::string_view::npos) continue;
    const auto words = words_of(line);
    if (words.size() <= kUser || words[kNear] != near || words[kFar] != far) continue;
    UserId user = 0;
    const std::string_view text = words[kUser];
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), user);
    if (error == std::errc() && rest == text.data() + text.size()) return user;
  }
  return std::nullopt;
}

std::optional<UserId> peer_user(const ip::tcp::socket& socket) {
  boost::system::error_code error;
  ConnectionEnds ends;
  ends.near = plain(socket.remote_endpoint(error));
  if (error || !ends.near.address().is_loopback()) return std::nullopt;
  ends.far = plain(socket.local_endpoint(error));
  if (error) return std::nullopt;
  // The other side may be an IPv6 socket that speaks IPv4: then the kernel lists it mapped.
  const auto mapped = [](const ip::tcp::endpoint& end) {
    return ip::tcp::endpoint(ip::make_address_v6(ip::v4_mapped, end.address().to_v4()), end.port());
  };
  const auto read = [](const char* path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const bool v4 = ends.near.address().is_v4();
  if (v4) {
    if (const auto user = owner_in(read("/proc/self/net/tcp"), ends)) return user;
    ends = {mapped(ends.near), mapped(ends.far)};
  }
  return owner_in(read("/proc/self/net/tcp6"), ends);
}

}  // namespace lb
