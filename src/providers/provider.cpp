#include "providers/provider.h"

#include <fmt/format.h>

namespace lb {

asio::awaitable<Result<ProviderSession>> Provider::fork_session(SessionId, CreateSessionOptions) {
  co_return fail(ErrorCode::NotSupported, fmt::format("{} cannot fork a session.", cli_type()));
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
