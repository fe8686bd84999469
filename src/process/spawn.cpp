// Between vfork and exec the child runs in our memory: it may only make system calls, on values
// that were prepared before. An errno comes back through a pipe that closes on exec (sanitizers
// turn vfork into fork, so shared memory would not do).

#include "process/spawn.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include "process/children.h"

namespace lb {
namespace {

enum class Step : int { Setup, Chdir, Exec };
struct Failure {
  Step step;
  int error;
};

/// Everything the child needs, ready to use.
struct Plan {
  const char* program;
  char* const* argv;
  char* const* env;
  const char* cwd;
  int* descriptors;  // Overwritten in the child.
  int count;
  int death_signal;
  bool takes_terminal;
  pid_t parent;
  std::optional<mode_t> umask;
  int report;
};

/// Set once, before anything is started.
std::optional<mode_t> child_umask;

[[noreturn]] void give_up(const Plan& plan, Step step) {
  const Failure failure{step, errno};
  // Nobody is there to hear that this failed.
  static_cast<void>(!::write(plan.report, &failure, sizeof failure));
  ::_exit(127);
}

void reset_signals() {
  struct sigaction action{};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &action, nullptr);
  sigset_t none;
  sigemptyset(&none);
  ::pthread_sigmask(SIG_SETMASK, &none, nullptr);
}

/// Moves the descriptors out of the way first, so that no target overwrites a source.
void place_descriptors(Plan& plan) {
  plan.report = ::fcntl(plan.report, F_DUPFD_CLOEXEC, plan.count);
  if (plan.report < 0) ::_exit(127);
  for (int i = 0; i < plan.count; ++i) {
    plan.descriptors[i] = ::fcntl(plan.descriptors[i], F_DUPFD_CLOEXEC, plan.count);
    if (plan.descriptors[i] < 0) give_up(plan, Step::Setup);
  }
  for (int i = 0; i < plan.count; ++i) {
    if (::dup2(plan.descriptors[i], i) < 0) give_up(plan, Step::Setup);
  }
  if (::syscall(SYS_close_range, plan.count, ~0U, CLOSE_RANGE_CLOEXEC) != 0) {
    give_up(plan, Step::Setup);
  }
}

[[noreturn]] void become(Plan& plan) {
  reset_signals();
  ::setsid();
  if (plan.death_signal != 0) {
    ::prctl(PR_SET_PDEATHSIG, plan.death_signal);
    if (::getppid() != plan.parent) ::_exit(127);  // It died before we could ask.
  }
  if (plan.umask) ::umask(*plan.umask);
  place_descriptors(plan);
  if (plan.takes_terminal && ::ioctl(0, TIOCSCTTY, 0) != 0) give_up(plan, Step::Setup);
  if (plan.cwd != nullptr && ::chdir(plan.cwd) != 0) give_up(plan, Step::Chdir);
  ::execve(plan.program, plan.argv, plan.env);
  give_up(plan, Step::Exec);
}

/// Not inlined: what vfork returns twice into must stay small and simple.
[[gnu::noinline]] pid_t vfork_into(Plan& plan) {
  const pid_t pid = ::vfork();
  if (pid == 0) become(plan);
  return pid;
}

std::string reason(int error) {
  return std::generic_category().message(error);
}

bool is_shortage(int error) {
  return error == EAGAIN || error == ENOMEM || error == EMFILE || error == ENFILE;
}

Error error_of(const Failure& failure, const SpawnOptions& options) {
  if (is_shortage(failure.error) || failure.step == Step::Setup) {
    return {ErrorCode::Busy, "could not start " + options.program + ": " + reason(failure.error)};
  }
  if (failure.step == Step::Chdir) {
    return {ErrorCode::ProjectPathInvalid,
            "cannot work in " + options.cwd + ": " + reason(failure.error)};
  }
  return {ErrorCode::AgentUnavailable,
          "could not start " + options.program + ": " + reason(failure.error)};
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  out.reserve(texts.size() + 1);
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

bool has_nul(const SpawnOptions& options) {
  const auto bad = [](const std::string& text) { return text.find('\0') != std::string::npos; };
  if (bad(options.program) || bad(options.cwd)) return true;
  for (const auto& text : options.argv) {
    if (bad(text)) return true;
  }
  for (const auto& [name, value] : options.env) {
    if (bad(name) || bad(value)) return true;
  }
  return false;
}

}  // namespace

void set_child_umask(mode_t mask) {
  child_umask = mask;
}

mode_t umask_of_children() {
  if (child_umask) return *child_umask;
  // Asking the kernel by umask() would change it for a moment, for all threads.
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("Umask:")) continue;
    return static_cast<mode_t>(std::strtoul(line.c_str() + 6, nullptr, 8));
  }
  return 077;
}

Result<std::pair<Fd, Fd>> make_pipe() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) {
    return fail(ErrorCode::Busy, "could not make a pipe: " + reason(errno));
  }
  return std::pair(Fd(ends[0]), Fd(ends[1]));
}

Result<Spawned> spawn(const SpawnOptions& options) {
  if (options.argv.empty() || has_nul(options)) {
    return fail(ErrorCode::InvalidRequest, "a command cannot be empty or contain a NUL byte");
  }
  auto report = make_pipe();
  if (!report) return std::unexpected(std::move(report.error()));
  std::vector<std::string> argv = options.argv;
  std::vector<std::string> env;
  env.reserve(options.env.size());
  for (const auto& [name, value] : options.env) env.emplace_back(name).append("=").append(value);
  std::vector<char*> argv_pointers = pointers(argv);
  std::vector<char*> env_pointers = pointers(env);
  std::vector<int> descriptors = options.descriptors;
  Plan plan{.program = options.program.c_str(),
            .argv = argv_pointers.data(),
            .env = env_pointers.data(),
            .cwd = options.cwd.empty() ? nullptr : options.cwd.c_str(),
            .descriptors = descriptors.data(),
            .count = static_cast<int>(descriptors.size()),
            .death_signal = options.death_signal,
            .takes_terminal = options.takes_terminal,
            .parent = ::getpid(),
            .umask = child_umask,
            .report = report->second.get()};

  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = vfork_into(plan);
  const int vfork_error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (pid < 0) {
    return std::unexpected(error_of({Step::Setup, vfork_error}, options));
  }
  note_own_child(pid);
  report->second.reset();
  Failure failure{};
  ssize_t got = 0;
  do {
    got = ::read(report->first.get(), &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  Spawned child{pid, Fd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)))};
  if (got == 0 && child.pidfd.valid()) return child;

  if (got == 0) {
    failure = {Step::Setup, errno};
    ::kill(pid, SIGKILL);
  }
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  forget_own_child(pid);
  return std::unexpected(error_of(failure, options));
}

}  // namespace lb
