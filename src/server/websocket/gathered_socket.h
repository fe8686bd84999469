/// GatheredSocket: a WebSocket whose reading is Beast's and whose writing goes through an Outbox.
#pragma once

#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/websocket.hpp>
#include <memory>
#include <string>

#include "server/http/http_message.h"
#include "server/hub.h"
#include "server/outbox.h"

namespace lb {

namespace beast = boost::beast;
namespace websocket = boost::beast::websocket;

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
inline void teardown(beast::role_type role, GatheredStream& stream, beast::error_code& error) {
  websocket::teardown(role, stream.socket(), error);
}
template <class Handler>
void async_teardown(beast::role_type role, GatheredStream& stream, Handler&& handler) {
  websocket::async_teardown(role, stream.socket(), std::forward<Handler>(handler));
}
inline void beast_close_socket(GatheredStream& stream) {
  beast::error_code ignored;
  stream.socket().close(ignored);
}

using GatheredSocket = websocket::stream<GatheredStream, false>;  // Without permessage-deflate.

/// Answers the upgrade that check_upgrade found proper; false when the other side is gone.
asio::awaitable<bool> accept_websocket(GatheredSocket& socket, const HttpRequest& request);

/// A close frame of ours.
std::string websocket_close(CloseCode code, std::string_view reason);

/// What is in it.
std::string_view text_in(const beast::flat_buffer& buffer);

}  // namespace lb
