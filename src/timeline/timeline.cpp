// How it works.
//
// by_rev_ orders the entries by their last change; a change moves an entry to the end. So
// changes_since(r) walks the tail after r, and costs what has changed, not what there is.
//
// An entry with growing text keeps, for each growth, a span: the revision and how long the text was
// then. The text itself is the item's, shared with whoever writes it, and is escaped on its way
// into a frame: a second copy of every long answer would cost more than that. `form_rev` is the
// last change that was more than growth. A reader at or after form_rev needs only the text behind
// its span; any other reader needs the whole form. Because growth changes nothing but the text, the
// form at any revision since form_rev is today's form with a shorter text: that is how an entry can
// be shown as of the visible revision while its newest text waits behind somebody else's commit,
// and how two texts that grow at the same time reach a reader in pieces that are right after every
// single frame.

#include "timeline/timeline.h"

#include <algorithm>
#include <cassert>

#include "base/codec.h"
#include "base/utf8.h"

namespace lb {
namespace {

/// How long a growing text was: in bytes, and as browsers count.
struct Extent {
  std::size_t bytes = 0;
  std::uint64_t utf16 = 0;
};

struct Span {
  Revision rev = 0;
  Extent end;
  std::uint64_t arrived_us = 0;
};

/// How many bytes the text has once it is escaped.
std::size_t escaped_size(std::string_view text) {
  std::size_t size = text.size();
  for (const char each : text) {
    const auto c = static_cast<unsigned char>(each);
    const bool is_short = c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t';
    size += is_short ? 1U : 0U;
    size += c < 0x20 && !is_short ? 5U : 0U;
  }
  return size;
}

/// A byte that no encoded JSON holds: it marks where the growing text goes.
constexpr std::string_view kTextGoesHere = "\x01";

/// Encodes the item with `shown` as its growing text, escaped straight into `out`.
void append_item(std::string& out, const Item& item, std::string_view shown) {
  const Text* growing = growing_text(item).text;
  const std::size_t begin = out.size();
  Encoder encoder(out);
  if (growing != nullptr) encoder.use_escaped(growing, kTextGoesHere);
  encoder.write(item);
  if (growing == nullptr) return;
  const std::size_t at = out.find(kTextGoesHere, begin);
  assert(at != std::string::npos);
  const std::string rest = out.substr(at + kTextGoesHere.size());
  out.resize(at);
  append_escaped(out, shown);
  out += rest;
}

}  // namespace

struct Timeline::Entry {
  std::optional<Item> item;  // While open.
  std::optional<Turn> turn;  // While open.
  std::uint64_t pos = 0;
  Revision rev = 0;                             // Of its last change; 0 when just made.
  Revision form_rev = 0;                        // Of the last change beyond growth.
  ItemStatus form_status = ItemStatus::Create;  // At form_rev: growth makes it update.
  bool is_turn = false;
  bool is_final = false;
  ItemId item_id;
  TurnId turn_id;

  std::uint64_t form_arrived_us = 0;
  Extent form_extent;  // Of the growing text at form_rev.
  Extent extent;       // Now.
  std::vector<Span> spans;

  FramePtr newest;       // The whole form at `rev`, once somebody asked.
  FramePtr last_append;  // The append that most readers want, and where it begins.
  std::size_t last_append_from = 0;

  /// The revision and the extent of the text as of `rev` (which is not before form_rev).
  [[nodiscard]] Span as_of(Revision at) const {
    const auto after = std::ranges::upper_bound(spans, at, {}, &Span::rev);
    if (after == spans.begin()) return {form_rev, form_extent, form_arrived_us};
    return *std::prev(after);
  }

  void grow(std::string_view more, Revision at, std::uint64_t arrived_us) {
    extent = {extent.bytes + more.size(), extent.utf16 + utf16_length(more)};
    spans.push_back({at, extent, arrived_us});
  }

  void forget_spans(std::size_t spans_max) {
    if (spans.size() <= spans_max) return;
    // Readers behind the dropped spans get the whole form: the same as if the form changed there.
    const auto kept = spans.begin() + static_cast<std::ptrdiff_t>(spans.size() / 2);
    form_rev = std::prev(kept)->rev;
    form_arrived_us = std::prev(kept)->arrived_us;
    form_extent = std::prev(kept)->end;
    form_status = ItemStatus::Update;
    spans.erase(spans.begin(), kept);
  }

  void reset_text(std::string_view text, Revision at) {
    extent = {text.size(), utf16_length(text)};
    form_extent = extent;
    form_rev = at;
    spans.clear();
    last_append.reset();
  }
};

Timeline::Timeline(SessionId session, TimelineStart start, TimelineOptions options)
    : session_(std::move(session)),
      options_(options),
      head_(start.head),
      floor_(start.head),
      next_pos_(start.next_pos) {}

Timeline::~Timeline() = default;

template <class Key>
Timeline::Entry* Timeline::find(const std::unordered_map<Key, Entry*>& map, const Key& key) const {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : found->second;
}

template <class Key>
Timeline::Entry& Timeline::entry_for(std::unordered_map<Key, Entry*>& map, const Key& key,
                                     std::uint64_t pos) {
  if (Entry* known = find(map, key)) return *known;
  auto entry = std::make_unique<Entry>();
  entry->pos = pos != 0 ? pos : next_pos_;
  next_pos_ = std::max(next_pos_, entry->pos + 1);
  Entry& made = *entry;
  map.emplace(key, &made);
  // It gets its revision, and with it its place in the order, in touch().
  by_rev_.emplace(0, std::move(entry));
  return made;
}

void Timeline::touch(Entry& entry) {
  auto node = by_rev_.extract(entry.rev);
  assert(node && node.mapped().get() == &entry);
  entry.rev = ++head_;
  node.key() = entry.rev;
  by_rev_.insert(by_rev_.end(), std::move(node));
  entry.newest.reset();
}

Timeline::Put Timeline::put(Item item, std::uint64_t arrived_us) {
  owner_.check();
  Entry& entry = entry_for(items_, item.item_id, item.pos);
  if (entry.is_final) return {PutKind::Refused, 0, false};
  const bool first = entry.rev == 0;
  const bool grew = !first && only_grew(*entry.item, item);
  touch(entry);
  if (grew) {
    // Growth changes the text and nothing else: every reader, with appends or without, agrees on
    // the rest of the form.
    const Text older = *growing_text(*entry.item).text;
    const std::string_view more = growing_text(item).text->since(older);
    entry.grow(more, entry.rev, arrived_us);
    entry.forget_spans(options_.spans_max);
    entry.item->body = std::move(item.body);
    entry.item->status = ItemStatus::Update;
    entry.item->rev = entry.rev;
    return {PutKind::Shown, entry.rev, true};
  }
  item.pos = entry.pos;
  item.rev = entry.rev;
  entry.item_id = item.item_id;
  const GrowingText text = growing_text(item);
  const Text* old_text = first ? nullptr : growing_text(*entry.item).text;
  if (text.text != nullptr && old_text != nullptr && text.text->grew_from(*old_text)) {
    // Only what is new is counted, also for the final form.
    entry.grow(text.text->since(*old_text), entry.rev, arrived_us);
    entry.spans.clear();
    entry.form_extent = entry.extent;
    entry.form_rev = entry.rev;
    entry.last_append.reset();
  } else {
    entry.reset_text(text.text != nullptr ? text.text->view() : std::string_view(), entry.rev);
  }
  entry.form_status = item.status;
  entry.form_arrived_us = arrived_us;
  const bool is_approval = std::holds_alternative<Approval>(item.body);
  const bool final = lb::is_final(item.status);
  entry.item = std::move(item);
  return settle(entry, final || is_approval, final);
}

Timeline::Put Timeline::put(Turn turn, std::uint64_t arrived_us) {
  owner_.check();
  Entry& entry = entry_for(turns_, turn.turn_id, turn.pos);
  if (entry.is_final) return {PutKind::Refused, 0, false};
  touch(entry);
  turn.pos = entry.pos;
  turn.rev = entry.rev;
  entry.is_turn = true;
  entry.turn_id = turn.turn_id;
  entry.form_rev = entry.rev;
  entry.form_arrived_us = arrived_us;
  // A queued prompt is a promise to the user: it is stored before it is shown, as an end is.
  const bool final = lb::is_final(turn);
  const bool needs_store = final || turn.type == TurnType::Queued;
  entry.turn = std::move(turn);
  return settle(entry, needs_store, final);
}

Timeline::Put Timeline::settle(Entry& entry, bool needs_store, bool is_final) {
  urgent_ = entry.rev;
  if (needs_store) awaiting_store_.push_back(entry.rev);
  const Put put{needs_store ? PutKind::Durable : PutKind::Shown, entry.rev, false};
  if (is_final) {
    // From here on the encoded form is all that is ever asked for.
    final_bytes_ += whole(entry)->json.size();
    entry.is_final = true;
    entry.item.reset();
    entry.turn.reset();
    entry.spans = std::vector<Span>();
    entry.last_append.reset();
  }
  return put;
}

Revision Timeline::visible() const {
  return awaiting_store_.empty() ? head_ : awaiting_store_.front() - 1;
}

void Timeline::durable_up_to(Revision rev) {
  owner_.check();
  while (!awaiting_store_.empty() && awaiting_store_.front() <= rev) awaiting_store_.pop_front();
  evict(options_.final_bytes_max);
}

void Timeline::evict(std::size_t bytes_max) {
  const Revision limit = visible();
  for (auto at = by_rev_.begin(); at != by_rev_.end() && final_bytes_ > bytes_max;) {
    Entry& entry = *at->second;
    if (entry.rev > limit) break;
    if (!entry.is_final) {
      ++at;
      continue;
    }
    final_bytes_ -= entry.newest->json.size();
    floor_ = std::max(floor_, entry.rev);
    if (entry.is_turn) {
      turns_.erase(entry.turn_id);
    } else {
      items_.erase(entry.item_id);
    }
    at = by_rev_.erase(at);
  }
}

void Timeline::release() {
  evict(0);
}

FramePtr Timeline::whole(Entry& entry) {
  return change(entry, {0, entry.rev, ReadForm::Whole});
}

FramePtr Timeline::change(Entry& entry, Ask ask) {
  const bool as_append = ask.form == ReadForm::Appends && entry.form_rev <= ask.since;
  if (entry.newest && entry.rev <= ask.until && !as_append) return entry.newest;
  if (entry.form_rev > ask.until) return nullptr;
  if (as_append) return append_frame(entry, ask);
  const Span end =
      entry.is_turn ? Span{entry.rev, {}, entry.form_arrived_us} : entry.as_of(ask.until);
  if (end.rev <= ask.since) return nullptr;

  auto frame = std::make_shared<Frame>();
  frame->kind = entry.is_turn ? FrameKind::Turn : FrameKind::Upsert;
  frame->rev = end.rev;
  frame->pos = entry.pos;
  frame->arrived_us = end.arrived_us;
  std::string& out = frame->json;
  const Text* growing = entry.is_turn ? nullptr : growing_text(*entry.item).text;
  const std::string_view shown =
      growing != nullptr ? growing->view().substr(0, end.end.bytes) : std::string_view();
  out.reserve(escaped_size(shown) + 640);
  append_frame_head(*frame, session_.str());
  out += R"(,"payload":)";
  frame->payload_begin = out.size();
  if (entry.is_turn) {
    Encoder(out).write(*entry.turn);
  } else {
    Item& item = *entry.item;
    const bool at_form = end.rev == entry.form_rev;
    const ItemStatus status = std::exchange(item.status, at_form ? entry.form_status : item.status);
    const Revision rev = std::exchange(item.rev, end.rev);
    append_item(out, item, shown);
    item.status = status;
    item.rev = rev;
  }
  frame->payload_size = out.size() - frame->payload_begin;
  out += '}';
  if (end.rev == entry.rev) entry.newest = frame;
  return frame;
}

FramePtr Timeline::append_frame(Entry& entry, Ask ask) {
  const Span end = entry.as_of(ask.until);
  if (end.rev <= ask.since) return nullptr;
  const Extent from = entry.as_of(ask.since).end;
  // Readers mostly stand at the same place: the last frame made is the one they all want.
  if (entry.last_append && entry.last_append->rev == end.rev &&
      entry.last_append_from == from.bytes) {
    return entry.last_append;
  }
  auto frame = std::make_shared<Frame>();
  frame->kind = FrameKind::Append;
  frame->arrived_us = std::ranges::upper_bound(entry.spans, ask.since, {}, &Span::rev)->arrived_us;
  frame->rev = end.rev;
  frame->pos = entry.pos;
  std::string& out = frame->json;
  const GrowingText growing = growing_text(*entry.item);
  const std::string_view more = growing.text->view().substr(from.bytes, end.end.bytes - from.bytes);
  out.reserve(escaped_size(more) + 192);
  append_frame_head(*frame, session_.str());
  out += R"(,"itemId":")";
  out += entry.item_id.str();
  out += R"(","field":")";
  out += growing.field;
  out += R"(","from":)";
  out += std::to_string(from.utf16);
  out += R"(,"text":")";
  append_escaped(out, more);
  out += "\"}";
  entry.last_append = frame;
  entry.last_append_from = from.bytes;
  return frame;
}

/// The changes after `since` in revision order, as far as they are remembered: the last form of
/// each entry and, for appends, each growth after it.
std::vector<Timeline::Point> Timeline::points_since(Revision since, ReadForm form) {
  const Revision until = visible();
  std::vector<Point> points;
  std::size_t entries = 0;
  for (auto at = by_rev_.upper_bound(since); at != by_rev_.end(); ++at, ++entries) {
    Entry& entry = *at->second;
    if (entry.form_rev > until) continue;
    if (form == ReadForm::Whole) {
      const Revision rev = entry.as_of(until).rev;
      if (rev > since) points.push_back({rev, &entry});
      continue;
    }
    if (entry.form_rev > since) points.push_back({entry.form_rev, &entry});
    auto span = std::ranges::upper_bound(entry.spans, since, {}, &Span::rev);
    for (; span != entry.spans.end() && span->rev <= until; ++span) {
      points.push_back({span->rev, &entry});
    }
  }
  if (entries > 1) std::ranges::sort(points, {}, &Point::rev);
  return points;
}

Timeline::Changes Timeline::changes_since(Revision since, ReadForm form, std::size_t bytes_max) {
  owner_.check();
  if (since >= visible()) return {{}, since};
  const std::vector<Point> points = points_since(since, form);
  Changes changes{{}, visible()};
  std::size_t bytes = 0;
  std::unordered_map<const Entry*, Revision> told;
  for (std::size_t at = 0; at < points.size();) {
    if (bytes >= bytes_max) {
      // Something is left for later, so the cursor may only go as far as what is told now.
      changes.rev = changes.frames.back()->rev;
      break;
    }
    // Consecutive growths of one entry leave as one frame. Not so across a change of another
    // entry: a reader may stop after any frame and come back with its revision, and then must
    // have had everything up to it.
    std::size_t end = at + 1;
    while (end < points.size() && points[end].entry == points[at].entry) ++end;
    Entry& entry = *points[at].entry;
    const auto before = told.find(&entry);
    const Revision from = before != told.end() ? before->second : since;
    FramePtr frame = change(entry, {from, points[end - 1].rev, form});
    assert(frame);
    if (end < points.size()) told[&entry] = points[end - 1].rev;
    bytes += frame->json.size();
    changes.frames.push_back(std::move(frame));
    at = end;
  }
  return changes;
}

bool Timeline::urgent_since(Revision since) const {
  // urgent_ may still wait for its commit; then the visible part is growth or nothing.
  if (urgent_ <= since) return false;
  const Revision limit = visible();
  if (urgent_ <= limit) return true;
  for (auto at = by_rev_.upper_bound(since); at != by_rev_.end(); ++at) {
    if (at->second->form_rev > since && at->second->form_rev <= limit) return true;
  }
  return false;
}

std::vector<FramePtr> Timeline::snapshot() {
  std::vector<FramePtr> forms;
  forms.reserve(by_rev_.size());
  for (auto& [rev, entry] : by_rev_) {
    FramePtr frame = change(*entry, {0, visible(), ReadForm::Whole});
    if (frame) forms.push_back(std::move(frame));
  }
  std::ranges::sort(forms, {}, [](const FramePtr& frame) { return frame->pos; });
  return forms;
}

FramePtr Timeline::form_of(const ItemId& item) {
  Entry* entry = find(items_, item);
  return entry != nullptr ? whole(*entry) : nullptr;
}

FramePtr Timeline::form_of(const TurnId& turn) {
  Entry* entry = find(turns_, turn);
  return entry != nullptr ? whole(*entry) : nullptr;
}

const Item* Timeline::open_item(const ItemId& item) const {
  const Entry* entry = find(items_, item);
  return entry != nullptr && entry->item ? &*entry->item : nullptr;
}

const Turn* Timeline::open_turn(const TurnId& turn) const {
  const Entry* entry = find(turns_, turn);
  return entry != nullptr && entry->turn ? &*entry->turn : nullptr;
}

std::vector<const Item*> Timeline::open_items() const {
  std::vector<const Item*> open;
  for (const auto& [rev, entry] : by_rev_) {
    if (entry->item) open.push_back(&*entry->item);
  }
  std::ranges::sort(open, {}, &Item::pos);
  return open;
}

std::vector<const Turn*> Timeline::open_turns() const {
  std::vector<const Turn*> open;
  for (const auto& [rev, entry] : by_rev_) {
    if (entry->turn) open.push_back(&*entry->turn);
  }
  std::ranges::sort(open, {}, &Turn::pos);
  return open;
}

}  // namespace lb
