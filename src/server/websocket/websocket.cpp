#include "server/websocket/websocket.h"

#include <algorithm>

#include "base/awaitable.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "server/websocket/client.h"
#include "server/websocket/gathered_socket.h"
#include "server/websocket/large_message.h"

namespace lb {
namespace {

class WebSocketTask final : public SocketTask {
 public:
  WebSocketTask(HttpRequest request, Caller caller, Hub& hub, Sessions& sessions)
      : request_(std::move(request)), caller_(std::move(caller)), hub_(hub), sessions_(sessions) {}

  asio::awaitable<void> run(asio::ip::tcp::socket tcp) override {
    const auto outbox = std::make_shared<Outbox>(std::move(tcp));
    GatheredSocket socket(outbox);
    if (!co_await accept_websocket(socket, request_)) co_return;

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
  asio::awaitable<void> read(GatheredSocket& socket, std::shared_ptr<Client> client) {
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
