/// What the user chose for every browser: kept by the server, told to every connection.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.h"

namespace lb {

/// Which key sends a message. With CtrlEnter, Enter begins a line.
enum class SendKey { Enter, CtrlEnter };
template <>
struct EnumNames<SendKey> {
  static constexpr std::array<std::string_view, 2> names = {"enter", "ctrl-enter"};
};

/// How a new session begins, unless the user says otherwise. What is left out is the agent's to
/// decide.
struct SessionDefaults {
  static constexpr std::string_view kName = "SessionDefaults";
  std::optional<ProjectId> project_id;  // Left out: in every project that has none of its own.
  std::optional<std::string> cli_type;
  std::optional<std::string> mode;
  std::optional<std::string> model;
  std::optional<std::string> thinking;
  friend bool operator==(const SessionDefaults&, const SessionDefaults&) = default;
};
template <class Fields>
void describe(Fields& field, SessionDefaults& defaults) {
  field.optional("projectId", defaults.project_id);
  field.optional("cliType", defaults.cli_type);
  field.optional("mode", defaults.mode);
  field.optional("model", defaults.model);
  field.optional("thinking", defaults.thinking);
}

struct Settings {
  static constexpr std::string_view kName = "Settings";
  SendKey send_key = SendKey::Enter;
  std::vector<SessionDefaults> defaults;  // At most one for each project.
  friend bool operator==(const Settings&, const Settings&) = default;
};
template <class Fields>
void describe(Fields& field, Settings& settings) {
  field("sendKey", settings.send_key);
  field("defaults", settings.defaults);
}

}  // namespace lb
