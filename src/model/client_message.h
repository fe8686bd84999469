/// What a browser or a program may ask: WebSocket messages, which are also the HTTP bodies.
///
/// Each request is one struct. On the WebSocket it carries `type` and an optional `requestId`; over
/// HTTP the session or project id comes from the path and the rest is the body.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/codec.h"

namespace lb {

struct ProjectListRequest {
  static constexpr std::string_view kName = "ProjectListRequest";
  static constexpr std::string_view kType = "project:list";
  friend bool operator==(const ProjectListRequest&, const ProjectListRequest&) = default;
};
template <class Fields>
void describe(Fields&, ProjectListRequest&) {}

struct ProjectAddRequest {
  static constexpr std::string_view kName = "ProjectAddRequest";
  static constexpr std::string_view kType = "project:add";
  std::string path;
  friend bool operator==(const ProjectAddRequest&, const ProjectAddRequest&) = default;
};
template <class Fields>
void describe(Fields& field, ProjectAddRequest& request) {
  field("path", request.path);
}

struct ProjectRemoveRequest {
  static constexpr std::string_view kName = "ProjectRemoveRequest";
  static constexpr std::string_view kType = "project:remove";
  ProjectId project_id;
  friend bool operator==(const ProjectRemoveRequest&, const ProjectRemoveRequest&) = default;
};
template <class Fields>
void describe(Fields& field, ProjectRemoveRequest& request) {
  field("projectId", request.project_id);
}

enum class ListScope { Active, All };
template <>
struct EnumNames<ListScope> {
  static constexpr std::array<std::string_view, 2> names = {"active", "all"};
};

struct SessionListRequest {
  static constexpr std::string_view kName = "SessionListRequest";
  static constexpr std::string_view kType = "session:list";
  ProjectId project_id;
  std::optional<ListScope> scope;
  bool archived = false;
  friend bool operator==(const SessionListRequest&, const SessionListRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionListRequest& request) {
  field("projectId", request.project_id);
  field.optional("scope", request.scope);
  field.flag("archived", request.archived);
}

struct SessionCreateRequest {
  static constexpr std::string_view kName = "SessionCreateRequest";
  static constexpr std::string_view kType = "session:create";
  std::string cli_type;
  std::optional<std::string> project_dir;
  std::optional<ProjectId> project_id;
  std::optional<std::string> model;
  std::optional<std::string> mode;
  std::optional<std::string> thinking;
  std::optional<RawObject> provider_options;
  friend bool operator==(const SessionCreateRequest&, const SessionCreateRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionCreateRequest& request) {
  field("cliType", request.cli_type);
  field.optional("projectDir", request.project_dir);
  field.optional("projectId", request.project_id);
  field.optional("model", request.model);
  field.optional("mode", request.mode);
  field.optional("thinking", request.thinking);
  field.optional("providerOptions", request.provider_options);
  require(field, request.project_dir.has_value() || request.project_id.has_value(), "projectDir",
          "missing (or give a projectId)");
}

struct SessionOpenRequest {
  static constexpr std::string_view kName = "SessionOpenRequest";
  static constexpr std::string_view kType = "session:open";
  SessionId session_id;
  std::optional<std::uint64_t> since;
  std::optional<std::string> epoch;
  std::optional<std::uint64_t> tail;
  bool appends = false;
  friend bool operator==(const SessionOpenRequest&, const SessionOpenRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionOpenRequest& request) {
  field("sessionId", request.session_id);
  field.optional("since", request.since);
  field.optional("epoch", request.epoch);
  field.optional("tail", request.tail);
  field.flag("appends", request.appends);
}

struct SessionCloseRequest {
  static constexpr std::string_view kName = "SessionCloseRequest";
  static constexpr std::string_view kType = "session:close";
  SessionId session_id;
  friend bool operator==(const SessionCloseRequest&, const SessionCloseRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionCloseRequest& request) {
  field("sessionId", request.session_id);
}

struct SessionPageRequest {
  static constexpr std::string_view kName = "SessionPageRequest";
  static constexpr std::string_view kType = "session:page";
  SessionId session_id;
  std::uint64_t before = 0;
  std::uint64_t count = 0;
  friend bool operator==(const SessionPageRequest&, const SessionPageRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionPageRequest& request) {
  field("sessionId", request.session_id);
  field("before", request.before);
  field("count", request.count);
}

struct AttachmentRef {
  static constexpr std::string_view kName = "AttachmentRef";
  std::string attachment_id;
  std::optional<std::string> name;
  friend bool operator==(const AttachmentRef&, const AttachmentRef&) = default;
};
template <class Fields>
void describe(Fields& field, AttachmentRef& attachment) {
  field("attachmentId", attachment.attachment_id);
  field.optional("name", attachment.name);
}

struct SessionSendRequest {
  static constexpr std::string_view kName = "SessionSendRequest";
  static constexpr std::string_view kType = "session:send";
  SessionId session_id;
  std::string content;
  std::vector<AttachmentRef> attachments;
  std::optional<std::string> client_message_id;  // Over HTTP: the Idempotency-Key header.
  friend bool operator==(const SessionSendRequest&, const SessionSendRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionSendRequest& request) {
  field("sessionId", request.session_id);
  field("content", request.content);
  field.optional("attachments", request.attachments);
  field.optional("clientMessageId", request.client_message_id);
}

/// Edits (`content`), removes (`content: null`) a queued turn, or releases a held queue.
struct SessionQueueRequest {
  static constexpr std::string_view kName = "SessionQueueRequest";
  static constexpr std::string_view kType = "session:queue";
  SessionId session_id;
  std::optional<TurnId> turn_id;
  std::optional<std::string> content;
  bool resume = false;
  friend bool operator==(const SessionQueueRequest&, const SessionQueueRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionQueueRequest& request) {
  field("sessionId", request.session_id);
  field.optional("turnId", request.turn_id);
  field.nullable("content", request.content);
  field.flag("resume", request.resume);
  require(field, request.resume || request.turn_id.has_value(), "turnId",
          "missing (or give resume: true)");
  require(field, !request.turn_id || mentions(field, "content"), "content",
          "missing (null removes the message)");
}

struct SessionCancelRequest {
  static constexpr std::string_view kName = "SessionCancelRequest";
  static constexpr std::string_view kType = "session:cancel";
  SessionId session_id;
  std::optional<TurnId> turn_id;
  friend bool operator==(const SessionCancelRequest&, const SessionCancelRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionCancelRequest& request) {
  field("sessionId", request.session_id);
  field.optional("turnId", request.turn_id);
}

struct SessionAnswerRequest {
  static constexpr std::string_view kName = "SessionAnswerRequest";
  static constexpr std::string_view kType = "session:answer";
  SessionId session_id;
  ItemId item_id;
  std::optional<std::string> option_id;
  std::optional<std::string> message;
  std::optional<std::map<std::string, std::string>> answers;
  std::optional<RawObject> input;
  std::optional<std::uint64_t> rev;
  friend bool operator==(const SessionAnswerRequest&, const SessionAnswerRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionAnswerRequest& request) {
  field("sessionId", request.session_id);
  field("itemId", request.item_id);
  field.optional("optionId", request.option_id);
  field.optional("message", request.message);
  field.optional("answers", request.answers);
  field.optional("input", request.input);
  field.optional("rev", request.rev);
}

struct SessionArchiveRequest {
  static constexpr std::string_view kName = "SessionArchiveRequest";
  static constexpr std::string_view kType = "session:archive";
  SessionId session_id;
  std::optional<bool> archived;  // Absent: archive it.
  friend bool operator==(const SessionArchiveRequest&, const SessionArchiveRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionArchiveRequest& request) {
  field("sessionId", request.session_id);
  field.optional("archived", request.archived);
}

struct SessionRenameRequest {
  static constexpr std::string_view kName = "SessionRenameRequest";
  static constexpr std::string_view kType = "session:rename";
  SessionId session_id;
  std::string title;
  friend bool operator==(const SessionRenameRequest&, const SessionRenameRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionRenameRequest& request) {
  field("sessionId", request.session_id);
  field("title", request.title);
}

struct SessionModeRequest {
  static constexpr std::string_view kName = "SessionModeRequest";
  static constexpr std::string_view kType = "session:mode";
  SessionId session_id;
  std::string mode;
  friend bool operator==(const SessionModeRequest&, const SessionModeRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionModeRequest& request) {
  field("sessionId", request.session_id);
  field("mode", request.mode);
}

struct SessionModelRequest {
  static constexpr std::string_view kName = "SessionModelRequest";
  static constexpr std::string_view kType = "session:model";
  SessionId session_id;
  std::string model;
  friend bool operator==(const SessionModelRequest&, const SessionModelRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionModelRequest& request) {
  field("sessionId", request.session_id);
  field("model", request.model);
}

/// How much the agent shall think: one of the session's `thinkingLevels`.
struct SessionThinkingRequest {
  static constexpr std::string_view kName = "SessionThinkingRequest";
  static constexpr std::string_view kType = "session:thinking";
  SessionId session_id;
  std::string thinking;
  friend bool operator==(const SessionThinkingRequest&, const SessionThinkingRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionThinkingRequest& request) {
  field("sessionId", request.session_id);
  field("thinking", request.thinking);
}

struct SessionKillRequest {
  static constexpr std::string_view kName = "SessionKillRequest";
  static constexpr std::string_view kType = "session:kill";
  SessionId session_id;
  friend bool operator==(const SessionKillRequest&, const SessionKillRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionKillRequest& request) {
  field("sessionId", request.session_id);
}

struct SessionReadRequest {
  static constexpr std::string_view kName = "SessionReadRequest";
  static constexpr std::string_view kType = "session:read";
  SessionId session_id;
  friend bool operator==(const SessionReadRequest&, const SessionReadRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionReadRequest& request) {
  field("sessionId", request.session_id);
}

struct SessionReconnectRequest {
  static constexpr std::string_view kName = "SessionReconnectRequest";
  static constexpr std::string_view kType = "session:reconnect";
  std::string cli_type;
  friend bool operator==(const SessionReconnectRequest&, const SessionReconnectRequest&) = default;
};
template <class Fields>
void describe(Fields& field, SessionReconnectRequest& request) {
  field("cliType", request.cli_type);
}

struct ClientMessage {
  static constexpr std::string_view kName = "ClientMessage";
  std::optional<std::string> request_id;
  std::variant<ProjectListRequest, ProjectAddRequest, ProjectRemoveRequest, SessionListRequest,
               SessionCreateRequest, SessionOpenRequest, SessionCloseRequest, SessionPageRequest,
               SessionSendRequest, SessionQueueRequest, SessionCancelRequest, SessionAnswerRequest,
               SessionArchiveRequest, SessionRenameRequest, SessionModeRequest, SessionModelRequest,
               SessionThinkingRequest, SessionKillRequest, SessionReadRequest,
               SessionReconnectRequest>
      body;
  friend bool operator==(const ClientMessage&, const ClientMessage&) = default;
};
template <class Fields>
void describe(Fields& field, ClientMessage& message) {
  field.optional("requestId", message.request_id);
  field.tagged("type", message.body);
}
extern template void describe(Encoder&, ClientMessage&);  // Compiled once, in codecs.cpp.
extern template void describe(Decoder&, ClientMessage&);

}  // namespace lb
