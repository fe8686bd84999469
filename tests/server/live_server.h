/// LiveServer: the whole server in this process, on a real port, with scripted agents.
///
/// The io loop runs on a thread of its own, as in the program; the test is the outside. Everything
/// that touches the agents goes through `on_io`.
#pragma once

#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <future>
#include <memory>
#include <string>
#include <thread>

#include "base/clock.h"
#include "server/server.h"
#include "session/service/session_service.h"
#include "store/memory_store.h"
#include "tests/server/client.h"
#include "tests/support/scripted_provider.h"
#include "tests/support/temp_dir.h"

namespace lb::test {

class LiveServer {
 public:
  LiveServer();
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  [[nodiscard]] std::uint16_t port() const { return server->port(); }
  [[nodiscard]] std::string origin() const { return "http://localhost:" + std::to_string(port()); }
  [[nodiscard]] std::pair<std::string, std::string> bearer() const {
    return {"Authorization", "Bearer " + token};
  }

  Reply get(const std::string& path, Fields fields = {});
  /// POST of JSON with the bearer; no body when `body` is empty.
  Reply post(const std::string& path, const std::string& body = "", Fields fields = {});
  /// The bearer for a launch code, as the page gets it.
  std::string log_in(const std::string& code, Fields fields = {});
  /// A WebSocket of a program, its greeting read.
  std::unique_ptr<Socket> socket();

  /// Runs on the io thread and waits for the result.
  template <class Work>
  auto on_io(Work work) {
    std::packaged_task<decltype(work())()> task(std::move(work));
    auto result = task.get_future();
    asio::post(io, [&task] { task(); });
    return result.get();
  }
  /// Polls on the io thread until it holds; false after a minute.
  template <class Condition>
  bool eventually(Condition holds) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!on_io(holds)) {
      if (std::chrono::steady_clock::now() > until) return false;
      std::this_thread::yield();
    }
    return true;
  }

  /// A session of the scripted agent `cli_type` in the test's directory.
  SessionId create(const std::string& cli_type = "claude-code");
  /// Sends a prompt; the turn's id.
  TurnId send(const SessionId& session, const std::string& content);
  [[nodiscard]] std::string path(const SessionId& session, const std::string& what) const {
    return "/api/session/" + session.str() + "/" + what;
  }

  TempDir dir;
  SystemClock clock;
  asio::io_context io{1};
  MemoryStore store{io.get_executor()};
  ProviderRegistry registry;
  ScriptedProvider* claude = nullptr;
  ScriptedProvider* codex = nullptr;
  std::unique_ptr<SessionService> service;
  std::unique_ptr<Auth> auth;
  std::unique_ptr<Server> server;
  std::string token = std::string(40, 'k');

 private:
  std::thread thread_;
};

}  // namespace lb::test
