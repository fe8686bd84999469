// Mode, model and way of thinking: what the user chose, put to the agent. What cannot be put to it
// now, because it does not have the session open, is put when it opens it again.
#include <algorithm>
#include <utility>

#include "providers/acp/session.h"

namespace lb::acp {
namespace {

std::optional<std::string> first_offered(const std::vector<std::string>& wanted,
                                         const SessionFacts& facts) {
  for (const std::string& mode : wanted) {
    if (std::ranges::find(facts.modes, mode, &Choice::id) != facts.modes.end()) return mode;
  }
  return std::nullopt;
}

}  // namespace

asio::awaitable<Result<void>> AcpSession::choose(std::vector<std::string> asking_modes) {
  const auto self = shared_from_this();
  const bool by_user = mode.has_value();
  const auto start = by_user ? mode : first_offered(asking_modes, translator_.facts());
  if (start && start != translator_.facts().mode) {
    auto set = co_await set_mode(*start);
    if (!set && by_user) co_return set;
  }
  if (model && model != translator_.facts().model) {
    if (auto set = co_await set_model(*model); !set) co_return set;
  }
  if (thinking && thinking != translator_.facts().thinking) {
    co_return co_await set_thinking(*thinking);
  }
  co_return Result<void>{};
}

asio::awaitable<Result<void>> AcpSession::set_mode(std::string wanted) {
  const auto self = shared_from_this();
  if (alive()) {
    json::object params = at_session(*this);
    const ConfigIds ids = translator_.config_ids();
    const bool by_option = !ids.set_mode && !ids.mode.empty();
    if (by_option) {
      params["configId"] = ids.mode;
      params["value"] = wanted;
    } else {
      params["modeId"] = wanted;
    }
    auto done = co_await call(connection,
                              by_option ? "session/set_config_option" : "session/set_mode", params);
    if (!done) co_return std::unexpected(std::move(done.error()).context("mode " + wanted));
    publish(translator_.session_result(*done));
    publish(translator_.chose_mode(wanted));
  }
  mode = std::move(wanted);
  co_return Result<void>{};
}

asio::awaitable<Result<void>> AcpSession::set_model(std::string wanted) {
  const auto self = shared_from_this();
  if (alive()) {
    json::object params = at_session(*this);
    const std::string option = translator_.config_ids().model;
    if (!option.empty()) {
      params["configId"] = option;
      params["value"] = wanted;
    } else {
      params["modelId"] = wanted;
    }
    auto done = co_await call(
        connection, option.empty() ? "session/set_model" : "session/set_config_option", params);
    if (!done) co_return std::unexpected(std::move(done.error()).context("model " + wanted));
    publish(translator_.chose_model(wanted));
    publish(translator_.session_result(*done));
  }
  model = std::move(wanted);
  co_return Result<void>{};
}

asio::awaitable<Result<void>> AcpSession::set_thinking(std::string level) {
  const auto self = shared_from_this();
  if (alive()) {
    json::object params = at_session(*this);
    const std::string option = translator_.config_ids().thinking;
    if (option.empty()) {
      co_return fail(ErrorCode::NotSupported, agent() + " has no choice of how much to think.");
    }
    params["configId"] = option;
    params["value"] = level;
    auto done = co_await call(connection, "session/set_config_option", params);
    if (!done) co_return std::unexpected(std::move(done.error()).context("thinking " + level));
    publish(translator_.chose_thinking(level));
    publish(translator_.session_result(*done));
  }
  thinking = std::move(level);
  co_return Result<void>{};
}

}  // namespace lb::acp
