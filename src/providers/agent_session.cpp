#include "providers/agent_session.h"

#include <fmt/format.h>

namespace lb {
namespace {

std::unexpected<Error> not_supported(const AgentSession& session, std::string_view what) {
  return fail(ErrorCode::NotSupported, fmt::format("{} cannot {}.", session.agent(), what));
}

}  // namespace

Result<PreparedAnswer> AgentSession::prepare_answer(const Answer&) {
  return fail(ErrorCode::ItemNotFound, agent_ + " asks no questions.");
}

asio::awaitable<Result<void>> AgentSession::steer(Prompt) {
  co_return not_supported(*this, "take a message while it works; queue it");
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
