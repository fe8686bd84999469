// Workspaces: what a crash, or a session that could not be made, left of them.

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "base/files.h"
#include "base/log.h"
#include "base/run_on.h"
#include "session/workspaces/workspaces.h"

namespace lb {

asio::awaitable<void> Workspaces::mend_one(WorkspaceId id) {
  const WorkspaceRecord record = state_of(id)->record;
  log_info("workspace_mended",
           {{"workspace", id.str()}, {"step", std::string(wire_name(record.step))}});
  if (record.step == WorkspaceStep::Removing) {
    (void)co_await removed(id, "");
    co_return;
  }
  if (record.step == WorkspaceStep::Restoring) {
    (void)co_await restored(id);
    co_return;
  }
  auto& folders = deps_.folders;
  auto forgotten =
      co_await run_on(deps_.pool, [&folders, record, wanted = wanted(record)]() -> Result<bool> {
        auto main = git::find_repository(folders.git(), record.main_root);
        if (!main) return std::unexpected(std::move(main.error()));
        if (!main->has_value())
          return fail(ErrorCode::NotSupported, record.main_root + " is gone.");
        auto done = git::forget_half_made(folders.git(), **main, wanted);
        if (!done) return std::unexpected(std::move(done.error()));
        return true;
      });
  State& state = *state_of(id);
  state.record.step = WorkspaceStep::None;
  state.record.state = WorkspaceState::Failed;
  state.record.problem = "The server stopped while it was being made.";
  if (forgotten) {
    co_await drop(id);
    co_return;
  }
  state.record.problem += " " + forgotten.error().message;
  (void)co_await save(id);
  tell(id);
}

asio::awaitable<void> Workspaces::unmake(WorkspaceId id) {
  State* state = state_of(id);
  if (state == nullptr) co_return;
  state->record.step = WorkspaceStep::Making;
  if (auto saved = co_await save(id); !saved) co_return;
  co_await mend_one(id);
}

asio::awaitable<void> Workspaces::mend() {
  std::vector<WorkspaceId> cut;
  for (auto& [id, state] : all_) {
    if (state.record.step != WorkspaceStep::None) cut.push_back(id);
    if (state.record.state == WorkspaceState::Failed && changed_at(state.record.path) == 0) {
      cut.push_back(id);
    }
    if (state.record.setup == SetupState::Running) state.record.setup = SetupState::Failed;
  }
  for (const WorkspaceId& id : cut) {
    State* state = state_of(id);
    if (state == nullptr) continue;
    if (state->record.step == WorkspaceStep::None) {
      co_await drop(id);  // It could not be made, and nothing of it is left.
    } else {
      co_await mend_one(id);
    }
  }
  for (auto& [id, state] : all_) {
    if (state.record.state != WorkspaceState::Ready) continue;
    state.missing = changed_at(state.record.path) == 0;
    if (!state.missing && !std::exchange(state.looking, true)) {
      asio::co_spawn(deps_.io, look(id, false), asio::detached);
    }
  }
}

}  // namespace lb
