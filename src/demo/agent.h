/// Agent: the demo agent's side of ACP: requests in, conversations out.
///
/// Owns its sessions and the conversation with the client. Lives on one thread; `client` is stdio
/// in the program and scripted in tests.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "demo/conversations.h"
#include "demo/demo_options.h"
#include "demo/demo_session.h"
#include "demo/faults.h"
#include "process/json_rpc_peer.h"

namespace lb::demo {

class Agent : public std::enable_shared_from_this<Agent> {
 public:
  Agent(asio::any_io_executor executor, Options options)
      : executor_(std::move(executor)),
        options_(std::move(options)),
        sessions_(options_.state_dir) {}

  /// Begins to serve. `ended` is called when the client's input has ended.
  void serve(std::shared_ptr<AgentProcess> client, std::function<void()> ended);

 private:
  bool on_request(const RpcRequest& request);
  void on_notification(std::string_view method, const json::value& params);

  void initialize(const RpcId& id, const json::object& params);
  void authenticate(const RpcId& id, const json::object& params);
  void new_session(const RpcId& id, const json::object& params);
  void load(const RpcId& id, const json::object& params);
  void resume(const RpcId& id, const json::object& params);
  void reopen(const RpcId& id, const json::object& params, bool replay);
  void list(const RpcId& id, const json::object& params);
  void close(const RpcId& id, const json::object& params);
  void set_mode(const RpcId& id, const json::object& params);
  void set_option(const RpcId& id, const json::object& params);
  void prompt(const RpcId& id, const json::object& params);

  using Handler = void (Agent::*)(const RpcId&, const json::object&);
  static Handler handler_of(std::string_view method);

  static asio::awaitable<void> run_turn(std::shared_ptr<Agent> self, RpcId id,
                                        std::shared_ptr<Session> session, Scene scene);
  void finish_turn(const RpcId& id, Session& session, const Ending& ending);

  void respond(const RpcId& id, const json::value& result);
  void refuse(const RpcId& id, std::int64_t code, std::string message);
  std::shared_ptr<Session> session_of(const RpcId& id, const json::object& params);
  void update(const Session& session, json::object update);
  void announce_commands(const Session& session);

  asio::any_io_executor executor_;
  Options options_;
  Sessions sessions_;
  std::unique_ptr<JsonRpcPeer> peer_;
  bool live_terminal_ = false;
  bool authenticated_ = false;
};

}  // namespace lb::demo
