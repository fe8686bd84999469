/// OpenItems: the items of one session that are still open, and every form of them that leaves.
///
/// The translator says what happened to an item; OpenItems knows which forms readers have seen,
/// when growing text is due (through the shared Batcher), and that a final item never changes
/// again. Text only grows: each form shares the buffer of the one before.
/// Pure; owned by its Translator.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/item.h"
#include "providers/claude/protocol.h"
#include "stream/batcher.h"

namespace lb::claude {

/// Where an item belongs.
struct ItemPlace {
  TurnId turn;
  ItemId item;
  std::optional<std::string> parent;  // The subagent's call.
};

/// How an item ends, with a reason when it failed.
struct Ending {
  ItemStatus status = ItemStatus::Complete;
  std::optional<std::string> error_code;
  std::optional<std::string> error_message;
};

class OpenItems {
 public:
  using Emit = std::function<void(const Upsert&)>;
  enum class Forms {
    Every,      // A live session: create, update, final.
    FinalOnly,  // A history that is read: that it began, and its end.
  };

  struct Entry {
    Item item;
    std::optional<Batcher> batcher;  // Of growing text.
    std::uint64_t order = 0;         // In which it was opened.
    bool shown = false;
  };

  OpenItems(SessionId session, BatcherOptions batching, Forms forms, Emit emit);

  /// Opens an item without showing it. The id must be new.
  Entry& open(ItemPlace place, ItemBody body, Moment at);
  /// Opens an item whose text grows by `grow`.
  Entry& open_text(ItemPlace place, ItemBody body, Moment at);

  /// Passes the item's present form on: create the first time, then update.
  void show(Entry& entry, Moment at);
  /// Adds text; shows the item when the batcher says so.
  void grow(Entry& entry, std::string_view delta, Moment at);
  /// Makes the whole text `text`: what is known already is kept, not copied.
  void set_text(Entry& entry, std::string_view text, Moment at);
  /// Ends the item and forgets it. A text that nobody saw and that is empty vanishes.
  void end(Entry& entry, Ending ending, Moment at);

  [[nodiscard]] Entry* find(const ItemId& item);
  /// Takes an item out without a word; `put_back` brings it back.
  [[nodiscard]] std::optional<Entry> take(const ItemId& item);
  Entry& put_back(Entry entry);
  /// Open items in the order they were opened. Pointers live until the item ends.
  [[nodiscard]] std::vector<Entry*> entries();

  /// When `tick` has something to do.
  [[nodiscard]] std::optional<MonoMs> deadline() const;
  void tick(Moment at);

 private:
  void emit(Entry& entry, ItemStatus status, Moment at);
  static Text& text_of(Item& item);

  SessionId session_;
  BatcherOptions batching_;
  Forms forms_;
  Emit emit_;
  std::map<ItemId, Entry> entries_;
  std::uint64_t opened_ = 0;
};

}  // namespace lb::claude
