/// What changed in a session's files, and what the user says about it.
///
/// Paths are as in workspace.h: relative to the top, odd bytes as `\xNN`.
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
#include "model/workspace.h"

namespace lb {

/// What became of a file.
enum class FileStatus { Added, Modified, Deleted, Renamed };
template <>
struct EnumNames<FileStatus> {
  static constexpr std::array<std::string_view, 4> names = {"added", "modified", "deleted",
                                                            "renamed"};
};

/// One file that differs.
struct ChangedFile {
  static constexpr std::string_view kName = "ChangedFile";
  std::string path;
  std::optional<std::string> old_path = {};  // Of a renamed one.
  FileStatus status = FileStatus::Modified;
  std::uint64_t added = 0;    // Lines; 0 for binaries.
  std::uint64_t deleted = 0;  // The same.
  bool binary = false;
  std::string oid;                    // Of what it is now; of what it was, where it was deleted.
  bool viewed = false;                // The user has seen this very content.
  bool changed_since_viewed = false;  // He saw another.
  friend bool operator==(const ChangedFile&, const ChangedFile&) = default;
};
template <class Fields>
void describe(Fields& field, ChangedFile& value) {
  field("path", value.path);
  field.optional("oldPath", value.old_path);
  field("status", value.status);
  field("added", value.added);
  field("deleted", value.deleted);
  field.flag("binary", value.binary);
  field("oid", value.oid);
  field.flag("viewed", value.viewed);
  field.flag("changedSinceViewed", value.changed_since_viewed);
}

/// What differs in a session's files.
struct ChangesBody {
  static constexpr std::string_view kName = "ChangesBody";
  std::string against;                     // As asked; `base`, where nothing was.
  std::string from;                        // The tree that it is compared with.
  std::string oid;                         // The tree of the files as they are.
  std::vector<ChangedFile> files;          // By path.
  std::uint64_t added = 0;                 // Of all files, also those left out.
  std::uint64_t deleted = 0;               // The same.
  std::uint64_t count = 0;                 // Of all files.
  bool truncated = false;                  // There are more than limits::kChangedFilesMax.
  bool reviewed = false;                   // The user is done with this tree.
  std::optional<std::string> target = {};  // What `base` is, for people: `main`, `HEAD`.
  std::vector<std::string> offers;         // What may be asked for `against` here.
  friend bool operator==(const ChangesBody&, const ChangesBody&) = default;
};
template <class Fields>
void describe(Fields& field, ChangesBody& value) {
  field("against", value.against);
  field("from", value.from);
  field("oid", value.oid);
  field("files", value.files);
  field("added", value.added);
  field("deleted", value.deleted);
  field("count", value.count);
  field.flag("truncated", value.truncated);
  field.flag("reviewed", value.reviewed);
  field.optional("target", value.target);
  field("offers", value.offers);
}

/// Which side of a difference a line is on.
enum class Side { Old, New };
template <>
struct EnumNames<Side> {
  static constexpr std::array<std::string_view, 2> names = {"old", "new"};
};

/// outdated: the line it was about is another now, or gone. It was a draft before.
enum class CommentState { Draft, Sent, Resolved, Outdated };
template <>
struct EnumNames<CommentState> {
  static constexpr std::array<std::string_view, 4> names = {"draft", "sent", "resolved",
                                                            "outdated"};
};

/// What the user says about a line.
struct Comment {
  static constexpr std::string_view kName = "Comment";
  CommentId comment_id;
  SessionId session_id;
  CommentState state = CommentState::Draft;
  std::optional<std::string> path = {};  // Of a file,
  std::optional<ItemId> item_id = {};    // or a plan of the agent's.
  std::optional<Side> side = {};         // Of a file.
  std::optional<std::string> oid = {};   // The blob that the user looked at.
  std::uint64_t line = 0;                // From 1; 0: the whole file.
  std::string quote;                     // That line as the user saw it.
  std::string body;
  Timestamp created_at;
  Timestamp updated_at;
  std::optional<TurnId> turn_id = {};  // The turn that it went to the agent with.
  friend bool operator==(const Comment&, const Comment&) = default;
};
template <class Fields>
void describe(Fields& field, Comment& value) {
  field("commentId", value.comment_id);
  field("sessionId", value.session_id);
  field("state", value.state);
  field.optional("path", value.path);
  field.optional("itemId", value.item_id);
  field.optional("side", value.side);
  field.optional("oid", value.oid);
  field("line", value.line);
  field("quote", value.quote);
  field("body", value.body);
  field("createdAt", value.created_at);
  field("updatedAt", value.updated_at);
  field.optional("turnId", value.turn_id);
}

struct CommentsBody {
  static constexpr std::string_view kName = "CommentsBody";
  std::vector<Comment> comments;  // Oldest first.
  friend bool operator==(const CommentsBody&, const CommentsBody&) = default;
};
template <class Fields>
void describe(Fields& field, CommentsBody& value) {
  field("comments", value.comments);
}

struct CommentMessage {
  static constexpr std::string_view kName = "CommentMessage";
  static constexpr std::string_view kType = "comment:upsert";
  Comment comment;
  friend bool operator==(const CommentMessage&, const CommentMessage&) = default;
};
template <class Fields>
void describe(Fields& field, CommentMessage& message) {
  field("comment", message.comment);
}

struct CommentRemovedMessage {
  static constexpr std::string_view kName = "CommentRemovedMessage";
  static constexpr std::string_view kType = "comment:removed";
  SessionId session_id;
  CommentId comment_id;
  friend bool operator==(const CommentRemovedMessage&, const CommentRemovedMessage&) = default;
};
template <class Fields>
void describe(Fields& field, CommentRemovedMessage& message) {
  field("sessionId", message.session_id);
  field("commentId", message.comment_id);
}

struct ReviewSentBody {
  static constexpr std::string_view kName = "ReviewSentBody";
  SessionId session_id;
  TurnId turn_id;
  bool queued = false;
  std::vector<CommentId> comments;  // Those that went along.
  friend bool operator==(const ReviewSentBody&, const ReviewSentBody&) = default;
};
template <class Fields>
void describe(Fields& field, ReviewSentBody& value) {
  field("sessionId", value.session_id);
  field("turnId", value.turn_id);
  field.flag("queued", value.queued);
  field("comments", value.comments);
}

struct CommitBody {
  static constexpr std::string_view kName = "CommitBody";
  std::string oid;
  std::optional<std::string> branch = {};  // None: HEAD is detached.
  std::uint64_t files = 0;
  std::optional<std::string> said = {};  // What the user's hooks printed.
  friend bool operator==(const CommitBody&, const CommitBody&) = default;
};
template <class Fields>
void describe(Fields& field, CommitBody& value) {
  field("oid", value.oid);
  field.optional("branch", value.branch);
  field("files", value.files);
  field.optional("said", value.said);
}

struct DiscardBody {
  static constexpr std::string_view kName = "DiscardBody";
  std::vector<FileChange> changes;
  std::string undo_id;  // For session:rewind:undo.
  friend bool operator==(const DiscardBody&, const DiscardBody&) = default;
};
template <class Fields>
void describe(Fields& field, DiscardBody& value) {
  field("changes", value.changes);
  field("undoId", value.undo_id);
}

}  // namespace lb
