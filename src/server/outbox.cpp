#include "server/outbox.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>

#include "base/arrival.h"
#include "base/clock.h"
#include "base/limits.h"
#include "base/metrics.h"

namespace lb {
namespace {

constexpr std::size_t kIovMax = 128;

/// Adds one run of bytes, minus what has left already.
void add_run(std::array<iovec, kIovMax>& runs, std::size_t& count, std::string_view bytes,
             std::size_t& skip) {
  const std::size_t skipped = std::min(skip, bytes.size());
  skip -= skipped;
  bytes.remove_prefix(skipped);
  if (bytes.empty() || count == kIovMax) return;
  runs.at(count++) = {const_cast<char*>(bytes.data()), bytes.size()};
}

Gauge& waiting_bytes() {
  static Gauge& waiting = gauge("lb_stream_waiting_bytes", "Bytes that wait for readers' sockets.");
  return waiting;
}

}  // namespace

MonoMs now_ms() {
  return SystemClock().mono();
}

Outbox::Outbox(asio::ip::tcp::socket socket)
    : socket_(std::move(socket)), last_progress_(now_ms()) {
  boost::system::error_code ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  const int unsent = limits::kUnsentBytesMax;
  ::setsockopt(socket_.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT, &unsent, sizeof unsent);
}

Outbox::~Outbox() {
  holds(0);
}

void Outbox::holds(std::size_t bytes) {
  waiting_bytes().add(static_cast<std::int64_t>(bytes) - static_cast<std::int64_t>(bytes_));
  bytes_ = bytes;
}

void Outbox::push(Piece piece) {
  if (dead_ || sealed_ || piece.size() == 0) return;
  if (pieces_.empty()) last_progress_ = now_ms();
  holds(bytes_ + piece.size());
  pieces_.push_back(std::move(piece));
}

bool Outbox::flush() {
  static Counter& writes = counter("lb_stream_writes_total", "sendmsg calls for readers.");
  static Counter& blocked = counter("lb_stream_blocked_total", "Writes that had to wait for room.");
  while (!pieces_.empty() && !waiting_ && !dead_) {
    std::array<iovec, kIovMax> runs;
    std::size_t count = 0;
    std::size_t skip = offset_;
    for (auto piece = pieces_.begin(); piece != pieces_.end() && count < kIovMax; ++piece) {
      add_run(runs, count, piece->head, skip);
      add_run(runs, count, piece->body, skip);
      add_run(runs, count, piece->tail, skip);
    }
    msghdr message{};
    message.msg_iov = runs.data();
    message.msg_iovlen = count;
    const ssize_t wrote = ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (wrote > 0) {
      writes.add();
      sent(static_cast<std::size_t>(wrote));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      blocked.add();
      wait_for_room();
    } else if (errno != EINTR) {
      die();
    }
  }
  if (pieces_.empty()) emptied();
  return pieces_.empty() && !dead_;
}

void Outbox::when_empty(std::function<void()> callback) {
  if (pieces_.empty()) return callback();
  when_empty_.push_back(std::move(callback));
}

void Outbox::emptied() {
  for (const auto& callback : std::exchange(when_empty_, {})) callback();
}

void Outbox::sent(std::size_t bytes) {
  static Counter& total = counter("lb_stream_bytes_total", "Bytes sent to readers.");
  static Histogram& delivery = histogram(
      "lb_delivery_seconds", "From reading an agent's output to handing it to a reader's socket.");
  total.add(bytes);
  holds(bytes_ - bytes);
  last_progress_ = now_ms();
  bytes += offset_;
  std::uint64_t now_us = 0;
  while (!pieces_.empty() && bytes >= pieces_.front().size()) {
    const Piece& left = pieces_.front();
    bytes -= left.size();
    if (left.arrived_us != 0) {
      if (now_us == 0) now_us = Arrival::now_us();
      delivery.observe_us(now_us - std::min(now_us, left.arrived_us));
    }
    pieces_.pop_front();
  }
  offset_ = bytes;
}

void Outbox::wait_for_room() {
  waiting_ = true;
  auto self = shared_from_this();
  socket_.async_wait(asio::ip::tcp::socket::wait_write, [self](boost::system::error_code error) {
    self->waiting_ = false;
    if (error) return self->die();
    if (self->flush() && self->on_room_) self->on_room_();
  });
}

bool Outbox::stalled(MonoMs now) const {
  if (pieces_.empty() || now - last_progress_ <= to_ms(limits::kNoProgressTimeout)) return false;
  counter("lb_readers_cut_total", "Clients closed for not reading.").add();
  return true;
}

void Outbox::drop_unsent() {
  // A message is one or more pieces; a piece with a head begins one.
  std::size_t keep = offset_ > 0 ? 1 : 0;
  while (keep > 0 && keep < pieces_.size() && pieces_[keep].head.empty()) ++keep;
  while (pieces_.size() > keep) {
    holds(bytes_ - pieces_.back().size());
    pieces_.pop_back();
  }
}

void Outbox::die() {
  if (dead_) return;
  dead_ = true;
  pieces_.clear();
  holds(0);
  emptied();
  if (on_room_) on_room_();
}

void Outbox::close() {
  boost::system::error_code ignored;
  socket_.close(ignored);
  die();
}

std::string websocket_head(unsigned char opcode, std::size_t payload_bytes) {
  std::string head(1, static_cast<char>(0x80U | opcode));
  const auto byte = [&](std::size_t shift) {
    head += static_cast<char>(payload_bytes >> shift & 0xFFU);
  };
  if (payload_bytes < 126) {
    byte(0);
  } else if (payload_bytes < 65536) {
    head += static_cast<char>(126);
    byte(8);
    byte(0);
  } else {
    head += static_cast<char>(127);
    for (std::size_t shift = 64; shift > 0;) byte(shift -= 8);
  }
  return head;
}

}  // namespace lb
