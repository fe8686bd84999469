#include "providers/acp/codex_sessions.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/files.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "providers/acp/protocol.h"

namespace lb::acp {
namespace {

namespace fs = std::filesystem;

std::string title_from(std::string_view prompt) {
  const std::size_t begin = prompt.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  prompt.remove_prefix(begin);
  return std::string(utf8_prefix(prompt.substr(0, prompt.find('\n')), limits::kTitleBytesMax));
}

/// The text of a user's message in a line, if the line is one.
std::string user_text(std::string_view type, const json::object& payload) {
  if (type == "event_msg" && string_at(payload, "type") == "user_message") {
    return std::string(string_at(payload, "message"));
  }
  if (type != "response_item" || string_at(payload, "role") != "user") return {};
  const json::array* content = array_at(payload, "content");
  if (content == nullptr) return {};
  for (const json::value& block : *content) {
    if (!block.is_object()) continue;
    const std::string_view text = string_at(block.get_object(), "text");
    if (!text.empty() && !is_injected(text)) return std::string(text);
  }
  return {};
}

Timestamp modified_at(const fs::directory_entry& entry) {
  std::error_code why;
  const auto time = std::chrono::file_clock::to_sys(entry.last_write_time(why));
  if (why) return {};
  return {std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count()};
}

std::string canonical(const std::string& path) {
  std::error_code why;
  const fs::path real = fs::canonical(path, why);
  return why ? path : real.string();
}

}  // namespace

std::string codex_home(const Environment& environment) {
  const std::string_view chosen = variable(environment, "CODEX_HOME");
  if (!chosen.empty()) return std::string(chosen);
  return std::string(variable(environment, "HOME")) + "/.codex";
}

std::int64_t codex_changed_at(const std::string& home) {
  fs::path folder = fs::path(home) / "sessions";
  std::int64_t newest = changed_at(folder);
  for (int below = 0; below < 3; ++below) {  // The last year, its last month, its last day.
    std::error_code why;
    fs::path last;
    for (const auto& entry : fs::directory_iterator(folder, why)) {
      if (entry.is_directory(why) && entry.path() > last) last = entry.path();
    }
    if (last.empty()) break;
    folder = last;
    newest = std::max(newest, changed_at(folder));
  }
  return newest;
}

CodexSessions::Known CodexSessions::read(const std::string& path) {
  Known known;
  std::ifstream file(path, std::ios::binary);
  std::size_t bytes = 0;
  for (std::string line; bytes < limits::kDiscoverBytesMax && std::getline(file, line);) {
    bytes += line.size();
    const auto value = parse_json(line);
    if (!value || !value->is_object()) continue;
    const json::object& entry = value->get_object();
    const json::object* payload = object_at(entry, "payload");
    if (payload == nullptr) continue;
    const std::string_view type = string_at(entry, "type");
    if (type == "session_meta") {
      // A subagent's own session is part of another one, not something a user began.
      const json::value* source = payload->if_contains("source");
      if (source != nullptr && source->is_object()) return {};
      known.cli_session_id = string_at(*payload, "id");
      known.cwd = canonical(std::string(string_at(*payload, "cwd")));
      known.created_at = from_iso(string_at(*payload, "timestamp")).value_or(Timestamp{});
    } else if (known.title = title_from(user_text(type, *payload)); !known.title.empty()) {
      break;
    }
  }
  return known;
}

std::vector<DiscoveredSession> CodexSessions::find(const std::string& project_dir) {
  const std::scoped_lock lock(mutex_);
  const std::string project = canonical(project_dir);
  std::vector<DiscoveredSession> found;
  std::error_code why;
  const auto skip = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(fs::path(home_) / "sessions", skip, why), end;
       !why && at != end; at.increment(why)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with("rollout-") || !name.ends_with(".jsonl")) continue;
    Known& known = known_[at->path().string()];
    if (known.title.empty()) known = read(at->path().string());
    if (known.cli_session_id.empty() || known.cwd != project || known.title.empty()) continue;
    const Timestamp modified = modified_at(*at);
    found.push_back({known.cli_session_id, known.title,
                     known.created_at.ms != 0 ? known.created_at : modified, modified});
  }
  std::ranges::sort(found, std::greater(), &DiscoveredSession::last_active_at);
  if (found.size() > limits::kDiscoverSessionsMax) found.resize(limits::kDiscoverSessionsMax);
  return found;
}

}  // namespace lb::acp
