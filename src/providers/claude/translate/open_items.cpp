#include "providers/claude/translate/open_items.h"

#include <algorithm>
#include <cassert>

namespace lb::claude {

OpenItems::OpenItems(SessionId session, BatcherOptions batching, Forms forms, Emit emit)
    : session_(std::move(session)), batching_(batching), forms_(forms), emit_(std::move(emit)) {}

OpenItems::Entry& OpenItems::open(ItemPlace place, ItemBody body, Moment at) {
  assert(!entries_.contains(place.item));
  Entry& entry = entries_[place.item];
  entry.order = ++opened_;
  Item& item = entry.item;
  item.turn_id = std::move(place.turn);
  item.session_id = session_;
  item.item_id = std::move(place.item);
  item.parent_call_id = std::move(place.parent);
  item.source_timestamp = item.started_at = at.wall;
  item.body = std::move(body);
  return entry;
}

OpenItems::Entry& OpenItems::open_text(ItemPlace place, ItemBody body, Moment at) {
  Entry& entry = open(std::move(place), std::move(body), at);
  entry.batcher.emplace(batching_);
  return entry;
}

Text& OpenItems::text_of(Item& item) {
  if (auto* message = std::get_if<Message>(&item.body)) return message->content;
  return std::get<Thinking>(item.body).content;
}

void OpenItems::emit(Entry& entry, ItemStatus status, Moment at) {
  entry.item.status = status;
  entry.item.emitted_at = at.wall;
  if (entry.batcher) text_of(entry.item) = entry.batcher->text();
  entry.shown = true;
  emit_(entry.item);
}

void OpenItems::show(Entry& entry, Moment at) {
  // A history keeps the order in which things began, and of growing text only the end.
  if (forms_ == Forms::FinalOnly && (entry.shown || entry.batcher)) return;
  emit(entry, entry.shown ? ItemStatus::Update : ItemStatus::Create, at);
}

void OpenItems::grow(Entry& entry, std::string_view delta, Moment at) {
  assert(entry.batcher);
  entry.item.source_timestamp = at.wall;
  if (entry.batcher->add(delta, at.mono)) show(entry, at);
}

void OpenItems::set_text(Entry& entry, std::string_view text, Moment at) {
  assert(entry.batcher);
  const std::string_view known = entry.batcher->text().view();
  if (text.starts_with(known)) {
    const std::string more(text.substr(known.size()));
    if (!more.empty()) grow(entry, more, at);
    return;
  }
  // The CLI changed what it had streamed: the final text counts.
  entry.batcher.reset();
  text_of(entry.item) = Text(text);
}

void OpenItems::end(Entry& entry, Ending ending, Moment at) {
  const GrowingText growing = growing_text(entry.item);
  const bool is_text = entry.batcher || growing.field == "content";
  if (is_text && !entry.shown) {
    const bool empty = entry.batcher ? entry.batcher->text().empty() : growing.text->empty();
    if (empty) {
      entries_.erase(entry.item.item_id);
      return;
    }
    // Readers of a live session know every text by its beginning first.
    if (forms_ == Forms::Every) show(entry, at);
  }
  entry.item.source_timestamp = at.wall;
  entry.item.ended_at = at.wall;
  entry.item.error_code = std::move(ending.error_code);
  entry.item.error_message = std::move(ending.error_message);
  emit(entry, ending.status, at);
  // By a copy of the id: the entry's own goes away with it.
  entries_.erase(ItemId(entry.item.item_id));
}

OpenItems::Entry* OpenItems::find(const ItemId& item) {
  const auto found = entries_.find(item);
  return found == entries_.end() ? nullptr : &found->second;
}

std::optional<OpenItems::Entry> OpenItems::take(const ItemId& item) {
  auto node = entries_.extract(item);
  return node.empty() ? std::nullopt : std::optional(std::move(node.mapped()));
}

OpenItems::Entry& OpenItems::put_back(Entry entry) {
  const ItemId item = entry.item.item_id;
  return entries_.insert_or_assign(item, std::move(entry)).first->second;
}

std::vector<OpenItems::Entry*> OpenItems::entries() {
  std::vector<Entry*> all;
  all.reserve(entries_.size());
  for (auto& [id, entry] : entries_) all.push_back(&entry);
  std::ranges::sort(all, {}, [](const Entry* entry) { return entry->order; });
  return all;
}

std::optional<MonoMs> OpenItems::deadline() const {
  std::optional<MonoMs> first;
  for (const auto& [id, entry] : entries_) {
    if (!entry.batcher) continue;
    const auto due = entry.batcher->deadline();
    if (due && (!first || *due < *first)) first = due;
  }
  return first;
}

void OpenItems::tick(Moment at) {
  if (forms_ == Forms::FinalOnly) return;
  for (Entry* entry : entries()) {
    if (entry->batcher && entry->batcher->tick(at.mono)) show(*entry, at);
  }
}

}  // namespace lb::claude
