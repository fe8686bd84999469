/// Outbox: the writing side of one socket, gathered.
///
/// Holds what is on its way to one client: small heads of its own and bodies shared with every
/// other client. `flush` hands as much as the kernel takes to it in one sendmsg per 128 pieces,
/// without waiting; when the kernel is full it waits for room and calls `on_room` once everything
/// has left. It is no queue of messages: a connection fills it only when it is empty (answers to
/// requests excepted), so a slow client holds one small batch and no more.
///
/// Lives on the io thread; shared by a connection and the operations it has under way.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace lb {

namespace asio = boost::asio;

/// Bytes in a row: a head of our own, a shared body, a constant tail.
struct Piece {
  std::string head;
  std::shared_ptr<const void> owner;  // Of `body`.
  std::string_view body;
  std::string_view tail;  // Lives for ever.
  /// When what it says was read from the agent; 0 when nobody wants to know.
  std::uint64_t arrived_us = 0;

  [[nodiscard]] std::size_t size() const { return head.size() + body.size() + tail.size(); }
};

class Outbox : public std::enable_shared_from_this<Outbox> {
 public:
  explicit Outbox(asio::ip::tcp::socket socket);
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  void push(Piece piece);
  /// True when everything has left. False: the kernel is full (on_room will tell), or it is dead.
  bool flush();
  /// Called when a full kernel has taken everything, and when the socket died.
  void on_room(std::function<void()> callback) { on_room_ = std::move(callback); }

  /// Forgets every message that has not begun to leave; a piece with a head begins a message.
  void drop_unsent();

  /// Nothing is taken any more: what is in it is the last.
  void seal() { sealed_ = true; }
  /// Calls back when everything has left, or the socket died.
  void when_empty(std::function<void()> callback);

  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  [[nodiscard]] bool dead() const { return dead_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// When bytes last left, or when there last was nothing to send.
  [[nodiscard]] MonoMs last_progress() const { return last_progress_; }
  /// The other side has taken nothing for too long, though there is something: the caller closes
  /// it, and it counts as cut.
  [[nodiscard]] bool stalled(MonoMs now) const;

  void close();
  [[nodiscard]] asio::ip::tcp::socket& socket() { return socket_; }

 private:
  void holds(std::size_t bytes);
  void wait_for_room();
  void sent(std::size_t bytes);
  void emptied();
  void die();

  asio::ip::tcp::socket socket_;
  std::deque<Piece> pieces_;
  std::size_t offset_ = 0;  // Bytes of the first piece that have left.
  std::size_t bytes_ = 0;
  MonoMs last_progress_;
  bool waiting_ = false;
  bool sealed_ = false;
  bool dead_ = false;
  std::vector<std::function<void()>> when_empty_;
  std::function<void()> on_room_;
};

/// Fills the empty outbox and flushes it, again and again, until `fill` says that it had nothing or
/// the kernel is full. True when it is enough for once, so that others get their turn.
template <class Fill>
bool send_in_batches(Outbox& outbox, Fill fill) {
  constexpr int kInARow = 8;
  for (int batch = 0; batch < kInARow; ++batch) {
    if (!outbox.flush() || !fill()) return false;
  }
  return outbox.flush();
}

/// The head of a WebSocket frame from the server: `opcode` with FIN, no mask.
std::string websocket_head(unsigned char opcode, std::size_t payload_bytes);

/// What the time limits of connections are counted in.
MonoMs now_ms();

}  // namespace lb
