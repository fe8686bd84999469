// SessionService: who is awake, who rests and who is gone. What is in memory follows from what is
// open, not from what was ever used.

#include <utility>

#include "base/metrics.h"
#include "session/service/session_service.h"

namespace lb {

void SessionService::awake_is(std::size_t count) {
  static Gauge& awake = gauge("lb_sessions_awake", "Sessions in use; the others rest.");
  awake_ = count;
  awake.set(static_cast<std::int64_t>(count));
}

SessionService::SessionPtr SessionService::woken(const SessionId& session) {
  const auto found = sessions_.find(session);
  return found == sessions_.end() ? nullptr : wake(found->second);
}

SessionService::SessionPtr SessionService::wake(Place& place) {
  place.idle = false;
  if (place.session) return place.session;
  Provider* provider = provider_of(place.card->record.cli_type);
  place.session = std::make_shared<Session>(host(), place.card, provider);
  if (place.card->line) place.card->line->connect(place.session);
  awake_is(awake_ + 1);
  look_for_rest();
  return place.session;
}

void SessionService::look_for_rest() {
  if (std::exchange(rest_timed_, true)) return;
  rest_timer_.expires_after(deps_.rest_every);
  rest_timer_.async_wait([this, host = weak()](boost::system::error_code why) {
    if (why || host.expired()) return;
    rest_timed_ = false;
    let_rest();
  });
}

/// Twice in a row: whoever reads page by page, or sends one prompt after the other, is not to wake
/// it each time. A coroutine that still works for a session holds it.
void SessionService::let_rest() {
  std::size_t awake = 0;
  for (auto& [id, place] : sessions_) {
    if (!place.session) continue;
    const bool idle = place.session.use_count() == 1 && place.session->idle();
    if (idle && place.idle) {
      place.session->rest();
      place.session.reset();
    } else {
      place.idle = idle;
      ++awake;
    }
  }
  awake_is(awake);
  if (awake > 0) look_for_rest();
}

void SessionService::never_list(const SessionRecord& record) {
  if (record.cli_session_id.empty()) return;
  gone_.insert(SessionId(uuid_from(record.cli_type + ":" + record.cli_session_id)));
}

void SessionService::drop(const SessionId& session) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  never_list(found->second.card->record);
  std::erase_if(by_cli_id_, [&](const auto& known) { return known.second == session; });
  if (found->second.session) awake_is(awake_ - 1);
  sessions_.erase(found);
}

}  // namespace lb
