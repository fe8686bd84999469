// The conversation that a fork begins with: a copy of the final entries of another session.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "session/session.h"

namespace lb {
namespace {

/// Turns run one after another, but not always in the order of their places: a prompt gets its
/// place when it is queued, before what the turn that runs then still has to say.
bool ran_before(const Turn& one, const Turn& other) {
  if (one.started_at && other.started_at) {
    return std::tie(*one.started_at, one.pos) < std::tie(*other.started_at, other.pos);
  }
  if (one.started_at) return true;  // The other one still waits, or never ran.
  return one.pos < other.pos;
}

/// What of a conversation a copy has.
class Kept {
 public:
  /// Everything that is final, or of that what was before a turn.
  Kept(const History& history, const std::optional<TurnId>& before) {
    std::vector<Turn> turns;
    for (const FramePtr& frame : history.turns) {
      if (auto turn = decode_text<Turn>(frame->payload())) turns.push_back(std::move(*turn));
    }
    if (before) {
      const auto cut = std::ranges::find(turns, *before, &Turn::turn_id);
      if (cut != turns.end()) cut_ = *cut;
    }
    for (Turn& turn : turns) {
      if (!is_final(turn) || (cut_ && !ran_before(turn, *cut_))) {
        left_.insert(turn.turn_id);
      } else if (turn.started_at && (!last_ || ran_before(*last_, turn))) {
        last_ = std::move(turn);
      }
    }
  }
  [[nodiscard]] bool cut() const { return cut_.has_value(); }
  /// The one that ran last.
  [[nodiscard]] const std::optional<Turn>& last() const { return last_; }
  [[nodiscard]] bool has(const Turn& turn) const { return !left_.contains(turn.turn_id); }
  [[nodiscard]] bool has(const Item& item) const {
    if (!is_final(item.status)) return false;
    // What is left open is not copied; what was said in it before is.
    return !cut_ || !left_.contains(item.turn_id);
  }

 private:
  std::optional<Turn> cut_;
  std::optional<Turn> last_;
  std::set<TurnId> left_;
};

}  // namespace

asio::awaitable<Result<ForkPoint>> Session::point_before(TurnId turn) {
  const auto self = shared_from_this();
  const auto history = co_await live_->window(UINT64_MAX, UINT64_MAX);
  if (!history) co_return std::unexpected(history.error());
  const Kept kept(*history, turn);
  if (!kept.cut()) {
    co_return fail(ErrorCode::TurnNotFound, "There is no such turn in this session.");
  }
  if (provider_ == nullptr || !provider_->can_fork_before(id())) {
    co_return fail(ErrorCode::NotSupported,
                   fmt::format("{} can only copy a whole session, not what was before a turn.",
                               record_->cli_type));
  }
  ForkPoint point{.turn = std::move(turn), .last_kept = {}, .last_kept_at = {}};
  if (kept.last()) {
    point.last_kept = kept.last()->turn_id;
    point.last_kept_at = kept.last()->ended_at;
  }
  co_return point;
}

asio::awaitable<Result<void>> Session::copy_history(std::shared_ptr<Session> from,
                                                    std::optional<TurnId> before) {
  const auto self = shared_from_this();
  auto history = co_await from->live_->window(UINT64_MAX, UINT64_MAX);
  if (!history) co_return std::unexpected(std::move(history.error()));
  const Kept kept(*history, before);
  std::map<std::uint64_t, FramePtr> in_order;
  for (auto* list : {&history->items, &history->turns}) {
    for (FramePtr& frame : *list) in_order.emplace(frame->pos, std::move(frame));
  }
  for (const auto& [pos, frame] : in_order) {
    if (frame->kind == FrameKind::Turn) {
      auto turn = decode_text<Turn>(frame->payload());
      if (!turn || !kept.has(*turn)) continue;
      turn->session_id = id();
      turn->pos = 0;
      turn->checkpoint.reset();  // Those are the original's.
      live_->put(std::move(*turn));
    } else {
      auto item = decode_text<Item>(frame->payload());
      if (!item || !kept.has(*item)) continue;
      if (auto copied = co_await copy_attached(from->id(), *item); !copied) co_return copied;
      item->session_id = id();
      item->pos = 0;
      live_->put(std::move(*item));
    }
  }
  co_return Result<void>{};
}

/// What an item only refers to: attached images (under ids of their own) and long tool outputs.
asio::awaitable<Result<void>> Session::copy_attached(SessionId from, Item& item) {
  const auto self = shared_from_this();
  Store& store = host_.deps().store;
  if (auto* message = std::get_if<Message>(&item.body)) {
    for (Attachment& attachment : message->attachments) {
      auto found = co_await store.read_attachment(from, attachment.attachment_id);
      if (!found) co_return std::unexpected(std::move(found.error()));
      if (!found->has_value()) continue;
      AttachmentRecord copy = std::move(**found);
      copy.id = attachment.attachment_id = make_uuid();
      copy.session = id();
      WriteBatch batch;
      batch.attachments.push_back(std::move(copy));
      if (auto stored = co_await store.commit(std::move(batch)); !stored) co_return stored;
    }
  } else if (const auto* tool = std::get_if<ToolCall>(&item.body); tool && tool->output_bytes) {
    auto output = co_await store.read_output(from, item.item_id.str());
    if (!output) co_return std::unexpected(std::move(output.error()));
    if (output->has_value()) live_->put_output({item.item_id.str(), std::move(**output)});
  }
  co_return Result<void>{};
}

}  // namespace lb
