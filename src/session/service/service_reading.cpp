// SessionService: everything that is read.

#include <algorithm>
#include <array>
#include <utility>

#include "base/limits.h"
#include "session/service/markdown.h"
#include "session/service/session_service.h"
#include "session/texts.h"
#include "store/growth.h"

namespace lb {
namespace {

constexpr std::uint64_t kPageDefault = 100;
constexpr std::uint64_t kSearchDefault = 50;

template <class Entry>
std::vector<Entry> decoded(const std::vector<FramePtr>& frames) {
  std::vector<Entry> entries;
  for (const FramePtr& frame : frames) {
    if (auto entry = decode_text<Entry>(frame->payload())) entries.push_back(std::move(*entry));
  }
  return entries;
}

std::vector<std::string> attached_texts(const std::vector<Item>& items) {
  std::vector<std::string> ids;
  for (const Item& item : items) {
    const auto* message = std::get_if<Message>(&item.body);
    if (message == nullptr) continue;
    for (const Attachment& attachment : message->attachments) {
      if (attachment.mime_type == Attachment::kText) ids.push_back(attachment.attachment_id);
    }
  }
  return ids;
}

void add_payloads(Encoder& encoder, std::string_view name, const std::vector<FramePtr>& frames) {
  std::string& out = encoder.raw(name);
  out += '[';
  append_payloads(out, frames);
  out += ']';
}

}  // namespace

/// A session that can be read: one made outside is brought in first.
asio::awaitable<Result<SessionService::SessionPtr>> SessionService::readable(SessionId id) {
  const auto session = find(id);
  if (!session) co_return std::unexpected(session.error());
  const SessionPtr held = *session;
  if (auto imported = co_await held->import_history(); !imported) {
    co_return std::unexpected(std::move(imported.error()));
  }
  co_return held;
}

/// Where a session is read: its own timeline. What reads does not care whose it is.
asio::awaitable<Result<std::shared_ptr<TimelineSource>>> SessionService::source_of(SessionId id) {
  auto session = co_await readable(std::move(id));
  if (!session) co_return std::unexpected(std::move(session.error()));
  co_return (*session)->live();
}

asio::awaitable<Result<void>> SessionService::prepare(SessionId id) {
  auto session = co_await readable(std::move(id));
  if (!session) co_return std::unexpected(std::move(session.error()));
  co_return Result<void>{};
}

asio::awaitable<Result<Opened>> SessionService::open(OpenOptions options) {
  auto found = co_await source_of(options.session_id);
  if (!found) co_return std::unexpected(std::move(found.error()));
  const std::shared_ptr<TimelineSource> source = *found;
  const bool asked = options.since.value_or(0) > 0;
  const bool same_store = !options.epoch || *options.epoch == deps_.store.info().epoch;
  auto remembers = co_await source->remembers(options.since.value_or(0));
  if (!remembers) co_return std::unexpected(std::move(remembers.error()));
  const bool usable = asked && same_store && *remembers;
  Opened opened;
  opened.reset = asked && !usable;
  Reader::Start start;
  start.form = options.appends ? ReadForm::Appends : ReadForm::Whole;
  start.since = usable ? *options.since : 0;
  if (!usable && options.with_history) {
    const std::uint64_t count = options.tail.value_or(UINT64_MAX);
    auto history = co_await source->window(UINT64_MAX, count);
    if (!history) co_return std::unexpected(std::move(history.error()));
    start.since = history->rev;
    start.has_everything = true;
    opened.history = std::move(*history);
  }
  opened.rev = opened.history ? opened.history->rev : source->visible();
  opened.reader = std::make_unique<Reader>(source, start);
  co_return opened;
}

asio::awaitable<Result<History>> SessionService::page(SessionPageRequest request) {
  auto found = co_await source_of(request.session_id);
  if (!found) co_return std::unexpected(std::move(found.error()));
  const std::shared_ptr<TimelineSource> source = *found;
  co_return co_await source->window(request.before, request.count);
}

asio::awaitable<Result<History>> SessionService::tail(SessionId id, std::uint64_t count) {
  auto found = co_await source_of(std::move(id));
  if (!found) co_return std::unexpected(std::move(found.error()));
  const std::shared_ptr<TimelineSource> source = *found;
  co_await source->settle();
  co_return co_await source->window(UINT64_MAX, count);
}

asio::awaitable<Result<History>> SessionService::timeline(SessionId id, Revision since) {
  auto found = co_await source_of(std::move(id));
  if (!found) co_return std::unexpected(std::move(found.error()));
  const std::shared_ptr<TimelineSource> source = *found;
  co_await source->settle();
  auto remembers = co_await source->remembers(since);
  if (!remembers) co_return std::unexpected(std::move(remembers.error()));
  // A cursor from the future, or of what a crash took, means nothing here: it gets everything.
  co_return co_await source->changes(*remembers ? since : 0);
}

asio::awaitable<Result<Window>> SessionService::window(SessionTimelineRequest request) {
  Result<History> read;
  if (request.tail) {
    read = co_await tail(request.session_id, std::min(*request.tail, limits::kPageMax));
  } else if (request.before) {
    const std::uint64_t count = std::min(request.count.value_or(kPageDefault), limits::kPageMax);
    read = co_await page({request.session_id, *request.before, count});
  } else {
    read = co_await timeline(request.session_id, request.since.value_or(0));
  }
  if (!read) co_return std::unexpected(std::move(read.error()));
  co_return Window{std::move(*read), deps_.store.info().epoch};
}

asio::awaitable<Result<std::string>> SessionService::output(SessionId id, ItemId item) {
  auto session = co_await readable(id);
  if (!session) co_return std::unexpected(std::move(session.error()));
  auto whole = co_await deps_.store.read_output(id, item.str());
  if (!whole) co_return std::unexpected(std::move(whole.error()));
  if (whole->has_value()) co_return std::move(**whole);
  auto stored = co_await deps_.store.read_entry(id, EntryKind::Item, item.str());
  if (!stored) co_return std::unexpected(std::move(stored.error()));
  std::optional<Item> found;
  if (const Item* open = (*session)->live()->timeline().open_item(item)) {
    found = *open;
  } else if (stored->has_value()) {
    found = decode_text<Item>((*stored)->payload).value_or(Item{});
  }
  const auto* tool = found ? std::get_if<ToolCall>(&found->body) : nullptr;
  if (tool == nullptr) {
    co_return fail(ErrorCode::ItemNotFound, "There is no such tool call in this session.");
  }
  co_return tool->tool_output ? tool->tool_output->str() : std::string();
}

asio::awaitable<Result<std::string>> SessionService::export_session(SessionId id,
                                                                    ExportFormat format) {
  auto session = co_await readable(id);
  if (!session) co_return std::unexpected(std::move(session.error()));
  const std::shared_ptr<LiveTimeline> live = (*session)->live();
  co_await live->settle();
  auto history = co_await live->window(UINT64_MAX, UINT64_MAX);
  if (!history) co_return std::unexpected(std::move(history.error()));
  std::vector<Item> items = decoded<Item>(history->items);
  auto texts = co_await texts_in(id, attached_texts(items));
  auto said = co_await comments({id});
  if (!said) co_return std::unexpected(std::move(said.error()));
  if (!texts) co_return std::unexpected(std::move(texts.error()));
  if (format == ExportFormat::Markdown) {
    const SessionRecord& record = (*session)->record();
    Conversation conversation;
    conversation.title = record.title;
    conversation.agent = deps_.providers.name_of(record.cli_type);
    conversation.items = std::move(items);
    conversation.texts = std::move(*texts);
    conversation.turns = decoded<Turn>(history->turns);
    conversation.comments = std::move(said->comments);
    co_return to_markdown(conversation);
  }
  std::string out = "{";
  Encoder encoder(out);
  SessionInfo info = (*session)->info();
  describe(encoder, info);
  encoder("rev", history->rev);
  add_payloads(encoder, "entries", history->items);
  add_payloads(encoder, "turns", history->turns);
  if (!texts->empty()) encoder("texts", *texts);  // By their attachments' ids.
  if (!said->comments.empty()) encoder("comments", said->comments);
  out += '}';
  co_return out;
}

asio::awaitable<Result<std::vector<SearchResult>>> SessionService::search(SearchRequest request) {
  Store::Search search;
  search.text = request.q.value_or("");
  search.limit = std::min(request.limit.value_or(kSearchDefault), limits::kSearchMax);
  for (const auto& [id, slot] : sessions_) {
    const SessionRecord& record = slot.kept->record;
    const bool wanted = !record.deleted &&
                        (!request.project_id || record.project_id == *request.project_id) &&
                        (!request.cli_type || record.cli_type == *request.cli_type);
    if (wanted) search.sessions.push_back(id);
  }
  auto hits = co_await deps_.store.search(std::move(search));
  if (!hits) co_return std::unexpected(std::move(hits.error()));
  const std::vector<std::string> words = search_words(request.q.value_or(""));
  std::vector<SearchResult> results;
  for (const SearchHit& hit : *hits) {
    const Slot* slot = slot_of(hit.session);
    const auto item = decode_text<Item>(hit.payload);
    if (slot == nullptr || !item) continue;
    const SessionRecord& record = slot->kept->record;
    SearchResult result;
    result.session_id = hit.session;
    result.item_id = item->item_id;
    result.turn_id = item->turn_id;
    result.type = std::visit([]<class T>(const T&) { return T::kType; }, item->body);
    result.title = record.title;
    result.cli_type = record.cli_type;
    result.project_id = record.project_id;
    result.snippet = snippet(searchable_text(hit.payload), words);
    result.at = item->started_at;
    results.push_back(std::move(result));
  }
  co_return results;
}

std::vector<InboxItem> SessionService::inbox() const {
  std::vector<InboxItem> items;
  for (const auto& [id, slot] : sessions_) {
    if (!slot.session || slot.kept->record.deleted) continue;
    for (Item& item : slot.session->inbox()) {
      items.push_back({id, slot.kept->record.title, std::move(item)});
    }
  }
  std::ranges::sort(items, {}, [](const InboxItem& entry) { return entry.item.started_at; });
  return items;
}

}  // namespace lb
