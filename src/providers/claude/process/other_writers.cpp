#include "providers/claude/process/other_writers.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <fstream>

#include "base/limits.h"

namespace lb::claude {

namespace fs = std::filesystem;

FileMark mark_of(const fs::path& path) {
  FileMark mark{path, 0, {}};
  struct stat info{};
  if (path.empty() || ::stat(path.c_str(), &info) != 0) return mark;
  mark.size = static_cast<std::uint64_t>(info.st_size);
  mark.modified.ms =
      static_cast<std::int64_t>(info.st_mtim.tv_sec) * 1000 + info.st_mtim.tv_nsec / 1'000'000;
  return mark;
}

fs::path find_session_file(const fs::path& config_dir, std::string_view cli_session_id) {
  // The id goes into a path: only what the CLI itself would use.
  if (cli_session_id.empty() || cli_session_id.find('/') != std::string_view::npos ||
      cli_session_id.starts_with('.')) {
    return {};
  }
  std::error_code why;
  const std::string name = std::string(cli_session_id) + ".jsonl";
  for (const auto& folder : fs::directory_iterator(config_dir / "projects", why)) {
    const fs::path candidate = folder.path() / name;
    if (fs::is_regular_file(candidate, why)) return candidate;
  }
  return {};
}

namespace {

std::string first_argument(const fs::path& process) {
  std::ifstream file(process / "cmdline", std::ios::binary);
  std::string argument;
  std::getline(file, argument, '\0');
  return argument;
}

/// The parent of a process, from the field behind its name, which may hold anything.
std::optional<pid_t> parent_of(const fs::path& process) {
  std::ifstream file(process / "stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string::npos || name_end + 4 >= text.size()) return std::nullopt;
  pid_t parent = 0;
  const auto read = std::from_chars(text.data() + name_end + 4, text.data() + text.size(), parent);
  return read.ec == std::errc() ? std::optional(parent) : std::nullopt;
}

bool descends_from_us(fs::path process) {
  for (int depth = 0; depth < 64; ++depth) {
    const auto parent = parent_of(process);
    if (!parent || *parent <= 1) return false;
    if (*parent == ::getpid()) return true;
    process = fs::path("/proc") / std::to_string(*parent);
  }
  return false;
}

}  // namespace

bool runs_elsewhere(std::string_view program, const fs::path& directory) {
  const std::string name = fs::path(program).filename().string();
  std::error_code why;
  for (const auto& process : fs::directory_iterator("/proc", why)) {
    const std::string pid = process.path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    // Only what we may look at: the links of other users' processes cannot be read.
    const fs::path cwd = fs::read_symlink(process.path() / "cwd", why);
    if (why || cwd != directory) continue;
    if (!fs::path(first_argument(process.path())).filename().string().starts_with(name)) continue;
    if (!descends_from_us(process.path())) return true;
  }
  return false;
}

Result<void> OtherWriters::may_resume(const FileMark& now, Timestamp wall, bool elsewhere) {
  const auto age_ms = wall.ms - now.modified.ms;
  const auto recent_ms = std::chrono::milliseconds(limits::kClaudeOtherWriter).count();
  const bool ours = known_ ? *known_ == now : !elsewhere;
  if (now.size == 0 || ours || age_ms > recent_ms || warned_ == now) {
    warned_.reset();
    return {};
  }
  warned_ = now;
  return fail(ErrorCode::Busy,
              fmt::format("This session was changed {} s ago by another program, perhaps in a "
                          "terminal. Two programs in one session destroy it: end it there first. "
                          "To take it over anyway, do this again.",
                          std::max<std::int64_t>(age_ms / 1000, 0)));
}

}  // namespace lb::claude
