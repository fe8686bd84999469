#include "process/guardian_link.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>

#include "base/awaitable.h"
#include "base/limits.h"
#include "process/children.h"

namespace lb {
namespace {

constexpr std::chrono::milliseconds kSweepPause{2};

}  // namespace

asio::posix::stream_descriptor watched(const asio::any_io_executor& executor, Fd& fd) {
  asio::posix::stream_descriptor descriptor(executor);
  descriptor.assign(fd.get());
  static_cast<void>(fd.release());
  return descriptor;
}

GuardianLink::GuardianLink(const asio::any_io_executor& executor, Fd socket, Spawned guardian,
                           Registered registered)
    : guardian_(watched(executor, guardian.pidfd)),
      socket_(std::move(socket)),
      pid_(guardian.pid),
      living_(std::move(registered.in)) {
  (*living_)[pid_] = std::move(registered.owner);
}

/// Only when the io_context ends under a living child: nothing may stay behind, so wait here.
GuardianLink::~GuardianLink() {
  if (reaped_) return;
  order(GuardianOrder::Kill);
  socket_.reset();
  pollfd ended{guardian_.native_handle(), POLLIN, 0};
  if (::poll(&ended, 1, limits::kTeardownMs) <= 0) {
    ::kill(pid_, SIGKILL);
    ::poll(&ended, 1, limits::kTeardownMs);
  }
  siginfo_t how{};
  reap(how);
}

void GuardianLink::reap(siginfo_t& how) {
  while (::waitid(P_PIDFD, static_cast<id_t>(guardian_.native_handle()), &how, WEXITED) < 0 &&
         errno == EINTR) {
  }
  reaped_ = true;
  living_->erase(pid_);
  forget_own_child(pid_);
}

void GuardianLink::order(GuardianOrder what) {
  const char byte = static_cast<char>(what);
  ::send(socket_.get(), &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void GuardianLink::kill() {
  if (reaped_) return;
  order(GuardianOrder::Kill);
  if (patience_) return;
  patience_.emplace(guardian_.get_executor(), limits::kGuardianEnd);
  patience_->async_wait([weak = weak_from_this()](boost::system::error_code stopped) {
    const auto self = weak.lock();
    if (!stopped && self && !self->reaped_) ::kill(self->pid_, SIGKILL);
  });
}

ExitStatus GuardianLink::read_report() {
  GuardianReport report;
  if (::recv(socket_.get(), &report, sizeof report, MSG_DONTWAIT) != sizeof report) return {};
  if (report.signalled != 0) return {.code = {}, .signal = report.value};
  return {.code = report.value, .signal = {}};
}

asio::awaitable<std::optional<ExitStatus>> GuardianLink::ended() {
  const auto self = shared_from_this();
  // Asio may wake us for an event of a descriptor that had this place before: a living guardian
  // must not be taken for a dead one, whose children are killed.
  pollfd really{guardian_.native_handle(), POLLIN, 0};
  do {
    const auto [error] =
        co_await guardian_.async_wait(asio::posix::descriptor_base::wait_read, kNoThrow);
    if (error) co_return std::nullopt;
  } while (::poll(&really, 1, 0) == 0);
  siginfo_t how{};
  reap(how);
  // Killed: its children are ours now.
  if (how.si_code != CLD_EXITED) co_await sweep(guardian_.get_executor());
  patience_.reset();
  const ExitStatus status = read_report();
  socket_.reset();
  boost::system::error_code ignored;
  guardian_.close(ignored);
  co_return status;
}

asio::awaitable<void> GuardianLink::sweep(asio::any_io_executor executor) {
  asio::steady_timer pause(executor);
  const auto deadline = std::chrono::steady_clock::now() + limits::kSweepMax;
  // Twice none: the kernel's list may miss one that becomes ours while it is read.
  for (int none = 0; none < 2 && std::chrono::steady_clock::now() < deadline;) {
    none = sweep_orphans() == 0 ? none + 1 : 0;
    pause.expires_after(kSweepPause);
    co_await pause.async_wait(kNoThrow);
  }
}

}  // namespace lb
