/// What may be asked about changes and comments (see requests.h).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/review.h"

namespace lb {

struct SessionChangesRequest {
  static constexpr std::string_view kName = "SessionChangesRequest";
  SessionId session_id;
  std::optional<std::string> against = {};  // base, head, index or turn:ID.
};
template <class Fields>
void describe(Fields& field, SessionChangesRequest& request) {
  field("sessionId", request.session_id);
  field.optional("against", request.against);
}

struct SessionDiffRequest {
  static constexpr std::string_view kName = "SessionDiffRequest";
  SessionId session_id;
  std::string path;
  std::optional<std::string> against = {};
  std::optional<std::string> from = {};       // Trees of an answer before, instead of `against`.
  std::optional<std::string> oid = {};        // The same.
  std::optional<std::uint64_t> context = {};  // Lines around a change; 3.
};
template <class Fields>
void describe(Fields& field, SessionDiffRequest& request) {
  field("sessionId", request.session_id);
  field("path", request.path);
  field.optional("against", request.against);
  field.optional("from", request.from);
  field.optional("oid", request.oid);
  field.optional("context", request.context);
}

struct SessionFileRequest {
  static constexpr std::string_view kName = "SessionFileRequest";
  SessionId session_id;
  std::string path;
  std::optional<std::string> oid = {};  // A tree of an answer before; absent: as it is on disk.
};
template <class Fields>
void describe(Fields& field, SessionFileRequest& request) {
  field("sessionId", request.session_id);
  field("path", request.path);
  field.optional("oid", request.oid);
}

struct SessionViewedRequest {
  static constexpr std::string_view kName = "SessionViewedRequest";
  SessionId session_id;
  std::string path;
  std::string oid;
  std::optional<bool> viewed = {};  // False: not any more.
};
template <class Fields>
void describe(Fields& field, SessionViewedRequest& request) {
  field("sessionId", request.session_id);
  field("path", request.path);
  field("oid", request.oid);
  field.optional("viewed", request.viewed);
}

struct SessionReviewedRequest {
  static constexpr std::string_view kName = "SessionReviewedRequest";
  SessionId session_id;
  std::string oid;  // The tree that the user is done with.
};
template <class Fields>
void describe(Fields& field, SessionReviewedRequest& request) {
  field("sessionId", request.session_id);
  field("oid", request.oid);
}

struct SessionCommentsRequest {
  static constexpr std::string_view kName = "SessionCommentsRequest";
  SessionId session_id;
};
template <class Fields>
void describe(Fields& field, SessionCommentsRequest& request) {
  field("sessionId", request.session_id);
}

struct SessionCommentRequest {
  static constexpr std::string_view kName = "SessionCommentRequest";
  SessionId session_id;
  std::optional<std::string> path = {};
  std::optional<ItemId> item_id = {};
  std::optional<Side> side = {};
  std::optional<std::string> oid = {};
  std::uint64_t line = 0;
  std::string quote;
  std::string body;
};
template <class Fields>
void describe(Fields& field, SessionCommentRequest& request) {
  field("sessionId", request.session_id);
  field.optional("path", request.path);
  field.optional("itemId", request.item_id);
  field.optional("side", request.side);
  field.optional("oid", request.oid);
  field("line", request.line);
  field("quote", request.quote);
  field("body", request.body);
}

struct CommentEditRequest {
  static constexpr std::string_view kName = "CommentEditRequest";
  SessionId session_id;
  CommentId comment_id;
  std::string body;
};
template <class Fields>
void describe(Fields& field, CommentEditRequest& request) {
  field("sessionId", request.session_id);
  field("commentId", request.comment_id);
  field("body", request.body);
}

struct CommentResolveRequest {
  static constexpr std::string_view kName = "CommentResolveRequest";
  SessionId session_id;
  CommentId comment_id;
  std::optional<bool> resolved = {};  // False: open again.
};
template <class Fields>
void describe(Fields& field, CommentResolveRequest& request) {
  field("sessionId", request.session_id);
  field("commentId", request.comment_id);
  field.optional("resolved", request.resolved);
}

struct CommentDeleteRequest {
  static constexpr std::string_view kName = "CommentDeleteRequest";
  SessionId session_id;
  CommentId comment_id;
};
template <class Fields>
void describe(Fields& field, CommentDeleteRequest& request) {
  field("sessionId", request.session_id);
  field("commentId", request.comment_id);
}

struct ReviewSendRequest {
  static constexpr std::string_view kName = "ReviewSendRequest";
  SessionId session_id;
  std::string idempotency_key;
  std::optional<std::string> message = {};  // Said before the comments.
};
template <class Fields>
void describe(Fields& field, ReviewSendRequest& request) {
  field("sessionId", request.session_id);
  field("idempotencyKey", request.idempotency_key);
  field.optional("message", request.message);
}

struct SessionCommitRequest {
  static constexpr std::string_view kName = "SessionCommitRequest";
  SessionId session_id;
  std::vector<std::string> paths;
  std::string message;
};
template <class Fields>
void describe(Fields& field, SessionCommitRequest& request) {
  field("sessionId", request.session_id);
  field("paths", request.paths);
  field("message", request.message);
}

/// Lines of both sides, as `@@ -old +new @@` counts them.
struct HunkRange {
  static constexpr std::string_view kName = "HunkRange";
  std::uint64_t old_start = 0;
  std::uint64_t old_lines = 0;
  std::uint64_t new_start = 0;
  std::uint64_t new_lines = 0;
  friend bool operator==(const HunkRange&, const HunkRange&) = default;
};
template <class Fields>
void describe(Fields& field, HunkRange& value) {
  field("oldStart", value.old_start);
  field("oldLines", value.old_lines);
  field("newStart", value.new_start);
  field("newLines", value.new_lines);
}

struct SessionDiscardRequest {
  static constexpr std::string_view kName = "SessionDiscardRequest";
  SessionId session_id;
  std::string path;
  std::string from;                    // The trees that the user saw.
  std::string oid;                     // The same.
  std::optional<HunkRange> hunk = {};  // Only this one.
};
template <class Fields>
void describe(Fields& field, SessionDiscardRequest& request) {
  field("sessionId", request.session_id);
  field("path", request.path);
  field("from", request.from);
  field("oid", request.oid);
  field.optional("hunk", request.hunk);
}

struct SessionEditorRequest {
  static constexpr std::string_view kName = "SessionEditorRequest";
  SessionId session_id;
  std::string path;
  std::optional<std::uint64_t> line = {};
};
template <class Fields>
void describe(Fields& field, SessionEditorRequest& request) {
  field("sessionId", request.session_id);
  field("path", request.path);
  field.optional("line", request.line);
}

}  // namespace lb
