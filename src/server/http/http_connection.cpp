#include "server/http/http_connection.h"

#include <array>
#include <boost/asio/write.hpp>
#include <chrono>

#include "base/awaitable.h"
#include "base/log.h"
#include "base/metrics.h"
#include "server/auth/peer.h"
#include "server/socket_task.h"

namespace lb {
namespace {

constexpr std::size_t kReadBytes = 16U << 10U;

std::unexpected<Error> gone() {
  return fail(ErrorCode::Cancelled, "the client went away");
}

void note_peer(HttpRequest& request, const std::optional<PeerSocket>& peer) {
  if (!peer) return;
  request.peer_user = peer->user;
  request.peer_inode = peer->inode;
}

HttpResponse closing(const Error& error) {
  HttpResponse response = error_response(error);
  response.close = true;
  return response;
}

/// Where it comes from. An IPv4 address that came to an IPv6 socket is the IPv4 one.
std::string address_of(const asio::ip::tcp::socket& socket) {
  boost::system::error_code error;
  const asio::ip::address from = socket.remote_endpoint(error).address();
  if (error) return "";
  if (!from.is_v6() || !from.to_v6().is_v4_mapped()) return from.to_string();
  return asio::ip::make_address_v4(asio::ip::v4_mapped, from.to_v6()).to_string();
}

HttpResponse no_room() {
  HttpResponse response = closing({ErrorCode::Busy, "too many connections; try again"});
  response.fields.emplace_back("Retry-After", "1");
  return response;
}

}  // namespace

HttpConnection::HttpConnection(asio::ip::tcp::socket socket, HttpContext& context,
                               std::optional<UserId> stranger)
    : socket_(std::move(socket)),
      timer_(socket_.get_executor()),
      context_(context),
      stranger_(stranger) {
  ++context_.connections;
  if (!stranger_) return;
  ++context_.strangers;
  ++context_.strangers_of[*stranger_];
}

HttpConnection::~HttpConnection() {
  uncount();
  if (leaving_) --context_.leaving;
}

void HttpConnection::uncount() {
  if (!counted_) return;
  known();
  counted_ = false;
  --context_.connections;
}

void HttpConnection::known() {
  if (!std::exchange(anonymous_, false) || !stranger_) return;
  --context_.strangers;
  const auto at = context_.strangers_of.find(*stranger_);
  if (--at->second == 0) context_.strangers_of.erase(at);
}

void HttpConnection::send_away() {
  uncount();
  boost::system::error_code ignored;
  if (idle_ || context_.leaving >= limits::kLeavingConnectionsMax) {
    socket_.close(ignored);
    return;
  }
  leaving_ = true;
  ++context_.leaving;
  socket_.cancel(ignored);
}

asio::awaitable<void> HttpConnection::refuse() {
  const auto self = shared_from_this();
  uncount();
  if (context_.leaving >= limits::kLeavingConnectionsMax) co_return;
  leaving_ = true;
  ++context_.leaving;
  co_await write(no_room(), false, false);
}

void HttpConnection::close() {
  closing_ = true;
  boost::system::error_code ignored;
  if (idle_) socket_.close(ignored);
}

void HttpConnection::limit(std::chrono::milliseconds time) {
  timed_out_ = false;
  timer_.expires_after(time);
  timer_.async_wait([weak = weak_from_this()](boost::system::error_code error) {
    const auto self = weak.lock();
    if (error || !self) return;
    self->timed_out_ = true;
    boost::system::error_code ignored;
    self->socket_.cancel(ignored);
  });
}

asio::awaitable<void> HttpConnection::run() {
  const auto self = shared_from_this();
  while (co_await serve_one()) {
  }
  timer_.cancel();
  boost::system::error_code ignored;
  socket_.close(ignored);
}

asio::awaitable<Result<void>> HttpConnection::read_more() {
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kReadBytes);
  const auto [error, got] =
      co_await socket_.async_read_some(asio::buffer(buffer_.data() + before, kReadBytes), kNoThrow);
  buffer_.resize(before + got);
  if (leaving_) co_return fail(ErrorCode::Busy, "too many connections; try again");
  if (timed_out_) co_return fail(ErrorCode::Timeout, "the request took too long");
  if (error) co_return gone();
  co_return Result<void>{};
}

asio::awaitable<Result<void>> HttpConnection::read_head(RequestParser& parser) {
  using namespace std::chrono;
  limit(anonymous_ ? limits::kAnonymousKeepAliveTimeout : limits::kKeepAliveTimeout);
  bool begun = false;
  while (!parser.head_done()) {
    if (buffer_.empty()) {
      idle_ = !parser.started();
      auto read = co_await read_more();
      idle_ = false;
      // Silence between requests is no fault of the client: it just ends.
      if (!read && !parser.started() && buffer_.empty()) co_return gone();
      if (!read) co_return read;
      if (!begun) limit(limits::kHeadTimeout);
      begun = true;
    }
    auto took = parser.feed(buffer_);
    if (!took) co_return std::unexpected(took.error());
    buffer_.erase(0, *took);
  }
  co_return Result<void>{};
}

asio::awaitable<Result<void>> HttpConnection::read_body(RequestParser& parser) {
  limit(limits::kBodyTimeout);
  while (!parser.done()) {
    if (buffer_.empty()) {
      if (auto read = co_await read_more(); !read) co_return read;
    }
    auto took = parser.feed(buffer_);
    if (!took) co_return std::unexpected(took.error());
    buffer_.erase(0, *took);
  }
  if (!buffer_.empty()) {
    co_return fail(ErrorCode::InvalidRequest, "malformed HTTP request: bytes behind the request");
  }
  co_return Result<void>{};
}

asio::awaitable<bool> HttpConnection::serve_one() {
  RequestParser parser;
  head_since_ = std::chrono::steady_clock::now();
  auto head = co_await read_head(parser);
  head_since_.reset();
  if (!head && head.error().code == ErrorCode::Cancelled) co_return false;
  if (!head && leaving_) {
    co_await write(no_room(), false, false);
    co_return false;
  }
  if (!head) {
    co_await write(closing(head.error()), false, false);
    co_return false;
  }
  HttpResponse response = co_await respond(parser);
  timer_.cancel();
  if (response.takeover) {
    const auto task = std::move(response.takeover);
    known();
    std::string().swap(buffer_);  // It is read elsewhere now, for hours: 16 KiB would lie idle.
    co_await task->run(std::move(socket_));
    co_return false;
  }
  static Counter& requests = counter("lb_http_requests_total", "Requests answered.");
  requests.add();
  const bool keep_alive = parser.keep_alive() && !response.close && !closing_;
  const bool without_body = parser.request().method == "HEAD";
  co_return co_await write(std::move(response), keep_alive, without_body);
}

asio::awaitable<HttpResponse> HttpConnection::respond(RequestParser& parser) {
  HttpRequest& request = parser.request();
  const Access access = context_.router.access_of(request);
  if (auto passed = context_.gate.pass(request, access); !passed) {
    HttpResponse refused = closing(passed.error());
    refused.close = parser.has_body();
    co_return refused;
  }
  if (!request.grant.empty()) known();
  request.address = address_of(socket_);
  if (access == Access::Open && request.method == "POST") note_peer(request, peer_of(socket_));

  const bool reads = request.method == "GET" || request.method == "HEAD";
  const bool for_page = access == Access::Shell && reads && !parser.has_body();
  if (for_page) {
    if (auto asset = context_.assets.find(request)) co_return std::move(*asset);
  }
  std::string allow;
  auto route = context_.router.match(request, allow);
  if (!route) {
    if (auto page = for_page ? context_.assets.nowhere(request) : std::nullopt) {
      co_return std::move(*page);
    }
    HttpResponse refused = error_response(route.error());
    refused.close = parser.has_body();
    if (!allow.empty()) refused.fields.emplace_back("Allow", allow);
    co_return refused;
  }
  co_return co_await call(**route, parser);
}

asio::awaitable<HttpResponse> HttpConnection::call(const Route& route, RequestParser& parser) {
  HttpRequest& request = parser.request();
  auto accepted = check_content_type(request, route, parser.has_body());
  if (accepted) accepted = parser.set_body_max(body_bytes_max(route));
  if (!accepted) co_return closing(accepted.error());
  if (parser.has_body() && request.field("expect") == "100-continue") {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    co_await asio::async_write(socket_, asio::buffer(kContinue), kNoThrow);
  }
  if (auto body = co_await read_body(parser); !body) co_return closing(body.error());
  timer_.cancel();
  try {
    // The head stays with the parser: the answer depends on its method. A body may be an image of
    // 20 MiB, which is not copied.
    std::string body = std::exchange(request.body, {});
    HttpRequest moved = request;
    moved.body = std::move(body);
    co_return co_await route.handler(std::move(moved));
  } catch (const std::exception& error) {
    log_error("http.handler_failed", {{"route", route.pattern}, {"why", error.what()}});
    co_return error_response({ErrorCode::Internal, "something went wrong on our side"});
  }
}

asio::awaitable<bool> HttpConnection::write(HttpResponse response, bool keep_alive,
                                            bool without_body) {
  const std::string head = response_head(response, keep_alive);
  std::array<asio::const_buffer, 2> buffers = {asio::buffer(head), {}};
  if (!without_body) buffers[1] = asio::buffer(response.content());
  limit(limits::kNoProgressTimeout);
  const auto [error, wrote] = co_await asio::async_write(socket_, buffers, kNoThrow);
  static Counter& bytes = counter("lb_http_bytes_out_total", "Bytes of answers.");
  bytes.add(wrote);
  if (error) co_return false;
  if (!keep_alive) co_await linger();
  co_return keep_alive;
}

/// Closing with unread bytes resets the connection and the client would lose the answer.
asio::awaitable<void> HttpConnection::linger() {
  boost::system::error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  limit(std::chrono::seconds(1));
  std::array<char, 4096> sink{};
  for (std::size_t budget = 4U << 20U; budget > 0;) {
    const auto [error, got] = co_await socket_.async_read_some(asio::buffer(sink), kNoThrow);
    if (error) break;
    budget -= std::min(budget, got);
  }
  timer_.cancel();
}

}  // namespace lb
