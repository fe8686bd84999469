/// Log: one line per event on stderr, as text for people or JSON for machines.
///
///     log_info("listening", {{"host", host}, {"port", port}});
///
/// An event has a fixed name and fields; values are data of strangers, so every control character
/// (also C1 and the ones that reorder text) is escaped and nothing can fake a second line or drive
/// a terminal. Secrets are never given to it. One write(2) per line; safe from any thread.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace lb {

enum class LogLevel { Debug, Info, Warn, Error, Off };
enum class LogFormat { Text, Json };

struct LogField {
  std::string_view name;
  std::string value;
  bool number = false;

  LogField(std::string_view field, std::string text) : name(field), value(std::move(text)) {}
  LogField(std::string_view field, std::string_view text) : name(field), value(text) {}
  LogField(std::string_view field, const char* text) : name(field), value(text) {}
  LogField(std::string_view field, std::integral auto n)
      : name(field), value(std::to_string(n)), number(true) {}
};

/// Set once at start, before there are threads.
void set_log(LogLevel level, LogFormat format);
[[nodiscard]] bool log_enabled(LogLevel level);

void log_event(LogLevel level, std::string_view event, std::initializer_list<LogField> fields);

inline void log_debug(std::string_view event, std::initializer_list<LogField> fields = {}) {
  log_event(LogLevel::Debug, event, fields);
}
inline void log_info(std::string_view event, std::initializer_list<LogField> fields = {}) {
  log_event(LogLevel::Info, event, fields);
}
inline void log_warn(std::string_view event, std::initializer_list<LogField> fields = {}) {
  log_event(LogLevel::Warn, event, fields);
}
inline void log_error(std::string_view event, std::initializer_list<LogField> fields = {}) {
  log_event(LogLevel::Error, event, fields);
}

/// The line an event becomes, with its line end.
std::string log_line(LogFormat format, LogLevel level, std::string_view event,
                     std::initializer_list<LogField> fields);

}  // namespace lb
