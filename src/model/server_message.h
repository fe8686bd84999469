/// What the server says on the WebSocket (and, the session part, over SSE).
///
/// session:upsert, session:turn and session:append leave as frames that the timeline encoded once
/// for all readers; their structs here say the same in words, for clients, TypeScript and tests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/codec.h"
#include "model/audit.h"
#include "model/item.h"
#include "model/review.h"
#include "model/session.h"
#include "model/settings.h"
#include "model/terminal.h"
#include "model/turn.h"

namespace lb {

/// Raised when a page of the former version can no longer talk to us: it then loads itself anew.
inline constexpr std::uint64_t kWireVersion = 2;

/// What the server takes at most: a client that knows says so before it sends.
struct Limits {
  static constexpr std::string_view kName = "Limits";
  std::uint64_t message_bytes = 0;  // A WebSocket message, or the JSON body of a request.
  std::uint64_t prompt_bytes = 0;   // The content of a prompt, in UTF-8.
  std::uint64_t image_bytes = 0;    // An attached image.
  std::uint64_t text_bytes = 0;     // An attached text, in UTF-8.
  friend bool operator==(const Limits&, const Limits&) = default;
};
template <class Fields>
void describe(Fields& field, Limits& limits) {
  field("messageBytes", limits.message_bytes);
  field("promptBytes", limits.prompt_bytes);
  field("imageBytes", limits.image_bytes);
  field("textBytes", limits.text_bytes);
}

struct HelloMessage {
  static constexpr std::string_view kName = "HelloMessage";
  static constexpr std::string_view kType = "hello";
  std::string version;
  std::uint64_t wire_version = kWireVersion;
  std::string epoch;
  std::optional<Limits> limits;
  friend bool operator==(const HelloMessage&, const HelloMessage&) = default;
};
template <class Fields>
void describe(Fields& field, HelloMessage& message) {
  field("version", message.version);
  field("wireVersion", message.wire_version);
  field("epoch", message.epoch);
  field.optional("limits", message.limits);
}

struct ProjectListMessage {
  static constexpr std::string_view kName = "ProjectListMessage";
  static constexpr std::string_view kType = "project:list";
  std::vector<Project> projects;
  friend bool operator==(const ProjectListMessage&, const ProjectListMessage&) = default;
};
template <class Fields>
void describe(Fields& field, ProjectListMessage& message) {
  field("projects", message.projects);
}

struct ProjectAddedMessage {
  static constexpr std::string_view kName = "ProjectAddedMessage";
  static constexpr std::string_view kType = "project:added";
  Project project;
  friend bool operator==(const ProjectAddedMessage&, const ProjectAddedMessage&) = default;
};
template <class Fields>
void describe(Fields& field, ProjectAddedMessage& message) {
  field("project", message.project);
}

struct ProjectRemovedMessage {
  static constexpr std::string_view kName = "ProjectRemovedMessage";
  static constexpr std::string_view kType = "project:removed";
  ProjectId project_id;
  friend bool operator==(const ProjectRemovedMessage&, const ProjectRemovedMessage&) = default;
};
template <class Fields>
void describe(Fields& field, ProjectRemovedMessage& message) {
  field("projectId", message.project_id);
}

struct SessionListMessage {
  static constexpr std::string_view kName = "SessionListMessage";
  static constexpr std::string_view kType = "session:list";
  ProjectId project_id;
  std::vector<SessionInfo> sessions;
  friend bool operator==(const SessionListMessage&, const SessionListMessage&) = default;
};
template <class Fields>
void describe(Fields& field, SessionListMessage& message) {
  field("projectId", message.project_id);
  field("sessions", message.sessions);
}

struct SessionCreatedMessage {
  static constexpr std::string_view kName = "SessionCreatedMessage";
  static constexpr std::string_view kType = "session:created";
  SessionId session_id;
  ProjectId project_id;
  std::string cli_type;
  bool confined = false;
  std::optional<WorkspaceId> workspace_id = {};
  friend bool operator==(const SessionCreatedMessage&, const SessionCreatedMessage&) = default;
};
template <class Fields>
void describe(Fields& field, SessionCreatedMessage& message) {
  field("sessionId", message.session_id);
  field("projectId", message.project_id);
  field("cliType", message.cli_type);
  field("confined", message.confined);
  field.optional("workspaceId", message.workspace_id);
}

struct SessionSentMessage {
  static constexpr std::string_view kName = "SessionSentMessage";
  static constexpr std::string_view kType = "session:sent";
  SessionId session_id;
  TurnId turn_id;
  bool queued = false;
  friend bool operator==(const SessionSentMessage&, const SessionSentMessage&) = default;
};
template <class Fields>
void describe(Fields& field, SessionSentMessage& message) {
  field("sessionId", message.session_id);
  field("turnId", message.turn_id);
  field.flag("queued", message.queued);
}

struct SessionHistoryMessage {
  static constexpr std::string_view kName = "SessionHistoryMessage";
  static constexpr std::string_view kType = "session:history";
  SessionId session_id;
  std::vector<Item> entries;
  std::vector<Turn> turns;
  std::uint64_t rev = 0;
  std::optional<std::uint64_t> before;  // Where older entries begin, when there are any.
  friend bool operator==(const SessionHistoryMessage&, const SessionHistoryMessage&) = default;
};
template <class Fields>
void describe(Fields& field, SessionHistoryMessage& message) {
  field("sessionId", message.session_id);
  field("entries", message.entries);
  field("turns", message.turns);
  field("rev", message.rev);
  field.optional("before", message.before);
}

struct SessionPageMessage {
  static constexpr std::string_view kName = "SessionPageMessage";
  static constexpr std::string_view kType = "session:page";
  SessionId session_id;
  std::vector<Item> entries;
  std::vector<Turn> turns;
  std::optional<std::uint64_t> before;
  friend bool operator==(const SessionPageMessage&, const SessionPageMessage&) = default;
};
template <class Fields>
void describe(Fields& field, SessionPageMessage& message) {
  field("sessionId", message.session_id);
  field("entries", message.entries);
  field("turns", message.turns);
  field.optional("before", message.before);
}

struct SessionUpsertMessage {
  static constexpr std::string_view kName = "SessionUpsertMessage";
  static constexpr std::string_view kType = "session:upsert";
  SessionId session_id;
  std::uint64_t rev = 0;
  Item payload;
  friend bool operator==(const SessionUpsertMessage&, const SessionUpsertMessage&) = default;
};
template <class Fields>
void describe(Fields& field, SessionUpsertMessage& message) {
  field("sessionId", message.session_id);
  field("rev", message.rev);
  field("payload", message.payload);
}

struct SessionTurnMessage {
  static constexpr std::string_view kName = "SessionTurnMessage";
  static constexpr std::string_view kType = "session:turn";
  SessionId session_id;
  std::uint64_t rev = 0;
  Turn payload;
  friend bool operator==(const SessionTurnMessage&, const SessionTurnMessage&) = default;
};
template <class Fields>
void describe(Fields& field, SessionTurnMessage& message) {
  field("sessionId", message.session_id);
  field("rev", message.rev);
  field("payload", message.payload);
}

/// Instead of a whole upsert when an item's text only grew: `from` is the length, in UTF-16 code
/// units, that the reader must already have. Applying it also makes the item's status `update`.
struct SessionAppendMessage {
  static constexpr std::string_view kName = "SessionAppendMessage";
  static constexpr std::string_view kType = "session:append";
  SessionId session_id;
  std::uint64_t rev = 0;
  ItemId item_id;
  std::string field;  // content or toolOutput
  std::uint64_t from = 0;
  std::string text;
  friend bool operator==(const SessionAppendMessage&, const SessionAppendMessage&) = default;
};
template <class Fields>
void describe(Fields& field, SessionAppendMessage& message) {
  field("sessionId", message.session_id);
  field("rev", message.rev);
  field("itemId", message.item_id);
  field("field", message.field);
  field("from", message.from);
  field("text", message.text);
}

struct SessionInfoMessage {
  static constexpr std::string_view kName = "SessionInfoMessage";
  static constexpr std::string_view kType = "session:info";
  SessionInfo info;
  friend bool operator==(const SessionInfoMessage&, const SessionInfoMessage&) = default;
};
template <class Fields>
void describe(Fields& field, SessionInfoMessage& message) {
  describe(field, message.info);
}

struct SessionFactsMessage {
  static constexpr std::string_view kName = "SessionFactsMessage";
  static constexpr std::string_view kType = "session:facts";
  SessionId session_id;
  SessionFacts facts;
  friend bool operator==(const SessionFactsMessage&, const SessionFactsMessage&) = default;
};
template <class Fields>
void describe(Fields& field, SessionFactsMessage& message) {
  field("sessionId", message.session_id);
  describe(field, message.facts);
}

/// All that waits for the user in one session, whenever that changes; nothing is left: no items.
struct SessionInboxMessage {
  static constexpr std::string_view kName = "SessionInboxMessage";
  static constexpr std::string_view kType = "session:inbox";
  SessionId session_id;
  std::string title;
  std::vector<Item> items;  // Approvals, oldest first.
  friend bool operator==(const SessionInboxMessage&, const SessionInboxMessage&) = default;
};
template <class Fields>
void describe(Fields& field, SessionInboxMessage& message) {
  field("sessionId", message.session_id);
  field("title", message.title);
  field("items", message.items);
}

struct AgentStatusMessage {
  static constexpr std::string_view kName = "AgentStatusMessage";
  static constexpr std::string_view kType = "agent:status";
  std::string cli_type;
  AgentStatus status = AgentStatus::Idle;
  std::optional<std::string> message;
  friend bool operator==(const AgentStatusMessage&, const AgentStatusMessage&) = default;
};
template <class Fields>
void describe(Fields& field, AgentStatusMessage& message) {
  field("cliType", message.cli_type);
  field("status", message.status);
  field.optional("message", message.message);
}

struct OkMessage {
  static constexpr std::string_view kName = "OkMessage";
  static constexpr std::string_view kType = "ok";
  std::optional<std::uint64_t> rev;
  friend bool operator==(const OkMessage&, const OkMessage&) = default;
};
template <class Fields>
void describe(Fields& field, OkMessage& message) {
  field.optional("rev", message.rev);
}

struct SettingsMessage {
  static constexpr std::string_view kName = "SettingsMessage";
  static constexpr std::string_view kType = "settings";
  Settings settings;
  friend bool operator==(const SettingsMessage&, const SettingsMessage&) = default;
};
template <class Fields>
void describe(Fields& field, SettingsMessage& message) {
  field("settings", message.settings);
}

struct ErrorMessage {
  static constexpr std::string_view kName = "ErrorMessage";
  static constexpr std::string_view kType = "error";
  std::string code;
  std::string message;
  std::optional<SessionId> session_id;
  std::optional<std::string> project_id = {};      // PROJECT_EXISTS: which one.
  std::optional<Inventory> inventory = {};         // CONFIRM_NEEDED: what would go,
  std::optional<std::string> inventory_hash = {};  // and what to confirm it with.
  std::vector<std::string> paths = {};             // LAND_CONFLICT, TARGET_DIRTY …: which files.
  friend bool operator==(const ErrorMessage&, const ErrorMessage&) = default;
};
template <class Fields>
void describe(Fields& field, ErrorMessage& message) {
  field("code", message.code);
  field("message", message.message);
  field.optional("sessionId", message.session_id);
  field.optional("projectId", message.project_id);
  field.optional("inventory", message.inventory);
  field.optional("inventoryHash", message.inventory_hash);
  field.optional("paths", message.paths);
}

struct ServerMessage {
  static constexpr std::string_view kName = "ServerMessage";
  std::variant<HelloMessage, ProjectListMessage, ProjectAddedMessage, ProjectRemovedMessage,
               SessionListMessage, SessionCreatedMessage, SessionSentMessage, SessionHistoryMessage,
               SessionPageMessage, SessionUpsertMessage, SessionTurnMessage, SessionAppendMessage,
               SessionInfoMessage, SessionFactsMessage, SessionInboxMessage, AgentStatusMessage,
               SettingsMessage, AuditMessage, WorkspaceMessage, CommentMessage,
               CommentRemovedMessage, TerminalMessage, TerminalRemovedMessage, OkMessage,
               ErrorMessage>
      body;
  std::optional<std::string> request_id;
  friend bool operator==(const ServerMessage&, const ServerMessage&) = default;
};
template <class Fields>
void describe(Fields& field, ServerMessage& message) {
  field.tagged("type", message.body);
  field.optional("requestId", message.request_id);
}
extern template void describe(Encoder&, ServerMessage&);  // Compiled once, in codecs.cpp.
extern template void describe(Decoder&, ServerMessage&);

}  // namespace lb
