// The conversation is a shared object of its own: the two coroutines that follow the process keep
// it alive until the process is gone, while the peer in front of it may be destroyed at any time,
// also from inside one of its handlers.

#include "process/json_rpc_peer.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <map>
#include <utility>

#include "base/arrival.h"
#include "base/limits.h"

namespace lb {
namespace {

RpcError own_error(RpcError::Kind kind, std::string message) {
  RpcError error;
  error.kind = kind;
  error.message = std::move(message);
  return error;
}

RpcError error_from(const json::value& from) {
  RpcError error;
  error.code = rpc_code::kInternalError;
  error.message = "the agent reported an error without saying which";
  const json::object* object = from.if_object();
  if (object == nullptr) return error;
  error.code = static_cast<std::int64_t>(
      number_at(*object, "code", static_cast<double>(rpc_code::kInternalError)));
  if (const auto message = string_at(*object, "message"); !message.empty()) error.message = message;
  if (const json::value* data = object->if_contains("data")) {
    error.data = json::value(*data, json::storage_ptr());
  }
  return error;
}

std::string message_head(std::string_view id_text) {
  std::string line = R"({"jsonrpc":"2.0")";
  if (!id_text.empty()) {
    line += R"(,"id":)";
    line += id_text;
  }
  return line;
}

std::string response_line(const RpcId& id, const json::value& result) {
  std::string line = message_head(id.text.str());
  line += R"(,"result":)";
  append_json(line, result);
  line += '}';
  return line;
}

void add_method(std::string& line, std::string_view method, const json::value& params) {
  line += R"(,"method":)";
  append_quoted(line, method);
  if (!params.is_null()) {
    line += R"(,"params":)";
    append_json(line, params);
  }
  line += '}';
}

}  // namespace

class JsonRpcPeer::Conversation : public std::enable_shared_from_this<Conversation> {
 public:
  Conversation(asio::any_io_executor executor, std::shared_ptr<AgentProcess> process,
               RpcHandlers handlers)
      : process_(std::move(process)),
        handlers_(std::move(handlers)),
        wake_(executor, asio::steady_timer::time_point::max()) {}

  void start() {
    asio::co_spawn(wake_.get_executor(), read_lines(shared_from_this()), asio::detached);
    asio::co_spawn(wake_.get_executor(), watch_exit(shared_from_this()), asio::detached);
  }

  std::uint64_t request(std::string_view method, const json::value& params,
                        std::optional<std::chrono::milliseconds> timeout, RpcCallback callback) {
    const std::uint64_t number = ++last_number_;
    std::string line = message_head(std::to_string(number));
    add_method(line, method, params);
    const auto written = write(std::move(line));
    if (!written) {
      const bool gone = written.error().code == ErrorCode::ProcessCrash;
      callback(std::unexpected(own_error(
          gone ? RpcError::Kind::ProcessEnded : RpcError::Kind::NotSent, written.error().message)));
      return number;
    }
    Waiting waiting{std::move(callback), nullptr};
    if (timeout) waiting.deadline = arm(number, *timeout, std::string(method));
    waiting_.emplace(number, std::move(waiting));
    return number;
  }

  void settle(std::uint64_t number, RpcReply reply) {
    const auto found = waiting_.find(number);
    if (found == waiting_.end()) return;
    const Waiting waiting = std::move(found->second);
    waiting_.erase(found);
    waiting.callback(std::move(reply));
  }
  void forget(std::uint64_t number) { waiting_.erase(number); }

  Result<void> write(std::string line) {
    if (!open_) return fail(ErrorCode::ProcessCrash, "the conversation with the agent has ended");
    return process_->write_line(std::move(line));
  }
  asio::awaitable<Result<void>> deliver(std::string line, std::chrono::milliseconds limit) {
    if (!open_) {
      co_return fail(ErrorCode::ProcessCrash, "the conversation with the agent has ended");
    }
    const auto process = process_;
    co_return co_await process->deliver_line(std::move(line), limit);
  }

  void hold(bool held) {
    held_ = held;
    if (!held) wake_.cancel();
  }

  /// The peer is going: waiting calls learn of it, no handler does, and the process goes too.
  void close() {
    handlers_ = {};
    finish({}, "our side ended the conversation");
    if (process_->alive()) process_->kill();
  }

  std::shared_ptr<AgentProcess> process_;
  bool open_ = true;

  struct Waiting {
    RpcCallback callback;
    std::unique_ptr<asio::steady_timer> deadline;
  };
  std::map<std::uint64_t, Waiting> waiting_;

 private:
  std::unique_ptr<asio::steady_timer> arm(std::uint64_t number, std::chrono::milliseconds timeout,
                                          std::string method) {
    auto timer = std::make_unique<asio::steady_timer>(wake_.get_executor(), timeout);
    timer->async_wait([weak = weak_from_this(), number,
                       method = std::move(method)](boost::system::error_code stopped) {
      const auto self = weak.lock();
      if (stopped || !self) return;
      self->settle(number, std::unexpected(own_error(RpcError::Kind::Timeout,
                                                     "no answer to " + method + " in time")));
    });
    return timer;
  }

  static asio::awaitable<void> read_lines(std::shared_ptr<Conversation> self) {
    const auto process = self->process_;
    while (self->open_) {
      while (self->held_ && self->open_) {
        co_await self->wake_.async_wait(asio::as_tuple(asio::use_awaitable));
      }
      const auto line = co_await process->next_line();
      if (!line) break;
      const Arrival::Scope handling(Arrival::take());
      if (self->open_) self->handle(*line);
    }
    self->output_ended_ = true;
    self->wake_.cancel();
    if (!self->open_) co_return;
    // Output and exit end together, in either order; the exit tells how. One that stays alive
    // without output is of no use: say so instead of waiting for ever.
    self->finish_after(limits::kRpcEndGrace);
  }

  static asio::awaitable<void> watch_exit(std::shared_ptr<Conversation> self) {
    const auto process = self->process_;
    self->status_ = co_await process->exited();
    // What it wrote before its end is still to be read.
    if (!self->output_ended_) self->finish_after(limits::kRpcEndGrace);
    while (self->open_ && !self->output_ended_) {
      co_await self->wake_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    self->finish(*self->status_, "the agent " + self->status_->text());
  }

  void finish_after(std::chrono::milliseconds grace) {
    if (grace_) return;
    grace_.emplace(wake_.get_executor(), grace);
    grace_->async_wait([weak = weak_from_this()](boost::system::error_code stopped) {
      const auto self = weak.lock();
      if (stopped || !self) return;
      if (self->held_ && !self->output_ended_) {  // Its last words are not read yet.
        self->grace_.reset();
        self->finish_after(limits::kRpcEndGrace);
      } else if (self->status_) {
        self->finish(*self->status_, "the agent " + self->status_->text());
      } else {
        self->finish({}, "the agent closed its output");
      }
    });
  }

  void finish(ExitStatus status, const std::string& why) {
    if (!std::exchange(open_, false)) return;
    grace_.reset();
    wake_.cancel();
    auto waiting = std::exchange(waiting_, {});
    for (auto& [number, call] : waiting) {
      call.deadline.reset();
      call.callback(std::unexpected(own_error(RpcError::Kind::ProcessEnded, why)));
    }
    if (const auto ended = handlers_.ended) ended(status);
  }

  void handle(const Line& line) {
    if (line.text.empty() && !line.truncated) return;
    if (line.truncated || line.text.front() != '{') return note_noise(line);
    const auto value = reader_.parse(line.text);
    const json::object* message = value ? (*value)->if_object() : nullptr;
    if (message == nullptr) return note_noise(line);
    const json::value* id = message->if_contains("id");
    const std::string_view method = string_at(*message, "method");
    if (!method.empty()) {
      static const json::value none;
      const json::value* params = message->if_contains("params");
      dispatch(method, id, params != nullptr ? *params : none);
    } else if (!take_reply(*message, id)) {
      note_noise(line);
    }
  }

  void dispatch(std::string_view method, const json::value* id, const json::value& params) {
    // A copy: the handler may end the conversation and with it the handlers.
    if (id == nullptr || id->is_null()) {
      if (const auto handler = handlers_.notification) handler(method, params);
      return;
    }
    const RpcRequest request{{RawJson(*id)}, method, params};
    const auto handler = handlers_.request;
    if (handler && handler(request)) return;
    std::string line = message_head(request.id.text.str());
    line += R"(,"error":{"code":-32601,"message":)";
    append_quoted(line, "Method not found: " + std::string(method));
    line += "}}";
    // A refusal that cannot be written is the same end of the pipe that every call will meet.
    static_cast<void>(write(std::move(line)));
  }

  /// False when it is no answer to anything of ours.
  bool take_reply(const json::object& message, const json::value* id) {
    const json::value* error = message.if_contains("error");
    const json::value* result = message.if_contains("result");
    if (id == nullptr || !id->is_number() || (error == nullptr && result == nullptr)) return false;
    boost::system::error_code why;
    const auto number = id->to_number<std::uint64_t>(why);
    if (why || number == 0 || number > last_number_) return false;
    if (error != nullptr && !error->is_null()) {
      settle(number, std::unexpected(error_from(*error)));
    } else {
      settle(number, result != nullptr ? json::value(*result, json::storage_ptr()) : json::value());
    }
    return true;
  }

  void note_noise(const Line& line) {
    if (const auto handler = handlers_.noise) handler(line);
  }

  RpcHandlers handlers_;
  asio::steady_timer wake_;  // Never expires: cancelling it wakes who waits for hold or the end.
  std::optional<asio::steady_timer> grace_;
  std::optional<ExitStatus> status_;
  JsonReader reader_;
  std::uint64_t last_number_ = 0;
  bool held_ = false;
  bool output_ended_ = false;
};

JsonRpcPeer::JsonRpcPeer(asio::any_io_executor executor, std::shared_ptr<AgentProcess> process,
                         RpcHandlers handlers)
    : conversation_(std::make_shared<Conversation>(std::move(executor), std::move(process),
                                                   std::move(handlers))) {
  conversation_->start();
}

JsonRpcPeer::~JsonRpcPeer() {
  conversation_->close();
}

void JsonRpcPeer::request(std::string_view method, const json::value& params,
                          std::optional<std::chrono::milliseconds> timeout, RpcCallback callback) {
  conversation_->request(method, params, timeout, std::move(callback));
}

asio::awaitable<RpcReply> JsonRpcPeer::call(std::string method, json::value params,
                                            std::optional<std::chrono::milliseconds> timeout) {
  struct Waiter {
    explicit Waiter(const asio::any_io_executor& executor)
        : answered(executor, asio::steady_timer::time_point::max()) {}
    asio::steady_timer answered;
    std::optional<RpcReply> reply;
  };
  const auto conversation = conversation_;
  const auto executor = co_await asio::this_coro::executor;
  const auto waiter = std::make_shared<Waiter>(executor);
  const auto number = conversation->request(method, params, timeout, [waiter](RpcReply reply) {
    waiter->reply = std::move(reply);
    waiter->answered.cancel();
  });
  if (!waiter->reply) {
    co_await waiter->answered.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  if (waiter->reply) co_return std::move(*waiter->reply);
  conversation->forget(number);
  co_return std::unexpected(own_error(RpcError::Kind::Cancelled, "nobody waits any more"));
}

Result<void> JsonRpcPeer::notify(std::string_view method, const json::value& params) {
  std::string line = message_head({});
  add_method(line, method, params);
  return conversation_->write(std::move(line));
}

Result<void> JsonRpcPeer::respond(const RpcId& id, const json::value& result) {
  return conversation_->write(response_line(id, result));
}

asio::awaitable<Result<void>> JsonRpcPeer::deliver_response(RpcId id, json::value result,
                                                            std::chrono::milliseconds limit) {
  const auto conversation = conversation_;
  co_return co_await conversation->deliver(response_line(id, result), limit);
}

Result<void> JsonRpcPeer::respond_error(const RpcId& id, const RpcError& error) {
  std::string line = message_head(id.text.str());
  line += R"(,"error":{"code":)";
  line += std::to_string(error.code);
  line += R"(,"message":)";
  append_quoted(line, error.message);
  if (!error.data.is_null()) {
    line += R"(,"data":)";
    append_json(line, error.data);
  }
  line += "}}";
  return conversation_->write(std::move(line));
}

void JsonRpcPeer::hold(bool held) {
  conversation_->hold(held);
}
AgentProcess& JsonRpcPeer::process() const {
  return *conversation_->process_;
}
bool JsonRpcPeer::open() const {
  return conversation_->open_;
}
std::size_t JsonRpcPeer::calls_waiting() const {
  return conversation_->waiting_.size();
}

}  // namespace lb
