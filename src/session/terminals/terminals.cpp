#include "session/terminals/terminals.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/limits.h"
#include "base/metrics.h"
#include "base/utf8.h"

namespace lb {
namespace {

bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

Result<void> check_terminal_name(std::string_view name) {
  std::size_t count = 0;
  bool proper = true;
  for (std::size_t at = 0; at < name.size(); ++count) {
    const CodePoint point = decode_utf8(name, at);
    proper = proper && point.valid && !is_control(point.value);
    at += point.bytes;
  }
  if (proper && count > 0 && count <= limits::kTerminalNameCharsMax) return {};
  return fail(ErrorCode::InvalidRequest,
              fmt::format("name: 1 to {} printable characters", limits::kTerminalNameCharsMax));
}

std::string shell_of_passwd() {
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> buffer(std::size_t{16} << 10U);
  if (::getpwuid_r(::getuid(), &entry, buffer.data(), buffer.size(), &found) != 0 ||
      found == nullptr || found->pw_shell == nullptr) {
    return {};
  }
  return found->pw_shell;
}

Environment shell_environment(const Environment& place) {
  Environment extra = {
      {"TERM", "xterm-256color"}, {"COLORTERM", "truecolor"}, {"LIMINAL_BUILDER_TERMINAL", "1"}};
  extra.insert(extra.end(), place.begin(), place.end());
  return child_environment(extra, {});
}

}  // namespace

std::string shell_of_the_user() {
  const char* wish = ::getenv("SHELL");  // NOLINT(concurrency-mt-unsafe)
  for (const std::string& shell : {std::string(wish == nullptr ? "" : wish), shell_of_passwd()}) {
    if (shell.starts_with('/') && find_program(shell, "")) return shell;
  }
  return "/bin/sh";
}

Terminals::Terminals(Deps deps, Events events)
    : deps_(std::move(deps)), events_(std::move(events)) {}

Terminals::~Terminals() {
  abandon_all();
}

std::optional<std::string> Terminals::problem() const {
  if (!deps_.allowed) {
    return "Terminals are switched off: `terminal = false` in the configuration.";
  }
  if (deps_.launcher == nullptr) return "There are no terminals here.";
  return std::nullopt;
}

std::vector<Terminal> Terminals::list(const std::optional<SessionId>& session) const {
  std::vector<Terminal> out;
  for (const Ptr& one : all_) {
    if (!session || one->description().session_id == *session) out.push_back(one->description());
  }
  return out;
}

Result<Terminals::Ptr> Terminals::find(const TerminalId& terminal) const {
  for (const Ptr& one : all_) {
    if (one->description().terminal_id == terminal) return one;
  }
  return fail(ErrorCode::NotFound, "There is no such terminal.");
}

Result<void> Terminals::room_for(const SessionId& session) const {
  const auto running = [](const Ptr& one) { return one->running(); };
  const auto of_session = [&](const Ptr& one) {
    return one->running() && one->description().session_id == session;
  };
  if (std::ranges::count_if(all_, of_session) >=
      static_cast<std::ptrdiff_t>(limits::kTerminalsPerSessionMax)) {
    return fail(ErrorCode::Busy, fmt::format("This session has {} terminals. Close one first.",
                                             limits::kTerminalsPerSessionMax));
  }
  if (std::ranges::count_if(all_, running) >= static_cast<std::ptrdiff_t>(limits::kTerminalsMax)) {
    return fail(ErrorCode::Busy,
                fmt::format("There are {} terminals. Close one first.", limits::kTerminalsMax));
  }
  return {};
}

std::string Terminals::free_name(const SessionId& session) const {
  for (int number = 1;; ++number) {
    std::string name = fmt::format("Terminal {}", number);
    const bool taken = std::ranges::any_of(all_, [&](const Ptr& one) {
      return one->description().session_id == session && one->description().name == name;
    });
    if (!taken) return name;
  }
}

Result<Terminal> Terminals::create(const Place& place, const TerminalCreateRequest& request) {
  if (auto why = problem()) return fail(ErrorCode::NotSupported, std::move(*why));
  if (request.name) {
    if (auto proper = check_terminal_name(*request.name); !proper) {
      return std::unexpected(std::move(proper.error()));
    }
  }
  Terminal made;
  made.cols = request.cols.value_or(PtySize{}.cols);
  made.rows = request.rows.value_or(PtySize{}.rows);
  if (auto proper = LiveTerminal::check_size(made.cols, made.rows); !proper) {
    return std::unexpected(std::move(proper.error()));
  }
  if (auto room = room_for(place.session); !room) return std::unexpected(std::move(room.error()));
  made.terminal_id = TerminalId(make_uuid());
  made.session_id = place.session;
  made.name = request.name.value_or(free_name(place.session));
  made.folder = place.folder;
  made.confined = place.confined;
  made.created_at = deps_.clock.wall();

  LaunchOptions options;
  options.argv = {shell_of_the_user()};
  options.cwd = place.folder;
  options.env = shell_environment(place.env);
  options.confined = place.confined;
  options.owner = std::make_shared<ProcessOwner>(place.session, made.terminal_id);
  auto process = deps_.launcher->launch_in_terminal(
      std::move(options),
      {static_cast<unsigned short>(made.cols), static_cast<unsigned short>(made.rows)});
  if (!process) return std::unexpected(std::move(process.error()));
  const auto live = std::make_shared<LiveTerminal>(
      deps_.io, made, std::move(*process), [this](const Terminal& terminal) { changed(terminal); });
  all_.push_back(live);
  live->start();
  count();
  events_.changed(made);
  return made;
}

void Terminals::changed(const Terminal& terminal) {
  events_.changed(terminal);
  if (terminal.state == TerminalState::Running) return;
  forget_oldest_ended();
  count();
}

void Terminals::forget_oldest_ended() {
  std::map<SessionId, std::size_t> of_session;
  std::size_t in_all = 0;
  std::vector<Ptr> leaving;
  for (auto one = all_.rbegin(); one != all_.rend(); ++one) {
    if ((*one)->running()) continue;
    const bool kept = ++of_session[(*one)->description().session_id] <= limits::kEndedTerminalsKept;
    if (!kept || ++in_all > limits::kTerminalsMax) leaving.push_back(*one);
  }
  for (const Ptr& one : leaving) {
    std::erase(all_, one);
    one->close();
    events_.removed({one->description().terminal_id, one->description().session_id});
  }
}

void Terminals::count() const {
  static Gauge& running = gauge("lb_terminals", "Shells that run.");
  running.set(std::ranges::count_if(all_, [](const Ptr& one) { return one->running(); }));
}

Result<Terminal> Terminals::rename(const TerminalRenameRequest& request) {
  auto found = find(request.terminal_id);
  if (!found) return std::unexpected(std::move(found.error()));
  if (auto proper = check_terminal_name(request.name); !proper) {
    return std::unexpected(std::move(proper.error()));
  }
  (*found)->rename(request.name);
  return (*found)->description();
}

asio::awaitable<Result<Terminal>> Terminals::close(TerminalId terminal) {
  auto found = find(terminal);
  if (!found) co_return std::unexpected(std::move(found.error()));
  const Ptr live = *found;
  std::erase(all_, live);
  live->close();
  count();
  Terminal description = live->description();
  events_.removed({description.terminal_id, description.session_id});
  co_await live->ended();
  co_return description;
}

asio::awaitable<std::vector<Terminal>> Terminals::close_all_of(SessionId session) {
  std::vector<Terminal> closed = list(session);
  std::vector<Ptr> closing;
  for (const Ptr& one : all_) {
    if (one->description().session_id == session) closing.push_back(one);
  }
  for (const Ptr& one : closing) {
    std::erase(all_, one);
    one->close();
    events_.removed({one->description().terminal_id, session});
  }
  count();
  for (const Ptr& one : closing) co_await one->ended();
  co_return closed;
}

Result<std::unique_ptr<TerminalReader>> Terminals::open(const TerminalSocketRequest& request) {
  auto found = find(request.terminal_id);
  if (!found) return std::unexpected(std::move(found.error()));
  if ((*found)->readers() >= limits::kTerminalSocketsMax) {
    return fail(ErrorCode::Busy, fmt::format("{} windows look at this terminal. Close one first.",
                                             limits::kTerminalSocketsMax));
  }
  return std::make_unique<TerminalReader>(std::move(*found), request.since);
}

std::vector<Terminals::Ptr> Terminals::abandon_all() {
  std::vector<Ptr> leaving = std::exchange(all_, {});
  for (const Ptr& one : leaving) one->abandon();
  count();
  return leaving;
}

asio::awaitable<void> Terminals::stop() {
  for (const Ptr& one : abandon_all()) co_await one->ended();
}

}  // namespace lb
