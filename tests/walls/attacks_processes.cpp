// Ways to other processes: the server, the guardian, other sessions.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <filesystem>

#include "base/fd.h"
#include "tests/walls/attacker.h"

extern char** environ;

namespace lb::test {
namespace {

Outcome signalled(pid_t pid) {
  if (::kill(pid, 0) != 0) return {};
  return fmt::format("{} can be signalled", pid);
}

Outcome traced(pid_t pid) {
  if (::ptrace(PTRACE_SEIZE, pid, nullptr, nullptr) != 0) return {};
  ::ptrace(PTRACE_DETACH, pid, nullptr, nullptr);
  return fmt::format("{} can be traced", pid);
}

Outcome memory_read(const Target& target) {
  char text[32] = {};
  iovec here{text, sizeof text};
  iovec there{reinterpret_cast<void*>(target.secret_at), kSecret.size()};  // NOLINT
  if (::process_vm_readv(target.server, &here, 1, &there, 1, 0) <= 0) return {};
  return "read: " + std::string(text);
}

Outcome opened(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.valid() ? Outcome(path + " was opened") : Outcome();
}

Outcome compared(const Target& target) {
  constexpr int kVm = 1;
  const long answer = ::syscall(SYS_kcmp, ::getpid(), target.server, kVm, 0, 0);
  return answer >= 0 ? Outcome("the server can be compared") : Outcome();
}

Outcome pidfd(pid_t pid) {
  const Fd fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
  return fd.valid() ? Outcome(fmt::format("{} has a pidfd", pid)) : Outcome();
}

Outcome limited(pid_t pid) {
  rlimit limit{};
  if (::prlimit(pid, RLIMIT_NOFILE, nullptr, &limit) != 0) return {};
  return fmt::format("the limits of {} can be read", pid);
}

/// Everyone that is seen must be of this session: the guardian, us, our children.
Outcome strangers(const Target&) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    const pid_t pid = std::stoi(name);
    if (pid > 1 && pid != ::getpid()) return fmt::format("process {} is seen", pid);
  }
  return {};
}

/// Two forks, and the first ends: the child of nobody belongs to the guardian, inside.
Outcome outlived(const Target&) {
  int tell[2];
  if (::pipe(tell) != 0) return "no pipe";
  const pid_t first = ::fork();
  if (first == 0) {
    ::setsid();
    const pid_t ends = ::getpid();
    if (::fork() > 0) ::_exit(0);
    while (::getppid() == ends) ::usleep(1000);
    pid_t parent = ::getppid();
    static_cast<void>(!::write(tell[1], &parent, sizeof parent));
    ::_exit(0);
  }
  ::waitpid(first, nullptr, 0);
  pid_t parent = 0;
  static_cast<void>(!::read(tell[0], &parent, sizeof parent));
  for (const int end : tell) ::close(end);
  const auto name = content("/proc/1/comm");
  if (parent == 1 && name && name->starts_with("lb-guardian")) return {};
  return fmt::format("a daemon has the parent {} ({})", parent, name.value_or("?"));
}

Outcome descriptors(const Target&) {
  const Fd folder(::open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  for (int fd = 3; fd < 1024; ++fd) {
    if (fd == folder.get() || ::fcntl(fd, F_GETFD) < 0) continue;
    return fmt::format("descriptor {} is open", fd);
  }
  return {};
}

Outcome variables(const Target&) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with("LIMINAL_BUILDER_")) return *entry;
  }
  return {};
}

Outcome capable(const Target&) {
  const std::string status = content("/proc/self/status").value_or("");
  for (const std::string_view field : {"CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"}) {
    if (!status.contains(fmt::format("{}\t0000000000000000\n", field))) return std::string(field);
  }
  return ::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? Outcome() : "set-user-id programs work";
}

/// What `sudo` does: a program of root with the set-user-id bit.
Outcome becomes_root(const Target&) {
  if (::setuid(0) == 0 && ::getuid() == 0) return "setuid(0)";
  return {};
}

}  // namespace

std::vector<Attack> attacks_on_processes() {
  return {
      {"process: see others", strangers},
      {"server: signal it", [](auto& t) { return signalled(t.server); }},
      {"server: a pidfd of it", [](auto& t) { return pidfd(t.server); }},
      {"server: trace it", [](auto& t) { return traced(t.server); }},
      {"server: read its memory by a call", memory_read},
      {"server: its memory as a file",
       [](auto& t) { return opened(fmt::format("/proc/{}/mem", t.server)); }},
      {"server: its command line",
       [](auto& t) { return opened(fmt::format("/proc/{}/cmdline", t.server)); }},
      {"server: its root folder",
       [](auto& t) {
         return shows_secret(fmt::format("/proc/{}/root{}/grants", t.server, t.data_dir));
       }},
      {"server: compare with it", compared},
      {"server: its limits", [](auto& t) { return limited(t.server); }},
      {"guardian: signal it from outside", [](auto& t) { return signalled(t.guardian); }},
      {"guardian: trace it", [](auto&) { return traced(1); }},
      {"guardian: its memory", [](auto&) { return opened("/proc/1/mem"); }},
      {"guardian: its environment", [](auto&) { return opened("/proc/1/environ"); }},
      {"guardian: kill it from inside",
       [](auto&) -> Outcome {
         ::kill(1, SIGKILL);
         return ::kill(1, 0) == 0 ? Outcome() : "it is gone";
       }},
      {"session: signal another's process", [](auto& t) { return signalled(t.neighbour); }},
      {"session: a daemon that outlives it", outlived},
      {"self: descriptors that were left open", descriptors},
      {"self: variables of the server", variables},
      {"self: capabilities", capable},
      {"self: become root", becomes_root},
  };
}

}  // namespace lb::test
