#include "session/audit_trail.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/limits.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/utf8.h"

namespace lb {
namespace {

constexpr MonoMs kMinuteMs = 60'000;

void shorten(std::optional<std::string>& text) {
  if (!text || text->size() <= limits::kAuditTextBytesMax) return;
  text->resize(utf8_prefix(*text, limits::kAuditTextBytesMax).size());
  *text += "…";
}

}  // namespace

AuditRow AuditTrail::row_of(AuditEntry entry, bool stranger) const {
  entry.at = clock_.wall();
  for (auto* text : {&entry.why, &entry.title, &entry.answer, &entry.session_title,
                     &entry.login_name, &entry.by.name}) {
    shorten(*text);
  }
  return {0, stranger, encode(entry)};
}

void AuditTrail::note(AuditEntry entry) {
  WriteBatch batch;
  batch.audit.push_back(row_of(std::move(entry), false));
  store_.write(std::move(batch), {});
}

void AuditTrail::note_stranger(AuditEntry entry) {
  static Counter& left_out = counter("lb_audit_left_out_total",
                                     "What strangers caused too quickly to be in the audit trail.");
  const MonoMs now = clock_.mono();
  auto& [noted, more] = strangers_[entry.kind];
  while (!noted.empty() && noted.front() + kMinuteMs <= now) noted.pop_front();
  if (noted.size() >= limits::kAuditStrangersPerMinute) {
    ++more;
    return left_out.add();
  }
  noted.push_back(now);
  if (more > 0) entry.times = std::exchange(more, 0) + 1;
  WriteBatch batch;
  batch.audit.push_back(row_of(std::move(entry), true));
  store_.write(std::move(batch), {});
}

asio::awaitable<Result<void>> AuditTrail::issue(std::string hash, const Login& login,
                                                AuditEntry entry) {
  WriteBatch batch;
  batch.logins.push_back({std::move(hash), encode(login)});
  batch.audit.push_back(row_of(std::move(entry), false));
  return store_.commit(std::move(batch));
}

void AuditTrail::forget(std::string hash) {
  WriteBatch batch;
  batch.ended_logins.push_back(std::move(hash));
  store_.write(std::move(batch), {});
}

asio::awaitable<Result<void>> AuditTrail::take_over(std::vector<LoginRow> found,
                                                    std::vector<std::string> gone) {
  WriteBatch batch;
  batch.logins = std::move(found);
  batch.ended_logins = std::move(gone);
  batch.logins_known = true;
  return store_.commit(std::move(batch));
}

asio::awaitable<Result<AuditMessage>> AuditTrail::read(AuditRequest request) {
  const std::uint64_t count = std::clamp<std::uint64_t>(
      request.limit.value_or(limits::kAuditPageDefault), 1, limits::kAuditPageMax);
  const std::uint64_t before = request.before.value_or(std::numeric_limits<std::uint64_t>::max());
  auto rows = co_await store_.read_audit(before, count + 1);
  if (!rows) co_return std::unexpected(std::move(rows.error()));
  AuditMessage page;
  if (rows->size() > count) {
    rows->resize(count);
    page.before = rows->back().id;
  }
  for (const AuditRow& row : *rows) {
    auto entry = decode_text<AuditEntry>(row.entry);
    if (!entry) {  // Of a newer version, perhaps.
      log_warn("audit.unreadable", {{"why", entry.error().message}});
      continue;
    }
    entry->id = row.id;
    page.entries.push_back(std::move(*entry));
  }
  co_return page;
}

}  // namespace lb
