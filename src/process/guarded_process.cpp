// A GuardedProcess is a handle; what runs is its Child, kept alive by the coroutine that waits for
// the guardian's end. Dropping the handle orders the kill and lets that coroutine finish its work.
//
// The guardian's end is the one event that counts: by then everything below it is dead, its report
// lies in the socket, and whatever was written lies in the pipes. What is read after that is read
// without waiting, so nobody who still holds a pipe (it may have been passed to a daemon) can keep
// us.

#include "process/guarded_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <fstream>

#include "base/arrival.h"
#include "base/awaitable.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "process/children.h"
#include "process/guardian.h"
#include "process/guardian_link.h"
#include "process/line_reader.h"
#include "process/pty.h"
#include "process/spawn.h"
#include "process/stdin_queue.h"

namespace lb {
namespace {

/// Small on purpose: all lines of one read are handled in one go, and others wait that long.
constexpr std::size_t kReadBytes = std::size_t{16} << 10U;
/// An agent whose output is always there for us has been read for this long in one go; it then
/// waits half as long. So a flood takes two thirds of our time at most, its writer sleeps in
/// between, and others are heard at once.
constexpr std::chrono::milliseconds kFloodTurn{1};

/// Our ends of what connects us with one guardian and its CLI.
struct Ends {
  Fd stdin_write;
  Fd stdout_read;
  Fd stderr_read;
  std::shared_ptr<GuardianLink> guardian;
};

class Child : public std::enable_shared_from_this<Child> {
 public:
  Child(const asio::any_io_executor& executor, Ends ends)
      : input_(
            std::make_shared<StdinQueue>(watched(executor, ends.stdin_write), [this] { kill(); })),
        stdout_(watched(executor, ends.stdout_read)),
        stderr_(watched(executor, ends.stderr_read)),
        guardian_(std::move(ends.guardian)),
        changed_(executor, asio::steady_timer::time_point::max()) {}
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() = default;

  void start() {
    const auto executor = changed_.get_executor();
    asio::co_spawn(executor, drain_stderr(shared_from_this()), asio::detached);
    asio::co_spawn(executor, watch_guardian(shared_from_this()), asio::detached);
  }

  asio::awaitable<std::optional<Line>> next_line();
  [[nodiscard]] const std::shared_ptr<StdinQueue>& input() const { return input_; }
  asio::awaitable<Result<void>> flushed();
  void order(GuardianOrder what) { guardian_->order(what); }
  void kill() { guardian_->kill(); }
  /// Nobody holds the handle any more.
  void abandon() {
    input_->discard();
    kill();
  }
  [[nodiscard]] bool alive() const { return !status_; }
  asio::awaitable<ExitStatus> exited();
  [[nodiscard]] std::string stderr_tail() const;

 private:
  static asio::awaitable<void> drain_stderr(std::shared_ptr<Child> self);
  static asio::awaitable<void> watch_guardian(std::shared_ptr<Child> self);
  /// Waits for a change of anything; the caller looks again.
  static asio::awaitable<void> change(std::shared_ptr<Child> self) {
    co_await self->changed_.async_wait(kNoThrow);
  }

  /// Before a read: a pause, when this agent floods.
  asio::awaitable<void> leave_room();
  void keep_stderr(std::string_view bytes);
  void drain_stderr_now();

  std::shared_ptr<StdinQueue> input_;  // Discarded before we go: it refers to us.
  asio::posix::stream_descriptor stdout_;
  asio::posix::stream_descriptor stderr_;
  std::shared_ptr<GuardianLink> guardian_;
  asio::steady_timer changed_;  // Never expires: cancelling it wakes everyone who waits.

  using Clock = std::chrono::steady_clock;
  LineReader lines_;
  std::uint64_t read_us_ = 0;  // When the bytes in lines_ were read.
  std::vector<char> read_buffer_;
  Clock::time_point read_at_;              // When the last read ended.
  Clock::duration flood_{};                // Spent since the output was last read to its end.
  std::size_t last_read_ = 0;              // Bytes.
  std::optional<asio::steady_timer> gap_;  // Made for those who flood.
  bool output_ended_ = false;

  std::string stderr_kept_;
  std::optional<ExitStatus> status_;
};

asio::awaitable<std::optional<Line>> Child::next_line() {
  const auto self = shared_from_this();
  for (;;) {
    if (auto line = lines_.next()) {
      Arrival::read(read_us_);
      co_return line;
    }
    if (output_ended_) co_return lines_.finish();
    if (read_buffer_.empty()) read_buffer_.resize(kReadBytes);
    if (status_) {
      const ssize_t got = ::read(stdout_.native_handle(), read_buffer_.data(), read_buffer_.size());
      if (got < 0 && errno == EINTR) continue;
      output_ended_ = got <= 0;
      read_us_ = Arrival::now_us();
      if (got > 0) lines_.feed({read_buffer_.data(), static_cast<std::size_t>(got)});
      continue;
    }
    co_await leave_room();
    const auto [error, got] =
        co_await stdout_.async_read_some(asio::buffer(read_buffer_), kNoThrow);
    read_at_ = Clock::now();
    last_read_ = got;
    read_us_ = Arrival::now_us();
    lines_.feed({read_buffer_.data(), got});
    if (error && error != asio::error::operation_aborted) output_ended_ = true;
  }
}

asio::awaitable<void> Child::leave_room() {
  if (last_read_ < kReadBytes) {
    flood_ = {};
    co_return;
  }
  flood_ += Clock::now() - read_at_;
  if (flood_ < kFloodTurn) co_return;
  if (!gap_) gap_.emplace(changed_.get_executor());
  gap_->expires_after(std::exchange(flood_, {}) / 2);
  co_await gap_->async_wait(kNoThrow);
}

asio::awaitable<Result<void>> Child::flushed() {
  const auto self = shared_from_this();
  auto flushed = co_await input_->flushed();
  if (status_) co_return fail(ErrorCode::ProcessCrash, "the agent " + status_->text());
  co_return flushed;
}

asio::awaitable<ExitStatus> Child::exited() {
  const auto self = shared_from_this();
  while (!status_) co_await change(self);
  co_return *status_;
}

std::string Child::stderr_tail() const {
  std::string tail(utf8_suffix(stderr_kept_, limits::kStderrTailBytes));
  repair_utf8(tail);
  return tail;
}

void Child::keep_stderr(std::string_view bytes) {
  stderr_kept_ += bytes;
  // Cut rarely, so that a flood does not move the whole tail for every read.
  if (stderr_kept_.size() <= 2 * limits::kStderrTailBytes) return;
  stderr_kept_.erase(0, stderr_kept_.size() - limits::kStderrTailBytes);
}

asio::awaitable<void> Child::drain_stderr(std::shared_ptr<Child> self) {
  std::vector<char> buffer(std::size_t{16} << 10U);
  while (!self->status_) {
    const auto [error, got] =
        co_await self->stderr_.async_read_some(asio::buffer(buffer), kNoThrow);
    self->keep_stderr({buffer.data(), got});
    if (error) co_return;
  }
}

/// The rest of stderr after everybody's end; bounded, in case somebody far away still writes.
void Child::drain_stderr_now() {
  std::vector<char> buffer(kReadBytes);
  for (std::size_t read = 0; read < 4 * limits::kStderrTailBytes;) {
    const ssize_t got = ::read(stderr_.native_handle(), buffer.data(), buffer.size());
    if (got <= 0) break;
    keep_stderr({buffer.data(), static_cast<std::size_t>(got)});
    read += static_cast<std::size_t>(got);
  }
  boost::system::error_code ignored;
  stderr_.close(ignored);
}

asio::awaitable<void> Child::watch_guardian(std::shared_ptr<Child> self) {
  const std::optional<ExitStatus> status = co_await self->guardian_->ended();
  if (!status) co_return;  // The link's destructor does the rest.
  self->drain_stderr_now();
  self->status_ = *status;
  self->input_->discard();
  boost::system::error_code ignored;
  self->stdout_.cancel(ignored);
  self->changed_.cancel();
}

/// The handle that a provider owns.
class GuardedProcess final : public AgentProcess {
 public:
  explicit GuardedProcess(std::shared_ptr<Child> child) : child_(std::move(child)) {}
  ~GuardedProcess() override { child_->abandon(); }

  asio::awaitable<std::optional<Line>> next_line() override { return child_->next_line(); }
  Result<void> write_line(std::string line) override {
    return child_->input()->write(std::move(line));
  }
  asio::awaitable<Result<void>> deliver_line(std::string line,
                                             std::chrono::milliseconds limit) override {
    return child_->input()->deliver(std::move(line), limit);
  }
  asio::awaitable<Result<void>> flushed() override { return child_->flushed(); }
  void close_stdin() override { child_->input()->close(); }
  void terminate() override { child_->order(GuardianOrder::Terminate); }
  void kill() override { child_->kill(); }
  [[nodiscard]] bool alive() const override { return child_->alive(); }
  asio::awaitable<ExitStatus> exited() override { return child_->exited(); }
  [[nodiscard]] std::string stderr_tail() const override { return child_->stderr_tail(); }

 private:
  std::shared_ptr<Child> child_;
};

/// What can be known before starting it; the guardian says the rest on stderr.
Result<std::string> runnable(const LaunchOptions& options) {
  if (options.argv.empty() || options.argv.front().empty()) {
    return fail(ErrorCode::InvalidRequest, "no program to start");
  }
  const std::string& name = options.argv.front();
  const auto program = find_program(name, variable(options.env, "PATH"));
  if (!program) {
    return fail(ErrorCode::AgentUnavailable,
                fmt::format("{} was not found, or is not a program that may be run", name));
  }
  std::ifstream file(*program, std::ios::binary);
  std::string first;
  if (file && file.peek() == std::ifstream::traits_type::eof()) {
    return fail(ErrorCode::AgentUnavailable, fmt::format("{} is an empty file", *program));
  }
  if (!file || file.get() != '#' || file.get() != '!') return *program;
  file >> first;
  if (!first.empty() && ::access(first.c_str(), X_OK) != 0) {
    return fail(ErrorCode::AgentUnavailable,
                fmt::format("{} needs {}, which is not there", *program, first));
  }
  return *program;
}

void set_nonblocking(const Fd& fd) {
  ::fcntl(fd.get(), F_SETFL, ::fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

}  // namespace

GuardedLauncher::GuardedLauncher(asio::any_io_executor executor, std::string guardian)
    : executor_(std::move(executor)), guardian_(std::move(guardian)) {
  become_subreaper();
  ::signal(SIGPIPE, SIG_IGN);
}

std::vector<std::string> GuardedLauncher::guardian_argv(const LaunchOptions& options,
                                                        const std::string& program) const {
  std::vector<std::string> argv = {"liminal-builder", std::string(kGuardianCommand)};
  if (options.confined) {
    argv.emplace_back(kConfinedOption);
    if (walls_) {
      for (const Wall& wall : walls_()) argv.push_back(wall_argument(wall));
    }
    argv.emplace_back(kEndOfWalls);
  }
  if (!program.empty()) argv.push_back(program);
  argv.insert(argv.end(), options.argv.begin(), options.argv.end());
  return argv;
}

namespace {

/// Settings of the kernel that explain a refusal, in words; empty where none does.
std::string refusing_setting() {
  struct Setting {
    const char* name;
    int refuses;
  };
  for (const Setting& setting :
       {Setting{"kernel/apparmor_restrict_unprivileged_userns", 1},
        Setting{"kernel/unprivileged_userns_clone", 0}, Setting{"user/max_user_namespaces", 0}}) {
    std::ifstream file(std::string("/proc/sys/") + setting.name);
    int value = -1;
    if (file >> value && value == setting.refuses) {
      return fmt::format("; /proc/sys/{} is {}", setting.name, value);
    }
  }
  return {};
}

}  // namespace

asio::awaitable<Result<void>> check_confinement(Launcher& launcher) {
  LaunchOptions options;
  options.cwd = "/";
  options.confined = true;
  auto check = launcher.launch(std::move(options));
  if (!check) co_return std::unexpected(std::move(check.error()));
  const ExitStatus status = co_await (*check)->exited();
  if (status.code == 0) co_return Result<void>{};
  std::string why = (*check)->stderr_tail();
  while (why.ends_with('\n')) why.pop_back();
  if (why.empty()) why = "the check " + status.text();
  co_return fail(ErrorCode::NotSupported, why + refusing_setting());
}

Result<std::shared_ptr<GuardianLink>> GuardedLauncher::start_guardian(LaunchOptions options,
                                                                      const std::string& program,
                                                                      std::array<int, 3> standard) {
  int sockets[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) {
    return fail(ErrorCode::Busy,
                "could not make a socket: " + std::generic_category().message(errno));
  }
  Fd ours(sockets[0]);
  const Fd theirs(sockets[1]);
  SpawnOptions guardian;
  guardian.program = guardian_;
  guardian.argv = guardian_argv(options, program);
  guardian.env = std::move(options.env);
  guardian.cwd = std::move(options.cwd);
  guardian.descriptors = {standard[0], standard[1], standard[2], theirs.get()};
  guardian.death_signal = SIGTERM;
  auto spawned = spawn(guardian);
  if (!spawned) return std::unexpected(std::move(spawned.error()));
  const pid_t pid = spawned->pid;
  try {
    return std::make_shared<GuardianLink>(executor_, std::move(ours), std::move(*spawned),
                                          GuardianLink::Registered{living_, options.owner});
  } catch (const boost::system::system_error& error) {
    // Its socket is closed: it has nothing to do but to end.
    ::waitpid(pid, nullptr, 0);
    forget_own_child(pid);
    return fail(ErrorCode::Busy, fmt::format("could not watch {}: {}", program, error.what()));
  }
}

std::vector<LivingProcess> GuardedLauncher::living() const {
  std::vector<LivingProcess> all;
  for (const auto& [pid, owner] : *living_) {
    if (owner) all.push_back({pid, *owner});
  }
  return all;
}

Result<std::shared_ptr<AgentProcess>> GuardedLauncher::launch(LaunchOptions options) {
  const bool only_check = options.confined && options.argv.empty();
  auto program = only_check ? Result<std::string>() : runnable(options);
  if (!program) return std::unexpected(std::move(program.error()));
  auto input = make_pipe();
  auto output = input ? make_pipe() : std::unexpected(input.error());
  auto errors = output ? make_pipe() : std::unexpected(output.error());
  if (!errors) return std::unexpected(std::move(errors.error()));
  auto guardian = start_guardian(std::move(options), *program,
                                 {input->first.get(), output->second.get(), errors->second.get()});
  if (!guardian) return std::unexpected(std::move(guardian.error()));
  Ends ends{std::move(input->second), std::move(output->first), std::move(errors->first),
            std::move(*guardian)};
  for (const Fd* end : {&ends.stdin_write, &ends.stdout_read, &ends.stderr_read}) {
    set_nonblocking(*end);
  }
  try {
    auto child = std::make_shared<Child>(executor_, std::move(ends));
    child->start();
    return std::make_shared<GuardedProcess>(std::move(child));
  } catch (const boost::system::system_error& error) {
    return fail(ErrorCode::Busy, fmt::format("could not watch {}: {}", *program, error.what()));
  }
}

Result<std::shared_ptr<PtyProcess>> GuardedLauncher::launch_in_terminal(LaunchOptions options,
                                                                        PtySize size) {
  auto program = runnable(options);
  if (!program) return std::unexpected(std::move(program.error()));
  auto pty = open_pty(size);
  if (!pty) return std::unexpected(std::move(pty.error()));
  const int slave = pty->slave.get();
  auto guardian = start_guardian(std::move(options), *program, {slave, slave, slave});
  if (!guardian) return std::unexpected(std::move(guardian.error()));
  try {
    auto process = std::make_shared<PtyProcess>(executor_, std::move(pty->master),
                                                std::move(*guardian), pty_pace_);
    process->start();
    return process;
  } catch (const boost::system::system_error& error) {
    return fail(ErrorCode::Busy, fmt::format("could not watch {}: {}", *program, error.what()));
  }
}

}  // namespace lb
