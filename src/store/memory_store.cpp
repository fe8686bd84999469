#include "store/memory_store.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "base/limits.h"
#include "store/growth.h"

namespace lb {

MemoryStore::MemoryStore(asio::any_io_executor io) : io_(std::move(io)), epoch_(make_uuid()) {}

StoreInfo MemoryStore::info() const {
  return {"memory", "none", epoch_};
}

void MemoryStore::on_state(std::function<void(StoreState)> callback) {
  on_state_ = std::move(callback);
}

void MemoryStore::set_state(StoreState state) {
  state_ = std::move(state);
  if (on_state_) on_state_(state_);
  drain();
}

asio::awaitable<Result<Catalog>> MemoryStore::load_catalog() {
  Catalog catalog;
  catalog.settings = settings_;
  for (const auto& [id, project] : projects_) catalog.projects.push_back(project);
  std::ranges::sort(catalog.projects, {}, &ProjectRecord::order);
  for (const auto& [id, record] : records_) catalog.sessions.push_back(record);
  catalog.workspaces = workspaces_;
  catalog.setups = setups_;
  std::ranges::copy_if(rewinds_, std::back_inserter(catalog.open_rewinds), &RewindRow::open);
  for (const auto& [key, oid] : seen_) {
    if (key.second.empty()) catalog.reviewed.push_back({key.first, "", oid});
  }
  co_return catalog;
}

asio::awaitable<Result<std::vector<Unfinished>>> MemoryStore::load_unfinished() {
  std::vector<Unfinished> all;
  for (const auto& [session, shelf] : shelves_) {
    Unfinished left;
    left.session = session;
    for (const auto& [key, entry] : shelf.entries) {
      if (!entry.open) continue;
      StoredEntry whole = entry;
      const auto growth = shelf.growth.find(entry.id);
      if (growth != shelf.growth.end()) whole.payload = fold_growth(entry.payload, growth->second);
      left.entries.push_back(std::move(whole));
    }
    std::ranges::sort(left.entries, {}, &StoredEntry::pos);
    for (const TurnId& turn : shelf.prompt_order) {
      const PromptRecord& prompt = shelf.prompts.at(turn);
      if (!prompt.settled) left.prompts.push_back(prompt);
    }
    if (!left.entries.empty() || !left.prompts.empty()) all.push_back(std::move(left));
  }
  co_return all;
}

void MemoryStore::write(WriteBatch batch, Done done) {
  waiting_.emplace_back(std::move(batch), std::move(done));
  drain();
}

void MemoryStore::drain() {
  if (state_.kind == StoreState::Kind::Failed) waiting_.clear();
  if (state_.kind != StoreState::Kind::Ready) return;
  while (!waiting_.empty()) {
    auto [batch, done] = std::move(waiting_.front());
    waiting_.pop_front();
    apply(batch);
    if (done) asio::post(io_, std::move(done));
  }
}

void MemoryStore::apply(WriteBatch& batch) {
  if (batch.settings) settings_ = std::move(*batch.settings);
  for (ProjectRecord& project : batch.projects) projects_[project.id] = std::move(project);
  for (SessionWrite& write : batch.sessions) apply(write);
  for (AttachmentRecord& one : batch.attachments) attachments_[one.id] = std::move(one);
  for (AuditRow& row : batch.audit) add(std::move(row));
  for (LoginRow& login : batch.logins) {
    std::erase_if(logins_.rows, [&](const LoginRow& row) { return row.hash == login.hash; });
    logins_.rows.push_back(std::move(login));
  }
  for (const std::string& hash : batch.ended_logins) {
    std::erase_if(logins_.rows, [&](const LoginRow& row) { return row.hash == hash; });
  }
  if (batch.logins_known) logins_.known = true;
  apply_work(batch);
}

namespace {

/// In the place of the one with the same key, or behind all others.
template <class Row, class Same>
void put_row(std::vector<Row>& rows, Row row, Same same) {
  const auto known = std::ranges::find_if(rows, same);
  if (known == rows.end()) {
    rows.push_back(std::move(row));
  } else {
    *known = std::move(row);
  }
}

auto same_turn(const CheckpointRow& row) {
  return [session = row.session, turn = row.turn](const CheckpointRow& other) {
    return other.session == session && other.turn == turn;
  };
}

}  // namespace

void MemoryStore::apply_work(WriteBatch& batch) {
  for (WorkspaceRow& row : batch.workspaces) {
    const auto same = [id = row.id](const WorkspaceRow& one) { return one.id == id; };
    if (row.workspace.empty()) {
      std::erase_if(workspaces_, same);
    } else {
      put_row(workspaces_, std::move(row), same);
    }
  }
  for (const SetupRow& row : batch.setups) {
    put_row(setups_, row, [&](const SetupRow& one) { return one == row; });
  }
  for (const CheckpointRow& row : batch.checkpoints) put_row(checkpoints_, row, same_turn(row));
  for (const CheckpointRow& row : batch.dropped_checkpoints) {
    std::erase_if(checkpoints_, same_turn(row));
  }
  for (const RewindRow& row : batch.rewinds) {
    put_row(rewinds_, row, [&](const RewindRow& one) { return one.id == row.id; });
  }
  for (const CommentRow& row : batch.comments) {
    const auto same = [&](const CommentRow& one) {
      return one.session == row.session && one.id == row.id;
    };
    if (row.comment.empty()) {
      std::erase_if(comments_, same);
    } else {
      put_row(comments_, row, same);
    }
  }
  for (const SeenRow& row : batch.seen) {
    if (row.oid.empty()) {
      seen_.erase({row.session, row.path});
    } else {
      seen_[{row.session, row.path}] = row.oid;
    }
  }
}

void MemoryStore::add(AuditRow row) {
  row.id = ++audit_id_;
  audit_.push_back(std::move(row));
  if (audit_id_ % limits::kAuditSlack != 0) return;
  for (const bool stranger : {false, true}) {
    std::size_t room = stranger ? limits::kAuditStrangersMax : limits::kAuditMax;
    std::erase_if(audit_, [&, left = std::ranges::count(audit_, stranger, &AuditRow::stranger)](
                              const AuditRow& one) mutable {
      if (one.stranger != stranger) return false;
      return std::cmp_greater(left--, room);
    });
  }
}

void MemoryStore::apply(SessionWrite& write) {
  if (write.record) {
    std::string facts = std::move(records_[write.session].facts);
    records_[write.session] = std::move(*write.record);
    records_[write.session].facts = std::move(facts);
  }
  if (write.facts) records_[write.session].facts = std::move(*write.facts);
  if (write.erase) {
    shelves_.erase(write.session);
    std::erase_if(attachments_,
                  [&](const auto& one) { return one.second.session == write.session; });
    std::erase_if(checkpoints_,
                  [&](const CheckpointRow& row) { return row.session == write.session; });
    std::erase_if(comments_, [&](const CommentRow& row) { return row.session == write.session; });
    std::erase_if(seen_, [&](const auto& row) { return row.first.first == write.session; });
    return;
  }
  Shelf& shelf = shelves_[write.session];
  for (GrowthPut& piece : write.growth) shelf.growth[piece.item_id].push_back(std::move(piece));
  for (EntryPut& put : write.entries) {
    if (put.kind == EntryKind::Item) shelf.growth.erase(put.id);
    shelf.entries[{put.kind, put.id}] = {put.kind,      put.id,   put.form->rev,
                                         put.form->pos, put.open, std::string(put.form->payload())};
  }
  for (OutputPut& output : write.outputs) shelf.outputs[output.item_id] = std::move(output.text);
  for (PromptRecord& prompt : write.prompts) {
    if (!shelf.prompts.contains(prompt.turn_id)) shelf.prompt_order.push_back(prompt.turn_id);
    shelf.prompts[prompt.turn_id] = std::move(prompt);
  }
}

asio::awaitable<Result<EntryPage>> MemoryStore::read_since(SessionId session, Revision since,
                                                           Revision upto, std::size_t bytes_max) {
  std::vector<StoredEntry> found;
  for (const auto& [key, entry] : shelves_[session].entries) {
    if (!entry.open && entry.rev > since && entry.rev <= upto) found.push_back(entry);
  }
  std::ranges::sort(found, {}, &StoredEntry::rev);
  EntryPage page;
  std::size_t bytes = 0;
  for (StoredEntry& entry : found) {
    if (bytes >= bytes_max && !page.entries.empty()) {
      page.more = true;
      break;
    }
    bytes += entry.payload.size();
    page.entries.push_back(std::move(entry));
  }
  co_return page;
}

asio::awaitable<Result<EntryPage>> MemoryStore::read_window(SessionId session, std::uint64_t before,
                                                            std::uint64_t count) {
  EntryPage page;
  for (const auto& [key, entry] : shelves_[session].entries) {
    if (!entry.open && entry.pos < before) page.entries.push_back(entry);
  }
  std::ranges::sort(page.entries, {}, &StoredEntry::pos);
  page.more = page.entries.size() > count;
  if (page.more)
    page.entries.erase(page.entries.begin(), page.entries.end() - std::ptrdiff_t(count));
  co_return page;
}

asio::awaitable<Result<std::optional<StoredEntry>>> MemoryStore::read_entry(SessionId session,
                                                                            EntryKind kind,
                                                                            std::string id) {
  const Shelf& shelf = shelves_[session];
  const auto found = shelf.entries.find({kind, id});
  if (found == shelf.entries.end()) co_return std::nullopt;
  co_return found->second;
}

asio::awaitable<Result<std::optional<std::string>>> MemoryStore::read_output(SessionId session,
                                                                             std::string item_id) {
  const Shelf& shelf = shelves_[session];
  const auto found = shelf.outputs.find(item_id);
  if (found == shelf.outputs.end()) co_return std::nullopt;
  co_return found->second;
}

asio::awaitable<Result<std::vector<PromptKey>>> MemoryStore::read_prompt_keys(SessionId session) {
  std::vector<PromptKey> keys;
  const Shelf& shelf = shelves_[session];
  for (const TurnId& turn : shelf.prompt_order) {
    const std::string& key = shelf.prompts.at(turn).key;
    if (!key.empty()) keys.push_back({turn, key});
  }
  co_return keys;
}

asio::awaitable<Result<std::optional<PromptRecord>>> MemoryStore::read_prompt(SessionId session,
                                                                              TurnId turn) {
  const Shelf& shelf = shelves_[session];
  const auto found = shelf.prompts.find(turn);
  if (found == shelf.prompts.end()) co_return std::nullopt;
  co_return found->second;
}

asio::awaitable<Result<std::optional<AttachmentRecord>>> MemoryStore::read_attachment(
    SessionId session, std::string id) {
  const auto found = attachments_.find(id);
  if (found == attachments_.end() || found->second.session != session) co_return std::nullopt;
  co_return found->second;
}

asio::awaitable<Result<std::vector<AuditRow>>> MemoryStore::read_audit(std::uint64_t before,
                                                                       std::uint64_t count) {
  std::vector<AuditRow> rows;
  for (auto row = audit_.rbegin(); row != audit_.rend() && rows.size() < count; ++row) {
    if (row->id < before) rows.push_back(*row);
  }
  co_return rows;
}

asio::awaitable<Result<Logins>> MemoryStore::read_logins() {
  co_return logins_;
}

asio::awaitable<Result<std::vector<CheckpointRow>>> MemoryStore::read_checkpoints(
    SessionId session) {
  std::vector<CheckpointRow> rows;
  std::ranges::copy_if(checkpoints_, std::back_inserter(rows),
                       [&](const CheckpointRow& row) { return row.session == session; });
  co_return rows;
}

asio::awaitable<Result<std::optional<RewindRow>>> MemoryStore::read_rewind(std::string id) {
  const auto found = std::ranges::find(rewinds_, id, &RewindRow::id);
  if (found == rewinds_.end()) co_return std::nullopt;
  co_return *found;
}

asio::awaitable<Result<ReviewRows>> MemoryStore::read_review(SessionId session) {
  ReviewRows rows;
  std::ranges::copy_if(comments_, std::back_inserter(rows.comments),
                       [&](const CommentRow& row) { return row.session == session; });
  for (const auto& [key, oid] : seen_) {
    if (key.first == session && !key.second.empty())
      rows.seen.push_back({session, key.second, oid});
  }
  co_return rows;
}

asio::awaitable<Result<std::vector<SearchHit>>> MemoryStore::search(Search search) {
  const std::vector<std::string> words = search_words(search.text);
  const auto matches = [&](const std::string& payload) {
    const std::vector<std::string> have = search_words(searchable_text(payload));
    return std::ranges::all_of(words, [&](const std::string& word) {
      const bool last = &word == &words.back();
      return std::ranges::any_of(have, [&](const std::string& candidate) {
        return last ? candidate.starts_with(word) : candidate == word;
      });
    });
  };
  std::vector<SearchHit> hits;
  for (const SessionId& session : search.sessions) {
    for (const auto& [key, entry] : shelves_[session].entries) {
      if (hits.size() >= search.limit || words.empty()) break;
      if (entry.open || entry.kind != EntryKind::Item || !matches(entry.payload)) continue;
      hits.push_back({session, entry.id, entry.payload});
    }
  }
  co_return hits;
}

}  // namespace lb
