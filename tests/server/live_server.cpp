#include "tests/server/live_server.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/use_future.hpp>

namespace lb::test {

LiveServer::LiveServer() {
  auto first = std::make_unique<ScriptedProvider>("claude-code");
  auto second = std::make_unique<ScriptedProvider>("codex");
  claude = first.get();
  codex = second.get();
  registry.add(std::move(first));
  registry.add(std::move(second));
  service =
      std::make_unique<SessionService>(ServiceDeps{io.get_executor(), store, registry, clock});
  auth = std::make_unique<Auth>(clock, AuthOptions{{}, token});
  server = std::make_unique<Server>(io.get_executor(), *service, *auth, ServerOptions{});
  REQUIRE(server->listen());
  auto started = asio::co_spawn(io, service->start(), asio::use_future);
  thread_ = std::thread([this] {
    const auto guard = asio::make_work_guard(io);
    io.run();
  });
  REQUIRE(started.get());
  on_io([this] { server->start(); });
}

LiveServer::~LiveServer() {
  asio::co_spawn(io, server->stop(), asio::use_future).get();
  asio::co_spawn(io, service->stop(), asio::use_future).get();
  io.stop();
  thread_.join();
}

Reply LiveServer::get(const std::string& path, Fields fields) {
  fields.push_back(bearer());
  return http(port(), {"GET", path, std::move(fields), "", ""});
}

Reply LiveServer::post(const std::string& path, const std::string& body, Fields fields) {
  fields.push_back(bearer());
  if (!body.empty()) fields.emplace_back("Content-Type", "application/json");
  return http(port(), {"POST", path, std::move(fields), body, ""});
}

std::string LiveServer::log_in(const std::string& code, Fields fields) {
  fields.emplace_back("Content-Type", "application/json");
  const Reply reply =
      http(port(), {"POST", "/api/auth/exchange", fields, R"({"code":")" + code + "\"}", ""});
  REQUIRE(reply.status == 200);
  return std::string(string_at(reply.json(), "token"));
}

std::unique_ptr<Socket> LiveServer::socket() {
  auto out = std::make_unique<Socket>(port(), Fields{bearer()});
  REQUIRE(out->status() == 101);
  const auto hello = out->next();
  REQUIRE(hello);
  REQUIRE(string_at(*hello, "type") == "hello");
  REQUIRE(out->until("project:list"));
  return out;
}

SessionId LiveServer::create(const std::string& cli_type) {
  const Reply reply = post("/api/session/create", R"({"cliType":")" + cli_type +
                                                      R"(","projectDir":")" + dir.path() + "\"}");
  REQUIRE(reply.status == 201);
  return SessionId(std::string(string_at(reply.json(), "sessionId")));
}

TurnId LiveServer::send(const SessionId& session, const std::string& content) {
  const Reply reply = post(path(session, "send"), R"({"content":")" + content + "\"}");
  REQUIRE(reply.status == 202);
  return TurnId(std::string(string_at(reply.json(), "turnId")));
}

}  // namespace lb::test
