#include "base/log.h"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

#include "base/clock.h"
#include "base/time.h"
#include "base/utf8.h"

namespace lb {
namespace {

LogLevel g_level = LogLevel::Off;  // A program says what it wants; a test wants silence.
LogFormat g_format = LogFormat::Text;

constexpr std::array<std::string_view, 4> kLevels = {"debug", "info", "warn", "error"};

/// Anything a terminal or a log reader might act upon instead of showing it.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x2028 && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

void append_safe(std::string& out, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (!point.valid) {
      out += "\\ufffd";
    } else if (point.value == '"' || point.value == '\\') {
      out += '\\';
      out += static_cast<char>(point.value);
    } else if (is_control(point.value)) {
      std::array<char, 8> hex{};
      std::snprintf(hex.data(), hex.size(), "\\u%04x", static_cast<unsigned>(point.value));
      out += hex.data();
    } else {
      out += text.substr(at, point.bytes);
    }
    at += point.bytes;
  }
}

bool is_plain(std::string_view text) {
  if (text.empty()) return false;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       std::string_view("-_.:/@+[]").contains(c);
    if (!plain) return false;
  }
  return true;
}

void append_value(std::string& out, const LogField& field, bool always_quote) {
  if (field.number || (!always_quote && is_plain(field.value))) {
    out += field.value;
    return;
  }
  out += '"';
  append_safe(out, field.value);
  out += '"';
}

}  // namespace

void set_log(LogLevel level, LogFormat format) {
  g_level = level;
  g_format = format;
}

bool log_enabled(LogLevel level) {
  return level >= g_level;
}

std::string log_line(LogFormat format, LogLevel level, std::string_view event,
                     std::initializer_list<LogField> fields) {
  const std::string_view name = kLevels.at(static_cast<std::size_t>(level));
  const std::string time = to_iso(SystemClock().wall());
  std::string line;
  if (format == LogFormat::Text) {
    line.append(time).append(" ").append(name).append(" ");
    append_safe(line, event);
    for (const LogField& field : fields) {
      line.append(" ").append(field.name).append("=");
      append_value(line, field, false);
    }
  } else {
    line.append(R"({"time":")").append(time).append(R"(","level":")").append(name);
    line.append(R"(","event":")");
    append_safe(line, event);
    line += '"';
    for (const LogField& field : fields) {
      line.append(",\"").append(field.name).append("\":");
      append_value(line, field, true);
    }
    line += '}';
  }
  line += '\n';
  return line;
}

void log_event(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (!log_enabled(level)) return;
  const std::string line = log_line(g_format, level, event, fields);
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t wrote = ::write(STDERR_FILENO, rest.data(), rest.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return;  // Nobody listens; a log must never stop the program.
    rest.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

}  // namespace lb
