/// What a store keeps, as values: rows that the session layer writes and reads back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/id.h"
#include "base/time.h"
#include "timeline/frame.h"

namespace lb {

/// A project is never forgotten: removing it sets `removed`, and adding the same directory again
/// brings it back with its id and its sessions.
struct ProjectRecord {
  ProjectId id;
  std::string path;
  std::string name;
  Timestamp added_at;
  std::uint64_t order = 0;  // Of adding.
  bool removed = false;
  friend bool operator==(const ProjectRecord&, const ProjectRecord&) = default;
};

/// Who named a session; a later one in this list is not overruled by an earlier one.
enum class TitleSource { None, Prompt, Agent, User };

/// All that is known of a session beside its conversation.
struct SessionRecord {
  SessionId id;
  ProjectId project_id;
  std::string cli_type;
  std::string cli_session_id;
  std::string owner;  // The epoch of the store whose server runs it; empty: of this one.
  std::string title;
  TitleSource title_source = TitleSource::None;
  Timestamp created_at;
  Timestamp last_active_at;
  bool archived = false;
  bool external = false;  // Made outside Liminal Builder.
  bool imported = true;   // Its history is in our timeline (false only for external ones).
  bool deleted = false;   // Kept as a mark, so that discovery does not bring it back.
  bool unread = false;
  bool failed = false;  // The last turn ended in an error.
  TurnId last_turn;     // The newest turn that the agent knows.
  std::string model;
  std::string mode;
  bool confined = false;     // Its agent runs behind walls, always.
  WorkspaceId workspace_id;  // Empty: it works in the project's folder.
  std::string facts;         // SessionFacts as JSON, or empty. Written by SessionWrite::facts.
  /// Revisions up to here may have been handed out: after a crash the timeline goes on above it.
  Revision reserved = 0;
  std::uint64_t next_pos = 1;
  friend bool operator==(const SessionRecord&, const SessionRecord&) = default;
};

enum class EntryKind { Item, Turn };

/// The newest form of an entry, to be stored. The frame is shared with the readers: nothing is
/// copied on the way to the disk.
struct EntryPut {
  EntryKind kind = EntryKind::Item;
  std::string id;
  FramePtr form;
  bool open = false;
};

/// Text that was appended to an open item since the last form or piece.
struct GrowthPut {
  std::string item_id;
  Revision rev = 0;
  std::size_t from = 0;  // Bytes of text that come before it.
  std::string text;
};

/// A whole tool output whose item shows only head and tail.
struct OutputPut {
  std::string item_id;
  std::string text;
};

/// A prompt that was accepted: durable before the agent gets it, kept for idempotency afterwards.
struct PromptRecord {
  TurnId turn_id;
  std::string key;  // Idempotency-Key or clientMessageId; may be empty.
  std::string content;
  std::string attachments;  // JSON array, or empty.
  bool settled = false;     // Its turn has a form in the timeline that says what became of it.
  friend bool operator==(const PromptRecord&, const PromptRecord&) = default;
};

/// Which turn a prompt with an idempotency key became.
struct PromptKey {
  TurnId turn_id;
  std::string key;
  friend bool operator==(const PromptKey&, const PromptKey&) = default;
};

/// One change of one session; atomic.
struct SessionWrite {
  SessionId session;
  std::optional<SessionRecord> record;
  std::optional<std::string> facts;  // Apart from the record: larger, and seldom new.
  std::vector<EntryPut> entries;
  std::vector<GrowthPut> growth;
  std::vector<OutputPut> outputs;
  std::vector<PromptRecord> prompts;
  bool erase = false;  // Everything but the record.
};

struct AttachmentRecord {
  std::string id;
  SessionId session;
  std::string mime_type;
  std::string bytes;
};

/// One line of the audit trail, newest last. Each kind has room of its own, so that strangers
/// cannot push out what the user did.
struct AuditRow {
  std::uint64_t id = 0;   // Given by the store.
  bool stranger = false;  // Caused by somebody without a credential.
  std::string entry;      // AuditEntry as JSON; its id is this one.
  friend bool operator==(const AuditRow&, const AuditRow&) = default;
};

/// A login that this server has issued.
struct LoginRow {
  std::string hash;   // Of its bearer.
  std::string login;  // Login as JSON.
  friend bool operator==(const LoginRow&, const LoginRow&) = default;
};

/// A worktree that sessions work in, whatever became of it.
struct WorkspaceRow {
  WorkspaceId id;
  std::string workspace;  // WorkspaceRecord as JSON; written empty: there is none any more.
  friend bool operator==(const WorkspaceRow&, const WorkspaceRow&) = default;
};

/// Setup commands of a repository that the user has agreed to, by their content.
struct SetupRow {
  ProjectId project;
  std::string setup;
  friend bool operator==(const SetupRow&, const SetupRow&) = default;
};

/// The files before and after a turn, as trees that refs of ours keep.
struct CheckpointRow {
  SessionId session;
  TurnId turn;
  std::string root;  // The folder.
  std::string before;
  std::string after;    // Empty: the turn has not ended, or there is none.
  bool shared = false;  // Others worked in the folder at the same time.
  Timestamp made_at;
  friend bool operator==(const CheckpointRow&, const CheckpointRow&) = default;
};

/// A change of files that the user asked for: it can be finished after a crash, and undone.
struct RewindRow {
  std::string id;
  bool open = false;   // It was begun, and nobody knows that it was finished.
  std::string rewind;  // RewindRecord as JSON.
  friend bool operator==(const RewindRow&, const RewindRow&) = default;
};

/// What the user says about a line.
struct CommentRow {
  SessionId session;
  CommentId id;
  std::string comment;  // CommentRecord as JSON; written empty: there is none any more.
  friend bool operator==(const CommentRow&, const CommentRow&) = default;
};

/// The content of a file that the user has seen.
struct SeenRow {
  SessionId session;
  std::string path;  // Empty: all files together, as a tree.
  std::string oid;   // Written empty: none.
  friend bool operator==(const SeenRow&, const SeenRow&) = default;
};

/// Both of one session: comments oldest first, without the tree.
struct ReviewRows {
  std::vector<CommentRow> comments;
  std::vector<SeenRow> seen;
};

/// What is written in one transaction: all of it or nothing.
struct WriteBatch {
  std::vector<ProjectRecord> projects;
  std::vector<SessionWrite> sessions;
  std::vector<AttachmentRecord> attachments;
  std::optional<std::string> settings;  // Settings as JSON.
  std::vector<AuditRow> audit;
  std::vector<LoginRow> logins;
  std::vector<std::string> ended_logins;  // Hashes.
  bool logins_known = false;              // From now on every login has its row.
  std::vector<WorkspaceRow> workspaces;
  std::vector<SetupRow> setups;
  std::vector<CheckpointRow> checkpoints;
  std::vector<CheckpointRow> dropped_checkpoints;  // By session and turn.
  std::vector<RewindRow> rewinds;
  std::vector<CommentRow> comments;
  std::vector<SeenRow> seen;
};

/// An entry as it was stored.
struct StoredEntry {
  EntryKind kind = EntryKind::Item;
  std::string id;
  Revision rev = 0;
  std::uint64_t pos = 0;
  bool open = false;
  std::string payload;  // JSON of an Item or a Turn.
  friend bool operator==(const StoredEntry&, const StoredEntry&) = default;
};

struct EntryPage {
  std::vector<StoredEntry> entries;
  bool more = false;  // There is more in the range that was asked for.
};

struct SearchHit {
  SessionId session;
  std::string item_id;
  std::string payload;  // The item.
};

/// Everything small, read once at start.
struct Catalog {
  std::vector<ProjectRecord> projects;
  std::vector<SessionRecord> sessions;
  std::string settings;  // As JSON; empty when nothing was ever chosen.
  std::vector<WorkspaceRow> workspaces;
  std::vector<SetupRow> setups;
  std::vector<RewindRow> open_rewinds;
  std::vector<SeenRow> reviewed;  // Trees.
};

struct Logins {
  std::vector<LoginRow> rows;
  bool known = true;  // False: a version that kept no rows may have issued others.
};

/// What a crash left unfinished in one session: growing text already folded into its form.
struct Unfinished {
  SessionId session;
  std::vector<StoredEntry> entries;   // Open ones.
  std::vector<PromptRecord> prompts;  // Accepted, and nothing in the timeline says what became of
                                      // them.
};

}  // namespace lb
