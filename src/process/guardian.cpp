#include "process/guardian.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>

#include "base/fd.h"
#include "base/limits.h"
#include "process/children.h"
#include "process/confine.h"
#include "process/spawn.h"

extern char** environ;

namespace lb {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kNotRunnable = 127;
constexpr int kNotConfined = 126;

class Guardian {
 public:
  int run(int argc, char** argv);
  /// As the init of namespaces: `outside` ends with the process that made them.
  int run_as_init(const ConfineOptions& options, Fd outside, std::vector<char*> command);
  int not_confined(const std::string& why);

 private:
  void prepare();
  bool start(int argc, char** argv);
  void watch();
  bool obey();
  bool reap();
  void end_everything();
  void report() const;

  Fd socket_{kGuardianSocket};
  Fd signals_;
  Fd outside_;
  pid_t cli_ = -1;
  std::optional<GuardianReport> ended_;
};

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : {SIGCHLD, SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE}) {
    sigaddset(&set, signal);
  }
  return set;
}

/// A dump of a CLI's memory helps nobody and may hold secrets; the limit can be raised again.
void no_core_dumps() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_CORE, &limit) != 0) return;
  limit.rlim_cur = 0;
  ::setrlimit(RLIMIT_CORE, &limit);
}

std::vector<std::pair<std::string, std::string>> own_environment() {
  std::vector<std::pair<std::string, std::string>> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    variables.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

/// The CLI's pipes are its own: a copy held here would keep them from ending.
void let_go_of_standard_descriptors() {
  const Fd nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  for (int i = 0; i < 3; ++i) {
    if (nothing.valid()) {
      ::dup2(nothing.get(), i);
    } else {
      ::close(i);
    }
  }
}

void complain(const std::string& line) {
  // If stderr is gone too, the exit code must do.
  static_cast<void>(!::write(STDERR_FILENO, line.data(), line.size()));
}

void Guardian::prepare() {
  const sigset_t watched = watched_signals();
  ::pthread_sigmask(SIG_BLOCK, &watched, nullptr);
  ::prctl(PR_SET_NAME, "lb-guardian");
  no_core_dumps();
  ::fcntl(socket_.get(), F_SETFD, FD_CLOEXEC);
  signals_ = Fd(::signalfd(-1, &watched, SFD_CLOEXEC | SFD_NONBLOCK));
}

int Guardian::run(int argc, char** argv) {
  prepare();
  become_subreaper();
  if (start(argc, argv)) {
    let_go_of_standard_descriptors();
    if (signals_.valid()) watch();
    end_everything();
  }
  report();
  return 0;
}

bool Guardian::start(int argc, char** argv) {
  SpawnOptions options;
  options.program = argv[0];
  options.argv.assign(argv + 1, argv + argc);
  options.env = own_environment();
  options.descriptors = {0, 1, 2};
  options.death_signal = SIGKILL;
  options.takes_terminal = ::isatty(STDIN_FILENO) == 1;  // Agents have pipes, a shell has a pty.
  auto child = spawn(options);
  if (!child) {
    complain(child.error().message + "\n");
    ended_ = {0, kNotRunnable};
    return false;
  }
  cli_ = child->pid;
  return true;
}

/// Returns when it is time to end everything.
void Guardian::watch() {
  for (;;) {
    pollfd waiting[3] = {
        {socket_.get(), POLLIN, 0}, {signals_.get(), POLLIN, 0}, {outside_.get(), POLLIN, 0}};
    if (::poll(waiting, 3, -1) < 0 && errno != EINTR) return;
    if (waiting[2].revents != 0) return;
    if ((waiting[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !obey()) return;
    signalfd_siginfo signal{};
    while (::read(signals_.get(), &signal, sizeof signal) == sizeof signal) {
      // SIGTERM is also what the kernel sends when our server dies.
      if (signal.ssi_signo != SIGCHLD && signal.ssi_signo != SIGPIPE) return;
    }
    reap();
    if (ended_) return;
  }
}

/// False when the order is to end, or when there is nobody left to give orders.
bool Guardian::obey() {
  char order = 0;
  const ssize_t got = ::recv(socket_.get(), &order, 1, MSG_DONTWAIT);
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0 || order == static_cast<char>(GuardianOrder::Kill)) return false;
  if (order == static_cast<char>(GuardianOrder::Terminate)) ::kill(-cli_, SIGTERM);
  return true;
}

/// False when there are no children left.
bool Guardian::reap() {
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
    if (pid != cli_) continue;
    ended_ = WIFSIGNALED(status) ? GuardianReport{1, WTERMSIG(status)}
                                 : GuardianReport{0, WEXITSTATUS(status)};
  }
  return pid == 0 || errno != ECHILD;
}

/// Killing the direct children is enough: theirs become ours, until there are none.
void Guardian::end_everything() {
  const auto deadline = Clock::now() + limits::kGuardianKillMax;
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 2'000'000};
  while (Clock::now() < deadline) {
    for (const pid_t child : direct_children()) kill_child_and_group(child);
    if (!reap()) return;
    ::sigtimedwait(&child_ended, nullptr, &kPause);
  }
}

void Guardian::report() const {
  if (!ended_) return;
  ::send(socket_.get(), &*ended_, sizeof *ended_, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool has_ended(const Fd& pipe) {
  pollfd waiting{pipe.get(), POLLIN, 0};
  return ::poll(&waiting, 1, 0) > 0;
}

int Guardian::not_confined(const std::string& why) {
  complain(why + "\n");
  ended_ = {0, kNotConfined};
  report();
  return 0;
}

/// Nobody has to be killed: what is below ends with us.
int Guardian::run_as_init(const ConfineOptions& options, Fd outside, std::vector<char*> command) {
  outside_ = std::move(outside);
  prepare();
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (auto problem = confine_self(options); !problem.empty()) return not_confined(problem);
  // Again: the kernel may forget it with a change of credentials.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (has_ended(outside_)) return 0;
  if (command.empty()) {
    ended_ = {0, 0};
  } else if (start(static_cast<int>(command.size()), command.data())) {
    let_go_of_standard_descriptors();
    if (signals_.valid()) watch();
  }
  report();
  return 0;
}

/// The part outside: it waits, and when it ends the kernel ends the part inside.
int wait_outside(pid_t inside) {
  const sigset_t watched = watched_signals();
  ::close(kGuardianSocket);
  let_go_of_standard_descriptors();
  ::prctl(PR_SET_NAME, "lb-guardian");
  ::prctl(PR_SET_DUMPABLE, 0);
  for (;;) {
    int status = 0;
    const pid_t ended = ::waitpid(inside, &status, WNOHANG);
    if (ended == inside || (ended < 0 && errno == ECHILD)) return 0;
    const int signal = ::sigwaitinfo(&watched, nullptr);
    if (signal > 0 && signal != SIGCHLD && signal != SIGPIPE) ::kill(inside, SIGKILL);
  }
}

/// `arguments`: walls, the end of them, and the command.
int run_confined(const std::vector<char*>& arguments) {
  ConfineOptions options;
  options.user = ::geteuid();
  options.group = ::getegid();
  auto argument = arguments.begin();
  for (; argument != arguments.end() && *argument != kEndOfWalls; ++argument) {
    auto wall = wall_of(*argument);
    if (!wall) return Guardian().not_confined(fmt::format("{} is no wall", *argument));
    options.walls.push_back(std::move(*wall));
  }
  if (argument != arguments.end()) ++argument;
  options.make_missing = argument != arguments.end();  // A check leaves nothing behind.
  std::unique_ptr<char, decltype(&::free)> folder(::getcwd(nullptr, 0), &::free);
  auto outside = make_pipe();
  if (!folder || !outside) return Guardian().not_confined("there is no folder to work in");
  options.folder = folder.get();
  const sigset_t watched = watched_signals();
  ::pthread_sigmask(SIG_BLOCK, &watched, nullptr);
  const pid_t inside = fork_into_namespaces();
  if (inside < 0) {
    return Guardian().not_confined("making a user, a PID and a mount namespace: " +
                                   std::generic_category().message(errno));
  }
  if (inside > 0) return wait_outside(inside);
  outside->second.reset();
  // At once: nothing of ours is left to be tidied up, and the kernel does the rest.
  ::_exit(Guardian().run_as_init(options, std::move(outside->first), {argument, arguments.end()}));
}

}  // namespace

int run_guardian(int argc, char** argv) {
  // argv: us, "guardian", "--confined", …
  if (argc > 2 && argv[2] == kConfinedOption) return run_confined({argv + 3, argv + argc});
  // argv: us, "guardian", the program, its argv.
  if (argc < 4) {
    const std::string_view usage = "guardian is started by liminal-builder itself\n";
    static_cast<void>(!::write(STDERR_FILENO, usage.data(), usage.size()));
    return 2;
  }
  return Guardian().run(argc - 2, argv + 2);
}

}  // namespace lb
