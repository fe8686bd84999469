// How a session comes to life and goes: create, load, import, fork, kill, delete, recover.
// Each way of opening it is made of the same few steps.

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "base/log.h"
#include "base/match.h"
#include "session/session.h"
#include "session/turns/prompt_forms.h"
#include "session/turns/recovery.h"

namespace lb {
namespace {

std::unexpected<Error> no_agent(const SessionRecord& record) {
  return fail(ErrorCode::AgentUnavailable,
              fmt::format("There is no agent \"{}\" any more. Add it to config.toml to go on with "
                          "this session; it can still be read.",
                          record.cli_type));
}

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
  if (keys_) co_return Result<void>{};
  auto known = co_await host_.deps().store.read_prompt_keys(id());
  if (!known) co_return std::unexpected(std::move(known.error()));
  if (keys_) co_return Result<void>{};  // Two asked at once.
  keys_.emplace();
  for (PromptKey& one : *known) keys_->try_emplace(std::move(one.key), std::move(one.turn_id));
  co_return Result<void>{};
}

/// While it lives, the session is being opened in one of the ways of opening.h.
class Session::OpeningScope {
 public:
  OpeningScope(Session& session, const opening::Input& input) : session_(session) {
    const bool allowed = transition(session_.opening_, input);
    assert(allowed && "one at a time: opening_mutex_");
    session_.live_->bulk(session_.tells_history());
    session_.changed(false);
  }
  ~OpeningScope() {
    transition(session_.opening_, opening::Input(opening::Finish{}));
    session_.live_->bulk(false);
  }
  OpeningScope(const OpeningScope&) = delete;
  OpeningScope& operator=(const OpeningScope&) = delete;

 private:
  Session& session_;
};

/// What the user has chosen for this session, for an agent that starts.
template <class Options>
Result<void> Session::choose_for_agent(Options& options) const {
  if (record_->confined && !provider_->can_confine()) return no_walls(record_->cli_type);
  auto place = host_.workplace(*record_);
  if (!place) return std::unexpected(std::move(place.error()));
  options.project_dir = std::move(place->folder);
  options.env = std::move(place->env);
  options.own_process = place->own_process;
  if (!record_->model.empty()) options.model = record_->model;
  if (!record_->mode.empty()) options.mode = record_->mode;
  options.thinking = kept_->facts.thinking;
  options.confined = record_->confined;
  return {};
}

void Session::agent_is(const ProviderSession& agent) {
  record_->cli_session_id = agent.cli_session_id;
  host_.cli_id_changed(*this);
}

/// An agent begins: a new conversation, afresh, or a copy.
asio::awaitable<Result<void>> Session::begin_with(asio::awaitable<Result<ProviderSession>> making) {
  const auto self = shared_from_this();
  Result<ProviderSession> made;
  {
    const OpeningScope creating(*this, opening::Create{});
    made = co_await std::move(making);
  }
  if (!made) co_return std::unexpected(std::move(made.error()));
  agent_is(*made);
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Session::create(CreateSessionOptions options) {
  const auto self = shared_from_this();
  const auto alone = co_await opening_mutex_.lock();
  const WarmPlace place = WarmPlace::of(options);
  provider_->prewarm_shared(place);
  if (auto active = co_await ready(); !active) {
    provider_->end_prewarmed(place);
    co_return active;
  }
  auto made = co_await begin_with(provider_->create_session(std::move(options)));
  if (!made) co_return made;
  changed();
  co_return co_await live_->durable();
}

asio::awaitable<Result<LoadSessionOptions>> Session::load_options() {
  const auto self = shared_from_this();
  LoadSessionOptions options;
  options.cli_session_id = record_->cli_session_id;
  if (auto chosen = choose_for_agent(options); !chosen) co_return std::unexpected(chosen.error());
  options.told = kept_->facts;
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

/// What an earlier import stored before it was cut off keeps its place: it is not put again.
asio::awaitable<Result<opening::Known>> Session::known_of_import() {
  const auto self = shared_from_this();
  opening::Known known;
  if (record_->imported || live_->timeline().head() == 0) co_return known;
  if (auto stored = co_await live_->durable(); !stored) co_return std::unexpected(stored.error());
  Revision since = 0;
  for (bool more = true; more;) {
    auto page = co_await host_.deps().store.read_since(id(), since, live_->timeline().head(),
                                                       limits::kStorePageBytes);
    if (!page) co_return std::unexpected(std::move(page.error()));
    for (const StoredEntry& entry : page->entries) {
      since = entry.rev;
      if (entry.kind == EntryKind::Item) known.items.emplace(entry.id);
      if (entry.kind == EntryKind::Turn) known.turns.emplace(entry.id);
    }
    more = page->more;
  }
  co_return known;
}

/// What its agent has of the conversation and we have not, with the agent ready for prompts
/// afterwards or without.
asio::awaitable<Result<void>> Session::take_history(Start start) {
  const auto self = shared_from_this();
  auto known = co_await known_of_import();
  if (!known) co_return std::unexpected(std::move(known.error()));
  const bool with_agent = start == Start::Agent;
  Result<ProviderSession> loaded;
  Result<void> taken;
  {
    const OpeningScope telling(*this, with_agent
                                          ? opening::Input(opening::Load{std::move(*known)})
                                          : opening::Input(opening::Import{std::move(*known)}));
    auto options = co_await load_options();
    if (!options) {
      taken = std::unexpected(std::move(options.error()));
    } else if (with_agent) {
      loaded = co_await provider_->load_session(id(), std::move(*options));
      if (!loaded) taken = std::unexpected(std::move(loaded.error()));
    } else {
      taken = co_await provider_->import_history(id(), std::move(*options));
    }
  }
  if (!taken) {
    changed(false);
    co_return taken;
  }
  record_->imported = true;
  kept_->cut_import.reset();
  if (with_agent) agent_is(*loaded);
  changed();
  co_return co_await live_->entries_durable();
}

asio::awaitable<Result<void>> Session::load() {
  const auto self = shared_from_this();
  co_return co_await open_or_begin_afresh(false);
}

asio::awaitable<Result<void>> Session::open() {
  const auto self = shared_from_this();
  const auto alone = co_await opening_mutex_.lock();
  if (alive()) co_return Result<void>{};
  if (provider_ == nullptr) co_return no_agent(*record_);
  // The agent starts while the store makes room for what it will say.
  LoadSessionOptions where;
  if (auto chosen = choose_for_agent(where); !chosen) co_return chosen;
  const WarmPlace place = WarmPlace::of(where);
  provider_->prewarm_shared(place);
  if (auto active = co_await ready(); !active) {
    provider_->end_prewarmed(place);
    co_return active;
  }
  co_return co_await take_history(Start::Agent);
}

/// When the agent no longer has the conversation, the user is told once; who then sends again
/// wants to go on without its memory.
asio::awaitable<Result<void>> Session::open_or_begin_afresh(bool for_prompt) {
  const auto self = shared_from_this();
  auto opened = co_await open();
  if (opened) kept_->warned_agent_forgot = false;
  if (opened || !forgot(*record_, opened.error())) co_return opened;
  const bool nothing_said = record_->last_turn.empty();
  if (nothing_said) co_return co_await begin_afresh();
  if (!for_prompt) co_return told(opened.error(), kKept);
  if (std::exchange(kept_->warned_agent_forgot, true)) co_return co_await begin_afresh();
  co_return told(opened.error(), kGoOn);
}

asio::awaitable<Result<void>> Session::begin_afresh() {
  const auto self = shared_from_this();
  const auto alone = co_await opening_mutex_.lock();
  if (alive()) co_return Result<void>{};
  CreateSessionOptions options;
  options.session_id = id();
  if (auto chosen = choose_for_agent(options); !chosen) co_return chosen;
  auto made = co_await begin_with(provider_->create_session(std::move(options)));
  if (!made) co_return made;
  kept_->warned_agent_forgot = false;
  if (const UserPrompt* prompt = on_its_way(); prompt && !record_->last_turn.empty()) {
    Item note = user_item(*prompt, id(), now());
    note.item_id = ItemId(prompt->turn.str() + ":afresh");
    note.body = Message{.content = Text(kAfresh), .origin = Origin::System, .attachments = {}};
    live_->put(std::move(note));
  }
  changed();
  co_return Result<void>{};
}

asio::awaitable<Result<void>> Session::import_history() {
  const auto self = shared_from_this();
  if (record_->imported) co_return Result<void>{};
  const auto alone = co_await opening_mutex_.lock();
  if (record_->imported) co_return Result<void>{};
  if (provider_ == nullptr) co_return no_agent(*record_);
  if (auto active = co_await ready(); !active) co_return active;
  co_return co_await take_history(Start::HistoryOnly);
}

asio::awaitable<Result<void>> Session::fork_from(std::shared_ptr<Session> from,
                                                 std::optional<TurnId> before) {
  const auto self = shared_from_this();
  std::optional<ForkPoint> point;
  if (before) {
    auto found = co_await from->point_before(*before);
    if (!found) co_return std::unexpected(std::move(found.error()));
    point = std::move(*found);
  }
  if (auto loaded = co_await from->load(); !loaded) co_return loaded;
  const auto alone = co_await opening_mutex_.lock();
  if (auto active = co_await ready(); !active) co_return active;
  CreateSessionOptions options;
  options.session_id = id();
  if (auto chosen = choose_for_agent(options); !chosen) co_return chosen;
  options.thinking = from->kept_->facts.thinking;
  auto forked = co_await begin_with(provider_->fork_session(from->id(), std::move(options), point));
  if (!forked) co_return forked;
  if (!point) {
    record_->last_turn = from->record_->last_turn;
  } else if (point->last_kept) {
    record_->last_turn = *point->last_kept;
  }
  if (auto copied = co_await copy_history(from, std::move(before)); !copied) co_return copied;
  changed();
  co_return co_await live_->durable();
}

asio::awaitable<Result<void>> Session::kill() {
  const auto self = shared_from_this();
  if (provider_ != nullptr && kept_->line) {
    auto killed = co_await provider_->kill_session(id());
    if (!killed) co_return killed;
  }
  if (live_->active()) {
    const auto left = steering_;
    for (const auto& [turn, prompt] : left) {
      steer_failed(turn, {ErrorCode::Cancelled, "The session was ended."});
    }
    end_open(TurnStatus::Cancelled);
    hold_queue();
  }
  changed();
  co_return co_await live_->durable();
}

asio::awaitable<Result<void>> Session::erase() {
  const auto self = shared_from_this();
  // Nothing has happened yet; later the batch is with the store, which writes it when it can.
  if (auto room = host_.deps().store.writable(); !room) co_return room;
  if (auto killed = co_await kill(); !killed) {
    log_warn("session_kill", {{"session", id().str()}, {"why", killed.error().message}});
  }
  record_->deleted = true;
  if (provider_ != nullptr) provider_->forget(id());
  kept_->line.reset();
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
    cut_short(item, now());
    approvals_.erase(item.item_id);
    live_->put(std::move(item));
  }
  const std::vector<TurnId> turns(open_turns_.begin(), open_turns_.end());
  for (const TurnId& id : turns) {
    const Turn* open = live_->timeline().open_turn(id);
    if (open == nullptr) continue;
    Turn turn = *open;
    turn.type = TurnType::Complete;
    turn.status = how;
    turn.ended_at = now();
    turn_ended(turn);
  }
}

/// Ends what a crash left open, all of it under new revisions.
asio::awaitable<Result<void>> Session::recover(Unfinished left) {
  const auto self = shared_from_this();
  if (auto active = co_await ready(); !active) co_return active;
  PromptsByTurn prompts;
  for (const StoredEntry& entry : left.entries) {
    if (entry.kind != EntryKind::Turn) continue;
    auto prompt = co_await host_.deps().store.read_prompt(id(), TurnId(entry.id));
    if (!prompt) co_return std::unexpected(std::move(prompt.error()));
    if (prompt->has_value()) prompts.emplace(entry.id, std::move(**prompt));
  }
  Recovery plan = plan_recovery(*record_, left, prompts, now());
  live_->found(plan.found);
  if (!plan.cut_import.empty()) {
    kept_->cut_import = std::make_unique<CutImport>(std::move(plan.cut_import));
  }
  for (auto& form : plan.forms) {
    std::visit([this](auto& entry) { live_->put(std::move(entry)); }, form);
  }
  std::ranges::sort(plan.queued, {}, [this](const UserPrompt& prompt) {
    const Turn* turn = live_->timeline().open_turn(prompt.turn);
    return turn == nullptr ? 0 : place_in_queue(*turn);
  });
  for (UserPrompt& prompt : plan.queued) {
    queue_.push(std::make_shared<const UserPrompt>(std::move(prompt)));
  }
  queue_.hold();  // The forms say so already.
  for (PromptRecord& prompt : plan.settled) live_->put_prompt(std::move(prompt));
  if (plan.turn_failed) record_->failed = record_->unread = true;
  changed();
  co_return co_await live_->durable();
}

}  // namespace lb
