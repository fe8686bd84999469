#include "app/editor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include "base/limits.h"
#include "process/agent_process.h"

namespace lb {
namespace {

/// Of an order, and of what is said to it: two paths, and what the user configured.
constexpr std::size_t kMessageMax = 64U << 10U;
constexpr int kOrderEnd = 3;  // The helper's descriptor.
constexpr int kAnswerGraceMs = 5000;

using Steady = std::chrono::steady_clock;

int milliseconds_until(Steady::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Steady::now());
  return static_cast<int>(std::max<std::int64_t>(left.count(), 0));
}

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// What the child does: says why it could not become the program.
[[noreturn]] void become_editor(const std::string& folder, std::vector<std::string>& words,
                                int problem) {
  ::setsid();
  for (const int signal : {SIGCHLD, SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int why = 0;
  if (::chdir(folder.c_str()) != 0) {
    why = errno;
  } else {
    ::execvp(argv.front(), argv.data());
    why = errno;
  }
  static_cast<void>(!::write(problem, &why, sizeof why));
  ::_exit(127);
}

/// How a program begins: empty when it runs, or is done already, else what is wrong.
std::string begin_editor(const std::string& folder, std::vector<std::string> words) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return "no more files can be opened";
  const Fd heard(ends[0]);
  Fd said(ends[1]);
  const pid_t child = ::fork();
  if (child == 0) become_editor(folder, words, said.get());
  said.reset();
  if (child < 0) return "no more processes can be started";
  const std::string name = words.front();
  int why = 0;
  if (::read(heard.get(), &why, sizeof why) == sizeof why) {
    return fmt::format("{} cannot be run: {}", name, std::generic_category().message(why));
  }
  const Fd running(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  const auto deadline = Steady::now() + limits::kEditorStart;
  pollfd end{running.get(), POLLIN, 0};
  while (::poll(&end, 1, milliseconds_until(deadline)) < 0 && errno == EINTR) {
  }
  int status = 0;
  if (::waitpid(child, &status, WNOHANG) != child) return "";
  if (WIFSIGNALED(status)) return fmt::format("{} was ended by signal {}", name, WTERMSIG(status));
  if (WEXITSTATUS(status) == 0) return "";
  return fmt::format("{} ended with code {}", name, WEXITSTATUS(status));
}

void wake_up(int) {}

/// The helper: one order after the other, until the server is gone.
[[noreturn]] void help_editor(const Environment& environment, int orders) {
  // It is a copy of us, and what we know is not for other programs of the user.
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_NAME, "lb-editor");
  ::setsid();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_DFL);
  struct sigaction wake = {};
  wake.sa_handler = wake_up;  // Without SA_RESTART, so that it ends a wait.
  ::sigaction(SIGCHLD, &wake, nullptr);
  const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {0, 1, 2}) ::dup2(null, fd);
  if (orders != kOrderEnd) ::dup3(orders, kOrderEnd, O_CLOEXEC);
  ::syscall(SYS_close_range, kOrderEnd + 1, ~0U, 0);
  ::clearenv();  // NOLINT(concurrency-mt-unsafe)
  for (const auto& [name, value] : environment) {
    ::setenv(name.c_str(), value.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  }
  std::string buffer(kMessageMax, '\0');
  while (true) {
    while (::waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    const ssize_t got = ::recv(kOrderEnd, buffer.data(), buffer.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) ::_exit(0);
    std::vector<std::string> words =
        split_words(std::string_view(buffer).substr(0, static_cast<std::size_t>(got)));
    if (words.size() < 3) continue;
    const std::string number = words[0];
    const std::string folder = words[1];
    words.erase(words.begin(), words.begin() + 2);
    const std::string answer = number + '\0' + begin_editor(folder, std::move(words));
    if (::send(kOrderEnd, answer.data(), answer.size(), MSG_NOSIGNAL) < 0) ::_exit(0);
  }
}

std::unexpected<Error> helper_gone() {
  return fail(ErrorCode::AgentUnavailable,
              "What starts the editor has ended. Restart the server to have it back.");
}

}  // namespace

std::vector<std::string> editor_command(const std::vector<std::string>& words,
                                        const EditorWish& wish) {
  const std::array<std::pair<std::string_view, std::string>, 3> places = {{
      {"{path}", wish.path},
      {"{line}", std::to_string(wish.line)},
      {"{folder}", wish.folder},
  }};
  std::vector<std::string> command;
  for (const std::string& word : words) {
    std::string filled;
    for (std::size_t at = 0; at < word.size();) {
      const auto* place = std::ranges::find_if(
          places, [&](const auto& one) { return word.substr(at).starts_with(one.first); });
      if (command.empty() || place == places.end()) {
        filled += word[at++];
      } else {
        filled += place->second;
        at += place->first.size();
      }
    }
    command.push_back(std::move(filled));
  }
  return command;
}

EditorHelper::EditorHelper(std::vector<std::string> words, const std::vector<std::string>& path)
    : words_(std::move(words)) {
  int ends[2];
  if (words_.empty()) return;
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
  const Fd theirs(ends[1]);
  orders_ = Fd(ends[0]);
  const Environment environment = child_environment({}, path);
  // Twice: the one between ends at once, so that the helper is nobody's child here.
  const pid_t between = ::fork();
  if (between == 0) {
    if (::fork() == 0) help_editor(environment, theirs.get());
    ::_exit(0);
  }
  if (between < 0) {
    orders_.reset();
  } else {
    ::waitpid(between, nullptr, 0);
  }
}

Result<void> EditorHelper::open(const EditorWish& wish) {
  const std::scoped_lock lock(mutex_);
  std::string order = std::to_string(++last_) + '\0' + wish.folder;
  for (const std::string& word : editor_command(words_, wish)) order += '\0' + word;
  if (order.size() > kMessageMax) return fail(ErrorCode::TooLarge, "This path is too long.");
  if (::send(orders_.get(), order.data(), order.size(), MSG_NOSIGNAL) < 0) return helper_gone();
  auto problem = answer_to(last_);
  if (!problem) return std::unexpected(std::move(problem.error()));
  if (problem->empty()) return {};
  return fail(ErrorCode::ProcessCrash, "The editor could not be opened: " + *problem +
                                           ". Look at `editor` in the configuration file.");
}

Result<std::string> EditorHelper::answer_to(std::uint64_t order) {
  const auto deadline =
      Steady::now() + limits::kEditorStart + std::chrono::milliseconds(kAnswerGraceMs);
  std::string buffer(kMessageMax, '\0');
  while (true) {
    pollfd end{orders_.get(), POLLIN, 0};
    const int ready = ::poll(&end, 1, milliseconds_until(deadline));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return fail(ErrorCode::Timeout, "The editor did not begin in time.");
    const ssize_t got = ::recv(orders_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return helper_gone();
    // An answer to an earlier order, which came too late, is nobody's.
    const std::string_view answer =
        std::string_view(buffer).substr(0, static_cast<std::size_t>(got));
    const std::size_t border = std::min(answer.find('\0'), answer.size() - 1);
    if (answer.substr(0, border) == std::to_string(order)) {
      return std::string(answer.substr(border + 1));
    }
  }
}

}  // namespace lb
