/// GuardianLink: our side of one guardian: orders to it, its end, and how its child ended.
///
/// The guardian's end is the one event that counts: by then everything below it is dead and its
/// report lies in the socket. Shared by what the child is (guarded_process.cpp, pty.h) and its own
/// timer. Destroyed before that end, it kills and waits. Lives on the io thread.
#pragma once

#include <sys/types.h>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <map>
#include <memory>
#include <optional>

#include "base/fd.h"
#include "process/agent_process.h"
#include "process/guardian.h"
#include "process/spawn.h"

namespace lb {

/// By the pid of the guardian.
using LivingGuardians = std::map<pid_t, std::shared_ptr<const ProcessOwner>>;

/// Throws, and leaves the descriptor with its owner, when epoll has no room for it.
asio::posix::stream_descriptor watched(const asio::any_io_executor& executor, Fd& fd);

class GuardianLink : public std::enable_shared_from_this<GuardianLink> {
 public:
  /// Where it is listed while it lives.
  struct Registered {
    std::shared_ptr<LivingGuardians> in;
    std::shared_ptr<const ProcessOwner> owner;
  };
  /// Throws when epoll has no room.
  GuardianLink(const asio::any_io_executor& executor, Fd socket, Spawned guardian,
               Registered registered);
  GuardianLink(const GuardianLink&) = delete;
  GuardianLink& operator=(const GuardianLink&) = delete;
  ~GuardianLink();

  void order(GuardianOrder what);
  /// Ends everything; a guardian that does not obey is killed, and swept after.
  void kill();
  /// Waits for the end; nothing when the io_context ends first. One caller.
  asio::awaitable<std::optional<ExitStatus>> ended();

 private:
  static asio::awaitable<void> sweep(asio::any_io_executor executor);
  void reap(siginfo_t& how);
  ExitStatus read_report();

  asio::posix::stream_descriptor guardian_;
  Fd socket_;
  pid_t pid_;
  std::shared_ptr<LivingGuardians> living_;
  bool reaped_ = false;
  std::optional<asio::steady_timer> patience_;
};

}  // namespace lb
