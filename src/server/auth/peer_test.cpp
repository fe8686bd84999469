#include "server/auth/peer.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <fstream>

using namespace lb;
namespace ip = boost::asio::ip;

TEST_CASE("the owner of the other end is read from the kernel's table") {
  const char* const table =
      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout\n"
      "   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 "
      "70\n"
      "   1: 0100007F:1F90 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 "
      "70\n"
      "   2: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000  1001        "
      "0 71\n";
  const ip::tcp::endpoint server(ip::make_address("127.0.0.1"), 8080);
  const ip::tcp::endpoint client(ip::make_address("127.0.0.1"), 50000);
  CHECK(socket_in(table, {client, server}) == PeerSocket{1001, 71});
  CHECK(socket_in(table, {server, client}) == PeerSocket{1000, 70});
  CHECK_FALSE(socket_in(table, {client, client}));
  CHECK_FALSE(socket_in("", {client, server}));
  const char* const six =
      "   0: 00000000000000000000000001000000:C350 00000000000000000000000001000000:1F90 01 "
      "00000000:00000000 00:00000000 00000000  1002        0 72\n";
  CHECK(socket_in(six, {{ip::make_address("::1"), 50000}, {ip::make_address("::1"), 8080}}) ==
        PeerSocket{1002, 72});
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
    struct stat ours{};
    REQUIRE(::fstat(client.native_handle(), &ours) == 0);
    const PeerSocket expected{::getuid(), ours.st_ino};
    CHECK(peer_of(server) == expected);
    // Asked by name and read from the table, it is the same socket.
    const ConnectionEnds ends{client.local_endpoint(), client.remote_endpoint()};
    CHECK(ask_socket(ends) == expected);
    std::ifstream file(std::string_view(name) == "::1" ? "/proc/net/tcp6" : "/proc/net/tcp");
    const std::string table(std::istreambuf_iterator<char>(file), {});
    CHECK(socket_in(table, ends) == expected);
    client.close();
    CHECK_FALSE(peer_of(server).value_or(PeerSocket{}).inode != 0);
  }
}
