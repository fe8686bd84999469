#include "tests/server/client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>

namespace lb::test {
namespace {

using Clock = std::chrono::steady_clock;

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Reply parse_head(std::string_view head) {
  Reply reply;
  reply.status = std::stoi(std::string(head.substr(head.find(' ') + 1, 3)));
  std::size_t at = head.find("\r\n") + 2;
  while (at < head.size()) {
    const std::size_t end = std::min(head.find("\r\n", at), head.size());
    const std::string_view line = head.substr(at, end - at);
    at = end + 2;
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos) continue;
    reply.fields.emplace(lower(std::string(line.substr(0, colon))), line.substr(colon + 2));
  }
  return reply;
}

}  // namespace

json::object Reply::json() const {
  auto value = parse_json(body);
  if (!value || !value->is_object()) throw std::runtime_error("not an object: " + body);
  return value->get_object();
}

std::string Reply::code() const {
  return std::string(string_at(json(), "code"));
}

Wire::Wire(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    throw std::runtime_error("cannot connect");
  }
}

void Wire::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t wrote = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (wrote <= 0) return;  // The server may close in the middle: that is what is looked at next.
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

std::string Wire::receive(std::chrono::milliseconds limit) {
  pollfd ready{fd_.get(), POLLIN, 0};
  if (::poll(&ready, 1, static_cast<int>(limit.count())) <= 0) return "";
  std::array<char, 65536> bytes{};
  const ssize_t got = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
  return got <= 0 ? "" : std::string(bytes.data(), static_cast<std::size_t>(got));
}

std::string Wire::receive_all() {
  std::string all = std::move(buffer_);
  for (;;) {
    const std::string more = receive();
    if (more.empty()) return all;
    all += more;
  }
}

void Wire::shut() {
  fd_.reset();
}

Reply Wire::reply() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    const std::string more = receive();
    if (more.empty()) throw std::runtime_error("no answer: " + buffer_);
    buffer_ += more;
  }
  Reply reply = parse_head(std::string_view(buffer_).substr(0, end + 2));
  buffer_.erase(0, end + 4);
  if (reply.status == 101 || reply.field("content-length").empty()) {
    reply.body = std::move(buffer_);
    buffer_.clear();
    return reply;
  }
  const std::size_t length = std::stoull(reply.field("content-length"));
  while (buffer_.size() < length) {
    const std::string more = receive();
    if (more.empty()) break;
    buffer_ += more;
  }
  reply.body = buffer_.substr(0, length);
  buffer_.erase(0, std::min(length, buffer_.size()));
  return reply;
}

std::string request_text(std::uint16_t port, const Ask& ask) {
  const std::string host = ask.host.empty() ? "localhost:" + std::to_string(port) : ask.host;
  std::string text = ask.method + " " + ask.path + " HTTP/1.1\r\nHost: " + host + "\r\n";
  for (const auto& [name, value] : ask.fields) text += name + ": " + value + "\r\n";
  if (!ask.body.empty()) text += "Content-Length: " + std::to_string(ask.body.size()) + "\r\n";
  return text + "\r\n" + ask.body;
}

Reply http(std::uint16_t port, const Ask& ask) {
  Wire wire(port);
  wire.send(request_text(port, ask));
  return wire.reply();
}

Socket::Socket(std::uint16_t port, Fields fields) : wire_(port) {
  Ask ask;
  ask.path = "/ws";
  ask.fields = std::move(fields);
  for (const auto& [name, value] : Fields{{"Upgrade", "websocket"},
                                          {"Connection", "Upgrade"},
                                          {"Sec-WebSocket-Version", "13"},
                                          {"Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="}}) {
    ask.fields.emplace_back(name, value);
  }
  wire_.send(request_text(port, ask));
  handshake_ = wire_.reply();
  if (handshake_.status == 101) buffer_ = std::move(handshake_.body);
}

void Socket::send_frame(unsigned char first_byte, std::string_view payload) {
  std::string frame(1, static_cast<char>(first_byte));
  const std::size_t size = payload.size();
  if (size < 126) {
    frame += static_cast<char>(0x80U | size);
  } else {
    const int bytes = size < 65536 ? 2 : 8;
    frame += static_cast<char>(size < 65536 ? 0xFE : 0xFF);
    for (int i = bytes - 1; i >= 0; --i) {
      frame += static_cast<char>(size >> (8U * static_cast<unsigned>(i)) & 0xFFU);
    }
  }
  constexpr std::array<char, 4> kMask = {0x12, 0x34, 0x56, 0x78};
  frame.append(kMask.data(), kMask.size());
  for (std::size_t i = 0; i < size; ++i) frame += static_cast<char>(payload[i] ^ kMask.at(i % 4));
  wire_.send(frame);
}

void Socket::send(const json::object& message) {
  send_frame(0x81, json::serialize(message));
}

std::optional<Socket::Frame> Socket::frame(Clock::time_point until) {
  for (;;) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(buffer_.at(at)); };
    std::size_t head = 2;
    std::size_t size = 0;
    bool whole = buffer_.size() >= 2;
    if (whole) {
      size = byte(1) & 0x7FU;
      const std::size_t extra = size == 126 ? 2 : size == 127 ? 8 : 0;
      head += extra;
      whole = buffer_.size() >= head;
      if (whole && extra > 0) {
        size = 0;
        for (std::size_t i = 0; i < extra; ++i) size = size << 8U | byte(2 + i);
      }
      whole = whole && buffer_.size() >= head + size;
    }
    if (whole) {
      Frame out{static_cast<unsigned char>(byte(0) & 0x0FU), buffer_.substr(head, size)};
      buffer_.erase(0, head + size);
      return out;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now());
    if (left.count() <= 0) return std::nullopt;
    const std::string more = wire_.receive(left);
    if (more.empty()) return std::nullopt;
    buffer_ += more;
  }
}

std::optional<json::object> Socket::next(std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  while (auto got = frame(until)) {
    if (got->opcode == 9 && answer_pings) send_frame(0x8A, got->payload);
    if (got->opcode == 10) ++pongs_;
    if (got->opcode == 8) {
      close_code_ = got->payload.size() < 2 ? 1005
                                            : static_cast<unsigned char>(got->payload[0]) * 256 +
                                                  static_cast<unsigned char>(got->payload[1]);
      send_frame(0x88, got->payload.substr(0, 2));
      return std::nullopt;
    }
    if (got->opcode != 1) continue;
    auto value = parse_json(got->payload);
    if (!value || !value->is_object()) throw std::runtime_error("not an object: " + got->payload);
    json::object message = value->get_object();
    if (string_at(message, "type").empty()) throw std::runtime_error("no type: " + got->payload);
    seen_.emplace_back(string_at(message, "type"));
    return message;
  }
  return std::nullopt;
}

std::optional<json::object> Socket::until(std::string_view type, std::string_view request_id) {
  while (auto message = next()) {
    if (string_at(*message, "type") != type) continue;
    if (request_id.empty() || string_at(*message, "requestId") == request_id) return message;
  }
  return std::nullopt;
}

int Socket::wait_for_close(std::chrono::milliseconds limit) {
  const auto until = Clock::now() + limit;
  while (!close_code_ && Clock::now() < until) {
    if (!next(std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()))) break;
  }
  return close_code_.value_or(1006);
}

}  // namespace lb::test
