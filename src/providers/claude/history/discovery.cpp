#include "providers/claude/history/discovery.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <optional>

#include "base/limits.h"
#include "base/slash_command.h"
#include "base/utf8.h"
#include "providers/claude/history/records.h"
#include "providers/claude/process/other_writers.h"

namespace lb::claude {

namespace fs = std::filesystem;

namespace {

/// What the lines of one file tell of its session.
struct Sketch {
  std::string cwd;
  std::string custom_title;
  std::string made_title;
  std::string first_prompt;
  std::optional<Timestamp> first;
  std::optional<Timestamp> last;
  bool sidechain = false;
};

void look_at(Sketch& sketch, const json::object& record) {
  const std::string_view type = string_at(record, "type");
  if (type == "custom-title") sketch.custom_title = string_at(record, "customTitle");
  if (type == "ai-title") sketch.made_title = string_at(record, "aiTitle");
  if (type == "summary") sketch.made_title = string_at(record, "summary");
  if (string_at(record, "uuid").empty()) return;
  if (sketch.cwd.empty()) sketch.cwd = string_at(record, "cwd");
  if (bool_at(record, "isSidechain")) sketch.sidechain = true;
  if (const auto time = time_of(record)) {
    if (!sketch.first || *time < *sketch.first) sketch.first = time;
    if (!sketch.last || *time > *sketch.last) sketch.last = time;
  }
  const LineKind kind = kind_of(record);
  const bool words = kind == LineKind::Prompt || kind == LineKind::Command;
  // "/model …" names a session only until something is said about the work.
  if (words && (sketch.first_prompt.empty() || is_housekeeping(sketch.first_prompt))) {
    sketch.first_prompt = words_of(record, kind);
  }
}

/// The whole lines in `size` bytes from `offset`; the first may be the end of a line.
void look_at_part(Sketch& sketch, std::ifstream& file, std::uint64_t offset, std::size_t size) {
  std::string text(size, '\0');
  file.clear();
  file.seekg(static_cast<std::streamoff>(offset));
  file.read(text.data(), static_cast<std::streamsize>(size));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  JsonReader reader;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const auto record = reader.parse(std::string_view(text).substr(at, end - at));
    if (record && (*record)->is_object()) look_at(sketch, (*record)->get_object());
    at = end + 1;
  }
}

std::optional<DiscoveredSession> sketch_of(const fs::path& path, const fs::path& directory) {
  const FileMark mark = mark_of(path);
  std::ifstream file(path, std::ios::binary);
  if (mark.size == 0 || !file) return std::nullopt;
  Sketch sketch;
  look_at_part(sketch, file, 0, std::min<std::uint64_t>(mark.size, limits::kClaudeHeadBytes));
  const bool whole = mark.size <= limits::kClaudeHeadBytes;
  const std::string first_prompt = sketch.first_prompt;
  if (!whole) {
    const std::uint64_t tail = std::min<std::uint64_t>(mark.size, limits::kClaudeTailBytes);
    look_at_part(sketch, file, mark.size - tail, tail);
  }
  if (sketch.sidechain || sketch.cwd.empty() || fs::path(sketch.cwd) != directory) {
    return std::nullopt;
  }
  if (whole && sketch.first_prompt.empty()) return std::nullopt;  // Nobody said anything yet.
  DiscoveredSession session;
  session.cli_session_id = path.stem().string();
  session.title = !sketch.custom_title.empty() ? title_from(sketch.custom_title)
                  : !sketch.made_title.empty() ? title_from(sketch.made_title)
                  : !first_prompt.empty()
                      ? title_from(first_prompt)
                      : fmt::format("Session {}", session.cli_session_id.substr(0, 8));
  session.created_at = sketch.first.value_or(mark.modified);
  session.last_active_at = sketch.last.value_or(mark.modified);
  return session;
}

}  // namespace

std::vector<DiscoveredSession> discover_sessions(const fs::path& config,
                                                 const std::string& directory) {
  std::error_code why;
  fs::path real = fs::canonical(directory, why);
  if (why) real = directory;
  std::vector<DiscoveredSession> sessions;
  for (const fs::path& folder : project_folders(config, directory)) {
    for (const auto& entry : fs::directory_iterator(folder, why)) {
      const fs::path& path = entry.path();
      // Older versions kept subagents beside the sessions.
      if (path.extension() != ".jsonl" || path.stem().string().starts_with("agent-")) continue;
      if (!entry.is_regular_file(why)) continue;
      if (auto session = sketch_of(path, real)) sessions.push_back(std::move(*session));
    }
  }
  std::ranges::sort(sessions, std::ranges::greater(), &DiscoveredSession::last_active_at);
  return sessions;
}

}  // namespace lb::claude
