#include "providers/acp/agent_manager.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "base/version.h"
#include "providers/acp/login.h"
#include "providers/program_info.h"

namespace lb::acp {
namespace {

using Connected = Result<std::shared_ptr<Connection>>;

/// Both adapters of Codex ignore the end of their input; what they keep is on disk with each turn.
constexpr std::chrono::milliseconds kTermAfter{500};

json::value hello() {
  return {{"protocolVersion", kProtocolVersion},
          {"clientCapabilities",
           {{"fs", {{"readTextFile", false}, {"writeTextFile", false}}},
            {"terminal", false},
            // Command output then comes live instead of at the end.
            {"_meta", {{"terminal_output", true}}}}},
          {"clientInfo",
           {{"name", "liminal-builder"}, {"title", "Liminal Builder"}, {"version", kVersion}}}};
}

/// The last lines of what a child complained about, short enough for an error message.
std::string last_words(std::string_view complaints) {
  while (complaints.ends_with('\n') || complaints.ends_with('\r')) complaints.remove_suffix(1);
  return std::string(utf8_suffix(complaints, limits::kErrorStderrBytes));
}

}  // namespace

std::string end_text(const std::string& name, const ExitStatus& status,
                     const std::string& complaints) {
  const std::string words = last_words(complaints);
  return fmt::format("{} {}.{}{}", name, status.text(), words.empty() ? "" : " It said: ", words);
}

asio::awaitable<Result<json::object>> call(std::shared_ptr<Connection> connection,
                                           std::string method, json::object params,
                                           AnswerFirst first) {
  struct Waiter {
    explicit Waiter(const asio::any_io_executor& executor)
        : answered(executor, asio::steady_timer::time_point::max()) {}
    asio::steady_timer answered;
    std::optional<RpcReply> reply;
  };
  const auto waiter = std::make_shared<Waiter>(co_await asio::this_coro::executor);
  connection->peer->request(method, params, limits::kAgentCall,
                            [waiter, first = std::move(first)](RpcReply reply) {
                              if (reply && reply->is_object() && first) first(reply->get_object());
                              waiter->reply = std::move(reply);
                              waiter->answered.cancel();
                            });
  while (!waiter->reply) {
    co_await waiter->answered.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  if (!*waiter->reply) {
    const RpcError& error = waiter->reply->error();
    if (error.kind == RpcError::Kind::Answered && error.code == rpc_code::kAuthenticationRequired) {
      co_return fail(ErrorCode::Unauthenticated, error_text(error.message, error.data));
    }
    co_return std::unexpected(error_from(error));
  }
  json::value& result = **waiter->reply;
  co_return result.is_object() ? std::move(result.get_object()) : json::object();
}

struct AgentManager::Start {
  explicit Start(const asio::any_io_executor& executor)
      : done(executor, asio::steady_timer::time_point::max()) {}
  asio::steady_timer done;  // Never expires: cancelling it wakes everyone who waits.
  std::optional<Connected> result;
};

AgentManager::AgentManager(asio::any_io_executor executor, Launcher& launcher, Timers& timers,
                           AgentManagerOptions options)
    : executor_(std::move(executor)),
      launcher_(launcher),
      timers_(timers),
      options_(std::move(options)) {}

asio::awaitable<Connected> AgentManager::ensure() {
  if (connection_) co_return connection_;
  co_return co_await wait(start_ ? start_ : begin(AgentStatus::Starting));
}

asio::awaitable<Result<void>> AgentManager::reconnect() {
  if (connection_) co_return Result<void>{};
  tries_ = 0;
  const auto connected = co_await wait(start_ ? start_ : begin(AgentStatus::Starting));
  if (!connected) co_return std::unexpected(connected.error());
  co_return Result<void>{};
}

std::shared_ptr<AgentManager::Start> AgentManager::begin(AgentStatus during) {
  retry_.reset();
  start_ = std::make_shared<Start>(executor_);
  const auto start = start_;
  set_status(during, std::nullopt);
  asio::co_spawn(executor_, run(shared_from_this(), start), asio::detached);
  return start;
}

asio::awaitable<Connected> AgentManager::wait(std::shared_ptr<Start> start) {
  while (!start->result) co_await start->done.async_wait(asio::as_tuple(asio::use_awaitable));
  co_return *start->result;
}

asio::awaitable<void> AgentManager::run(std::shared_ptr<AgentManager> self,
                                        std::shared_ptr<Start> start) {
  Connected result = co_await self->connect(start);
  self->finish(start, std::move(result));
}

asio::awaitable<Connected> AgentManager::connect(std::shared_ptr<Start> start) {
  const auto refused = [this](const Error& why) {
    return std::unexpected(not_started(options_.name, options_.remedy, why));
  };
  auto launch = options_.launch();
  if (!launch) co_return refused(launch.error());
  auto process = launcher_.launch(std::move(*launch));
  if (!process) co_return refused(process.error());

  const std::uint64_t generation = ++generation_;
  const auto peer = std::make_shared<JsonRpcPeer>(executor_, *process, handlers(generation));
  greeting_ = peer;
  const RpcReply reply = co_await peer->call("initialize", hello(), limits::kAgentHandshake);
  if (start != start_) co_return fail(ErrorCode::Cancelled, options_.name + " was stopped.");
  greeting_.reset();
  const json::object* result = reply ? reply->if_object() : nullptr;
  if (result == nullptr) {
    const std::string words = last_words(peer->process().stderr_tail());
    const std::string why = reply ? "it answered in a way that is not ACP"
                                  : error_text(reply.error().message, reply.error().data);
    peer->process().kill();
    co_return fail(ErrorCode::AgentUnavailable,
                   fmt::format("Could not connect to {}: {}.{}{}", options_.name, why,
                               words.empty() ? "" : " It said: ", words));
  }
  co_return std::make_shared<Connection>(peer, read_abilities(*result), generation);
}

void AgentManager::finish(const std::shared_ptr<Start>& start, Connected result) {
  start->result = result;
  start->done.cancel();
  if (start != start_) return;  // Stopped meanwhile.
  start_.reset();
  if (result && !(*result)->peer->open()) {
    start->result = result =
        fail(ErrorCode::AgentUnavailable,
             fmt::format("Could not connect to {}: it ended at once.", options_.name));
  }
  if (result) {
    tries_ = 0;
    connection_ = *result;
    abilities_ = connection_->abilities;
    set_status(AgentStatus::Connected, std::nullopt);
  } else if (status_ == AgentStatus::Reconnecting && tries_ < limits::kReconnectTries) {
    schedule_retry();
  } else if (result.error().code == ErrorCode::Busy) {
    set_status(AgentStatus::Idle, std::nullopt);  // Nothing is wrong with it: the next try tells.
  } else {
    set_status(AgentStatus::Disconnected, result.error().message);
  }
}

RpcHandlers AgentManager::handlers(std::uint64_t generation) {
  RpcHandlers handlers;
  handlers.request = options_.on_request;
  handlers.notification = options_.on_notification;
  handlers.noise = [name = options_.name](const Line& line) {
    const auto log =
        line.truncated ? log_warn : log_debug;  // One that was cut may have been a message.
    log("acp_noise", {{"agent", name}, {"bytes", line.bytes}, {"truncated", line.truncated}});
  };
  handlers.ended = [weak = weak_from_this(), generation](const ExitStatus& status) {
    if (const auto self = weak.lock()) self->on_ended(generation, status);
  };
  return handlers;
}

void AgentManager::on_ended(std::uint64_t generation, const ExitStatus& status) {
  // During the handshake its call fails and says so; one that we stopped has been let go.
  if (!connection_ || connection_->generation != generation) return;
  const std::string text =
      end_text(options_.name, status, connection_->peer->process().stderr_tail());
  const auto gone = std::exchange(connection_, nullptr);
  tries_ = 0;
  set_status(AgentStatus::Disconnected, text);
  options_.on_lost({ErrorCode::ProcessCrash, text});
  const bool stopped = status_ == AgentStatus::Idle;  // By whom we told.
  if (!connection_ && !start_ && !stopped) schedule_retry();
}

void AgentManager::schedule_retry() {
  const auto delay =
      std::min(limits::kReconnectFirst * (1 << std::min(tries_, 16)), limits::kReconnectDelayMax);
  ++tries_;
  retry_ = timers_.after(delay, [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self || self->connection_ || self->start_) return;
    self->begin(AgentStatus::Reconnecting);
  });
}

asio::awaitable<void> AgentManager::stop(bool politely) {
  const auto self = shared_from_this();
  retry_.reset();
  tries_ = 0;
  const auto start = std::exchange(start_, nullptr);
  const auto connection = std::exchange(connection_, nullptr);
  auto peer = connection ? connection->peer : std::exchange(greeting_, nullptr);
  if (start && !start->result) {
    start->result = fail(ErrorCode::Cancelled, options_.name + " was stopped.");
    start->done.cancel();
  }
  if (status_ != AgentStatus::Idle) set_status(AgentStatus::Idle, std::nullopt);
  // Letting go of the peer kills. It must outlive the process's polite end.
  if (!peer || !politely) co_return;
  const std::shared_ptr<AgentProcess> process(peer, &peer->process());
  const auto insist = timers_.after(kTermAfter, [process] { process->terminate(); });
  co_await stop_gracefully(process);
}

void AgentManager::set_status(AgentStatus status, std::optional<std::string> message) {
  status_ = status;
  if (options_.on_status) options_.on_status(status, std::move(message));
}

}  // namespace lb::acp
