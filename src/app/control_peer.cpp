#include "app/control_peer.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <string>

#include "base/fd.h"
#include "base/process_tree.h"
#include "base/sock_diag.h"

namespace lb {
namespace {

constexpr std::string_view kEnded = "ended";
constexpr std::string_view kBelow = "descends from us";
constexpr std::string_view kUnknown = "unknown";
constexpr std::string_view kNotIts = "not its socket";

/// Debian 12 has a kernel that may know it and headers that do not.
constexpr int kPeerPidfd = 77;
#ifdef SO_PEERPIDFD
static_assert(kPeerPidfd == SO_PEERPIDFD);
#endif

/// The number of a process that has not ended; 0 when it has, or is not to be seen from here.
pid_t number_of(const Fd& process) {
  pollfd ended{process.get(), POLLIN, 0};
  if (::poll(&ended, 1, 0) != 0) return 0;
  std::ifstream info("/proc/self/fdinfo/" + std::to_string(process.get()));
  for (std::string word; info >> word;) {
    pid_t pid = 0;
    if (word == "Pid:" && info >> pid) return pid > 0 ? pid : 0;
  }
  return 0;
}

std::optional<std::string_view> problem_of(const Fd& process) {
  const pid_t pid = number_of(process);
  if (pid == 0) return kEnded;
  if (descends_from(pid, ::getpid())) return kBelow;
  // Still there: then the number was its own all the time.
  if (number_of(process) != pid) return kEnded;
  return std::nullopt;
}

std::optional<std::string_view> problem_of(int socket, pid_t pid) {
  const auto before = ancestors_of(pid, ::getpid());
  if (!before) return kEnded;
  if (before->back().pid == ::getpid()) return kBelow;
  const auto inode = unix_peer_inode(socket);
  if (!inode) return kUnknown;
  if (holds_socket(pid, *inode) != Holds::Yes) return kNotIts;
  // The same process all the time, and its parents too.
  if (ancestors_of(pid, ::getpid()) != before) return kEnded;
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> peer_problem(int socket, PeerLookup lookup) {
  ucred peer{};
  socklen_t size = sizeof peer;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return kUnknown;
  if (peer.uid != ::getuid()) return "another user";
  if (lookup == PeerLookup::Handle) {
    int handle = -1;
    size = sizeof handle;
    if (::getsockopt(socket, SOL_SOCKET, kPeerPidfd, &handle, &size) == 0) {
      return problem_of(Fd(handle));
    }
    if (errno != ENOPROTOOPT) return kEnded;
  }
  return problem_of(socket, peer.pid);
}

}  // namespace lb
