#include "server/websocket/websocket.h"

#include <algorithm>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <cctype>

#include "base/awaitable.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/utf8.h"
#include "server/auth/gate.h"
#include "server/websocket/client.h"
#include "server/websocket/large_message.h"

namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

namespace lb {
namespace {

/// Beast's view of the socket: reads are the socket's, writes go into the outbox.
class GatheredStream {
 public:
  using executor_type = asio::ip::tcp::socket::executor_type;

  explicit GatheredStream(std::shared_ptr<Outbox> outbox) : outbox_(std::move(outbox)) {}

  executor_type get_executor() noexcept { return outbox_->socket().get_executor(); }
  asio::ip::tcp::socket& socket() { return outbox_->socket(); }

  template <class Buffers, class Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return outbox_->socket().async_read_some(buffers, std::forward<Token>(token));
  }
  template <class Buffers, class Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return asio::async_initiate<Token, void(beast::error_code, std::size_t)>(
        [this](auto handler, const Buffers& bytes) { this->write(bytes, std::move(handler)); },
        token, buffers);
  }
  template <class Buffers>
  std::size_t read_some(const Buffers& buffers, beast::error_code& error) {
    return outbox_->socket().read_some(buffers, error);
  }
  template <class Buffers>
  std::size_t write_some(const Buffers& buffers, beast::error_code& error) {
    return outbox_->socket().write_some(buffers, error);
  }

 private:
  /// Completes only when the bytes have left: Beast closes the socket after its close frame.
  template <class Buffers, class Handler>
  void write(const Buffers& bytes, Handler handler) {
    std::string text(beast::buffer_bytes(bytes), '\0');
    asio::buffer_copy(asio::buffer(text), bytes);
    const std::size_t size = text.size();
    outbox_->push({std::move(text), nullptr, {}, {}});
    outbox_->flush();
    const auto shared = std::make_shared<Handler>(std::move(handler));
    outbox_->when_empty([outbox = outbox_, shared, size] {
      const beast::error_code error =
          outbox->dead() ? beast::error_code(asio::error::broken_pipe) : beast::error_code{};
      asio::post(outbox->socket().get_executor(),
                 beast::bind_front_handler(std::move(*shared), error, error ? 0 : size));
    });
  }

  std::shared_ptr<Outbox> outbox_;
};

// Found by Beast through argument-dependent lookup.
[[maybe_unused]] void teardown(beast::role_type role, GatheredStream& stream,
                               beast::error_code& error) {
  websocket::teardown(role, stream.socket(), error);
}
template <class Handler>
void async_teardown(beast::role_type role, GatheredStream& stream, Handler&& handler) {
  websocket::async_teardown(role, stream.socket(), std::forward<Handler>(handler));
}
[[maybe_unused]] void beast_close_socket(GatheredStream& stream) {
  beast::error_code ignored;
  stream.socket().close(ignored);
}

using Socket = websocket::stream<GatheredStream, false>;  // Without permessage-deflate.

beast::http::request<beast::http::empty_body> handshake_of(const HttpRequest& request) {
  beast::http::request<beast::http::empty_body> handshake;
  handshake.method(beast::http::verb::get);
  handshake.target(request.target);
  handshake.version(11);
  for (const auto& [name, value] : request.fields) handshake.insert(name, value);
  return handshake;
}

void configure(Socket& socket, bool with_subprotocol) {
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

class WebSocketTask final : public SocketTask {
 public:
  WebSocketTask(HttpRequest request, Caller caller, Hub& hub, Sessions& sessions)
      : request_(std::move(request)), caller_(std::move(caller)), hub_(hub), sessions_(sessions) {}

  asio::awaitable<void> run(asio::ip::tcp::socket tcp) override {
    const auto outbox = std::make_shared<Outbox>(std::move(tcp));
    Socket socket(outbox);
    configure(socket, request_.field("sec-websocket-protocol").contains(Gate::kSubprotocol));
    const auto handshake = handshake_of(request_);
    const auto [refused] = co_await socket.async_accept(handshake, kNoThrow);
    if (refused) co_return;

    const auto client =
        std::make_shared<Client>(outbox, hub_, sessions_, Client::Whose{request_.grant, caller_});
    socket.control_callback(
        [weak = std::weak_ptr(client)](websocket::frame_type kind, beast::string_view) {
          const auto self = weak.lock();
          if (self && kind == websocket::frame_type::pong) self->pong();
        });
    client->start();
    if (hub_.stopping()) client->end(CloseCode::GoingAway, "server stopping");
    co_await read(socket, client);
    client->gone();
  }

 private:
  asio::awaitable<void> read(Socket& socket, std::shared_ptr<Client> client) {
    beast::flat_buffer buffer;
    while (co_await client->wait_for_room()) {
      LargeMessage large;
      do {
        const auto [error, size] =
            co_await socket.async_read_some(buffer, limits::kMessagePieceBytes, kNoThrow);
        if (error) co_return;
        client->heard();
        if (large.bytes() > 0 || buffer.size() > limits::kBodyBytesMax) {
          large.add(text_in(buffer));
          buffer.consume(buffer.size());
        }
      } while (!socket.is_message_done());
      // After our close everything is passed over until the other side answers it.
      if (!client->over()) take(*client, socket.got_binary(), text_in(buffer), large);
      buffer.consume(buffer.size());
      if (buffer.capacity() > kKeptBytes) buffer.shrink_to_fit();
    }
  }

  static void take(Client& client, bool binary, std::string_view text, const LargeMessage& large) {
    if (binary) {
      client.end(CloseCode::Policy, "text messages only");
    } else if (large.bytes() > 0) {
      client.refuse(large);
    } else {
      client.receive(text);
    }
  }

  static std::string_view text_in(const beast::flat_buffer& buffer) {
    return {static_cast<const char*>(buffer.data().data()), buffer.size()};
  }

  static constexpr std::size_t kKeptBytes = 8U << 10U;

  HttpRequest request_;
  Caller caller_;
  Hub& hub_;
  Sessions& sessions_;
};

bool names(std::string_view list, std::string_view word) {
  return ascii_lower(list).contains(word);
}

}  // namespace

Result<void> check_upgrade(const HttpRequest& request) {
  constexpr std::size_t kKeyChars = 24;  // 16 bytes in base64.
  const bool proper = names(request.field("upgrade"), "websocket") &&
                      names(request.field("connection"), "upgrade") &&
                      request.field("sec-websocket-version") == "13" &&
                      request.field("sec-websocket-key").size() == kKeyChars &&
                      request.minor_version == 1;
  if (!proper) return fail(ErrorCode::InvalidRequest, "this address takes WebSocket upgrades only");
  return {};
}

std::shared_ptr<SocketTask> make_websocket_task(HttpRequest request, Caller caller, Hub& hub,
                                                Sessions& sessions) {
  return std::make_shared<WebSocketTask>(std::move(request), std::move(caller), hub, sessions);
}

}  // namespace lb
