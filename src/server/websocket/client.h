/// Client: one WebSocket connection as the product sees it.
///
/// Requests come in as text and are handled side by side; answers carry their requestId. Sessions
/// that the client opened are Readers: when the socket is free they are asked for what changed,
/// and the frames, shared with everyone, go straight to the outbox. The connection keeps no queue
/// of its own.
///
/// Knows nothing of framing or handshakes (see websocket.h). Lives on the io thread; shared by the
/// hub, its read loop and the requests under way.
#pragma once

#include <boost/asio/steady_timer.hpp>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/hub.h"
#include "server/outbox.h"
#include "server/websocket/large_message.h"
#include "session/event.h"
#include "session/sessions.h"

namespace lb {

class Client final : public Stream, public std::enable_shared_from_this<Client> {
 public:
  struct Whose {
    std::string grant;
    Caller caller;
  };
  Client(std::shared_ptr<Outbox> outbox, Hub& hub, Sessions& sessions, Whose whose);
  ~Client() override;

  /// Says hello and what the state is; from here on the hub pumps it.
  void start();
  void receive(std::string_view text);
  /// Answers a message that nobody has taken.
  void refuse(const LargeMessage& message);
  /// A piece of a message arrived: the other side is there.
  void heard();
  void pong();
  /// Waits while too much is under way or unread; false when the connection is over.
  asio::awaitable<bool> wait_for_room();
  /// The read loop has ended.
  void gone();

  void pump() override;
  void tick(MonoMs now) override;
  void end(CloseCode code, std::string_view reason) override;
  [[nodiscard]] const std::string& grant() const override { return whose_.grant; }
  [[nodiscard]] const Caller& caller() const { return whose_.caller; }
  [[nodiscard]] std::optional<NoticeBoard::Number> seen() const override { return seen_; }

  // For the requests (client_requests.cpp).
  void send(std::string message);
  /// The answer to a request, whose fields are a JSON object; where everyone is told the same, this
  /// client is not told again.
  void answer(std::string_view type, std::string_view fields,
              const std::optional<std::string>& request_id);
  void send_window(std::string_view type, const History& history,
                   const std::optional<std::string>& request_id);
  void fail(const Error& error, const std::optional<std::string>& request_id,
            std::optional<SessionId> session = std::nullopt);
  void request_done();
  /// Held by a request while it reads a window of history and sends it: one at a time, and not
  /// before the client has taken most of what it asked for earlier. Requests without end from a
  /// client that does not read then cost one window.
  asio::awaitable<AsyncMutex::Guard> window_turn();
  /// Marks the beginning of an open; the number tells whether it was overtaken.
  std::uint64_t begin_open(const SessionId& session);
  [[nodiscard]] bool is_current(const SessionId& session, std::uint64_t open) const;
  void follow(const SessionId& session, Opened opened, std::optional<std::string> request_id);
  void unfollow(const SessionId& session);
  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] Sessions& sessions() { return sessions_; }
  [[nodiscard]] std::size_t following() const { return followed_.size(); }
  [[nodiscard]] asio::any_io_executor executor() { return outbox_->socket().get_executor(); }

 private:
  struct Followed {
    std::uint64_t open = 0;
    std::unique_ptr<Reader> reader;  // Null while it is being opened.
    bool is_ready = false;           // Among those that may have something.
    /// The catch-up ends here and is then confirmed.
    std::optional<Revision> confirm_at;
    std::optional<std::string> request_id;
  };

  using Follows = std::map<SessionId, Followed>;

  void send_batches();
  void ready(Follows::iterator followed);
  [[nodiscard]] bool is_open() const { return !over_ && !outbox_->dead(); }
  [[nodiscard]] bool unread() const;
  /// Puts one batch into the empty outbox; false when there is nothing to send.
  bool fill();
  void fill_from(Follows::iterator followed);
  void confirm(Followed& followed);
  void ping();

  std::shared_ptr<Outbox> outbox_;
  Hub& hub_;
  Sessions& sessions_;
  Whose whose_;
  Follows followed_;
  /// Who may have something, longest waiting first: a client that follows hundreds is not gone
  /// through at every word of one.
  std::deque<Follows::iterator> ready_;
  std::uint64_t opens_ = 0;
  std::size_t requests_ = 0;
  NoticeBoard::Number seen_ = 0;
  asio::steady_timer room_;  // Cancelled when there may be room again; many may wait.
  AsyncMutex windows_;
  bool over_ = false;
  MonoMs ended_at_ = 0;
  MonoMs ping_at_;
  MonoMs heard_at_;
  bool awaiting_pong_ = false;
};

/// Starts the request in `text` (client_requests.cpp).
void handle_request(std::shared_ptr<Client> client, std::string_view text);

}  // namespace lb
