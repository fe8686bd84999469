#include "session/review/review.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "base/metrics.h"
#include "session/texts.h"

namespace lb {
namespace {

struct ReviewMeters {
  Counter& comments = counter("lb_comments_total", "Comments that were made on lines.");
  Counter& refused = counter("lb_comments_refused_total", "Comments that were too many or long.");
};
ReviewMeters& review_meters() {
  static ReviewMeters all;
  return all;
}

Result<void> too_large(std::string message) {
  review_meters().refused.add();
  return fail(ErrorCode::TooLarge, std::move(message));
}

Result<void> check_body(const std::string& body) {
  if (is_blank(body)) return fail(ErrorCode::InvalidRequest, "body: say something");
  if (body.size() > limits::kCommentBytesMax) {
    return too_large(fmt::format("A comment may have {} KiB. Put more into a message.",
                                 limits::kCommentBytesMax >> 10U));
  }
  return {};
}

Result<void> check(const SessionCommentRequest& request) {
  if (request.path.has_value() == request.item_id.has_value()) {
    return fail(ErrorCode::InvalidRequest, "path: give either path or itemId");
  }
  if (request.path && (request.path->empty() || request.path->size() > 4096)) {
    return fail(ErrorCode::InvalidRequest, "path: expected a file");
  }
  if (request.quote.size() > limits::kQuoteBytesMax) {
    return too_large(fmt::format("quote: {} KiB at most", limits::kQuoteBytesMax >> 10U));
  }
  return check_body(request.body);
}

std::string quoted(const std::string& text) {
  std::string out;
  for (const std::string_view line : lines_of(text)) out += fmt::format("> {}\n", line);
  return out;
}

std::string where(const Comment& comment) {
  std::string place = comment.path ? "`" + *comment.path + "`" : "The plan";
  if (comment.line > 0) place += fmt::format(", line {}", comment.line);
  if (comment.side == Side::Old) place += " of the old version";
  if (comment.state == CommentState::Outdated) place += " (the line has changed since)";
  return place;
}

std::string list_of(const std::vector<Comment>& comments) {
  std::string out;
  for (std::size_t i = 0; i < comments.size(); ++i) {
    out +=
        fmt::format("\n{}. {}\n{}{}\n", i + 1, where(comments[i]),
                    comments[i].quote.empty() ? "" : quoted(comments[i].quote), comments[i].body);
  }
  return out;
}

}  // namespace

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string review_prompt(const std::string& before, const std::vector<Comment>& comments) {
  const std::string head = is_blank(before)
                               ? "I have looked at the changes. Please work through these comments:"
                               : before;
  return head + "\n" + list_of(comments);
}

std::string plan_words(const std::string& before, const std::vector<Comment>& comments) {
  const std::string head = is_blank(before) ? "My comments on the plan:" : before;
  return head + "\n" + list_of(comments);
}

asio::awaitable<Result<Review::ShelfPtr>> Review::of(SessionId session) {
  if (const auto known = shelves_.find(session); known != shelves_.end()) {
    known->second->used = ++uses_;
    co_return known->second;
  }
  auto rows = co_await store_.read_review(session);
  if (!rows) co_return std::unexpected(std::move(rows.error()));
  // Somebody else may have read it meanwhile, and changed it since.
  auto& shelf = shelves_[session];
  if (shelf == nullptr) {
    shelf = std::make_shared<Shelf>(io_);
    for (const CommentRow& row : rows->comments) {
      auto record = decode_text<CommentRecord>(row.comment);
      if (record) {
        shelf->comments.push_back(std::move(*record));
      } else {
        log_warn("comment_unreadable", {{"session", session.str()}, {"comment", row.id.str()}});
      }
    }
    for (SeenRow& row : rows->seen) shelf->seen[std::move(row.path)] = std::move(row.oid);
  }
  shelf->used = ++uses_;
  const ShelfPtr found = shelf;
  if (shelves_.size() > limits::kReviewsInMemory) {
    const auto oldest = std::ranges::min_element(shelves_, {}, [](const auto& one) {
      return one.second.use_count() > 1 ? UINT64_MAX : one.second->used;
    });
    if (oldest->second.use_count() == 1) shelves_.erase(oldest);
  }
  co_return found;
}

asio::awaitable<Result<void>> Review::put(ShelfPtr shelf, std::vector<CommentRecord> changed) {
  WriteBatch batch;
  for (const CommentRecord& record : changed) {
    batch.comments.push_back(
        {record.comment.session_id, record.comment.comment_id, encode(record)});
  }
  if (auto stored = co_await store_.commit(std::move(batch)); !stored) co_return stored;
  for (CommentRecord& record : changed) {
    const auto known = std::ranges::find(
        shelf->comments, record.comment.comment_id,
        [](const CommentRecord& one) -> const CommentId& { return one.comment.comment_id; });
    told_(record.comment);
    if (known != shelf->comments.end()) {
      *known = std::move(record);
    } else {
      shelf->comments.push_back(std::move(record));
    }
  }
  co_return Result<void>{};
}

asio::awaitable<Result<Comment>> Review::add(SessionCommentRequest request) {
  if (auto good = check(request); !good) co_return std::unexpected(std::move(good.error()));
  auto shelf = co_await of(request.session_id);
  if (!shelf) co_return std::unexpected(std::move(shelf.error()));
  const auto guard = co_await (*shelf)->mutex.lock();
  if ((*shelf)->comments.size() >= limits::kCommentsMax) {
    auto many = too_large(fmt::format("This session has {} comments. Delete some of them first.",
                                      limits::kCommentsMax));
    co_return std::unexpected(std::move(many.error()));
  }
  Comment comment;
  comment.comment_id = CommentId(make_uuid());
  comment.session_id = std::move(request.session_id);
  comment.path = std::move(request.path);
  comment.item_id = std::move(request.item_id);
  if (comment.path) comment.side = request.side.value_or(Side::New);
  comment.oid = std::move(request.oid);
  comment.line = request.line;
  comment.quote = std::move(request.quote);
  comment.body = std::move(request.body);
  comment.created_at = comment.updated_at = clock_.wall();
  std::vector<CommentRecord> added = {{comment, ""}};
  if (auto stored = co_await put(*shelf, std::move(added)); !stored) {
    co_return std::unexpected(std::move(stored.error()));
  }
  review_meters().comments.add();
  co_return comment;
}

asio::awaitable<Result<Comment>> Review::change(SessionId session, CommentId id,
                                                std::function<Result<void>(Comment&)> how) {
  auto shelf = co_await of(std::move(session));
  if (!shelf) co_return std::unexpected(std::move(shelf.error()));
  const auto guard = co_await (*shelf)->mutex.lock();
  const auto known = std::ranges::find(
      (*shelf)->comments, id,
      [](const CommentRecord& one) -> const CommentId& { return one.comment.comment_id; });
  if (known == (*shelf)->comments.end()) {
    co_return fail(ErrorCode::ItemNotFound, "There is no such comment in this session.");
  }
  CommentRecord record = *known;
  if (auto done = how(record.comment); !done) co_return std::unexpected(std::move(done.error()));
  record.comment.updated_at = clock_.wall();
  const Comment comment = record.comment;
  std::vector<CommentRecord> changed = {std::move(record)};
  if (auto stored = co_await put(*shelf, std::move(changed)); !stored) {
    co_return std::unexpected(std::move(stored.error()));
  }
  co_return comment;
}

asio::awaitable<Result<Comment>> Review::edit(CommentEditRequest request) {
  if (auto good = check_body(request.body); !good) {
    co_return std::unexpected(std::move(good.error()));
  }
  co_return co_await change(
      std::move(request.session_id), std::move(request.comment_id),
      [body = std::move(request.body)](Comment& comment) -> Result<void> {
        if (comment.state == CommentState::Sent || comment.state == CommentState::Resolved) {
          return fail(ErrorCode::NotSupported, "It was sent already. Write a new comment.");
        }
        comment.body = body;
        return {};
      });
}

asio::awaitable<Result<Comment>> Review::resolve(CommentResolveRequest request) {
  co_return co_await change(std::move(request.session_id), std::move(request.comment_id),
                            [resolved = request.resolved.value_or(true)](Comment& comment) {
                              const CommentState open =
                                  comment.turn_id ? CommentState::Sent : CommentState::Draft;
                              comment.state = resolved ? CommentState::Resolved : open;
                              return Result<void>{};
                            });
}

asio::awaitable<Result<void>> Review::remove(CommentDeleteRequest request) {
  auto shelf = co_await of(request.session_id);
  if (!shelf) co_return std::unexpected(std::move(shelf.error()));
  const auto guard = co_await (*shelf)->mutex.lock();
  const auto same = [&](const CommentRecord& one) {
    return one.comment.comment_id == request.comment_id;
  };
  if (std::ranges::none_of((*shelf)->comments, same)) {
    co_return fail(ErrorCode::ItemNotFound, "There is no such comment in this session.");
  }
  WriteBatch batch;
  batch.comments.push_back({request.session_id, request.comment_id, ""});
  if (auto stored = co_await store_.commit(std::move(batch)); !stored) co_return stored;
  std::erase_if((*shelf)->comments, same);
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Review::see(SessionId session, std::string path, std::string oid) {
  auto shelf = co_await of(session);
  if (!shelf) co_return std::unexpected(std::move(shelf.error()));
  const auto guard = co_await (*shelf)->mutex.lock();
  auto& seen = (*shelf)->seen;
  if (!oid.empty() && !seen.contains(path) && seen.size() >= limits::kSeenMax) {
    co_return too_large(
        fmt::format("{} files of this session are marked already.", limits::kSeenMax));
  }
  WriteBatch batch;
  batch.seen.push_back({std::move(session), path, oid});
  if (auto stored = co_await store_.commit(std::move(batch)); !stored) co_return stored;
  if (oid.empty()) {
    seen.erase(path);
  } else {
    seen[std::move(path)] = std::move(oid);
  }
  co_return Result<void>{};
}

void Review::fill_in(Shelf& shelf, ChangesBody& changes) {
  for (ChangedFile& file : changes.files) {
    const auto seen = shelf.seen.find(file.path);
    if (seen == shelf.seen.end()) continue;
    file.viewed = seen->second == file.oid;
    file.changed_since_viewed = !file.viewed;
  }
  if (changes.against != "base" || changes.truncated) return;
  shelf.tree = changes.oid;
  shelf.files.clear();
  for (const ChangedFile& file : changes.files) shelf.files[file.path] = file.oid;
}

std::optional<std::string> Review::all_seen(const Shelf& shelf) {
  if (shelf.tree.empty() || shelf.files.empty()) return std::nullopt;
  const bool all = std::ranges::all_of(shelf.files, [&](const auto& file) {
    const auto seen = shelf.seen.find(file.first);
    return seen != shelf.seen.end() && seen->second == file.second;
  });
  return all ? std::optional(shelf.tree) : std::nullopt;
}

}  // namespace lb
