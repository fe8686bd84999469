// SessionService: which sessions are in use, suspended and gone. What is in memory follows from
// what is open, not from what was ever used.

#include <utility>

#include "base/metrics.h"
#include "session/service/session_service.h"

namespace lb {

void SessionService::awake_is(std::size_t count) {
  static Gauge& awake = gauge("lb_sessions_awake", "Sessions in use; the others are suspended.");
  awake_ = count;
  awake.set(static_cast<std::int64_t>(count));
}

SessionService::SessionPtr SessionService::resumed(const SessionId& session) {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : resume(found->second);
}

SessionService::SessionPtr SessionService::resume(Slot& slot) {
  slot.idle = false;
  if (slot.session) return slot.session;
  Provider* provider = provider_of(slot.kept->record.cli_type);
  slot.session = std::make_shared<Session>(host(), slot.kept, provider);
  if (slot.kept->line) slot.kept->line->connect(slot.session);
  awake_is(awake_ + 1);
  suspend_soon();
  return slot.session;
}

void SessionService::suspend_soon() {
  if (std::exchange(suspend_timed_, true)) return;
  suspend_timer_.expires_after(deps_.suspend_every);
  suspend_timer_.async_wait([this, host = weak()](boost::system::error_code why) {
    if (why || host.expired()) return;
    suspend_timed_ = false;
    suspend_idle();
  });
}

/// Twice in a row: whoever reads page by page, or sends one prompt after the other, is not to
/// resume it each time. A coroutine that still works for a session holds it.
void SessionService::suspend_idle() {
  std::size_t awake = 0;
  for (auto& [id, slot] : sessions_) {
    if (!slot.session) continue;
    const bool idle = slot.session.use_count() == 1 && slot.session->idle();
    if (idle && slot.idle) {
      slot.session->suspend();
      slot.session.reset();
    } else {
      slot.idle = idle;
      ++awake;
    }
  }
  awake_is(awake);
  if (awake > 0) suspend_soon();
}

void SessionService::hide_from_discovery(const SessionRecord& record) {
  if (record.cli_session_id.empty()) return;
  hidden_.insert(SessionId(uuid_from(record.cli_type + ":" + record.cli_session_id)));
}

void SessionService::drop(const SessionId& session) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  hide_from_discovery(found->second.kept->record);
  review_.forget(session);
  std::erase_if(by_cli_id_, [&](const auto& known) { return known.second == session; });
  if (found->second.session) awake_is(awake_ - 1);
  sessions_.erase(found);
}

}  // namespace lb
