// Readers of a load whose own cost does not show: no collector, no parsing before the end, one recv
// and one look at the clock per wake-up. The same code reads the bare relay and the server. Prints
// one JSON line when every turn has ended:
//
//   {"readers":[{"latencies_us":[…],"durable_us":[…],"bytes":N,"text_bytes":N}]}
//
// latencies_us: each chunk of growing text, from the stamp the agent wrote into it; durable_us:
// each final form, from its last stamp. bytes: what came in messages that hold the agent's text.
//
//   reader relay PORT TURNS
//       lines from a relay; answers of the agent ("result") are printed as they come
//
//   reader ws PORT TOKEN PROMPT FORM SOCKETS SESSION...
//       follows the sessions, divided among so many WebSockets; FORM is "appends" or "whole". Sends
//       PROMPT to each when all have their history, or only follows when it is empty
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kBytesMax = 32U << 20U;  // What one load sends to one reader, with room.
constexpr std::size_t kMessagesMax = 1U << 16U;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "reader: %s\n", why.c_str());
  std::exit(1);
}

std::uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

struct Message {
  std::size_t begin = 0;
  std::size_t size = 0;
  std::uint64_t at_ns = 0;
};

struct Connection {
  int socket = -1;
  std::string bytes;     // Allocated and touched before the load begins.
  std::size_t have = 0;  // Of `bytes`.
  std::size_t parsed = 0;
  std::vector<Message> messages;
  std::vector<std::string> sessions;
  std::size_t turns_ended = 0;
  bool ended = false;

  [[nodiscard]] std::string_view text(const Message& message) const {
    return std::string_view(bytes).substr(message.begin, message.size);
  }
};

Connection connect_to(int port, std::size_t bytes_max) {
  Connection made;
  made.socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(made.socket, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    fail("no connection");
  const int on = 1;
  ::setsockopt(made.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  made.bytes.assign(bytes_max, 'x');
  made.messages.assign(kMessagesMax, {1, 1, 1});
  made.messages.clear();
  return made;
}

void send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) fail("the other side is gone");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

/// A text frame of a client; a mask of zeros leaves the text as it is.
void send_message(int socket, std::string_view text) {
  if (text.size() > 65535) fail("too long a message");
  std::string frame = "\x81";
  if (text.size() < 126) {
    frame += static_cast<char>(0x80U | text.size());
  } else {
    frame += static_cast<char>(0x80U | 126U);
    frame += static_cast<char>(text.size() >> 8U);
    frame += static_cast<char>(text.size() & 0xFFU);
  }
  frame.append(4, '\0').append(text);
  send_all(socket, frame);
}

void upgrade(Connection& connection, int port, const std::string& token) {
  send_all(connection.socket,
           "GET /ws HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
               "\r\nAuthorization: Bearer " + token +
               "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
               "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n");
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    char one = 0;
    if (::recv(connection.socket, &one, 1, 0) != 1) fail("no answer to the upgrade");
    head += one;
  }
  if (!head.starts_with("HTTP/1.1 101")) fail("not upgraded: " + head);
}

/// The next whole line, or nothing.
bool next_line(const Connection& connection, Message& message, std::size_t& next) {
  const auto end =
      std::string_view(connection.bytes).substr(0, connection.have).find('\n', connection.parsed);
  if (end == std::string_view::npos) return false;
  message.begin = connection.parsed;
  message.size = end - connection.parsed;
  next = end + 1;
  return true;
}

/// The next whole WebSocket frame, or nothing.
bool next_frame(const Connection& connection, Message& message, std::size_t& next) {
  const auto byte = [&](std::size_t at) {
    return static_cast<std::size_t>(
        static_cast<unsigned char>(connection.bytes[connection.parsed + at]));
  };
  const std::size_t have = connection.have - connection.parsed;
  if (have < 2) return false;
  std::size_t head = 2;
  std::size_t size = byte(1);
  const std::size_t length_bytes = size == 126 ? 2 : size == 127 ? 8 : 0;
  if (have < head + length_bytes) return false;
  if (length_bytes > 0) size = 0;
  for (; head < 2 + length_bytes; ++head) size = size << 8U | byte(head);
  if (have < head + size) return false;
  message.begin = connection.parsed + head;
  message.size = size;
  next = message.begin + size;
  return true;
}

/// Takes what is there; the moment is that of the first whole message's last byte or before it.
template <class Next, class OnMessage>
void take(Connection& connection, Next next_message, OnMessage& on_message) {
  if (connection.have == connection.bytes.size()) connection.bytes.resize(2 * connection.have);
  const ssize_t got = ::recv(connection.socket, connection.bytes.data() + connection.have,
                             connection.bytes.size() - connection.have, 0);
  const std::uint64_t at_ns = now_ns();
  if (got <= 0) fail("the connection ended before the turn did");
  connection.have += static_cast<std::size_t>(got);
  Message message;
  for (std::size_t next = 0; next_message(connection, message, next); connection.parsed = next) {
    message.at_ns = at_ns;
    connection.messages.push_back(message);
    on_message(connection, connection.text(message));
  }
}

template <class Next, class OnMessage>
void follow(std::vector<Connection>& all, Next next_message, OnMessage on_message) {
  std::vector<pollfd> polled;
  polled.reserve(all.size());
  for (const Connection& one : all) polled.push_back({one.socket, POLLIN, 0});
  for (std::size_t left = all.size(); left > 0;) {
    if (::poll(polled.data(), polled.size(), 120'000) <= 0) fail("nothing came for two minutes");
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (polled[i].revents == 0) continue;
      take(all[i], next_message, on_message);
      if (!all[i].ended) continue;
      polled[i].fd = -1;
      polled[i].revents = 0;
      --left;
    }
  }
}

/// Each "@NANOSECONDS " of the text.
std::vector<std::uint64_t> stamps_in(std::string_view text) {
  std::vector<std::uint64_t> stamps;
  for (std::size_t at = text.find('@'); at != std::string_view::npos; at = text.find('@', at + 1)) {
    std::uint64_t stamp = 0;
    std::size_t end = at + 1;
    for (; end < text.size() && text[end] >= '0' && text[end] <= '9'; ++end) {
      stamp = stamp * 10 + static_cast<std::uint64_t>(text[end] - '0');
    }
    if (end > at + 1 && end < text.size() && text[end] == ' ') stamps.push_back(stamp);
  }
  return stamps;
}

std::string list_of(const std::vector<std::uint64_t>& numbers) {
  std::string out = "[";
  for (const std::uint64_t number : numbers)
    out += (out.size() > 1 ? "," : "") + std::to_string(number);
  return out + "]";
}

std::string report(const Connection& connection, bool is_relay) {
  std::vector<std::uint64_t> growing;
  std::vector<std::uint64_t> durable;
  std::size_t bytes = 0;
  std::size_t text_bytes = 0;
  std::map<std::string_view, std::uint64_t> newest;  // Of each session.
  for (const Message& message : connection.messages) {
    const std::string_view text = connection.text(message);
    const std::vector<std::uint64_t> stamps = stamps_in(text);
    if (stamps.empty() || text.starts_with(R"({"type":"session:history")")) continue;
    bytes += message.size + (message.size < 126 ? 2 : message.size < 65536 ? 4 : 10);
    const bool is_upsert = text.starts_with(R"({"type":"session:upsert")");
    const bool is_final =
        is_upsert && text.find(R"("status":"complete")") != std::string_view::npos;
    const auto us_since = [&](std::uint64_t stamp) { return (message.at_ns - stamp) / 1000; };
    if (is_final) {
      durable.push_back(us_since(stamps.back()));
      const std::string_view kContent = R"("content":")";
      const std::size_t begin = text.find(kContent) + kContent.size();
      text_bytes += text.find('"', begin) - begin;  // The load's text holds no quote.
      continue;
    }
    // A whole form of growing text repeats what was there before.
    constexpr std::string_view kSession = R"("sessionId":")";
    const std::size_t id = text.find(kSession) + kSession.size();
    std::uint64_t& last = newest[text.substr(id, text.find('"', id) - id)];
    for (const std::uint64_t stamp : stamps) {
      if (!is_relay && stamp <= last) continue;
      growing.push_back(us_since(stamp));
      last = stamp;
    }
  }
  return R"({"latencies_us":)" + list_of(growing) + R"(,"durable_us":)" + list_of(durable) +
         R"(,"bytes":)" + std::to_string(bytes) + R"(,"text_bytes":)" + std::to_string(text_bytes) +
         "}";
}

void print(const std::vector<Connection>& all, bool is_relay) {
  std::string out;
  for (const Connection& one : all) out += (out.empty() ? "" : ",") + report(one, is_relay);
  std::printf("{\"readers\":[%s]}\n", out.c_str());
}

void read_relay(int port, int turns) {
  std::vector<Connection> all;
  all.push_back(connect_to(port, kBytesMax));
  follow(all, next_line, [&turns](Connection& connection, std::string_view line) {
    if (line.find(R"("result")") == std::string_view::npos) return;
    std::printf("%.*s\n", static_cast<int>(line.size()), line.data());
    std::fflush(stdout);
    if (line.find("stopReason") != std::string_view::npos) connection.ended = --turns == 0;
  });
  print(all, true);
}

struct Load {
  int port = 0;
  std::string token;
  std::string prompt;
  bool appends = true;
  std::size_t sockets = 1;
  std::vector<std::string> sessions;
};

void read_server(const Load& load) {
  std::vector<Connection> all;
  for (std::size_t i = 0; i < load.sockets; ++i) {
    all.push_back(connect_to(load.port, kBytesMax / load.sockets));
    upgrade(all.back(), load.port, load.token);
  }
  for (std::size_t i = 0; i < load.sessions.size(); ++i) {
    Connection& one = all[i % all.size()];
    one.sessions.push_back(load.sessions[i]);
    send_message(one.socket, R"({"type":"session:open","sessionId":")" + load.sessions[i] +
                                 (load.appends ? R"(","appends":true})" : R"(","appends":false})"));
  }
  std::size_t opened = 0;
  follow(all, next_frame, [&](Connection& connection, std::string_view text) {
    if (text.starts_with(R"({"type":"error")")) fail(std::string(text));
    if (text.starts_with(R"({"type":"session:history")") && ++opened == load.sessions.size()) {
      std::fprintf(stderr, "reading\n");
      for (const Connection& one : all) {
        for (const std::string& session : one.sessions) {
          if (load.prompt.empty()) continue;
          send_message(one.socket, R"({"type":"session:send","sessionId":")" + session +
                                       R"(","content":")" + load.prompt + R"("})");
        }
      }
    }
    if (!text.starts_with(R"({"type":"session:turn")")) return;
    if (text.find("turn_error") != std::string_view::npos) fail(std::string(text));
    if (text.find("turn_complete") == std::string_view::npos) return;
    connection.ended = ++connection.turns_ended == connection.sessions.size();
  });
  print(all, false);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "relay") {
    read_relay(std::atoi(words[1].c_str()), std::atoi(words[2].c_str()));
  } else if (words.size() >= 7 && words[0] == "ws") {
    read_server({std::atoi(words[1].c_str()),
                 words[2],
                 words[3],
                 words[4] == "appends",
                 std::stoul(words[5]),
                 {words.begin() + 6, words.end()}});
  } else {
    fail("unknown words; the head of bench/reader.cpp has them");
  }
}
