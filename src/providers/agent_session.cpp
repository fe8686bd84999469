#include "providers/agent_session.h"

#include <fmt/format.h>

#include <algorithm>

namespace lb {
namespace {

std::unexpected<Error> not_supported(const AgentSession& session, std::string_view what) {
  return fail(ErrorCode::NotSupported, fmt::format("{} cannot {}.", session.agent(), what));
}

}  // namespace

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

std::unexpected<Error> AgentSession::no_longer_asked() {
  return fail(ErrorCode::AlreadyAnswered, "This was answered already, or is no longer asked.");
}

Result<PreparedAnswer> AgentSession::prepare_answer(const Answer&) {
  return fail(ErrorCode::ItemNotFound, agent_ + " asks no questions.");
}

asio::awaitable<Result<void>> AgentSession::set_mode(std::string) {
  co_return not_supported(*this, "switch its mode in a running session");
}

asio::awaitable<Result<void>> AgentSession::set_model(std::string) {
  co_return not_supported(*this, "switch its model in a running session");
}

asio::awaitable<Result<void>> AgentSession::set_thinking(std::string) {
  co_return not_supported(*this, "choose how much it thinks in a running session");
}

}  // namespace lb
