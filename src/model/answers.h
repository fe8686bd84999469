/// What commands answer where it is no message of the server: over HTTP only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.h"
#include "model/item.h"
#include "model/server_message.h"
#include "model/session.h"

namespace lb {

struct ErrorBody {
  static constexpr std::string_view kName = "ErrorBody";
  std::string code;
  std::string message;
  std::optional<std::string> project_id;      // PROJECT_EXISTS: which one.
  std::optional<Inventory> inventory;         // CONFIRM_NEEDED: what would go,
  std::optional<std::string> inventory_hash;  // and what to confirm it with.
  std::vector<std::string> paths;             // LAND_CONFLICT, TARGET_DIRTY …: which files.
};
template <class Fields>
void describe(Fields& field, ErrorBody& body) {
  field("code", body.code);
  field("message", body.message);
  field.optional("projectId", body.project_id);
  field.optional("inventory", body.inventory);
  field.optional("inventoryHash", body.inventory_hash);
  field.optional("paths", body.paths);
}

struct ProofBody {
  static constexpr std::string_view kName = "ProofBody";
  std::string proof;
};
template <class Fields>
void describe(Fields& field, ProofBody& body) {
  field("proof", body.proof);
}

struct WarmBody {
  static constexpr std::string_view kName = "WarmBody";
  bool warm = false;  // An agent waits for the session, or will in a moment.
};
template <class Fields>
void describe(Fields& field, WarmBody& body) {
  field("warm", body.warm);
}

struct TokenBody {
  static constexpr std::string_view kName = "TokenBody";
  std::string token;
};
template <class Fields>
void describe(Fields& field, TokenBody& body) {
  field("token", body.token);
}

struct TicketBody {
  static constexpr std::string_view kName = "TicketBody";
  std::string ticket;
  std::uint64_t expires_in_ms = 0;
};
template <class Fields>
void describe(Fields& field, TicketBody& body) {
  field("ticket", body.ticket);
  field("expiresInMs", body.expires_in_ms);
}

struct HealthBody {
  static constexpr std::string_view kName = "HealthBody";
  std::string status = "ok";
};
template <class Fields>
void describe(Fields& field, HealthBody& body) {
  field("status", body.status);
}

struct StoreBody {
  static constexpr std::string_view kName = "StoreBody";
  std::string kind;
  std::string durability;
};
template <class Fields>
void describe(Fields& field, StoreBody& body) {
  field("kind", body.kind);
  field("durability", body.durability);
}

struct InfoBody {
  static constexpr std::string_view kName = "InfoBody";
  std::string version;
  std::uint64_t wire_version = kWireVersion;
  std::string epoch;
  StoreBody store;
  Timestamp started_at;
  bool editor = false;  // Files can be opened in the user's editor.
};
template <class Fields>
void describe(Fields& field, InfoBody& body) {
  field("version", body.version);
  field("wireVersion", body.wire_version);
  field("epoch", body.epoch);
  field("store", body.store);
  field("startedAt", body.started_at);
  field.flag("editor", body.editor);
}

struct FileBody {
  static constexpr std::string_view kName = "FileBody";
  std::string path;
};
template <class Fields>
void describe(Fields& field, FileBody& body) {
  field("path", body.path);
}

struct FilesBody {
  static constexpr std::string_view kName = "FilesBody";
  std::vector<FileBody> files;
};
template <class Fields>
void describe(Fields& field, FilesBody& body) {
  field("files", body.files);
}

struct DirectoriesBody {
  static constexpr std::string_view kName = "DirectoriesBody";
  std::vector<std::string> directories;
};
template <class Fields>
void describe(Fields& field, DirectoriesBody& body) {
  field("directories", body.directories);
}

struct AgentsBody {
  static constexpr std::string_view kName = "AgentsBody";
  std::vector<AgentInfo> agents;
};
template <class Fields>
void describe(Fields& field, AgentsBody& body) {
  field("agents", body.agents);
}

struct LoadedBody {
  static constexpr std::string_view kName = "LoadedBody";
  SessionId session_id;
  std::string cli_type;
};
template <class Fields>
void describe(Fields& field, LoadedBody& body) {
  field("sessionId", body.session_id);
  field("cliType", body.cli_type);
}

/// Put together from shared frames when it is answered; described here for the document.
struct TimelineBody {
  static constexpr std::string_view kName = "TimelineBody";
  SessionId session_id;
  std::uint64_t rev = 0;
  std::vector<Item> entries;
  std::vector<Turn> turns;
  std::optional<std::uint64_t> before;
  std::string epoch;
};
template <class Fields>
void describe(Fields& field, TimelineBody& body) {
  field("sessionId", body.session_id);
  field("rev", body.rev);
  field("entries", body.entries);
  field("turns", body.turns);
  field.optional("before", body.before);
  field("epoch", body.epoch);
}

struct AttachmentBody {
  static constexpr std::string_view kName = "AttachmentBody";
  std::string attachment_id;
};
template <class Fields>
void describe(Fields& field, AttachmentBody& body) {
  field("attachmentId", body.attachment_id);
}

struct SearchResult {
  static constexpr std::string_view kName = "SearchResult";
  SessionId session_id;
  ItemId item_id;
  TurnId turn_id;
  std::string type;
  std::string title;  // Of the session.
  std::string cli_type;
  ProjectId project_id;
  std::string snippet;
  Timestamp at;
};
template <class Fields>
void describe(Fields& field, SearchResult& result) {
  field("sessionId", result.session_id);
  field("itemId", result.item_id);
  field("turnId", result.turn_id);
  field("type", result.type);
  field("title", result.title);
  field("cliType", result.cli_type);
  field("projectId", result.project_id);
  field("snippet", result.snippet);
  field("at", result.at);
}

/// Something that waits for the user.
struct InboxItem {
  static constexpr std::string_view kName = "InboxItem";
  SessionId session_id;
  std::string title;
  Item item;  // An approval.
};
template <class Fields>
void describe(Fields& field, InboxItem& entry) {
  field("sessionId", entry.session_id);
  field("title", entry.title);
  field("item", entry.item);
}

struct SearchBody {
  static constexpr std::string_view kName = "SearchBody";
  std::vector<SearchResult> results;
};
template <class Fields>
void describe(Fields& field, SearchBody& body) {
  field("results", body.results);
}

struct InboxBody {
  static constexpr std::string_view kName = "InboxBody";
  std::vector<InboxItem> items;
};
template <class Fields>
void describe(Fields& field, InboxBody& body) {
  field("items", body.items);
}

}  // namespace lb
