// SessionService: what the user says about changes and plans, and what he has seen.

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/run_on.h"
#include "session/service/session_service.h"

namespace lb {
namespace {

/// A key of the user's may be as long as any other; ours stands before it.
constexpr std::string_view kReviewKey = "review:";
constexpr std::size_t kKeyBytesMax = 200;

auto fail_no_session() {
  return fail(ErrorCode::SessionNotFound, "There is no such session.");
}

bool same_line(std::string_view now, std::string_view quote) {
  if (now.ends_with('\r')) now.remove_suffix(1);
  if (quote.ends_with('\r')) quote.remove_suffix(1);
  // A long line is quoted in part.
  return now == quote || (quote.size() >= limits::kQuoteBytesMax / 2 && now.starts_with(quote));
}

/// A comment whose line has to be looked for, and where.
struct Anchor {
  CommentId id;
  std::string tree;
  std::string path;
  std::uint64_t line = 0;
  std::string quote;
};

/// Those whose line is another now, or gone. Blocks.
std::set<CommentId> outdated(git::WorkTree& files, const std::vector<Anchor>& anchors) {
  std::set<CommentId> gone;
  std::string key;
  std::string text;
  bool there = false;
  for (const Anchor& anchor : anchors) {
    if (std::exchange(key, anchor.tree + " " + anchor.path) != anchor.tree + " " + anchor.path) {
      auto found = files.file(anchor.tree, anchor.path);
      there = found && found->has_value();
      text = there ? std::move(**found) : "";
    }
    const std::vector<std::string_view> lines = lines_of(text);
    const bool same =
        there && (anchor.line == 0 ||
                  (anchor.line <= lines.size() && same_line(lines[anchor.line - 1], anchor.quote)));
    if (!same) gone.insert(anchor.id);
  }
  return gone;
}

std::vector<Anchor> anchors_of(const Review::Shelf& shelf, const ChangesBody& changes) {
  std::vector<Anchor> anchors;
  for (const CommentRecord& record : shelf.comments) {
    const Comment& comment = record.comment;
    if (!record.unsent() || !comment.path) continue;
    const bool old = comment.side == Side::Old;
    // What the other side is depends on what was compared.
    if (old && changes.against != "base") continue;
    anchors.push_back({comment.comment_id, old ? changes.from : changes.oid,
                       git::path_shown_as(*comment.path), comment.line, comment.quote});
  }
  std::ranges::sort(anchors, {}, [](const Anchor& one) { return std::tie(one.tree, one.path); });
  return anchors;
}

template <class Wanted>
std::vector<CommentRecord> unsent(const Review::Shelf& shelf, Wanted wanted) {
  std::vector<CommentRecord> found;
  std::ranges::copy_if(shelf.comments, std::back_inserter(found), [&](const CommentRecord& one) {
    return one.unsent() && wanted(one.comment);
  });
  return found;
}

std::vector<Comment> comments_in(const std::vector<CommentRecord>& records) {
  std::vector<Comment> comments;
  std::ranges::transform(records, std::back_inserter(comments), &CommentRecord::comment);
  return comments;
}

void sent_with(std::vector<CommentRecord>& records, const TurnId& turn, Timestamp now) {
  for (CommentRecord& record : records) {
    record.comment.state = CommentState::Sent;
    record.comment.turn_id = turn;
    record.comment.updated_at = now;
    record.sending.clear();
  }
}

}  // namespace

// --- What was seen ----------------------------------------------------------------------------

asio::awaitable<Result<void>> SessionService::mark_viewed(SessionViewedRequest request) {
  if (slot_of(request.session_id) == nullptr) co_return fail_no_session();
  const bool viewed = request.viewed.value_or(true);
  if (request.path.empty() || (viewed && request.oid.empty())) {
    co_return fail(ErrorCode::InvalidRequest, "path: expected a file and the oid of its content");
  }
  auto done = co_await review_.see(request.session_id, std::move(request.path),
                                   viewed ? std::move(request.oid) : "");
  if (!done || !viewed) co_return done;
  auto shelf = co_await review_.of(request.session_id);
  if (!shelf) co_return std::unexpected(std::move(shelf.error()));
  const auto tree = Review::all_seen(**shelf);
  if (!tree) co_return Result<void>{};
  co_return co_await reviewed_is(std::move(request.session_id), *tree);
}

asio::awaitable<Result<void>> SessionService::mark_reviewed(SessionReviewedRequest request) {
  if (slot_of(request.session_id) == nullptr) co_return fail_no_session();
  co_return co_await reviewed_is(std::move(request.session_id), std::move(request.oid));
}

asio::awaitable<Result<void>> SessionService::reviewed_is(SessionId session, std::string oid) {
  WriteBatch batch;
  batch.seen.push_back({session, "", oid});
  if (auto stored = co_await deps_.store.commit(std::move(batch)); !stored) co_return stored;
  const Slot* slot = slot_of(session);
  if (slot == nullptr) co_return Result<void>{};
  SessionWork work = slot->kept->work;
  work.reviewed = std::move(oid);
  work_is(session, std::move(work));
  co_return Result<void>{};
}

asio::awaitable<void> SessionService::look_at_comments(SessionId session, std::string folder,
                                                       ChangesBody& changes) {
  const std::weak_ptr<SessionHost> alive = weak();
  auto shelf = co_await review_.of(session);
  if (!shelf || alive.expired()) co_return;
  Review::fill_in(**shelf, changes);
  if (const Slot* slot = slot_of(session)) {
    changes.reviewed = slot->kept->work.reviewed == changes.oid;
  }
  std::vector<Anchor> anchors = anchors_of(**shelf, changes);
  if (anchors.empty()) co_return;
  auto& folders = folders_;
  auto gone = co_await run_on(
      snapshot_pool_,
      [&folders, folder = std::move(folder), &anchors]() -> Result<std::set<CommentId>> {
        auto files = folders.at(folder);
        if (!files) return std::unexpected(std::move(files.error()));
        return outdated(**files, anchors);
      });
  if (!gone || alive.expired()) co_return;
  const auto guard = co_await (*shelf)->mutex.lock();
  std::vector<CommentRecord> changed;
  for (const Anchor& anchor : anchors) {
    const auto known = std::ranges::find(
        (*shelf)->comments, anchor.id,
        [](const CommentRecord& one) -> const CommentId& { return one.comment.comment_id; });
    if (known == (*shelf)->comments.end() || !known->unsent()) continue;
    const CommentState state =
        gone->contains(anchor.id) ? CommentState::Outdated : CommentState::Draft;
    if (known->comment.state == state) continue;
    CommentRecord& record = changed.emplace_back(*known);
    record.comment.state = state;
  }
  if (changed.empty()) co_return;
  if (auto stored = co_await review_.put(*shelf, std::move(changed)); !stored) {
    log_warn("comments", {{"session", session.str()}, {"why", stored.error().message}});
  }
}

// --- Comments ---------------------------------------------------------------------------------

asio::awaitable<Result<CommentsBody>> SessionService::comments(SessionCommentsRequest request) {
  if (slot_of(request.session_id) == nullptr) co_return fail_no_session();
  auto shelf = co_await review_.of(std::move(request.session_id));
  if (!shelf) co_return std::unexpected(std::move(shelf.error()));
  co_return CommentsBody{comments_in((*shelf)->comments)};
}

asio::awaitable<Result<CommentMessage>> SessionService::add_comment(SessionCommentRequest request) {
  if (slot_of(request.session_id) == nullptr) co_return fail_no_session();
  auto comment = co_await review_.add(std::move(request));
  if (!comment) co_return std::unexpected(std::move(comment.error()));
  co_return CommentMessage{std::move(*comment)};
}

asio::awaitable<Result<CommentMessage>> SessionService::edit_comment(CommentEditRequest request) {
  if (slot_of(request.session_id) == nullptr) co_return fail_no_session();
  auto comment = co_await review_.edit(std::move(request));
  if (!comment) co_return std::unexpected(std::move(comment.error()));
  co_return CommentMessage{std::move(*comment)};
}

asio::awaitable<Result<CommentMessage>> SessionService::resolve_comment(
    CommentResolveRequest request) {
  if (slot_of(request.session_id) == nullptr) co_return fail_no_session();
  auto comment = co_await review_.resolve(std::move(request));
  if (!comment) co_return std::unexpected(std::move(comment.error()));
  co_return CommentMessage{std::move(*comment)};
}

asio::awaitable<Result<CommentRemovedMessage>> SessionService::delete_comment(
    CommentDeleteRequest request) {
  if (slot_of(request.session_id) == nullptr) co_return fail_no_session();
  CommentRemovedMessage removed{request.session_id, request.comment_id};
  if (auto gone = co_await review_.remove(std::move(request)); !gone) {
    co_return std::unexpected(std::move(gone.error()));
  }
  events_->comment_removed(removed);
  co_return removed;
}

// --- To the agent -----------------------------------------------------------------------------

/// Comments that left with a prompt while the server did not live to note it.
asio::awaitable<Result<void>> SessionService::note_left_comments(SessionId session,
                                                                 Review::ShelfPtr shelf) {
  if (std::ranges::all_of(shelf->comments, &std::string::empty, &CommentRecord::sending)) {
    co_return Result<void>{};
  }
  auto keys = co_await deps_.store.read_prompt_keys(std::move(session));
  if (!keys) co_return std::unexpected(std::move(keys.error()));
  std::vector<CommentRecord> left;
  for (const PromptKey& key : *keys) {
    std::vector<CommentRecord> with = unsent(*shelf, [](const Comment&) { return true; });
    std::erase_if(with, [&](const CommentRecord& one) { return one.sending != key.key; });
    sent_with(with, key.turn_id, deps_.clock.wall());
    std::ranges::move(with, std::back_inserter(left));
  }
  co_return left.empty() ? Result<void>{} : co_await review_.put(shelf, std::move(left));
}

asio::awaitable<Result<ReviewSentBody>> SessionService::send_review(ReviewSendRequest request) {
  if (request.idempotency_key.empty() || request.idempotency_key.size() > kKeyBytesMax) {
    co_return fail(ErrorCode::InvalidRequest, "idempotencyKey: expected 1 to 200 bytes");
  }
  const auto session = find(request.session_id);
  if (!session) co_return std::unexpected(session.error());
  auto found = co_await review_.of(request.session_id);
  if (!found) co_return std::unexpected(std::move(found.error()));
  const Review::ShelfPtr shelf = *found;
  const auto guard = co_await shelf->mutex.lock();
  if (auto noted = co_await note_left_comments(request.session_id, shelf); !noted) {
    co_return std::unexpected(std::move(noted.error()));
  }
  SessionSendRequest prompt;
  prompt.session_id = request.session_id;
  prompt.client_message_id = std::string(kReviewKey) + request.idempotency_key;
  auto keys = co_await deps_.store.read_prompt_keys(request.session_id);
  if (!keys) co_return std::unexpected(std::move(keys.error()));
  ReviewSentBody body{request.session_id, TurnId(""), false, {}};
  const auto known = std::ranges::find(*keys, *prompt.client_message_id, &PromptKey::key);
  if (known != keys->end()) {  // Asked again: it went the first time.
    body.turn_id = known->turn_id;
    for (const CommentRecord& record : shelf->comments) {
      if (record.comment.turn_id == body.turn_id)
        body.comments.push_back(record.comment.comment_id);
    }
    co_return body;
  }
  std::vector<CommentRecord> drafts =
      unsent(*shelf, [](const Comment& comment) { return comment.path.has_value(); });
  if (drafts.empty()) {
    co_return fail(ErrorCode::NotSupported, "There is nothing to send. Comment on a line first.");
  }
  prompt.content = review_prompt(request.message.value_or(""), comments_in(drafts));
  if (prompt.content.size() > limits::kPromptBytesMax) {
    co_return fail(ErrorCode::TooLarge,
                   "These comments are too much for one message. Delete or resolve some of them.");
  }
  for (CommentRecord& draft : drafts) draft.sending = *prompt.client_message_id;
  if (auto stored = co_await review_.put(shelf, drafts); !stored) {
    co_return std::unexpected(std::move(stored.error()));
  }
  auto sent = co_await (*session)->send(std::move(prompt));
  if (!sent) {
    for (CommentRecord& draft : drafts) draft.sending.clear();
    static_cast<void>(co_await review_.put(shelf, std::move(drafts)));
    co_return std::unexpected(std::move(sent.error()));
  }
  for (const CommentRecord& draft : drafts) body.comments.push_back(draft.comment.comment_id);
  body.turn_id = sent->turn_id;
  body.queued = sent->queued;
  sent_with(drafts, body.turn_id, deps_.clock.wall());
  // The agent has them; what could not be noted now is noted with the next review.
  if (auto noted = co_await review_.put(shelf, std::move(drafts)); !noted) {
    log_warn("comments", {{"session", request.session_id.str()}, {"why", noted.error().message}});
  }
  co_return body;
}

asio::awaitable<Result<void>> SessionService::answer(SessionAnswerRequest request, Caller caller) {
  const auto session = find(request.session_id);
  if (!session) co_return std::unexpected(session.error());
  const ItemId item = request.item_id;
  const Item* open = (*session)->live()->timeline().open_item(item);
  const Approval* asked = open != nullptr ? std::get_if<Approval>(&open->body) : nullptr;
  if (asked == nullptr || asked->kind != ApprovalKind::Plan) {
    co_return co_await (*session)->answer(std::move(request), std::move(caller));
  }
  auto found = co_await review_.of(request.session_id);
  if (!found) co_return std::unexpected(std::move(found.error()));
  const Review::ShelfPtr shelf = *found;
  const auto guard = co_await shelf->mutex.lock();
  std::vector<CommentRecord> drafts =
      unsent(*shelf, [&](const Comment& comment) { return comment.item_id == item; });
  if (drafts.empty()) co_return co_await (*session)->answer(std::move(request), std::move(caller));
  request.message = plan_words(request.message.value_or(""), comments_in(drafts));
  auto given = co_await (*session)->answer(std::move(request), std::move(caller));
  if (!given) co_return given;
  for (CommentRecord& draft : drafts) {
    draft.comment.state = CommentState::Sent;
    draft.comment.updated_at = deps_.clock.wall();
  }
  if (auto noted = co_await review_.put(shelf, std::move(drafts)); !noted) {
    log_warn("comments", {{"item", item.str()}, {"why", noted.error().message}});
  }
  co_return given;
}

}  // namespace lb
