#include "git/git.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <optional>

#include "base/metrics.h"
#include "base/utf8.h"
#include "process/children.h"
#include "process/spawn.h"

namespace lb::git {
namespace {

using Clock = std::chrono::steady_clock;

/// From being asked to end until it is killed.
constexpr int kEndGraceMs = 2000;

struct GitMeters {
  Counter& calls = counter("lb_git_calls_total", "Calls of git.");
  Counter& late = counter("lb_git_late_total", "Calls of git that took too long and were ended.");
  Counter& large = counter("lb_git_large_total", "Calls of git that printed too much.");
  Histogram& time = histogram("lb_git_seconds", "How long calls of git took.");
};
GitMeters& meters() {
  static GitMeters all;
  return all;
}

/// What makes a call independent of where the server was started from: inside a hook, say.
bool is_of_git(std::string_view name) {
  return name.starts_with("GIT_") && name != "GIT_SSH" && name != "GIT_SSH_COMMAND" &&
         name != "GIT_EXEC_PATH" && name != "GIT_SSL_CAINFO" && name != "GIT_CONFIG_GLOBAL" &&
         name != "GIT_CONFIG_SYSTEM" && name != "GIT_CONFIG_NOSYSTEM";
}

Environment environment_for(const Call& call) {
  Environment extra = {{"LC_ALL", "C"},          {"GIT_TERMINAL_PROMPT", "0"},
                       {"GIT_PAGER", "cat"},     {"GIT_EDITOR", "false"},
                       {"GIT_ASKPASS", "false"}, {"SSH_ASKPASS", "false"}};
  if (!call.by_the_user) {
    extra.emplace_back("GIT_OPTIONAL_LOCKS", "0");
    extra.emplace_back("GIT_LITERAL_PATHSPECS", "1");
    // A repository can say that an object must be fetched, and by which program.
    extra.emplace_back("GIT_NO_LAZY_FETCH", "1");
    extra.emplace_back("GIT_ALLOW_PROTOCOL", "none");
  }
  Environment env = child_environment({}, {});
  std::erase_if(env, [](const auto& one) { return is_of_git(one.first); });
  const auto put = [&env](const auto& one) {
    std::erase_if(env, [&](const auto& known) { return known.first == one.first; });
    env.push_back(one);
  };
  std::ranges::for_each(extra, put);
  std::ranges::for_each(call.env, put);
  return env;
}

std::vector<std::string> argv_for(const Call& call) {
  std::vector<std::string> argv = {call.program.empty() ? "git" : call.program};
  if (!call.by_the_user && call.program.empty()) {
    argv.insert(argv.end(),
                {"-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c",
                 "maintenance.auto=false", "-c", "gc.auto=0", "-c", "log.showSignature=false",
                 // One core is enough for what nobody waits for, and as fast.
                 "-c", "core.preloadIndex=false", "-c", "index.threads=1"});
  }
  argv.insert(argv.end(), call.args.begin(), call.args.end());
  return argv;
}

/// What goes into a running git, and what comes out of it.
struct Exchange {
  Talking& git;
  std::string_view input;
  Said said;
  std::size_t most = 0;

  /// Waits for a piece of work at most until `deadline`. False when there is nothing more to do.
  bool step(Clock::time_point deadline) {
    std::array<pollfd, 3> ends = {pollfd{git.in.get(), POLLOUT, 0},
                                  pollfd{git.out.get(), POLLIN, 0},
                                  pollfd{git.err.get(), POLLIN, 0}};
    if (over()) return false;
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() <= 0) return false;
    if (::poll(ends.data(), ends.size(), static_cast<int>(left.count())) <= 0) return true;
    if (ends[0].revents != 0) feed();
    if (ends[1].revents != 0) take(git.out, said.out);
    if (ends[2].revents != 0) take(git.err, said.err);
    return !too_large();
  }
  [[nodiscard]] bool over() const { return !git.out.valid() && !git.err.valid(); }
  [[nodiscard]] bool too_large() const { return said.out.size() + said.err.size() > most; }

 private:
  void feed() {
    const ssize_t wrote =
        ::write(git.in.get(), input.data(), std::min<std::size_t>(input.size(), 65536));
    if (wrote < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (wrote > 0) input.remove_prefix(static_cast<std::size_t>(wrote));
    if (wrote < 0 || input.empty()) git.in.reset();
  }
  static void take(Fd& from, std::string& into) {
    std::array<char, 65536> buffer;
    const ssize_t got = ::read(from.get(), buffer.data(), buffer.size());
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got <= 0) return from.reset();
    into.append(buffer.data(), static_cast<std::size_t>(got));
  }
};

int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Git Git::of_the_user() {
  const Environment env = child_environment({}, {});
  return Git(find_program("git", variable(env, "PATH")).value_or(""));
}

Talking::~Talking() {
  if (pid_ > 0) end(true);
}

int Talking::end(bool now) {
  int status = 0;
  if (now) {
    // It has a session of its own: what it started goes with it. Asked to end, it takes its locks
    // away; killed, it would leave them.
    ::kill(-pid_, SIGTERM);
    pollfd ended{pidfd_.get(), POLLIN, 0};
    ::poll(&ended, pidfd_.valid() ? 1 : 0, kEndGraceMs);
    ::kill(-pid_, SIGKILL);
  }
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  forget_own_child(pid_);
  pid_ = -1;
  return code_of(status);
}

Result<Talking> Git::start(const Call& call) const {
  if (!there()) {
    return fail(ErrorCode::NotSupported, "git is not installed. Install it to have this.");
  }
  // One that ends before it read everything must not end us.
  static const auto once = ::signal(SIGPIPE, SIG_IGN);
  static_cast<void>(once);
  meters().calls.add();
  auto input = make_pipe();
  auto output = input ? make_pipe() : std::unexpected(input.error());
  auto errors = output ? make_pipe() : std::unexpected(output.error());
  if (!errors) return std::unexpected(std::move(errors.error()));
  SpawnOptions options;
  options.program = call.program.empty() ? program_ : call.program;
  options.argv = argv_for(call);
  options.env = environment_for(call);
  options.cwd = call.cwd;
  options.descriptors = {input->first.get(), output->second.get(), errors->second.get()};
  // Git takes its locks away when it is asked to end.
  options.death_signal = call.outlives_us ? 0 : SIGTERM;
  auto child = spawn(options);
  if (!child) return std::unexpected(std::move(child.error()));
  Talking git(std::move(*child), std::move(input->second), std::move(output->first),
              std::move(errors->first));
  for (const Fd* end : {&git.in, &git.out, &git.err}) {
    ::fcntl(end->get(), F_SETFL, ::fcntl(end->get(), F_GETFL) | O_NONBLOCK);
  }
  return git;
}

LaunchOptions Git::as_launch(const Call& call) const {
  LaunchOptions options;
  options.argv = argv_for(call);
  options.argv.front() = call.program.empty() ? program_ : call.program;
  options.cwd = call.cwd;
  options.env = environment_for(call);
  return options;
}

Result<Said> Git::run(const Call& call) const {
  const auto began = Clock::now();
  auto git = start(call);
  if (!git) return std::unexpected(std::move(git.error()));
  Exchange talk{*git, call.input, {}, call.output_max};
  if (call.input.empty()) git->in.reset();
  while (talk.step(began + call.limit)) {
  }
  const bool whole = talk.over();
  talk.said.code = git->end(!whole);
  meters().time.observe_us(static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - began).count()));
  if (whole) return std::move(talk.said);
  const std::string what = call.args.empty() ? "git" : "git " + call.args.front();
  if (talk.too_large()) {
    meters().large.add();
    return fail(ErrorCode::TooLarge,
                fmt::format("{} said more than {} MiB.", what, call.output_max >> 20U));
  }
  meters().late.add();
  return fail(ErrorCode::Timeout,
              fmt::format("{} took longer than {} s and was ended.", what,
                          std::chrono::duration_cast<std::chrono::seconds>(call.limit).count()));
}

Result<std::string> Git::out(const Call& call) const {
  auto said = run(call);
  if (!said) return std::unexpected(std::move(said.error()));
  if (said->ok()) return std::move(said->out);
  return fail(ErrorCode::NotSupported, last_words(*said));
}

Result<std::string> Git::line(const Call& call) const {
  auto text = out(call);
  if (text) text->resize(std::min(text->find('\n'), text->size()));
  return text;
}

namespace {

std::vector<std::string> split(std::string_view text, char border) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(border), text.size());
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

}  // namespace

std::vector<std::string> split_nul(std::string_view text) {
  return split(text, '\0');
}

std::vector<std::string> split_lines(std::string_view text) {
  return split(text, '\n');
}

std::string last_words(const Said& said) {
  constexpr std::size_t kMost = 1000;
  std::string words;
  std::string text = said.err;
  repair_utf8(text);
  for (std::string line : split_lines(text)) {
    for (const std::string_view prefix : {"fatal: ", "error: ", "hint: "}) {
      if (line.starts_with(prefix)) line.erase(0, prefix.size());
    }
    if (line.empty()) continue;
    if (!words.empty()) words += '\n';
    words += line;
  }
  if (words.empty()) return fmt::format("git ended with code {}.", said.code);
  return std::string(utf8_suffix(words, kMost));
}

std::string shown_path(std::string_view path) {
  if (is_valid_utf8(path) && !path.contains('\\')) return std::string(path);
  std::string shown;
  for (std::size_t at = 0; at < path.size();) {
    const CodePoint point = decode_utf8(path, at);
    const std::string_view bytes = path.substr(at, point.bytes);
    if (!is_valid_utf8(bytes)) {
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(path[at]));
      ++at;
      continue;
    }
    if (bytes == "\\") shown += '\\';
    shown += bytes;
    at += point.bytes;
  }
  return shown;
}

std::string path_shown_as(std::string_view shown) {
  std::string path;
  for (std::size_t at = 0; at < shown.size(); ++at) {
    if (shown[at] != '\\' || at + 1 == shown.size()) {
      path += shown[at];
    } else if (unsigned byte = 0;
               shown[at + 1] == 'x' && at + 3 < shown.size() &&
               std::from_chars(shown.data() + at + 2, shown.data() + at + 4, byte, 16).ptr ==
                   shown.data() + at + 4 &&
               byte != 0) {
      path += static_cast<char>(byte);
      at += 3;
    } else {
      path += shown[++at];
    }
  }
  return path;
}

}  // namespace lb::git
