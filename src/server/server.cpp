#include "server/server.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <charconv>

#include "base/awaitable.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metrics.h"

namespace lb {
namespace {

using asio::ip::tcp;

std::vector<unsigned char> bytes_of(const asio::ip::address& address) {
  if (address.is_v4()) {
    const auto bytes = address.to_v4().to_bytes();
    return {bytes.begin(), bytes.end()};
  }
  const auto bytes = address.to_v6().to_bytes();
  return {bytes.begin(), bytes.end()};
}

/// ::ffff:10.0.0.1 is 10.0.0.1.
asio::ip::address plain(const asio::ip::address& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address;
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6());
}

}  // namespace

Result<Cidr> Cidr::parse(const std::string& text) {
  const std::size_t slash = std::min(text.find('/'), text.size());
  boost::system::error_code error;
  Cidr out;
  out.address = asio::ip::make_address(text.substr(0, slash), error);
  const unsigned width = out.address.is_v4() ? 32 : 128;
  out.bits = width;
  if (!error && slash < text.size()) {
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + slash + 1, end, out.bits);
    if (parsed.ec != std::errc{} || parsed.ptr != end) out.bits = width + 1;
  }
  if (error || out.bits > width) {
    return fail(ErrorCode::InvalidRequest, "not an address range: " + text);
  }
  return out;
}

bool Cidr::contains(const asio::ip::address& other) const {
  const auto mine = bytes_of(address);
  const auto theirs = bytes_of(plain(other));
  if (mine.size() != theirs.size()) return false;
  for (unsigned bit = 0; bit < bits; ++bit) {
    const unsigned mask = 0x80U >> (bit % 8);
    if ((mine[bit / 8] & mask) != (theirs[bit / 8] & mask)) return false;
  }
  return true;
}

Server::Server(asio::any_io_executor io, Sessions& sessions, Auth& auth, ServerOptions options)
    : io_(io),
      sessions_(sessions),
      options_(std::move(options)),
      hub_(io),
      logins_(auth, sessions.audit_trail()),
      api_{sessions, auth, logins_, hub_, looks_.get_executor()},
      assets_(options_.ui_root),
      gate_({0, options_.external_origin}, auth),
      context_{gate_, router_, assets_} {
  add_all_routes(router_, api_);
  sessions_.set_events(&hub_);
  auth.on_revoked([this](const std::string& grant) {
    sessions_.audit_trail().forget(grant);
    hub_.end_grant(grant);
  });
}

Server::~Server() {
  api_.auth.on_revoked({});
  sessions_.set_events(nullptr);
}

Result<void> Server::listen() {
  boost::system::error_code error;
  const std::string name = options_.host == "localhost" ? "127.0.0.1" : options_.host;
  const asio::ip::address address = asio::ip::make_address(name, error);
  if (error) return fail(ErrorCode::InvalidRequest, "not an address: " + options_.host);
  port_ = options_.port;
  if (auto bound = bind(address); !bound) return bound;
  gate_.set_port(port_);
  // Browsers try ::1 first for `localhost`; where there is no IPv6 nothing is lost.
  if (address == asio::ip::address(asio::ip::address_v4::loopback())) {
    (void)bind(asio::ip::address_v6::loopback());
  }
  return {};
}

Result<void> Server::bind(const asio::ip::address& address) {
  auto acceptor = std::make_unique<tcp::acceptor>(io_);
  const tcp::endpoint endpoint(address, port_);
  boost::system::error_code error;
  acceptor->open(endpoint.protocol(), error);
  if (!error) acceptor->set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && address.is_v6()) acceptor->set_option(asio::ip::v6_only(true), error);
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
  if (error) {
    const bool taken = error == asio::error::address_in_use;
    return fail(ErrorCode::Busy, "cannot listen on " + address.to_string() + " port " +
                                     std::to_string(port_) + ": " + error.message() +
                                     (taken ? "; --port 0 picks a free one" : ""));
  }
  port_ = acceptor->local_endpoint().port();
  acceptors_.push_back(std::move(acceptor));
  return {};
}

std::string Server::origin() const {
  if (options_.external_origin) return *options_.external_origin;
  return "http://127.0.0.1:" + std::to_string(port_);
}

void Server::start() {
  for (const auto& acceptor : acceptors_) {
    asio::co_spawn(io_, accept(*acceptor), asio::detached);
  }
}

asio::awaitable<void> Server::accept(tcp::acceptor& acceptor) {
  while (acceptor.is_open()) {
    auto [error, socket] = co_await acceptor.async_accept(kNoThrow);
    if (!error) {
      welcome(std::move(socket));
      continue;
    }
    if (!acceptor.is_open()) co_return;
    // Out of descriptors, most likely: it passes when someone leaves.
    log_warn("http.accept_failed", {{"why", error.message()}});
    asio::steady_timer pause(io_, std::chrono::milliseconds(100));
    co_await pause.async_wait(kNoThrow);
  }
}

/// Nothing for the owner's own connections, and for root's: tunnels into machines run as root. One
/// that is not from this machine comes through a proxy.
std::optional<UserId> Server::stranger_at(const tcp::socket& socket) const {
  constexpr UserId kRoot = 0;
  constexpr UserId kElsewhere = ~0U;
  const auto peer = peer_of(socket);
  if (!peer || peer->inode == 0) return kElsewhere;
  if (peer->user == ::getuid() || peer->user == kRoot) return std::nullopt;
  return peer->user;
}

/// The one that has let us wait longest among those that may go.
template <class Chosen>
bool Server::send_away_one(Chosen chosen) {
  std::shared_ptr<HttpConnection> slowest;
  for (const auto& weak : connections_) {
    auto one = weak.lock();
    if (!one || !one->waits_since() || !chosen(*one)) continue;
    if (!slowest || one->waits_since() < slowest->waits_since()) slowest = std::move(one);
  }
  if (slowest) slowest->send_away();
  return slowest != nullptr;
}

/// An honest client shows its head within milliseconds of its connection. So whoever comes takes
/// the place of the one that has waited longest, of its own kind: other users have a share, each
/// and all together, and beyond it they displace each other, never the owner.
bool Server::make_room(const std::optional<UserId>& stranger) {
  const auto is_strangers = [](const HttpConnection& one) { return one.stranger().has_value(); };
  if (stranger) {
    const bool proxied = options_.external_origin.has_value();
    const auto at = context_.strangers_of.find(*stranger);
    const std::size_t theirs = at == context_.strangers_of.end() ? 0 : at->second;
    const auto is_theirs = [&](const HttpConnection& one) { return one.stranger() == stranger; };
    if (theirs >= (proxied ? limits::kAnonymousProxiedMax : limits::kAnonymousPerUserMax) &&
        !send_away_one(is_theirs)) {
      return false;
    }
    if (context_.strangers >=
            (proxied ? limits::kAnonymousProxiedMax : limits::kAnonymousConnectionsMax) &&
        !send_away_one(is_strangers)) {
      return false;
    }
  }
  if (context_.connections < limits::kConnectionsMax || send_away_one(is_strangers)) return true;
  return !stranger && send_away_one([](const HttpConnection&) { return true; });
}

void Server::welcome(tcp::socket socket) {
  static Counter& turned_away =
      counter("lb_http_turned_away_total", "Connections refused: too many, or from elsewhere.");
  boost::system::error_code error;
  const asio::ip::address peer = plain(socket.remote_endpoint(error).address());
  const bool trusted =
      !error && (peer.is_loopback() ||
                 std::ranges::any_of(options_.trusted_proxies,
                                     [&](const Cidr& range) { return range.contains(peer); }));
  if (!trusted) return turned_away.add();
  const std::optional<UserId> stranger = stranger_at(socket);
  const bool room = make_room(stranger);
  socket.set_option(tcp::no_delay(true), error);
  auto connection = std::make_shared<HttpConnection>(std::move(socket), context_, stranger);
  if (!room) {
    turned_away.add();
    asio::co_spawn(io_, connection->refuse(), asio::detached);
    return;
  }
  std::erase_if(connections_, [](const auto& weak) { return weak.expired(); });
  connections_.push_back(connection);
  asio::co_spawn(io_, connection->run(), asio::detached);
}

asio::awaitable<void> Server::stop() {
  boost::system::error_code ignored;
  for (const auto& acceptor : acceptors_) acceptor->close(ignored);
  hub_.stop();
  for (const auto& weak : connections_) {
    if (const auto connection = weak.lock()) connection->close();
  }
  asio::steady_timer pause(io_);
  const auto until = std::chrono::steady_clock::now() + limits::kFarewell;
  while (context_.connections > 0 && std::chrono::steady_clock::now() < until) {
    pause.expires_after(std::chrono::milliseconds(10));
    co_await pause.async_wait(kNoThrow);
  }
}

}  // namespace lb
