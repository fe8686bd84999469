#include "process/agent_process.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstring>

#include "base/limits.h"
#include "process/pty.h"

extern char** environ;

namespace lb {
namespace {

/// Insists step by step until the child is gone or nobody waits for it any more.
asio::awaitable<void> insist(std::shared_ptr<AgentProcess> process,
                             std::shared_ptr<asio::steady_timer> timer) {
  timer->expires_after(limits::kStopTermAfter);
  const auto [stopped] = co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
  if (stopped || !process->alive()) co_return;
  process->terminate();
  timer->expires_after(limits::kStopKillAfter - limits::kStopTermAfter);
  const auto [gone] = co_await timer->async_wait(asio::as_tuple(asio::use_awaitable));
  if (gone || !process->alive()) co_return;
  process->kill();
}

bool is_program(const std::string& path) {
  struct stat info{};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

bool is_kept_from_children(std::string_view name) {
  return name.starts_with("LIMINAL_BUILDER_") || name == "NOTIFY_SOCKET" ||
         name == "NODE_OPTIONS" || name == "DEBUG" || name == "CLAUDECODE" ||
         name == "CLAUDE_CODE_ENTRYPOINT";
}

}  // namespace

std::string ExitStatus::text() const {
  if (signal) {
    const char* name = ::sigabbrev_np(*signal);
    return name != nullptr ? fmt::format("was killed by signal {} (SIG{})", *signal, name)
                           : fmt::format("was killed by signal {}", *signal);
  }
  if (code) return fmt::format("exited with code {}", *code);
  return "ended, and how is not known";
}

asio::awaitable<ExitStatus> stop_gracefully(std::shared_ptr<AgentProcess> process) {
  const auto executor = co_await asio::this_coro::executor;
  const auto timer = std::make_shared<asio::steady_timer>(executor);
  process->close_stdin();
  asio::co_spawn(executor, insist(process, timer), asio::detached);
  const ExitStatus status = co_await process->exited();
  timer->cancel();
  co_return status;
}

Result<std::shared_ptr<PtyProcess>> Launcher::launch_in_terminal(LaunchOptions, PtySize) {
  return fail(ErrorCode::NotSupported, "There are no terminals here.");
}

std::optional<std::string> find_program(std::string_view program, std::string_view path) {
  if (program.empty() || program.find('\0') != std::string_view::npos) return std::nullopt;
  if (program.find('/') != std::string_view::npos) {
    std::string absolute(program);
    if (program.front() != '/') {
      char* here = ::realpath(absolute.c_str(), nullptr);
      if (here == nullptr) return std::nullopt;
      absolute = here;
      ::free(here);
    }
    return is_program(absolute) ? std::optional(absolute) : std::nullopt;
  }
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string_view folder = path.substr(begin, end - begin);
    begin = end + 1;
    // An empty or relative entry means "wherever we happen to be": never the place for a program.
    if (!folder.starts_with('/')) continue;
    std::string candidate = fmt::format("{}/{}", folder, program);
    if (is_program(candidate)) return candidate;
  }
  return std::nullopt;
}

std::string_view variable(const Environment& environment, std::string_view name) {
  const auto found = std::ranges::find(environment, name, &Environment::value_type::first);
  return found == environment.end() ? std::string_view() : std::string_view(found->second);
}

Environment child_environment(const Environment& extra,
                              const std::vector<std::string>& path_prefix) {
  Environment variables;
  const auto put = [&](std::string_view name, std::string_view value) {
    for (auto& [known, old] : variables) {
      if (known == name) {
        old = value;
        return;
      }
    }
    variables.emplace_back(name, value);
  };
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    if (is_kept_from_children(text.substr(0, equals))) continue;
    put(text.substr(0, equals), text.substr(equals + 1));
  }
  for (const auto& [name, value] : extra) put(name, value);
  if (path_prefix.empty()) return variables;
  std::string path;
  for (const std::string& folder : path_prefix) path.append(folder).append(":");
  for (auto& [name, value] : variables) {
    if (name != "PATH") continue;
    path += value;
    value.clear();
  }
  if (path.ends_with(':')) path.pop_back();
  put("PATH", path);
  return variables;
}

}  // namespace lb
