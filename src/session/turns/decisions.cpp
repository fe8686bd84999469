#include "session/turns/decisions.h"

#include <algorithm>

namespace lb {
namespace {

/// The code of a call that the user refused.
constexpr std::string_view kRejected = "REJECTED";

bool rejects(const Approval& approval) {
  if (!approval.answer || !approval.answer->option_id) return false;
  const auto chosen =
      std::ranges::find(approval.options, *approval.answer->option_id, &ApprovalOption::option_id);
  return chosen != approval.options.end() &&
         (chosen->kind == OptionKind::RejectOnce || chosen->kind == OptionKind::RejectAlways);
}

}  // namespace

void Decisions::waits(bool for_user, Timestamp now) {
  if (for_user == waits_since_.has_value()) return;
  if (for_user) {
    waits_since_ = now;
    return;
  }
  waited_ms_ += std::max<std::int64_t>(now.ms - waits_since_->ms, 0);
  waits_since_.reset();
}

void Decisions::decide(const Approval& approval, Timestamp now) {
  if (approval.call_id) calls_[*approval.call_id] = {now, rejects(approval)};
}

void Decisions::take_back(const Approval& approval) {
  if (approval.call_id) calls_.erase(*approval.call_id);
}

void Decisions::apply(Item& item) const {
  auto* tool = std::get_if<ToolCall>(&item.body);
  const auto found = tool != nullptr ? calls_.find(tool->call_id) : calls_.end();
  if (found == calls_.end()) return;
  const Decided& decided = found->second;
  if (!decided.rejected) {
    item.started_at = std::max(item.started_at, decided.at);
    if (item.ended_at) item.ended_at = std::max(*item.ended_at, item.started_at);
  } else if (item.status == ItemStatus::Error) {
    item.status = ItemStatus::Cancelled;
    item.error_code = kRejected;
    item.error_message.reset();
    tool->tool_output_is_error.reset();
  }
}

std::optional<std::uint64_t> Decisions::waited_ms(Timestamp now) const {
  std::int64_t all = waited_ms_;
  if (waits_since_) all += std::max<std::int64_t>(now.ms - waits_since_->ms, 0);
  return all > 0 ? std::optional(static_cast<std::uint64_t>(all)) : std::nullopt;
}

void Decisions::clear() {
  calls_.clear();
  waited_ms_ = 0;
}

}  // namespace lb
