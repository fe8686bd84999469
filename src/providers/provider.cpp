#include "providers/provider.h"

#include <fmt/format.h>

namespace lb {
namespace {

std::unexpected<Error> not_supported(std::string_view agent, std::string_view what) {
  return fail(ErrorCode::NotSupported, fmt::format("{} cannot {}.", agent, what));
}

}  // namespace

asio::awaitable<Result<void>> Provider::set_mode(SessionId, std::string) {
  co_return not_supported(cli_type(), "switch its mode in a running session");
}

asio::awaitable<Result<void>> Provider::set_model(SessionId, std::string) {
  co_return not_supported(cli_type(), "switch its model in a running session");
}

asio::awaitable<Result<void>> Provider::set_thinking(SessionId, std::string) {
  co_return not_supported(cli_type(), "choose how much it thinks in a running session");
}

asio::awaitable<Result<ProviderSession>> Provider::fork_session(SessionId, CreateSessionOptions) {
  co_return not_supported(cli_type(), "fork a session");
}

asio::awaitable<std::vector<DiscoveredSession>> Provider::discover(std::string) {
  co_return std::vector<DiscoveredSession>{};
}

std::string Provider::records() const {
  return {};
}

asio::awaitable<Result<void>> Provider::reconnect() {
  co_return Result<void>{};
}

void Provider::prewarm_shared(const std::string&) {}

void Provider::prewarm(const std::string&) {}

void Provider::end_prewarmed(const std::string&) {}

std::size_t Provider::prewarmed() const {
  return 0;
}

}  // namespace lb
