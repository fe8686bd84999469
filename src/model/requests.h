/// What a browser or a program may ask, one struct for each command (commands/table.cpp).
///
/// On a WebSocket the fields stand beside `type` and an optional `requestId`. Over HTTP ids come
/// from the path, and the rest is the query of a GET or the body of a POST.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.h"
#include "model/audit.h"
#include "model/review_requests.h"
#include "model/settings.h"
#include "model/terminal.h"
#include "model/workspace_requests.h"

namespace lb {

struct Empty {
  static constexpr std::string_view kName = "Empty";
};
template <class Fields>
void describe(Fields&, Empty&) {}

struct ExchangeRequest {
  static constexpr std::string_view kName = "ExchangeRequest";
  std::string code;
};
template <class Fields>
void describe(Fields& field, ExchangeRequest& request) {
  field("code", request.code);
}

struct ProveRequest {
  static constexpr std::string_view kName = "ProveRequest";
  std::string key_id;
  std::string nonce;
};
template <class Fields>
void describe(Fields& field, ProveRequest& request) {
  field("keyId", request.key_id);
  field("nonce", request.nonce);
}

struct ProjectListRequest {
  static constexpr std::string_view kName = "ProjectListRequest";
};
template <class Fields>
void describe(Fields&, ProjectListRequest&) {}

struct ProjectAddRequest {
  static constexpr std::string_view kName = "ProjectAddRequest";
  std::string path;
};
template <class Fields>
void describe(Fields& field, ProjectAddRequest& request) {
  field("path", request.path);
}

struct ProjectRemoveRequest {
  static constexpr std::string_view kName = "ProjectRemoveRequest";
  ProjectId project_id;
};
template <class Fields>
void describe(Fields& field, ProjectRemoveRequest& request) {
  field("projectId", request.project_id);
}

struct ProjectFilesRequest {
  static constexpr std::string_view kName = "ProjectFilesRequest";
  ProjectId project_id;
  std::optional<std::string> q;
  std::optional<std::uint64_t> limit;
  std::optional<WorkspaceId> workspace_id = {};  // Absent: the project's folder.
};
template <class Fields>
void describe(Fields& field, ProjectFilesRequest& request) {
  field("projectId", request.project_id);
  field.optional("q", request.q);
  field.optional("limit", request.limit);
  field.optional("workspaceId", request.workspace_id);
}

struct DirectoriesRequest {
  static constexpr std::string_view kName = "DirectoriesRequest";
  std::optional<std::string> prefix;
};
template <class Fields>
void describe(Fields& field, DirectoriesRequest& request) {
  field.optional("prefix", request.prefix);
}

struct AgentWarmRequest {
  static constexpr std::string_view kName = "AgentWarmRequest";
  std::string cli_type;
  ProjectId project_id;
  std::optional<bool> confined = {};  // As in SessionCreateRequest.
};
template <class Fields>
void describe(Fields& field, AgentWarmRequest& request) {
  field("cliType", request.cli_type);
  field("projectId", request.project_id);
  field.optional("confined", request.confined);
}

struct SettingsRequest {
  static constexpr std::string_view kName = "SettingsRequest";
};
template <class Fields>
void describe(Fields&, SettingsRequest&) {}

/// What is left out stays as it is.
struct SettingsChangeRequest {
  static constexpr std::string_view kName = "SettingsChangeRequest";
  std::optional<SendKey> send_key = {};
  /// In place of those of the same project; with nothing chosen they are gone.
  std::optional<SessionDefaults> defaults = {};
};
template <class Fields>
void describe(Fields& field, SettingsChangeRequest& request) {
  field.optional("sendKey", request.send_key);
  field.optional("defaults", request.defaults);
}

enum class ListScope { Active, All };
template <>
struct EnumNames<ListScope> {
  static constexpr std::array<std::string_view, 2> names = {"active", "all"};
};

struct SessionListRequest {
  static constexpr std::string_view kName = "SessionListRequest";
  ProjectId project_id;
  std::optional<ListScope> scope;
  bool archived = false;
};
template <class Fields>
void describe(Fields& field, SessionListRequest& request) {
  field("projectId", request.project_id);
  field.optional("scope", request.scope);
  field.flag("archived", request.archived);
}

struct SessionCreateRequest {
  static constexpr std::string_view kName = "SessionCreateRequest";
  std::string cli_type;
  std::optional<std::string> project_dir;
  std::optional<ProjectId> project_id;
  std::optional<std::string> model;
  std::optional<std::string> mode;
  std::optional<std::string> thinking;
  std::optional<RawObject> provider_options;
  std::optional<bool> confined = {};            // Absent: as the configuration says for this agent.
  std::optional<WorkspaceWish> workspace = {};  // Absent: it works in the project's folder.
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
  field.optional("confined", request.confined);
  field.optional("workspace", request.workspace);
  require(field, request.project_dir.has_value() || request.project_id.has_value(), "projectDir",
          "missing (or give a projectId)");
}

/// A request that says nothing but which session it means.
struct SessionRef {
  SessionId session_id;
};
template <class Fields>
void describe(Fields& field, SessionRef& request) {
  field("sessionId", request.session_id);
}
struct SessionCloseRequest : SessionRef {
  static constexpr std::string_view kName = "SessionCloseRequest";
};
struct SessionDeleteRequest : SessionRef {
  static constexpr std::string_view kName = "SessionDeleteRequest";
};
struct SessionKillRequest : SessionRef {
  static constexpr std::string_view kName = "SessionKillRequest";
};
struct SessionLoadRequest : SessionRef {
  static constexpr std::string_view kName = "SessionLoadRequest";
};
struct SessionReadRequest : SessionRef {
  static constexpr std::string_view kName = "SessionReadRequest";
};
struct SessionStatusRequest : SessionRef {
  static constexpr std::string_view kName = "SessionStatusRequest";
};

struct SessionForkRequest {
  static constexpr std::string_view kName = "SessionForkRequest";
  SessionId session_id;
  std::optional<TurnId> before;  // The copy ends before this turn; absent: it has everything.
};
template <class Fields>
void describe(Fields& field, SessionForkRequest& request) {
  field("sessionId", request.session_id);
  field.optional("before", request.before);
}

struct SessionOpenRequest {
  static constexpr std::string_view kName = "SessionOpenRequest";
  SessionId session_id;
  std::optional<std::uint64_t> since;
  std::optional<std::string> epoch;
  std::optional<std::uint64_t> tail;
  bool appends = false;
};
template <class Fields>
void describe(Fields& field, SessionOpenRequest& request) {
  field("sessionId", request.session_id);
  field.optional("since", request.since);
  field.optional("epoch", request.epoch);
  field.optional("tail", request.tail);
  field.flag("appends", request.appends);
}

struct SessionPageRequest {
  static constexpr std::string_view kName = "SessionPageRequest";
  SessionId session_id;
  std::uint64_t before = 0;
  std::uint64_t count = 0;
};
template <class Fields>
void describe(Fields& field, SessionPageRequest& request) {
  field("sessionId", request.session_id);
  field("before", request.before);
  field("count", request.count);
}

/// What changed after a revision, or a window by position.
struct SessionTimelineRequest {
  static constexpr std::string_view kName = "SessionTimelineRequest";
  SessionId session_id;
  std::optional<std::uint64_t> since;
  std::optional<std::uint64_t> tail;
  std::optional<std::uint64_t> before;
  std::optional<std::uint64_t> count;
};
template <class Fields>
void describe(Fields& field, SessionTimelineRequest& request) {
  field("sessionId", request.session_id);
  field.optional("since", request.since);
  field.optional("tail", request.tail);
  field.optional("before", request.before);
  field.optional("count", request.count);
}

struct SessionEventsRequest {
  static constexpr std::string_view kName = "SessionEventsRequest";
  SessionId session_id;
  std::optional<std::uint64_t> since;
  std::optional<std::string> epoch;
  bool appends = false;
};
template <class Fields>
void describe(Fields& field, SessionEventsRequest& request) {
  field("sessionId", request.session_id);
  field.optional("since", request.since);
  field.optional("epoch", request.epoch);
  field.flag("appends", request.appends);
}

struct SessionOutputRequest {
  static constexpr std::string_view kName = "SessionOutputRequest";
  SessionId session_id;
  ItemId item_id;
};
template <class Fields>
void describe(Fields& field, SessionOutputRequest& request) {
  field("sessionId", request.session_id);
  field("itemId", request.item_id);
}

enum class ExportFormat { Markdown, Json };
template <>
struct EnumNames<ExportFormat> {
  static constexpr std::array<std::string_view, 2> names = {"md", "json"};
};

struct SessionExportRequest {
  static constexpr std::string_view kName = "SessionExportRequest";
  SessionId session_id;
  std::optional<ExportFormat> format;
};
template <class Fields>
void describe(Fields& field, SessionExportRequest& request) {
  field("sessionId", request.session_id);
  field.optional("format", request.format);
}

/// The image itself is the body.
struct SessionAttachRequest : SessionRef {
  static constexpr std::string_view kName = "SessionAttachRequest";
};

struct SessionAttachmentRequest {
  static constexpr std::string_view kName = "SessionAttachmentRequest";
  SessionId session_id;
  std::string attachment_id;
};
template <class Fields>
void describe(Fields& field, SessionAttachmentRequest& request) {
  field("sessionId", request.session_id);
  field("attachmentId", request.attachment_id);
}

struct SearchRequest {
  static constexpr std::string_view kName = "SearchRequest";
  std::optional<std::string> q;
  std::optional<ProjectId> project_id;
  std::optional<std::string> cli_type;
  std::optional<std::uint64_t> limit;
};
template <class Fields>
void describe(Fields& field, SearchRequest& request) {
  field.optional("q", request.q);
  field.optional("projectId", request.project_id);
  field.optional("cliType", request.cli_type);
  field.optional("limit", request.limit);
}

struct AttachmentRef {
  static constexpr std::string_view kName = "AttachmentRef";
  std::string attachment_id;
  std::optional<std::string> name;
};
template <class Fields>
void describe(Fields& field, AttachmentRef& attachment) {
  field("attachmentId", attachment.attachment_id);
  field.optional("name", attachment.name);
}

struct SessionSendRequest {
  static constexpr std::string_view kName = "SessionSendRequest";
  SessionId session_id;
  std::string content;
  std::vector<AttachmentRef> attachments;
  std::optional<std::string> client_message_id;  // Over HTTP: the Idempotency-Key header.
  /// While a turn runs: into that turn, instead of behind it. Where `steers` of the facts is set.
  bool steer = false;
};
template <class Fields>
void describe(Fields& field, SessionSendRequest& request) {
  field("sessionId", request.session_id);
  field("content", request.content);
  field.optional("attachments", request.attachments);
  field.optional("clientMessageId", request.client_message_id);
  field.flag("steer", request.steer);
}

/// Edits (`content`), removes (`content: null`) a queued turn, or releases a held queue.
struct SessionQueueRequest {
  static constexpr std::string_view kName = "SessionQueueRequest";
  SessionId session_id;
  std::optional<TurnId> turn_id;
  std::optional<std::string> content;
  bool resume = false;
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

/// All turns that are queued, in the order in which they shall go.
struct SessionReorderRequest {
  static constexpr std::string_view kName = "SessionReorderRequest";
  SessionId session_id;
  std::vector<TurnId> turn_ids;
};
template <class Fields>
void describe(Fields& field, SessionReorderRequest& request) {
  field("sessionId", request.session_id);
  field("turnIds", request.turn_ids);
}

struct SessionCancelRequest {
  static constexpr std::string_view kName = "SessionCancelRequest";
  SessionId session_id;
  std::optional<TurnId> turn_id;
};
template <class Fields>
void describe(Fields& field, SessionCancelRequest& request) {
  field("sessionId", request.session_id);
  field.optional("turnId", request.turn_id);
}

struct SessionAnswerRequest {
  static constexpr std::string_view kName = "SessionAnswerRequest";
  SessionId session_id;
  ItemId item_id;
  std::optional<std::string> option_id;
  std::optional<std::string> message;
  std::optional<std::map<std::string, std::string>> answers;
  std::optional<RawObject> input;
  std::optional<std::uint64_t> rev;
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
  SessionId session_id;
  std::optional<bool> archived;  // Absent: archive it.
};
template <class Fields>
void describe(Fields& field, SessionArchiveRequest& request) {
  field("sessionId", request.session_id);
  field.optional("archived", request.archived);
}

struct SessionRenameRequest {
  static constexpr std::string_view kName = "SessionRenameRequest";
  SessionId session_id;
  std::string title;
};
template <class Fields>
void describe(Fields& field, SessionRenameRequest& request) {
  field("sessionId", request.session_id);
  field("title", request.title);
}

struct SessionModeRequest {
  static constexpr std::string_view kName = "SessionModeRequest";
  SessionId session_id;
  std::string mode;
};
template <class Fields>
void describe(Fields& field, SessionModeRequest& request) {
  field("sessionId", request.session_id);
  field("mode", request.mode);
}

struct SessionModelRequest {
  static constexpr std::string_view kName = "SessionModelRequest";
  SessionId session_id;
  std::string model;
};
template <class Fields>
void describe(Fields& field, SessionModelRequest& request) {
  field("sessionId", request.session_id);
  field("model", request.model);
}

/// How much the agent shall think: one of the session's `thinkingLevels`.
struct SessionThinkingRequest {
  static constexpr std::string_view kName = "SessionThinkingRequest";
  SessionId session_id;
  std::string thinking;
};
template <class Fields>
void describe(Fields& field, SessionThinkingRequest& request) {
  field("sessionId", request.session_id);
  field("thinking", request.thinking);
}

struct SessionReconnectRequest {
  static constexpr std::string_view kName = "SessionReconnectRequest";
  std::string cli_type;
};
template <class Fields>
void describe(Fields& field, SessionReconnectRequest& request) {
  field("cliType", request.cli_type);
}

}  // namespace lb
