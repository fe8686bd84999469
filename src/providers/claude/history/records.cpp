#include "providers/claude/history/records.h"

#include <fmt/format.h>

#include <cstdlib>

#include "base/utf8.h"
#include "providers/claude/process/launch.h"
#include "providers/claude/protocol.h"

namespace lb::claude {

namespace fs = std::filesystem;

namespace {

/// Longer slugs are cut here and get a hash, which only the CLI knows how to make.
constexpr std::size_t kSlugMax = 200;
constexpr std::size_t kTitleMax = 50;
constexpr std::size_t kTitleCutMin = 20;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.remove_suffix(1);
  return text;
}

bool has_tool_result(const json::object& record) {
  const json::array* blocks = content_of(record);
  if (blocks == nullptr) return false;
  for (const json::value& block : *blocks) {
    if (block.is_object() && string_at(block.get_object(), "type") == "tool_result") return true;
  }
  return false;
}

LineKind kind_of_user(const json::object& record) {
  if (has_tool_result(record)) return LineKind::ToolResult;
  if (bool_at(record, "isMeta") || bool_at(record, "isCompactSummary") ||
      bool_at(record, "isVisibleInTranscriptOnly") || bool_at(record, "isSynthetic")) {
    return LineKind::Other;
  }
  const std::string text = text_of(record);
  if (text.starts_with(kInterruptedPrefix)) return LineKind::Interrupt;
  if (text.starts_with("<local-command-stdout>") || text.starts_with("<local-command-stderr>")) {
    return LineKind::Output;
  }
  if (text.starts_with("<local-command-caveat>")) return LineKind::Other;
  const json::object* origin = object_at(record, "origin");
  if ((origin != nullptr && string_at(*origin, "kind") == "task-notification") ||
      text.starts_with("<task-notification>")) {
    return LineKind::TaskNote;
  }
  if (tagged(text, "command-name")) return LineKind::Command;
  return text.empty() ? LineKind::Other : LineKind::Prompt;
}

LineKind kind_of_system(const json::object& record) {
  const std::string_view subtype = string_at(record, "subtype");
  if (subtype == "compact_boundary") return LineKind::Boundary;
  if (subtype == "api_error" || subtype == "informational") return LineKind::Note;
  if (subtype != "local_command") return LineKind::Other;
  const std::string_view content = string_at(record, "content");
  if (content.starts_with('/') || tagged(content, "command-name")) return LineKind::Command;
  return content.starts_with("<local-command-std") ? LineKind::Output : LineKind::Other;
}

}  // namespace

fs::path config_dir(const Environment& environment) {
  const std::string_view chosen = variable(environment, "CLAUDE_CONFIG_DIR");
  if (!chosen.empty()) return fs::path(chosen);
  return fs::path(variable(environment, "HOME")) / ".claude";
}

std::string slug_of(std::string_view directory) {
  std::string slug;
  for (std::size_t at = 0; at < directory.size();) {
    const CodePoint point = decode_utf8(directory, at);
    at += point.bytes;
    const bool plain = point.value < 0x80 && std::isalnum(static_cast<int>(point.value)) != 0;
    if (plain) {
      slug += static_cast<char>(point.value);
    } else {
      slug.append(point.value > 0xFFFF ? 2 : 1, '-');
    }
  }
  return slug;
}

std::vector<fs::path> project_folders(const fs::path& config, const std::string& directory) {
  std::error_code why;
  fs::path real = fs::canonical(directory, why);
  if (why) real = directory;
  const std::string slug = slug_of(real.string());
  if (slug.size() <= kSlugMax) return {config / "projects" / slug};
  std::vector<fs::path> folders;
  const std::string prefix = slug.substr(0, kSlugMax) + "-";
  for (const auto& folder : fs::directory_iterator(config / "projects", why)) {
    if (folder.path().filename().string().starts_with(prefix)) folders.push_back(folder.path());
  }
  return folders;
}

LineKind kind_of(const json::object& record) {
  const std::string_view type = string_at(record, "type");
  if (type == "assistant") return LineKind::Assistant;
  if (type == "user") return kind_of_user(record);
  if (type == "system") return kind_of_system(record);
  if (type == "attachment") {
    const json::object* attachment = object_at(record, "attachment");
    const bool queued = attachment != nullptr &&
                        string_at(*attachment, "type") == "queued_command" &&
                        string_at(*attachment, "commandMode") != "task-notification";
    return queued ? LineKind::QueuedPrompt : LineKind::Other;
  }
  return LineKind::Other;
}

std::string words_of(const json::object& record, LineKind kind) {
  if (kind == LineKind::QueuedPrompt) {
    const json::object* attachment = object_at(record, "attachment");
    const json::value* prompt = attachment->if_contains("prompt");
    if (prompt == nullptr) return {};
    // A string, or blocks as in a message.
    return text_of({{"message", {{"content", *prompt}}}});
  }
  std::string text = text_of(record);
  if (text.empty()) text = string_at(record, "content");
  if (kind == LineKind::Output) {
    auto printed = tagged(text, "local-command-stdout");
    if (!printed) printed = tagged(text, "local-command-stderr");
    return printed ? std::string(*printed) : std::string();
  }
  if (kind != LineKind::Command) return text;
  const auto name = tagged(text, "command-name");
  if (!name) return std::string(trimmed(text));
  const auto arguments = tagged(text, "command-args");
  std::string typed(trimmed(*name));
  if (arguments && !trimmed(*arguments).empty()) {
    typed += fmt::format(" {}", trimmed(*arguments));
  }
  return typed;
}

std::optional<Timestamp> time_of(const json::object& record) {
  return from_iso(string_at(record, "timestamp"));
}

std::string title_from(std::string_view prompt) {
  std::string folded;
  bool space = false;
  for (const char c : prompt.substr(0, 4000)) {
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      space = !folded.empty();
      continue;
    }
    if (std::exchange(space, false)) folded += ' ';
    folded += c;
  }
  repair_utf8(folded);
  // Characters as a reader counts them, not bytes.
  std::size_t bytes = 0;
  std::size_t count = 0;
  std::size_t last_space = 0;
  while (bytes < folded.size() && count < kTitleMax) {
    if (folded[bytes] == ' ' && count > kTitleCutMin) last_space = bytes;
    bytes += decode_utf8(folded, bytes).bytes;
    ++count;
  }
  if (bytes >= folded.size()) return folded;
  return folded.substr(0, last_space > 0 ? last_space : bytes) + "...";
}

}  // namespace lb::claude
