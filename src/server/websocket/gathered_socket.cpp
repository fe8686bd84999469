#include "server/websocket/gathered_socket.h"

#include "base/awaitable.h"
#include "server/auth/gate.h"

namespace lb {
namespace {

beast::http::request<beast::http::empty_body> handshake_of(const HttpRequest& request) {
  beast::http::request<beast::http::empty_body> handshake;
  handshake.method(beast::http::verb::get);
  handshake.target(request.target);
  handshake.version(11);
  for (const auto& [name, value] : request.fields) handshake.insert(name, value);
  return handshake;
}

void configure(GatheredSocket& socket, bool with_subprotocol) {
  websocket::stream_base::timeout none{};
  none.handshake_timeout = websocket::stream_base::none();
  none.idle_timeout = websocket::stream_base::none();  // The client has its own pings.
  socket.set_option(none);
  socket.read_message_max(0);  // Counted by whoever reads, who answers instead of hanging up.
  socket.set_option(
      websocket::stream_base::decorator([with_subprotocol](websocket::response_type& response) {
        response.set(beast::http::field::server, "liminal-builder");
        if (with_subprotocol) {
          response.set(beast::http::field::sec_websocket_protocol, std::string(Gate::kSubprotocol));
        }
      }));
}

}  // namespace

asio::awaitable<bool> accept_websocket(GatheredSocket& socket, const HttpRequest& request) {
  configure(socket, request.field("sec-websocket-protocol").contains(Gate::kSubprotocol));
  const auto handshake = handshake_of(request);
  const auto [refused] = co_await socket.async_accept(handshake, kNoThrow);
  co_return !refused;
}

std::string websocket_close(CloseCode code, std::string_view reason) {
  constexpr unsigned char kCloseFrame = 8;
  const auto number = static_cast<std::uint16_t>(code);
  std::string close = websocket_head(kCloseFrame, 2 + reason.size());
  close += static_cast<char>(number >> 8U);
  close += static_cast<char>(number & 0xFFU);
  close += reason;
  return close;
}

std::string_view text_in(const beast::flat_buffer& buffer) {
  return {static_cast<const char*>(buffer.data().data()), buffer.size()};
}

}  // namespace lb
