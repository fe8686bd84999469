#include "session/dormant_session.h"

#include <algorithm>
#include <utility>

#include "providers/provider.h"
#include "session/session.h"

namespace lb {

std::shared_ptr<Session> AgentLine::resumed() const {
  if (auto awake = session_.lock()) return awake;
  const auto host = host_.lock();
  return host ? host->resumed(id_) : nullptr;
}

void AgentLine::item(Upsert item) {
  if (const auto session = resumed()) session->on_upsert(std::move(item));
}

void AgentLine::turn(Turn turn) {
  if (const auto session = resumed()) session->on_turn(std::move(turn));
}

void AgentLine::report(SessionReport report) {
  if (const auto session = resumed()) session->on_report(std::move(report));
}

DormantSession::DormantSession(SessionRecord from) : record(std::move(from)) {
  if (auto known = decode_text<SessionFacts>(record.facts)) facts = std::move(*known);
  record.facts = {};
  numbers = {record.reserved, record.next_pos, record.reserved, 0, false};
}

SessionRecord with_discovered(SessionRecord record, const DiscoveredSession& found) {
  if (!record.external) return record;
  if (!found.title.empty() && record.title_source < TitleSource::User) record.title = found.title;
  record.last_active_at = std::max(record.last_active_at, found.last_active_at);
  return record;
}

SessionInfo info_of(const DormantSession& kept, const Provider* provider) {
  const SessionRecord& record = kept.record;
  SessionInfo info;
  info.session_id = record.id;
  info.cli_type = record.cli_type;
  info.project_id = record.project_id;
  const bool alive = provider != nullptr && provider->is_alive(record.id);
  info.status = alive ? SessionState::Open : SessionState::Dead;
  info.activity = record.failed ? Activity::Failed : Activity::Idle;
  info.unread = record.unread;
  info.title = record.title;
  info.created_at = record.created_at;
  info.last_active_at = record.last_active_at;
  info.archived = record.archived;
  info.discovered = record.external && !record.imported;
  info.confined = record.confined;
  if (!record.workspace_id.empty()) info.workspace_id = record.workspace_id;
  if (!kept.work.branch.empty()) info.branch = kept.work.branch;
  info.changes = kept.work.changes;
  info.overlaps = kept.work.overlaps;
  info.needs_review = needs_review(info, kept.work);
  return info;
}

bool needs_review(const SessionInfo& info, const SessionWork& work) {
  const bool rests = info.activity == Activity::Idle || info.activity == Activity::Failed;
  return rests && !info.archived && work.changes && work.changes->files > 0 &&
         work.changes->oid != work.reviewed;
}

}  // namespace lb
