/// Server: listens, and owns everything between a socket and the Sessions.
///
/// `listen` binds (loopback: 127.0.0.1 and ::1), `start` begins to accept, `stop` tells everyone
/// and waits a moment for them to go. Lives on the io thread; the sessions and the credentials
/// outlive it.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "server/assets.h"
#include "server/auth/auth.h"
#include "server/auth/gate.h"
#include "server/http/http_connection.h"
#include "server/http/router.h"
#include "server/http/routes.h"
#include "server/hub.h"

namespace lb {

/// A range of addresses, as in 10.0.0.0/8 or fd00::/8.
struct Cidr {
  asio::ip::address address;
  unsigned bits = 0;

  static Result<Cidr> parse(const std::string& text);
  [[nodiscard]] bool contains(const asio::ip::address& other) const;
};

struct ServerOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 0;
  std::optional<std::string> external_origin;
  std::vector<Cidr> trusted_proxies;  // Besides loopback, only these may connect.
  std::optional<std::filesystem::path> ui_root;
};

class Server {
 public:
  Server(asio::any_io_executor io, Sessions& sessions, Auth& auth, ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  Result<void> listen();
  void start();
  asio::awaitable<void> stop();

  [[nodiscard]] std::uint16_t port() const { return port_; }
  /// http://127.0.0.1:PORT, or the origin of the proxy.
  [[nodiscard]] std::string origin() const;
  [[nodiscard]] const Router& router() const { return router_; }
  [[nodiscard]] Hub& hub() { return hub_; }
  [[nodiscard]] LoginBook& logins() { return logins_; }

 private:
  Result<void> bind(const asio::ip::address& address);
  asio::awaitable<void> accept(asio::ip::tcp::acceptor& acceptor);
  [[nodiscard]] std::optional<UserId> stranger_at(const asio::ip::tcp::socket& socket) const;
  /// True when one more may come in; somebody who lets us wait may have had to go for that.
  bool make_room(const std::optional<UserId>& stranger);
  template <class Chosen>
  bool send_away_one(Chosen chosen);
  void welcome(asio::ip::tcp::socket socket);

  asio::any_io_executor io_;
  Sessions& sessions_;
  ServerOptions options_;
  std::uint16_t port_ = 0;
  Hub hub_;
  LoginBook logins_;
  asio::thread_pool looks_{1};  // At all processes of the machine, when somebody logs in.
  Api api_;
  Router router_;
  Assets assets_;
  Gate gate_;
  HttpContext context_;
  std::vector<std::unique_ptr<asio::ip::tcp::acceptor>> acceptors_;
  std::vector<std::weak_ptr<HttpConnection>> connections_;
};

}  // namespace lb
