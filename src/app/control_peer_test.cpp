// Who may use the control socket, in both ways of telling.
#include "app/control_peer.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/fd.h"

namespace lb {
namespace {

/// A server's socket in the kernel's own name space, and whoever connects to it.
class Door {
 public:
  Door() : listener_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    // Without a name of ours the kernel gives it one.
    sockaddr_un none{};
    none.sun_family = AF_UNIX;
    REQUIRE(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&none), sizeof(sa_family_t)) == 0);
    REQUIRE(::listen(listener_.get(), 4) == 0);
    ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&address_), &size_);
  }

  /// In a child: connects, and stays for as long as it is wanted.
  [[noreturn]] void knock(bool stays) {
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ::connect(socket, reinterpret_cast<sockaddr*>(&address_), size_);
    char byte = 0;
    if (stays) static_cast<void>(!::read(socket, &byte, 1));
    ::_exit(0);
  }

  Fd accept() const { return Fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }

 private:
  Fd listener_;
  sockaddr_un address_{};
  socklen_t size_ = sizeof address_;
};

/// A process that is not below us: its parent has ended, and nobody here takes orphans in.
void start_outside(Door& door, bool stays) {
  const pid_t between = ::fork();
  if (between == 0) {
    if (::fork() == 0) door.knock(stays);
    ::_exit(0);
  }
  ::waitpid(between, nullptr, 0);
}

void wait_for_end(const Fd& connection) {
  pollfd end{connection.get(), POLLIN, 0};
  ::poll(&end, 1, -1);
}

}  // namespace

TEST_CASE("control socket: the user's own programs may ask, whichever way the kernel tells") {
  for (const PeerLookup lookup : {PeerLookup::Handle, PeerLookup::Socket}) {
    Door door;
    start_outside(door, true);
    const Fd connection = door.accept();
    CHECK_FALSE(peer_problem(connection.get(), lookup));
  }
}

TEST_CASE("control socket: what we started may not ask") {
  for (const PeerLookup lookup : {PeerLookup::Handle, PeerLookup::Socket}) {
    Door door;
    const pid_t child = ::fork();
    if (child == 0) door.knock(true);
    Fd connection = door.accept();
    CHECK(peer_problem(connection.get(), lookup) == "descends from us");
    connection.reset();
    ::waitpid(child, nullptr, 0);
  }
}

TEST_CASE("control socket: who has ended may not ask, wherever it came from") {
  for (const PeerLookup lookup : {PeerLookup::Handle, PeerLookup::Socket}) {
    Door door;
    start_outside(door, false);
    const Fd connection = door.accept();
    wait_for_end(connection);
    // Its end of the connection is closed a moment before it has ended.
    while (peer_problem(connection.get(), lookup) != "ended") ::usleep(1000);

    const pid_t child = ::fork();
    if (child == 0) door.knock(false);
    const Fd below = door.accept();
    ::waitpid(child, nullptr, 0);
    CHECK(peer_problem(below.get(), lookup) == "ended");
  }
}

}  // namespace lb
