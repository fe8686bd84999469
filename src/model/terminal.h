/// Terminals beside the conversations, and the ports that programs listen on.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.h"
#include "base/id.h"
#include "base/time.h"

namespace lb {

/// ended: its shell is gone; what it said can still be read.
enum class TerminalState { Running, Ended };
template <>
struct EnumNames<TerminalState> {
  static constexpr std::array<std::string_view, 2> names = {"running", "ended"};
};

/// A shell in the folder of a session.
struct Terminal {
  static constexpr std::string_view kName = "Terminal";
  TerminalId terminal_id;
  SessionId session_id;
  std::string name;
  std::string folder;
  std::uint64_t cols = 0;
  std::uint64_t rows = 0;
  TerminalState state = TerminalState::Running;
  std::optional<std::string> ended = {};  // How: `exited with code 1`.
  bool confined = false;                  // Behind the walls of its session.
  Timestamp created_at;
  friend bool operator==(const Terminal&, const Terminal&) = default;
};
template <class Fields>
void describe(Fields& field, Terminal& value) {
  field("terminalId", value.terminal_id);
  field("sessionId", value.session_id);
  field("name", value.name);
  field("folder", value.folder);
  field("cols", value.cols);
  field("rows", value.rows);
  field("state", value.state);
  field.optional("ended", value.ended);
  field.flag("confined", value.confined);
  field("createdAt", value.created_at);
}

struct TerminalsBody {
  static constexpr std::string_view kName = "TerminalsBody";
  bool available = false;
  std::optional<std::string> problem = {};  // Why there are none: `terminal = false`.
  std::vector<Terminal> terminals;          // Oldest first.
  friend bool operator==(const TerminalsBody&, const TerminalsBody&) = default;
};
template <class Fields>
void describe(Fields& field, TerminalsBody& value) {
  field("available", value.available);
  field.optional("problem", value.problem);
  field("terminals", value.terminals);
}

struct TerminalMessage {
  static constexpr std::string_view kName = "TerminalMessage";
  static constexpr std::string_view kType = "terminal:upsert";
  Terminal terminal;
  friend bool operator==(const TerminalMessage&, const TerminalMessage&) = default;
};
template <class Fields>
void describe(Fields& field, TerminalMessage& message) {
  field("terminal", message.terminal);
}

struct TerminalRemovedMessage {
  static constexpr std::string_view kName = "TerminalRemovedMessage";
  static constexpr std::string_view kType = "terminal:removed";
  TerminalId terminal_id;
  SessionId session_id;
  friend bool operator==(const TerminalRemovedMessage&, const TerminalRemovedMessage&) = default;
};
template <class Fields>
void describe(Fields& field, TerminalRemovedMessage& message) {
  field("terminalId", message.terminal_id);
  field("sessionId", message.session_id);
}

/// A socket that waits for connections.
struct ListeningPort {
  static constexpr std::string_view kName = "ListeningPort";
  std::uint64_t port = 0;
  std::string address;  // `127.0.0.1`, `::`.
  std::uint64_t pid = 0;
  std::string program;                         // Its name, as the system has it.
  std::optional<SessionId> session_id = {};    // Whose agent started it,
  std::optional<TerminalId> terminal_id = {};  // in which terminal,
  std::optional<std::string> cli_type = {};    // or the agent, where sessions share its process.
  friend bool operator==(const ListeningPort&, const ListeningPort&) = default;
};
template <class Fields>
void describe(Fields& field, ListeningPort& value) {
  field("port", value.port);
  field("address", value.address);
  field("pid", value.pid);
  field("program", value.program);
  field.optional("sessionId", value.session_id);
  field.optional("terminalId", value.terminal_id);
  field.optional("cliType", value.cli_type);
}

struct PortsBody {
  static constexpr std::string_view kName = "PortsBody";
  std::vector<ListeningPort> ports;  // By number.
  friend bool operator==(const PortsBody&, const PortsBody&) = default;
};
template <class Fields>
void describe(Fields& field, PortsBody& value) {
  field("ports", value.ports);
}

struct TerminalListRequest {
  static constexpr std::string_view kName = "TerminalListRequest";
  std::optional<SessionId> session_id = {};  // Absent: of all.
};
template <class Fields>
void describe(Fields& field, TerminalListRequest& request) {
  field.optional("sessionId", request.session_id);
}

struct TerminalCreateRequest {
  static constexpr std::string_view kName = "TerminalCreateRequest";
  SessionId session_id;
  std::optional<std::string> name = {};
  std::optional<std::uint64_t> cols = {};
  std::optional<std::uint64_t> rows = {};
};
template <class Fields>
void describe(Fields& field, TerminalCreateRequest& request) {
  field("sessionId", request.session_id);
  field.optional("name", request.name);
  field.optional("cols", request.cols);
  field.optional("rows", request.rows);
}

struct TerminalRenameRequest {
  static constexpr std::string_view kName = "TerminalRenameRequest";
  TerminalId terminal_id;
  std::string name;
};
template <class Fields>
void describe(Fields& field, TerminalRenameRequest& request) {
  field("terminalId", request.terminal_id);
  field("name", request.name);
}

struct TerminalCloseRequest {
  static constexpr std::string_view kName = "TerminalCloseRequest";
  TerminalId terminal_id;
};
template <class Fields>
void describe(Fields& field, TerminalCloseRequest& request) {
  field("terminalId", request.terminal_id);
}

struct TerminalSocketRequest {
  static constexpr std::string_view kName = "TerminalSocketRequest";
  TerminalId terminal_id;
  std::optional<std::uint64_t> since = {};  // The offset behind the last byte that was received.
};
template <class Fields>
void describe(Fields& field, TerminalSocketRequest& request) {
  field("terminalId", request.terminal_id);
  field.optional("since", request.since);
}

struct PortsRequest {
  static constexpr std::string_view kName = "PortsRequest";
  std::optional<SessionId> session_id = {};  // Absent: of all.
};
template <class Fields>
void describe(Fields& field, PortsRequest& request) {
  field.optional("sessionId", request.session_id);
}

}  // namespace lb
