/// HttpConnection: one client's requests, one after the other.
///
/// Reads a request, lets it pass the gate before its body is read, routes it, writes the answer.
/// Bytes behind a request that is not answered yet are refused: nobody pipelines, except to
/// smuggle. Lives on the io thread, kept alive by its own coroutine; `close` ends it.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "server/assets.h"
#include "server/auth/gate.h"
#include "server/auth/peer.h"
#include "server/http/http_parser.h"
#include "server/http/router.h"

namespace lb {

/// What all connections share. Owned by the server, outlives them.
struct HttpContext {
  const Gate& gate;
  const Router& router;
  const Assets& assets;
  std::size_t connections = 0;
  std::size_t leaving = 0;  // Besides those: told to come later, and on their way out.
  /// Connections of other users that have shown no credential: all, and each user's.
  std::size_t strangers = 0;
  std::map<UserId, std::size_t> strangers_of = {};
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  /// `stranger`: the other user of this machine whose connection it is; none for the owner's.
  HttpConnection(asio::ip::tcp::socket socket, HttpContext& context,
                 std::optional<UserId> stranger);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  asio::awaitable<void> run();
  /// Ends an idle connection at once, a busy one after its answer.
  void close();
  /// Instead of `run`: there is no room. Says so.
  asio::awaitable<void> refuse();

  [[nodiscard]] const std::optional<UserId>& stranger() const { return stranger_; }
  using Time = std::chrono::steady_clock::time_point;
  /// Since when a head is waited for of which no end is seen, where no credential was shown.
  [[nodiscard]] std::optional<Time> waits_since() const {
    return anonymous_ && counted_ ? head_since_ : std::nullopt;
  }
  /// One that waits makes room, at once: it is told so when it has said anything.
  void send_away();

 private:
  /// One request; false when the connection is over.
  asio::awaitable<bool> serve_one();
  asio::awaitable<HttpResponse> respond(RequestParser& parser);
  asio::awaitable<HttpResponse> call(const Route& route, RequestParser& parser);
  asio::awaitable<Result<void>> read_head(RequestParser& parser);
  asio::awaitable<Result<void>> read_body(RequestParser& parser);
  asio::awaitable<Result<void>> read_more();
  asio::awaitable<bool> write(HttpResponse response, bool keep_alive, bool without_body);
  asio::awaitable<void> linger();
  void limit(std::chrono::milliseconds time);
  void known();
  void uncount();

  asio::ip::tcp::socket socket_;
  asio::steady_timer timer_;
  HttpContext& context_;
  std::string buffer_;
  bool timed_out_ = false;
  bool anonymous_ = true;
  std::optional<UserId> stranger_;
  std::optional<Time> head_since_;
  bool counted_ = true;
  bool leaving_ = false;
  bool closing_ = false;
  bool idle_ = false;
};

}  // namespace lb
