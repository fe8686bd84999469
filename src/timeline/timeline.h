/// Timeline: the entries of one session and when each last changed.
///
/// A session is a small replicated state, not a stream that is forwarded. Each change of an entry
/// (an item or a turn) gets the session's next revision, and `changes_since(r)` answers everyone:
/// the entries changed after r, newest form, in revision order. A live socket, a slow one, a
/// reload, a second window, an export: each is a cursor that asks this one question. A reader that
/// falls behind skips intermediate forms of an entry, never the last.
///
/// Complete means durable: a final form (and a first form of what only the user can decide or has
/// said) is not visible before `durable_up_to` says that it is stored, and neither is anything
/// after it. Growing text is visible at once. `put` says which of the two it was.
///
/// Text that only grew costs only what is new: it is remembered in spans, and a reader that asked
/// for appends gets the text after its own revision.
///
/// Memory is bounded: final durable entries beyond a budget are let go, oldest first; `floor()` is
/// the newest revision let go, and whoever is behind it reads the store first.
///
/// Pure: no clock, no I/O. Owned by the LiveTimeline of its session; lives on the io thread, which
/// a debug build checks.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/limits.h"
#include "base/owner_thread.h"
#include "model/item.h"
#include "model/turn.h"
#include "timeline/frame.h"

namespace lb {

/// Whole: every change as a whole form. Appends: growth as session:append.
enum class ReadForm { Whole, Appends };

struct TimelineOptions {
  std::size_t final_bytes_max = limits::kTimelineBytesMax;
  std::size_t spans_max = limits::kSpansMax;
};

/// Where a timeline that existed before goes on: everything up to `head` is in the store.
struct TimelineStart {
  Revision head = 0;
  std::uint64_t next_pos = 1;
};

class Timeline {
 public:
  enum class PutKind {
    Shown,    // Visible at once (or as soon as what came before it is).
    Durable,  // To be stored first; tell durable_up_to.
    Refused,  // The entry is final: it never changes again. Nothing happened.
  };
  struct Put {
    PutKind kind = PutKind::Shown;
    Revision rev = 0;
    bool grew = false;  // Only text was appended.
  };

  Timeline(SessionId session, TimelineStart start, TimelineOptions options = {});
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// Adds or replaces an entry. `rev` is given here; `pos` too, unless the entry brings its own
  /// (it was in the store already). `arrived_us` says when the change came in; its frame keeps it.
  Put put(Item item, std::uint64_t arrived_us = 0);
  Put put(Turn turn, std::uint64_t arrived_us = 0);

  /// Every form up to this revision is stored.
  void durable_up_to(Revision rev);

  struct Changes {
    std::vector<FramePtr> frames;  // In revision order.
    Revision rev = 0;              // The reader's new cursor.
  };
  /// What changed after `since` and is visible. Stops after the frame that reaches `bytes_max`;
  /// the cursor then is that frame's revision and the next call goes on from there.
  /// When since < floor(), what was let go is missing: the caller merges it from the store.
  [[nodiscard]] Changes changes_since(Revision since, ReadForm form,
                                      std::size_t bytes_max = SIZE_MAX);

  /// True when something after `since` is visible that is more than growth of known text: a reader
  /// without appends is paced while this is false.
  [[nodiscard]] bool urgent_since(Revision since) const;

  /// Every visible entry in memory, whole, by position.
  [[nodiscard]] std::vector<FramePtr> snapshot();

  /// The newest whole form, visible or not: what the store keeps. Null when it is not in memory.
  [[nodiscard]] FramePtr form_of(const ItemId& item);
  [[nodiscard]] FramePtr form_of(const TurnId& turn);

  /// Open entries only: a final one is kept as its frame.
  [[nodiscard]] const Item* open_item(const ItemId& item) const;
  [[nodiscard]] const Turn* open_turn(const TurnId& turn) const;
  [[nodiscard]] std::vector<const Item*> open_items() const;
  [[nodiscard]] std::vector<const Turn*> open_turns() const;

  [[nodiscard]] Revision head() const { return head_; }
  [[nodiscard]] Revision visible() const;
  [[nodiscard]] Revision floor() const { return floor_; }
  [[nodiscard]] std::uint64_t next_pos() const { return next_pos_; }
  [[nodiscard]] std::size_t final_bytes() const { return final_bytes_; }
  [[nodiscard]] std::size_t size() const { return by_rev_.size(); }

  /// Lets go of everything that is final and durable: nobody reads and nothing runs.
  void release();

 private:
  struct Entry;
  using Entries = std::map<Revision, std::unique_ptr<Entry>>;

  /// The entry of a key, or null; `created` entries are owned by by_rev_ after `touch`.
  template <class Key>
  Entry* find(const std::unordered_map<Key, Entry*>& map, const Key& key) const;
  template <class Key>
  Entry& entry_for(std::unordered_map<Key, Entry*>& map, const Key& key, std::uint64_t pos);
  /// Gives the entry the next revision and its place at the end of the order.
  void touch(Entry& entry);
  Put settle(Entry& entry, bool needs_store, bool is_final);
  void evict(std::size_t bytes_max);
  [[nodiscard]] FramePtr whole(Entry& entry);
  /// What a reader at `since` must be told of the entry as it was at `until`; null for nothing.
  struct Ask {
    Revision since = 0;
    Revision until = 0;
    ReadForm form = ReadForm::Whole;
  };
  [[nodiscard]] FramePtr change(Entry& entry, Ask ask);
  [[nodiscard]] FramePtr append_frame(Entry& entry, Ask ask);
  /// One change of an entry that a reader has not seen.
  struct Point {
    Revision rev = 0;
    Entry* entry = nullptr;
  };
  [[nodiscard]] std::vector<Point> points_since(Revision since, ReadForm form);

  [[no_unique_address]] OwnerThread owner_;
  SessionId session_;
  TimelineOptions options_;
  Revision head_;
  Revision floor_;
  std::uint64_t next_pos_;
  Revision urgent_ = 0;
  std::size_t final_bytes_ = 0;
  Entries by_rev_;  // Owns the entries, in the order of their last change.
  std::unordered_map<ItemId, Entry*> items_;
  std::unordered_map<TurnId, Entry*> turns_;
  std::deque<Revision> awaiting_store_;  // Revisions that must be durable before they are visible.
};

}  // namespace lb
