/// Review: what the user says about lines of files and plans, and which files he has seen.
///
/// Everything is stored before it is told. A comment on a file is a draft until all drafts leave as
/// one prompt; each carries the key of the try it leaves with, so that a crash between the prompt
/// and the note of it sends nothing twice. Owned by the SessionService; lives on the io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/review_requests.h"
#include "session/event.h"
#include "store/store.h"

namespace lb {

/// A comment as it is stored.
struct CommentRecord {
  static constexpr std::string_view kName = "CommentRecord";
  Comment comment;
  std::string sending;  // The key of the prompt that it leaves with; empty: it has not left.
  friend bool operator==(const CommentRecord&, const CommentRecord&) = default;

  [[nodiscard]] bool unsent() const {
    return comment.state == CommentState::Draft || comment.state == CommentState::Outdated;
  }
};
template <class Fields>
void describe(Fields& field, CommentRecord& record) {
  field("comment", record.comment);
  field("sending", record.sending);
}

/// What is said to the agent: `before`, then each comment with its line.
std::string review_prompt(const std::string& before, const std::vector<Comment>& comments);
/// The same about a plan.
std::string plan_words(const std::string& before, const std::vector<Comment>& comments);

/// Lines of a file, as git counts them.
std::vector<std::string_view> lines_of(std::string_view text);

class Review {
 public:
  /// What is known of one session. Whoever changes it holds the mutex.
  struct Shelf {
    explicit Shelf(const asio::any_io_executor& io) : mutex(io) {}
    std::vector<CommentRecord> comments;
    std::map<std::string, std::string> seen;  // Path: oid.
    /// The files of the newest answer to `session:changes` against the base, with their oids: all
    /// of them seen means done.
    std::string tree;
    std::map<std::string, std::string> files;
    AsyncMutex mutex;
    std::uint64_t used = 0;
  };
  using ShelfPtr = std::shared_ptr<Shelf>;

  Review(asio::any_io_executor io, Store& store, const Clock& clock)
      : io_(std::move(io)), store_(store), clock_(clock) {}

  void on_comment(std::function<void(const Comment&)> told) { told_ = std::move(told); }

  asio::awaitable<Result<ShelfPtr>> of(SessionId session);
  void forget(const SessionId& session) { shelves_.erase(session); }

  asio::awaitable<Result<Comment>> add(SessionCommentRequest request);
  asio::awaitable<Result<Comment>> edit(CommentEditRequest request);
  asio::awaitable<Result<Comment>> resolve(CommentResolveRequest request);
  asio::awaitable<Result<void>> remove(CommentDeleteRequest request);

  /// Stores these forms and tells of them.
  asio::awaitable<Result<void>> put(ShelfPtr shelf, std::vector<CommentRecord> changed);
  /// Stores that files were seen; an empty oid: not any more.
  asio::awaitable<Result<void>> see(SessionId session, std::string path, std::string oid);
  /// Says in the answer which files were seen, and remembers it.
  static void fill_in(Shelf& shelf, ChangesBody& changes);
  /// Every file of the newest answer was seen: its tree.
  [[nodiscard]] static std::optional<std::string> all_seen(const Shelf& shelf);

 private:
  asio::awaitable<Result<Comment>> change(SessionId session, CommentId id,
                                          std::function<Result<void>(Comment&)> how);

  asio::any_io_executor io_;
  Store& store_;
  const Clock& clock_;
  std::function<void(const Comment&)> told_ = [](const Comment&) {};
  std::map<SessionId, ShelfPtr> shelves_;
  std::uint64_t uses_ = 0;
};

}  // namespace lb
