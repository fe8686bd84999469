#include "base/sock_diag.h"

#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/unix_diag.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <array>
#include <cstring>

#include "base/fd.h"

namespace lb {

std::string ask_sock_diag(std::string_view request) {
  const Fd socket(::socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, NETLINK_SOCK_DIAG));
  if (!socket.valid()) return {};
  nlmsghdr head{};
  head.nlmsg_len = static_cast<std::uint32_t>(NLMSG_HDRLEN + request.size());
  head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  head.nlmsg_flags = NLM_F_REQUEST;
  std::string message(reinterpret_cast<const char*>(&head), sizeof head);
  message += request;
  sockaddr_nl kernel{};
  kernel.nl_family = AF_NETLINK;
  if (::sendto(socket.get(), message.data(), message.size(), 0,
               reinterpret_cast<const sockaddr*>(&kernel), sizeof kernel) < 0) {
    return {};
  }
  // The kernel answers while it takes the request: there is nothing to wait for.
  alignas(nlmsghdr) std::array<char, 4096> buffer{};
  const ssize_t got = ::recv(socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
  if (got < static_cast<ssize_t>(sizeof head)) return {};
  std::memcpy(&head, buffer.data(), sizeof head);
  if (head.nlmsg_type != SOCK_DIAG_BY_FAMILY || head.nlmsg_len > static_cast<std::size_t>(got)) {
    return {};
  }
  return {buffer.data() + NLMSG_HDRLEN, head.nlmsg_len - NLMSG_HDRLEN};
}

std::optional<std::uint64_t> unix_peer_inode(int socket) {
  struct stat ours{};
  if (::fstat(socket, &ours) != 0) return std::nullopt;
  unix_diag_req request{};
  request.sdiag_family = AF_UNIX;
  request.udiag_states = ~0U;
  request.udiag_ino = static_cast<std::uint32_t>(ours.st_ino);
  request.udiag_show = UDIAG_SHOW_PEER;
  request.udiag_cookie[0] = ~0U;
  request.udiag_cookie[1] = ~0U;
  const std::string answer =
      ask_sock_diag({reinterpret_cast<const char*>(&request), sizeof request});
  for (std::size_t at = NLMSG_ALIGN(sizeof(unix_diag_msg)); at + sizeof(rtattr) <= answer.size();) {
    rtattr attribute{};
    std::memcpy(&attribute, answer.data() + at, sizeof attribute);
    if (attribute.rta_len < sizeof attribute || at + attribute.rta_len > answer.size()) break;
    std::uint32_t inode = 0;
    if (attribute.rta_type == UNIX_DIAG_PEER && attribute.rta_len >= RTA_LENGTH(sizeof inode)) {
      std::memcpy(&inode, answer.data() + at + RTA_LENGTH(0), sizeof inode);
      return inode;
    }
    at += RTA_ALIGN(attribute.rta_len);
  }
  return std::nullopt;
}

}  // namespace lb
