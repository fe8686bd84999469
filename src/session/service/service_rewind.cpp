// SessionService: taking back what a turn did.
//
// The conversation goes first: it makes a new session and changes nothing, so that a refusal of the
// agent leaves the files alone. What is done to files is stored before it begins; after a crash it
// is finished, and it can be undone like any turn.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/run_on.h"
#include "session/service/session_service.h"
#include "session/workspaces/work_record.h"

namespace lb {
namespace {

std::string members_of(const std::vector<std::string>& paths) {
  json::array list;
  for (const std::string& path : paths) {
    if (list.size() < limits::kPathsMax) list.emplace_back(git::shown_path(path));
  }
  return "\"paths\":" + json::serialize(list);
}

std::vector<std::string> shown(const std::vector<std::string>& paths) {
  std::vector<std::string> out;
  for (const std::string& path : paths) {
    if (out.size() < limits::kPathsMax) out.push_back(git::shown_path(path));
  }
  return out;
}

std::vector<FileChange> shown(const std::vector<git::TreeChange>& changes) {
  std::vector<FileChange> out;
  for (const git::TreeChange& change : changes) {
    if (out.size() < limits::kPathsMax) out.push_back({git::shown_path(change.path), change.kind});
  }
  return out;
}

RewindBody body_of(const git::RewindPlan& plan) {
  RewindBody body;
  body.changes = shown(plan.changes);
  body.conflicts = shown(plan.conflicts);
  body.shared = shown(plan.shared);
  return body;
}

/// A path that a tool names, from the top of the folder; nothing: it is somewhere else.
std::optional<std::string> below(const std::string& root, const std::string& folder,
                                 const std::string& path) {
  const std::string whole = path.starts_with('/') ? path : folder + "/" + path;
  if (!whole.starts_with(root + "/")) return std::nullopt;
  return whole.substr(root.size() + 1);
}

}  // namespace

/// What the tools of one turn say that they changed.
asio::awaitable<std::vector<std::string>> SessionService::paths_of_turn(SessionPtr session,
                                                                        TurnId turn,
                                                                        std::string root) {
  std::vector<std::string> paths;
  const std::string folder = workplace(session->record()).value_or(Workplace{root}).folder;
  auto history = co_await session->live()->window(UINT64_MAX, UINT64_MAX);
  if (!history) co_return paths;
  for (const FramePtr& frame : history->items) {
    const auto item = decode_text<Item>(frame->payload());
    if (!item || item->turn_id != turn) continue;
    const auto* call = std::get_if<ToolCall>(&item->body);
    if (call == nullptr) continue;
    const bool writes = call->kind == ToolKind::Edit || call->kind == ToolKind::Delete ||
                        call->kind == ToolKind::Move;
    for (const Diff& diff : call->diffs) {
      if (auto path = below(root, folder, diff.path)) paths.push_back(std::move(*path));
    }
    if (!writes) continue;
    for (const Location& location : call->locations) {
      if (auto path = below(root, folder, location.path)) paths.push_back(std::move(*path));
    }
  }
  co_return paths;
}

asio::awaitable<Result<git::RewindPlan>> SessionService::plan_rewind(CheckpointRow row,
                                                                     SessionPtr session) {
  std::optional<std::vector<std::string>> only;
  if (row.shared) {
    auto root = co_await run_on(git_pool_, [this, folder = row.root]() -> Result<std::string> {
      auto files = folders_.at(folder);
      if (!files) return std::unexpected(std::move(files.error()));
      return (*files)->root();
    });
    if (!root) co_return std::unexpected(std::move(root.error()));
    only = co_await paths_of_turn(session, row.turn, std::move(*root));
  }
  co_return co_await run_on(git_pool_, [this, row, only]() -> Result<git::RewindPlan> {
    auto files = folders_.at(row.root);
    if (!files) return std::unexpected(std::move(files.error()));
    return git::plan_rewind(**files, row.before, row.after, only);
  });
}

asio::awaitable<Result<RewindBody>> SessionService::apply_rewind(SessionId session,
                                                                 std::string folder,
                                                                 git::RewindPlan plan,
                                                                 RewindBody body) {
  const std::string id = make_uuid();
  RewindRecord record{std::move(session), std::move(folder), plan.now, plan.target};
  const auto write = [&](bool open) {
    WriteBatch batch;
    batch.rewinds.push_back({id, open, encode(record)});
    return deps_.store.commit(std::move(batch));
  };
  auto kept = co_await run_on(git_pool_, [this, id, record]() -> Result<bool> {
    auto files = folders_.at(record.folder);
    if (!files) return std::unexpected(std::move(files.error()));
    auto done =
        (*files)->keep({{"rw/" + id + "/from", record.from}, {"rw/" + id + "/to", record.to}});
    if (!done) return std::unexpected(std::move(done.error()));
    return true;
  });
  if (!kept) co_return std::unexpected(std::move(kept.error()));
  if (auto stored = co_await write(true); !stored) co_return std::unexpected(stored.error());
  auto applied = co_await run_on(git_pool_, [this, record]() -> Result<git::Applied> {
    auto files = folders_.at(record.folder);
    if (!files) return std::unexpected(std::move(files.error()));
    return (*files)->apply(record.from, record.to);
  });
  if (auto stored = co_await write(false); !stored) co_return std::unexpected(stored.error());
  if (!applied) co_return std::unexpected(std::move(applied.error()));
  body.changes = shown(applied->done);
  body.conflicts = shown(applied->left);
  body.undo_id = id;
  co_return body;
}

asio::awaitable<Result<RewindBody>> SessionService::rewind_files(SessionId session,
                                                                 std::string folder,
                                                                 git::RewindPlan plan,
                                                                 bool dry_run) {
  RewindBody body = body_of(plan);
  if (dry_run || (plan.changes.empty() && plan.conflicts.empty())) co_return body;
  if (!plan.conflicts.empty()) {
    Error conflict{ErrorCode::RewindConflict,
                   "These files were changed since, at the same places. Nothing was changed."};
    conflict.members = members_of(plan.conflicts);
    co_return std::unexpected(std::move(conflict));
  }
  co_return co_await apply_rewind(std::move(session), std::move(folder), std::move(plan),
                                  std::move(body));
}

asio::awaitable<Result<RewindBody>> SessionService::rewind(SessionRewindRequest request) {
  const auto found = find(request.session_id);
  if (!found) co_return std::unexpected(found.error());
  const SessionPtr session = *found;
  if (session->info().activity == Activity::Working && !request.dry_run) {
    co_return fail(ErrorCode::Busy, "The agent is working. Stop it, or wait for it, first.");
  }
  auto rows = co_await deps_.store.read_checkpoints(request.session_id);
  if (!rows) co_return std::unexpected(std::move(rows.error()));
  const auto row = std::ranges::find(*rows, request.turn_id, &CheckpointRow::turn);
  if (request.files && (row == rows->end() || row->after.empty())) {
    co_return fail(ErrorCode::NotSupported,
                   row == rows->end()
                       ? "There is no checkpoint of this turn, so its files cannot be taken back."
                       : "This turn has not ended, or the files after it are not known.");
  }
  const bool can_fork =
      session->provider() != nullptr && session->provider()->can_fork_before(session->id());
  if (request.conversation && !can_fork && !request.dry_run) {
    co_return fail(ErrorCode::NotSupported,
                   "This agent cannot go back in its conversation. Rewind only the files.");
  }
  git::RewindPlan plan;
  if (request.files) {
    auto planned = co_await plan_rewind(*row, session);
    if (!planned) co_return std::unexpected(std::move(planned.error()));
    plan = std::move(*planned);
  }
  RewindBody body = body_of(plan);
  body.conversation = can_fork;
  if (request.dry_run) co_return body;
  if (!plan.conflicts.empty()) {
    co_return co_await rewind_files(request.session_id, row->root, std::move(plan), false);
  }
  std::optional<SessionId> forked;
  if (request.conversation) {
    auto fork = co_await this->fork({request.session_id, request.turn_id});
    if (!fork) co_return std::unexpected(std::move(fork.error()));
    forked = fork->session_id;
  }
  if (request.files) {
    auto done = co_await rewind_files(request.session_id, row->root, std::move(plan), false);
    if (!done) co_return std::unexpected(std::move(done.error()));
    body = std::move(*done);
    body.conversation = can_fork;
  }
  body.fork_session_id = std::move(forked);
  look_again_soon({session->id()});
  co_return body;
}

asio::awaitable<Result<RewindBody>> SessionService::undo_rewind(SessionRewindUndoRequest request) {
  if (slot_of(request.session_id) == nullptr) {
    co_return fail(ErrorCode::SessionNotFound, "There is no such session.");
  }
  auto row = co_await deps_.store.read_rewind(request.undo_id);
  if (!row) co_return std::unexpected(std::move(row.error()));
  auto record = row->has_value() ? decode_text<RewindRecord>((*row)->rewind)
                                 : Result<RewindRecord>(fail(ErrorCode::ItemNotFound, ""));
  if (!record || record->session_id != request.session_id) {
    co_return fail(ErrorCode::ItemNotFound, "There is no such rewind in this session.");
  }
  auto plan = co_await run_on(git_pool_, [this, record = *record]() -> Result<git::RewindPlan> {
    auto files = folders_.at(record.folder);
    if (!files) return std::unexpected(std::move(files.error()));
    return git::plan_rewind(**files, record.from, record.to, std::nullopt);
  });
  if (!plan) co_return std::unexpected(std::move(plan.error()));
  auto done =
      co_await rewind_files(request.session_id, record->folder, std::move(*plan), request.dry_run);
  if (done && !request.dry_run) look_again_soon({request.session_id});
  co_return done;
}

/// What a crash cut off goes on: files that are as before become as they were to be, and whatever
/// somebody changed since is left.
asio::awaitable<void> SessionService::finish_rewinds(std::vector<RewindRow> open) {
  for (RewindRow& row : open) {
    if (auto record = decode_text<RewindRecord>(row.rewind)) {
      auto done = co_await run_on(git_pool_, [this, record = *record]() -> Result<git::Applied> {
        auto files = folders_.at(record.folder);
        if (!files) return std::unexpected(std::move(files.error()));
        return (*files)->apply(record.from, record.to);
      });
      log_info("rewind_finished",
               {{"folder", record->folder}, {"result", done ? "done" : done.error().message}});
    }
    row.open = false;
    WriteBatch batch;
    batch.rewinds.push_back(std::move(row));
    deps_.store.write(std::move(batch), nullptr);
  }
}

}  // namespace lb
