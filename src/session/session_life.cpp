// How a session comes to life, goes and comes back: create, load, import, fork, kill, delete,
// recover.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/log.h"
#include "session/session.h"

namespace lb {
namespace {

std::unexpected<Error> no_agent(const SessionRecord& record) {
  return fail(ErrorCode::AgentUnavailable,
              fmt::format("There is no agent \"{}\" any more. Add it to config.toml to go on with "
                          "this session; it can still be read.",
                          record.cli_type));
}

std::vector<Attachment> attachments_in(const PromptRecord& prompt) {
  std::vector<Attachment> attachments;
  const auto parsed = parse_json(prompt.attachments);
  if (!parsed || !parsed->is_array()) return attachments;
  for (const json::value& one : parsed->get_array()) {
    if (auto attachment = decode<Attachment>(one)) attachments.push_back(std::move(*attachment));
  }
  return attachments;
}

constexpr std::string_view kRestarted = "The server was restarted while this was running.";
constexpr std::string_view kKept = "Everything shown here is kept.";
constexpr std::string_view kGoOn =
    "Everything shown here is kept. Send the message again to go on here: the agent then starts "
    "afresh and does not remember what is above.";
constexpr std::string_view kAfresh =
    "The agent starts afresh here: it does not remember what is above.";

/// The agent does not have a conversation that we have. One that was never brought in is gone.
bool forgot(const SessionRecord& record, const Error& why) {
  return why.code == ErrorCode::SessionNotFound && (!record.external || record.imported);
}

/// The session is there, so it is not SESSION_NOT_FOUND to the outside: its agent cannot resume.
std::unexpected<Error> told(const Error& why, std::string_view then) {
  return fail(ErrorCode::ProcessCrash, fmt::format("{} {}", why.message, then));
}

}  // namespace

/// Everything that may change the conversation needs this first.
asio::awaitable<Result<void>> Session::ready() {
  const auto self = shared_from_this();
  if (provider_ != nullptr) attach();
  auto active = co_await live_->activate();
  if (!active) co_return active;
  co_return co_await load_keys();
}

asio::awaitable<Result<void>> Session::load_keys() {
  const auto self = shared_from_this();
  if (keys_loaded_) co_return Result<void>{};
  auto known = co_await host_.deps().store.read_prompt_keys(id());
  if (!known) co_return std::unexpected(std::move(known.error()));
  for (PromptKey& one : *known) keys_.try_emplace(std::move(one.key), std::move(one.turn_id));
  keys_loaded_ = true;
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Session::create(CreateSessionOptions options) {
  const auto self = shared_from_this();
  provider_->prewarm_shared(options.project_dir);
  if (auto active = co_await ready(); !active) {
    provider_->end_prewarmed(options.project_dir);
    co_return active;
  }
  loading_ = true;
  auto made = co_await provider_->create_session(std::move(options));
  loading_ = false;
  if (!made) co_return std::unexpected(std::move(made.error()));
  record_->cli_session_id = made->cli_session_id;
  host_.cli_id_changed(*this);
  changed();
  co_return co_await live_->durable();
}

asio::awaitable<LoadSessionOptions> Session::load_options() {
  const auto self = shared_from_this();
  LoadSessionOptions options;
  options.cli_session_id = record_->cli_session_id;
  options.project_dir = host_.project_dir(record_->project_id);
  if (!record_->model.empty()) options.model = record_->model;
  if (!record_->mode.empty()) options.mode = record_->mode;
  options.thinking = card_->facts.thinking;
  // What an import that was cut off has brought says nothing of what lies between: all again.
  if (record_->last_turn.empty() || !record_->imported) co_return options;
  options.last_known_turn = record_->last_turn;
  // Where the CLI gave that turn another id (slash commands), its end tells what is new.
  (void)co_await live_->durable();
  const auto stored =
      co_await host_.deps().store.read_entry(id(), EntryKind::Turn, record_->last_turn.str());
  if (stored && stored->has_value()) {
    if (const auto turn = decode_text<Turn>((*stored)->payload)) {
      options.last_known_at = turn->ended_at;
    }
  }
  co_return options;
}

/// What arrives now is history, or no longer.
void Session::bring_in(bool on) {
  importing_ = on;
  live_->bulk(on);
  if (on) return;
  brought_items_.clear();
  brought_turns_.clear();
}

/// What an earlier import stored before it was cut off keeps its place: it is not put again.
asio::awaitable<Result<void>> Session::find_brought() {
  const auto self = shared_from_this();
  if (record_->imported || live_->timeline().head() == 0) co_return Result<void>{};
  if (auto stored = co_await live_->durable(); !stored) co_return stored;
  Revision since = 0;
  for (bool more = true; more;) {
    auto page = co_await host_.deps().store.read_since(id(), since, live_->timeline().head(),
                                                       limits::kStorePageBytes);
    if (!page) co_return std::unexpected(std::move(page.error()));
    for (const StoredEntry& entry : page->entries) {
      since = entry.rev;
      if (entry.kind == EntryKind::Item) brought_items_.emplace(entry.id);
      if (entry.kind == EntryKind::Turn) brought_turns_.emplace(entry.id);
    }
    more = page->more;
  }
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Session::load() {
  const auto self = shared_from_this();
  co_return co_await open_or_begin_afresh(false);
}

asio::awaitable<Result<void>> Session::open() {
  const auto self = shared_from_this();
  const auto alone = co_await loading_mutex_.lock();
  if (alive()) co_return Result<void>{};
  if (provider_ == nullptr) co_return no_agent(*record_);
  // The agent starts while the store makes room for what it will say.
  const std::string project_dir = host_.project_dir(record_->project_id);
  provider_->prewarm_shared(project_dir);
  if (auto active = co_await ready(); !active) {
    provider_->end_prewarmed(project_dir);
    co_return active;
  }
  loading_ = true;
  bring_in(true);
  changed(false);
  Result<ProviderSession> loaded;
  if (auto found = co_await find_brought(); !found) {
    loaded = std::unexpected(std::move(found.error()));
  } else {
    LoadSessionOptions options = co_await load_options();
    loaded = co_await provider_->load_session(id(), std::move(options));
  }
  loading_ = false;
  bring_in(false);
  if (!loaded) {
    changed(false);
    co_return std::unexpected(std::move(loaded.error()));
  }
  record_->imported = true;
  card_->cut_import.reset();
  record_->cli_session_id = loaded->cli_session_id;
  host_.cli_id_changed(*this);
  changed();
  co_return co_await live_->entries_durable();
}

/// When the agent no longer has the conversation, the user is told once; who then sends again
/// wants to go on without its memory.
asio::awaitable<Result<void>> Session::open_or_begin_afresh(bool for_prompt) {
  const auto self = shared_from_this();
  auto opened = co_await open();
  if (opened) card_->told_forgotten = false;
  if (opened || !forgot(*record_, opened.error())) co_return opened;
  const bool nothing_said = record_->last_turn.empty();
  if (nothing_said) co_return co_await begin_afresh();
  if (!for_prompt) co_return told(opened.error(), kKept);
  if (std::exchange(card_->told_forgotten, true)) co_return co_await begin_afresh();
  co_return told(opened.error(), kGoOn);
}

asio::awaitable<Result<void>> Session::begin_afresh() {
  const auto self = shared_from_this();
  const auto alone = co_await loading_mutex_.lock();
  if (alive()) co_return Result<void>{};
  CreateSessionOptions options;
  options.session_id = id();
  options.project_dir = host_.project_dir(record_->project_id);
  if (!record_->model.empty()) options.model = record_->model;
  if (!record_->mode.empty()) options.mode = record_->mode;
  options.thinking = card_->facts.thinking;
  loading_ = true;
  auto made = co_await provider_->create_session(std::move(options));
  loading_ = false;
  if (!made) co_return std::unexpected(std::move(made.error()));
  card_->told_forgotten = false;
  record_->cli_session_id = made->cli_session_id;
  host_.cli_id_changed(*this);
  if (starting_ && !record_->last_turn.empty()) {
    Item note = user_item(*starting_);
    note.item_id = ItemId(starting_->turn.str() + ":afresh");
    note.body = Message{.content = Text(kAfresh), .origin = Origin::System, .attachments = {}};
    live_->put(std::move(note));
  }
  changed();
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Session::import_history() {
  const auto self = shared_from_this();
  if (record_->imported) co_return Result<void>{};
  const auto alone = co_await loading_mutex_.lock();
  if (record_->imported) co_return Result<void>{};
  if (provider_ == nullptr) co_return no_agent(*record_);
  if (auto active = co_await ready(); !active) co_return active;
  bring_in(true);
  auto imported = co_await find_brought();
  if (imported) {
    LoadSessionOptions options = co_await load_options();
    imported = co_await provider_->import_history(id(), std::move(options));
  }
  bring_in(false);
  if (!imported) co_return imported;
  record_->imported = true;
  card_->cut_import.reset();
  changed();
  co_return co_await live_->entries_durable();
}

asio::awaitable<Result<void>> Session::fork_from(std::shared_ptr<Session> from) {
  const auto self = shared_from_this();
  if (auto loaded = co_await from->load(); !loaded) co_return loaded;
  if (auto active = co_await ready(); !active) co_return active;
  CreateSessionOptions options;
  options.session_id = id();
  options.project_dir = host_.project_dir(record_->project_id);
  options.thinking = from->card_->facts.thinking;
  auto forked = co_await provider_->fork_session(from->id(), std::move(options));
  if (!forked) co_return std::unexpected(std::move(forked.error()));
  record_->cli_session_id = forked->cli_session_id;
  record_->last_turn = from->record_->last_turn;
  host_.cli_id_changed(*this);

  auto history = co_await from->live_->window(UINT64_MAX, UINT64_MAX);
  if (!history) co_return std::unexpected(std::move(history.error()));
  std::map<std::uint64_t, FramePtr> in_order;
  for (auto* list : {&history->entries, &history->turns}) {
    for (FramePtr& frame : *list) in_order.emplace(frame->pos, std::move(frame));
  }
  for (const auto& [pos, frame] : in_order) {
    if (frame->kind == FrameKind::Turn) {
      auto turn = decode_text<Turn>(frame->payload());
      if (!turn || !is_final(*turn)) continue;
      turn->session_id = id();
      turn->pos = 0;
      live_->put(std::move(*turn));
    } else {
      auto item = decode_text<Item>(frame->payload());
      if (!item || !is_final(item->status)) continue;
      if (auto copied = co_await copy_belongings(from->id(), *item); !copied) co_return copied;
      item->session_id = id();
      item->pos = 0;
      live_->put(std::move(*item));
    }
  }
  changed();
  co_return co_await live_->durable();
}

/// What an item only refers to: attached images (under ids of their own) and long tool outputs.
asio::awaitable<Result<void>> Session::copy_belongings(SessionId from, Item& item) {
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

asio::awaitable<Result<void>> Session::kill() {
  const auto self = shared_from_this();
  if (provider_ != nullptr && card_->line) {
    auto killed = co_await provider_->kill_session(id());
    if (!killed) co_return killed;
  }
  if (live_->active()) {
    end_open(TurnStatus::Cancelled);
    hold_queue();
  }
  changed();
  co_return co_await live_->durable();
}

asio::awaitable<Result<void>> Session::erase() {
  const auto self = shared_from_this();
  // Nothing has happened yet; later the batch is with the store, which writes it when it can.
  if (const StoreState state = host_.deps().store.state(); state.kind != StoreState::Kind::Ready) {
    co_return fail(ErrorCode::StoreFull, "Nothing can be stored now: " + state.message);
  }
  if (auto killed = co_await kill(); !killed) {
    log_warn("session_kill", {{"session", id().str()}, {"why", killed.error().message}});
  }
  record_->deleted = true;
  if (provider_ != nullptr) provider_->forget(id());
  card_->line.reset();
  WriteBatch batch;
  SessionWrite& write = batch.sessions.emplace_back();
  write.session = id();
  write.record = *record_;
  write.erase = true;
  auto erased = co_await host_.deps().store.commit(std::move(batch));
  live_->end({ErrorCode::SessionNotFound, "This session was deleted."});
  co_return erased;
}

/// Ends what the agent left open: it is gone, and nobody will finish it.
void Session::end_open(TurnStatus how) {
  std::vector<Item> items;
  for (const Item* item : live_->timeline().open_items()) items.push_back(*item);
  for (Item& item : items) {
    item.status = ItemStatus::Cancelled;
    item.ended_at = now();
    if (auto* approval = std::get_if<Approval>(&item.body))
      approval->state = ApprovalState::Expired;
    approvals_.erase(item.item_id);
    live_->put(std::move(item));
  }
  const std::vector<TurnId> turns(open_turns_.begin(), open_turns_.end());
  for (const TurnId& id : turns) {
    const Turn* open = live_->timeline().open_turn(id);
    Turn turn = open != nullptr ? *open : new_turn(id, TurnType::Complete);
    turn.type = TurnType::Complete;
    turn.status = how;
    turn.ended_at = now();
    turn_ended(turn);
  }
}

namespace {

/// What was open when the server died. An approval expires, which is a denial.
Item cut_off(Item item, Timestamp now) {
  item.ended_at = now;
  if (auto* approval = std::get_if<Approval>(&item.body)) {
    approval->state = ApprovalState::Expired;
    item.status = ItemStatus::Cancelled;
  } else {
    item.status = ItemStatus::Error;
    item.error_code = name_of(ErrorCode::ServerRestarted);
    item.error_message = kRestarted;
  }
  return item;
}

/// The turn that an entry is, or is part of.
std::string turn_id_of(const StoredEntry& entry) {
  if (entry.kind == EntryKind::Turn) return entry.id;
  const auto item = decode_text<Item>(entry.payload);
  return item ? item->turn_id.str() : std::string();
}

}  // namespace

/// What an import was about to bring when the server died; the next import goes on with it.
bool Session::set_aside(const StoredEntry& entry) {
  live_->found(entry.rev);
  if (!card_->cut_import) card_->cut_import = std::make_unique<CutImport>();
  if (entry.kind == EntryKind::Item) {
    card_->cut_import->items[ItemId(entry.id)] = entry.pos;
  } else {
    card_->cut_import->turns[TurnId(entry.id)] = entry.pos;
  }
  return true;
}

/// A turn that ran when the server died is reported once and never run again; what was queued waits
/// for the user.
asio::awaitable<Result<void>> Session::recover(Unfinished left) {
  const auto self = shared_from_this();
  if (auto active = co_await ready(); !active) co_return active;
  std::unordered_map<std::string, PromptRecord> prompts;  // Of the turns that are left.
  for (const StoredEntry& entry : left.entries) {
    if (entry.kind != EntryKind::Turn) continue;
    auto prompt = co_await host_.deps().store.read_prompt(id(), TurnId(entry.id));
    if (!prompt) co_return std::unexpected(std::move(prompt.error()));
    if (prompt->has_value()) prompts.emplace(entry.id, std::move(**prompt));
  }
  if (!record_->imported) {
    std::erase_if(left.entries, [&](const StoredEntry& entry) {
      return !prompts.contains(turn_id_of(entry)) && set_aside(entry);
    });
  }
  const auto restarted = [&](Turn turn) {
    turn.type = TurnType::Error;
    turn.status.reset();
    turn.content.reset();
    turn.error_code = name_of(ErrorCode::ServerRestarted);
    turn.error_message = kRestarted;
    turn.ended_at = now();
    record_->failed = record_->unread = true;
    live_->put(std::move(turn));
  };
  std::unordered_set<TurnId> ended;
  for (const StoredEntry& entry : left.entries) {
    live_->found(entry.rev);
    if (entry.kind == EntryKind::Item) {
      if (auto item = decode_text<Item>(entry.payload))
        live_->put(cut_off(std::move(*item), now()));
      continue;
    }
    auto turn = decode_text<Turn>(entry.payload);
    if (!turn) continue;
    const auto prompt = prompts.find(entry.id);
    if (prompt != prompts.end()) turn->client_message_id = client_message_id(prompt->second.key);
    // Not settled: it was on its way to the agent, which may have it.
    if (turn->type != TurnType::Queued || prompt == prompts.end() || !prompt->second.settled) {
      ended.insert(turn->turn_id);
      restarted(std::move(*turn));
      continue;
    }
    Prompted queued;
    queued.turn = turn->turn_id;
    queued.content = std::move(prompt->second.content);
    queued.key = std::move(prompt->second.key);
    queued.queued_at = turn->queued_at;
    queued.attachments = attachments_in(prompt->second);
    queue_.push_back(std::move(queued));
    turn->held = true;
    held_ = true;
    live_->put(std::move(*turn));
  }
  for (const PromptRecord& prompt : left.prompts) {
    Prompted lost;
    lost.turn = prompt.turn_id;
    lost.content = prompt.content;
    lost.key = prompt.key;
    lost.attachments = attachments_in(prompt);
    live_->put(user_item(lost));
    if (!ended.contains(prompt.turn_id)) restarted(turn_of(lost, TurnType::Error));
    PromptRecord settled = prompt;
    settled.settled = true;
    live_->put_prompt(std::move(settled));
  }
  changed();
  co_return co_await live_->durable();
}

}  // namespace lb
