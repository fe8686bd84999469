#include "server/auth/peer.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <linux/inet_diag.h>
#include <netinet/in.h>

#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "base/sock_diag.h"

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

template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || rest != text.data() + text.size()) return std::nullopt;
  return number;
}

void put_address(const ip::address& address, __be32 (&into)[4]) {
  if (address.is_v4()) {
    const auto bytes = address.to_v4().to_bytes();
    std::memcpy(into, bytes.data(), bytes.size());
  } else {
    const auto bytes = address.to_v6().to_bytes();
    std::memcpy(into, bytes.data(), bytes.size());
  }
}

std::string file_text(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::optional<PeerSocket> socket_in(std::string_view table, const ConnectionEnds& ends) {
  constexpr std::size_t kNear = 1;
  constexpr std::size_t kFar = 2;
  constexpr std::size_t kUser = 7;
  constexpr std::size_t kInode = 9;
  const std::string near = printed(ends.near);
  const std::string far = printed(ends.far);
  while (!table.empty()) {
    const std::size_t end = std::min(table.find('\n'), table.size());
    const std::string_view line = table.substr(0, end);
    table.remove_prefix(std::min(end + 1, table.size()));
    if (line.find(near) == std::string_view::npos) continue;
    const auto words = words_of(line);
    if (words.size() <= kInode || words[kNear] != near || words[kFar] != far) continue;
    const auto user = number_in<UserId>(words[kUser]);
    const auto inode = number_in<std::uint64_t>(words[kInode]);
    if (user && inode) return PeerSocket{*user, *inode};
  }
  return std::nullopt;
}

std::optional<PeerSocket> ask_socket(const ConnectionEnds& ends) {
  inet_diag_req_v2 request{};
  request.sdiag_family = ends.near.address().is_v4() ? AF_INET : AF_INET6;
  request.sdiag_protocol = IPPROTO_TCP;
  request.idiag_states = ~0U;
  request.id.idiag_sport = htons(ends.near.port());
  request.id.idiag_dport = htons(ends.far.port());
  put_address(ends.near.address(), request.id.idiag_src);
  put_address(ends.far.address(), request.id.idiag_dst);
  request.id.idiag_cookie[0] = INET_DIAG_NOCOOKIE;
  request.id.idiag_cookie[1] = INET_DIAG_NOCOOKIE;
  const std::string answer =
      ask_sock_diag({reinterpret_cast<const char*>(&request), sizeof request});
  inet_diag_msg found{};
  if (answer.size() < sizeof found) return std::nullopt;
  std::memcpy(&found, answer.data(), sizeof found);
  // A port that is free again may be listened on: the kernel then means that socket.
  if (found.id.idiag_sport != request.id.idiag_sport ||
      found.id.idiag_dport != request.id.idiag_dport) {
    return std::nullopt;
  }
  return PeerSocket{found.idiag_uid, found.idiag_inode};
}

std::optional<PeerSocket> peer_of(const ip::tcp::socket& socket) {
  boost::system::error_code error;
  ConnectionEnds ends;
  ends.near = plain(socket.remote_endpoint(error));
  if (error) return std::nullopt;
  ends.far = plain(socket.local_endpoint(error));
  if (error) return std::nullopt;
  if (const auto found = ask_socket(ends)) return found;
  // The other side may be an IPv6 socket that speaks IPv4: then the kernel lists it mapped.
  const auto mapped = [](const ip::tcp::endpoint& end) {
    return ip::tcp::endpoint(ip::make_address_v6(ip::v4_mapped, end.address().to_v4()), end.port());
  };
  if (ends.near.address().is_v4()) {
    if (const auto found = socket_in(file_text("/proc/self/net/tcp"), ends)) return found;
    ends = {mapped(ends.near), mapped(ends.far)};
  }
  return socket_in(file_text("/proc/self/net/tcp6"), ends);
}

}  // namespace lb
