#include "server/auth/peer.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>

using namespace lb;
namespace ip = boost::asio::ip;

TEST_CASE("the owner of the other end is read from the kernel's table") {
  const char* const table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
      "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0\n"
      "   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0\n"
      "   2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        "
      "0\n";
  const ip::tcp::endpoint server(ip::make_address("127.0.0.1"), 8080);
  const ip::tcp::endpoint client(ip::make_address("127.0.0.1"), 50000);
  CHECK(owner_in(table, {client, server}) == 1001U);
  CHECK(owner_in(table, {server, client}) == 1000U);
  CHECK_FALSE(owner_in(table, {client, client}));
  CHECK_FALSE(owner_in("", {client, server}));
  const char* const six =
      "   0: 00000000000000000000000001000000:C350 00000000000000000000000001000000:1F90 01 "
      "00000000:00000000 00:00000000 00000000  1002        0\n";
  CHECK(owner_in(six, {{ip::make_address("::1"), 50000}, {ip::make_address("::1"), 8080}}) ==
        1002U);
}

TEST_CASE("our own connections are ours, over IPv4 and IPv6") {
  boost::asio::io_context io;
  for (const char* const name : {"127.0.0.1", "::1"}) {
    boost::system::error_code error;
    ip::tcp::acceptor acceptor(io);
    const ip::tcp::endpoint any(ip::make_address(name), 0);
    acceptor.open(any.protocol(), error);
    if (!error) acceptor.bind(any, error);
    if (error) continue;  // No IPv6 here.
    acceptor.listen();
    ip::tcp::socket client(io);
    client.connect(acceptor.local_endpoint());
    const ip::tcp::socket server = acceptor.accept();
    CHECK(peer_user(server) == ::getuid());
  }
}
