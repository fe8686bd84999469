#include "providers/provider.h"

#include <fmt/format.h>

#include <algorithm>

namespace lb {

asio::awaitable<Result<ProviderSession>> Provider::fork_session(SessionId, CreateSessionOptions,
                                                                std::optional<ForkPoint>) {
  co_return fail(ErrorCode::NotSupported, fmt::format("{} cannot fork a session.", cli_type()));
}

bool Provider::can_fork_before(const SessionId&) const {
  return false;
}

std::unexpected<Error> no_walls(std::string_view cli_type) {
  return fail(
      ErrorCode::NotSupported,
      fmt::format("{} cannot be confined: its protocol does not say that it can.", cli_type));
}

asio::awaitable<Result<void>> Provider::steer_turn(SessionId, Prompt) {
  co_return fail(ErrorCode::NotSupported,
                 fmt::format("{} takes no message while it works; queue it.", cli_type()));
}

asio::awaitable<std::vector<DiscoveredSession>> Provider::discover(std::string) {
  co_return std::vector<DiscoveredSession>{};
}

asio::awaitable<std::int64_t> Provider::outside_mark(std::string) {
  co_return 0;
}

std::string Provider::records() const {
  return {};
}

bool Provider::can_confine() const {
  return false;
}

std::optional<bool> Provider::takes_text() const {
  return false;
}

asio::awaitable<Result<void>> Provider::reconnect() {
  co_return Result<void>{};
}

void Provider::prewarm_shared(const WarmPlace&) {}

void Provider::prewarm(const WarmPlace&) {}

void Provider::end_prewarmed(const WarmPlace&) {}

std::size_t Provider::prewarmed() const {
  return 0;
}

Result<void> check_answer(const Approval& approval, const Answer& answer) {
  if (answer.option_id) {
    const auto option =
        std::ranges::find(approval.options, *answer.option_id, &ApprovalOption::option_id);
    if (option != approval.options.end()) return {};
    return fail(ErrorCode::InvalidRequest, "optionId: not one of this approval's options");
  }
  if (!approval.questions.empty() && answer.answers) return {};
  return fail(ErrorCode::InvalidRequest,
              approval.questions.empty() ? "optionId: missing" : "answers: missing");
}

std::unexpected<Error> no_longer_asked() {
  return fail(ErrorCode::AlreadyAnswered, "This was answered already, or is no longer asked.");
}

}  // namespace lb
