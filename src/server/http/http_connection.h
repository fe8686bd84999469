/// HttpConnection: one client's requests, one after the other.
///
/// Reads a request, lets it pass the gate before its body is read, routes it, writes the answer.
/// Bytes behind a request that is not answered yet are refused: nobody pipelines, except to
/// smuggle. Lives on the io thread, kept alive by its own coroutine; `close` ends it.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <string>

#include "server/assets.h"
#include "server/auth/gate.h"
#include "server/http/http_parser.h"
#include "server/http/router.h"

namespace lb {

/// What all connections share. Owned by the server, outlives them.
struct HttpContext {
  const Gate& gate;
  const Router& router;
  const Assets& assets;
  std::size_t connections = 0;
  std::size_t anonymous = 0;
};

class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(asio::ip::tcp::socket socket, HttpContext& context);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  asio::awaitable<void> run();
  /// Ends an idle connection at once, a busy one after its answer.
  void close();
  /// No credential was shown, and nothing is being asked.
  [[nodiscard]] bool is_silent() const { return anonymous_ && idle_ && socket_.is_open(); }

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

  asio::ip::tcp::socket socket_;
  asio::steady_timer timer_;
  HttpContext& context_;
  std::string buffer_;
  bool timed_out_ = false;
  bool anonymous_ = true;
  bool closing_ = false;
  bool idle_ = false;
};

}  // namespace lb
