// SessionService: terminals and ports.

#include <utility>

#include "base/run_on.h"
#include "process/ports.h"
#include "session/service/session_service.h"

namespace lb {

Terminals::Events SessionService::terminal_events() {
  return {[this](const Terminal& terminal) { events_->terminal(terminal); },
          [this](const TerminalRemovedMessage& removed) { events_->terminal_removed(removed); }};
}

void SessionService::note_terminal(AuditKind kind, const Terminal& terminal, Caller caller,
                                   std::optional<std::string> why) {
  AuditEntry entry;
  entry.kind = kind;
  entry.by = std::move(caller.by);
  if (!caller.address.empty()) entry.address = std::move(caller.address);
  if (!caller.via.empty()) entry.via = std::move(caller.via);
  entry.why = std::move(why);
  entry.session_id = terminal.session_id;
  if (const Slot* slot = slot_of(terminal.session_id)) {
    entry.session_title = slot->kept->record.title;
  }
  entry.title = terminal.name;
  audit_trail_.note(std::move(entry));
}

Result<TerminalsBody> SessionService::list_terminals(const TerminalListRequest& request) {
  TerminalsBody body;
  body.problem = terminals_.problem();
  body.available = !body.problem;
  body.terminals = terminals_.list(request.session_id);
  return body;
}

asio::awaitable<Result<TerminalMessage>> SessionService::create_terminal(
    TerminalCreateRequest request, Caller caller) {
  const Slot* slot = slot_of(request.session_id);
  if (slot == nullptr) co_return fail(ErrorCode::SessionNotFound, "There is no such session.");
  if (stopping_) co_return fail(ErrorCode::Busy, "The server is stopping.");
  const SessionRecord record = slot->kept->record;
  if (!record.workspace_id.empty()) {
    if (auto ready = co_await workspaces_.wait_ready(record.workspace_id); !ready) {
      co_return std::unexpected(std::move(ready.error()));
    }
  }
  auto place = workplace(record);
  if (!place) co_return std::unexpected(std::move(place.error()));
  if (slot_of(record.id) == nullptr || stopping_) {
    co_return fail(ErrorCode::SessionNotFound, "There is no such session any more.");
  }
  auto made = terminals_.create({record.id, place->folder, place->env, record.confined}, request);
  if (!made) co_return std::unexpected(std::move(made.error()));
  note_terminal(AuditKind::TerminalOpened, *made, std::move(caller));
  co_return TerminalMessage{std::move(*made)};
}

Result<TerminalMessage> SessionService::rename_terminal(TerminalRenameRequest request) {
  auto renamed = terminals_.rename(request);
  if (!renamed) return std::unexpected(std::move(renamed.error()));
  return TerminalMessage{std::move(*renamed)};
}

asio::awaitable<Result<TerminalRemovedMessage>> SessionService::close_terminal(
    TerminalCloseRequest request, Caller caller) {
  auto closed = co_await terminals_.close(std::move(request.terminal_id));
  if (!closed) co_return std::unexpected(std::move(closed.error()));
  note_terminal(AuditKind::TerminalClosed, *closed, std::move(caller));
  co_return TerminalRemovedMessage{closed->terminal_id, closed->session_id};
}

asio::awaitable<void> SessionService::close_terminals_of(SessionId session, std::string why) {
  for (const Terminal& closed : co_await terminals_.close_all_of(std::move(session))) {
    note_terminal(AuditKind::TerminalClosed, closed, {"", {AuditActor::Server}}, why);
  }
}

Result<std::unique_ptr<TerminalReader>> SessionService::open_terminal(
    const TerminalSocketRequest& request) {
  return terminals_.open(request);
}

asio::awaitable<Result<PortsBody>> SessionService::ports(PortsRequest request) {
  if (deps_.launcher == nullptr) co_return PortsBody{};
  std::vector<LivingProcess> living = deps_.launcher->living();
  std::erase_if(living, [&](const LivingProcess& one) {
    return request.session_id && one.owner.session_id != *request.session_id;
  });
  co_return PortsBody{
      co_await run_on(blocking_, [living = std::move(living)] { return ports_below(living); })};
}

}  // namespace lb
