/// AgentProcess: a running CLI as the providers see it, and Launcher, which starts one.
///
/// A provider reads lines, writes lines and learns of the end; everything about descriptors,
/// guardians and signals is behind this. The real launcher is in guarded_process.h; tests script
/// one in memory.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/id.h"
#include "base/result.h"

namespace lb {

namespace asio = boost::asio;

/// Names and values.
using Environment = std::vector<std::pair<std::string, std::string>>;

/// One line of a child's stdout, without its line end, always valid UTF-8.
struct Line {
  std::string text;
  std::size_t bytes = 0;   // As it was written: more than text.size() when truncated.
  bool truncated = false;  // Longer than limits::kLineBytesMax; text is its beginning.
  bool partial = false;    // The child ended in the middle of it.
};

/// How a process ended. Both empty: it ended and nobody could tell how (its guardian died).
struct ExitStatus {
  std::optional<int> code;
  std::optional<int> signal;
  /// "exited with code 1", "was killed by signal 9 (SIGKILL)" …: for error texts.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const ExitStatus&, const ExitStatus&) = default;
};

/// Whose process it is. Shared with whoever started it, because one that was started ahead gets
/// its session later.
struct ProcessOwner {
  SessionId session_id = {};
  TerminalId terminal_id = {};
  std::string cli_type = {};  // An agent that sessions share.
};

/// What to start. Never a shell string: `argv[0]` is looked up in the PATH of `env`.
struct LaunchOptions {
  std::vector<std::string> argv;
  std::string cwd;
  Environment env;        // The whole environment.
  bool confined = false;  // Behind walls, in namespaces of its own (confine.h).
  std::shared_ptr<const ProcessOwner> owner = {};  // Null: nobody asks.
};

/// A guardian that runs: what its child started is below it.
struct LivingProcess {
  int pid = 0;
  ProcessOwner owner;
};

class PtyProcess;
struct PtySize;

/// A running child. Destroying it kills the child and everything it started.
/// Lives on the io thread.
class AgentProcess {
 public:
  AgentProcess() = default;
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;
  virtual ~AgentProcess() = default;

  /// The next line, or nothing once stdout has ended. One caller at a time. Not calling it is how
  /// a child is held back: the pipe fills and the child waits.
  virtual asio::awaitable<std::optional<Line>> next_line() = 0;

  /// Queues one line (the line end is added) for stdin. `Busy` when the child has left
  /// limits::kStdinQueueBytesMax unread, `ProcessCrash` when it is gone or its stdin is closed.
  virtual Result<void> write_line(std::string line) = 0;

  /// The same, and waits until the pipe has taken the whole line, for at most `limit`. After an
  /// error the child does not get the line any more: `Busy` when it did not read in time and the
  /// line was taken back, `ProcessCrash` when it is gone. A child that stops reading in the middle
  /// of the line is ended, because half a line cannot be taken back.
  virtual asio::awaitable<Result<void>> deliver_line(std::string line,
                                                     std::chrono::milliseconds limit) = 0;

  /// Waits until everything queued has been written to the pipe; an error when the child went away.
  virtual asio::awaitable<Result<void>> flushed() = 0;

  virtual void close_stdin() = 0;
  virtual void terminate() = 0;  // SIGTERM to the child.
  virtual void kill() = 0;       // SIGKILL to the child and everything it started.

  [[nodiscard]] virtual bool alive() const = 0;

  /// Waits for the end of the child. Any number of callers; after the end it answers at once.
  virtual asio::awaitable<ExitStatus> exited() = 0;

  /// The last of what the child wrote to stderr, repaired to UTF-8.
  [[nodiscard]] virtual std::string stderr_tail() const = 0;
};

/// Asks a child to go: close stdin, SIGTERM after 2 s, SIGKILL after 5 s; returns when it is gone.
asio::awaitable<ExitStatus> stop_gracefully(std::shared_ptr<AgentProcess> process);

class Launcher {
 public:
  Launcher() = default;
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;
  virtual ~Launcher() = default;

  /// Starts a child. `AgentUnavailable` when the program does not exist or may not be run; the
  /// message names the program.
  virtual Result<std::shared_ptr<AgentProcess>> launch(LaunchOptions options) = 0;
  /// The same with a terminal of its own (pty.h); `NotSupported` where there are none.
  virtual Result<std::shared_ptr<PtyProcess>> launch_in_terminal(LaunchOptions options,
                                                                 PtySize size);
  /// Everything that it started and that has not ended.
  [[nodiscard]] virtual std::vector<LivingProcess> living() const { return {}; }
};

/// Where `program` would be found: the absolute path, or nothing. `path` is a PATH value.
std::optional<std::string> find_program(std::string_view program, std::string_view path);

/// Our environment for a child: without our own variables and those that confuse a CLI
/// (design: LIMINAL_BUILDER_*, NOTIFY_SOCKET, NODE_OPTIONS, DEBUG, CLAUDECODE,
/// CLAUDE_CODE_ENTRYPOINT), with `extra` put over it and `path_prefix` before PATH.
Environment child_environment(const Environment& extra,
                              const std::vector<std::string>& path_prefix);

/// The value of a variable; empty when it is not there.
std::string_view variable(const Environment& environment, std::string_view name);

}  // namespace lb
