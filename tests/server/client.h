/// Blocking clients for tests: plain bytes, HTTP and WebSocket over loopback.
///
/// Written against the wire and nothing of the server, so that a mistake is not made twice.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/fd.h"
#include "base/json.h"

namespace lb::test {

using Fields = std::vector<std::pair<std::string, std::string>>;

struct Reply {
  int status = 0;
  std::multimap<std::string, std::string> fields;  // Names in lower case.
  std::string body;

  [[nodiscard]] std::string field(const std::string& name) const {
    const auto at = fields.find(name);
    return at == fields.end() ? "" : at->second;
  }
  [[nodiscard]] json::object json() const;
  /// `code` of an error body.
  [[nodiscard]] std::string code() const;
};

/// One TCP connection.
class Wire {
 public:
  explicit Wire(std::uint16_t port);
  void send(std::string_view bytes) const;
  /// What has arrived: waits for something; empty at the end or when the time is over.
  std::string receive(std::chrono::milliseconds limit = std::chrono::seconds(60));
  /// Everything until the other side closes.
  std::string receive_all();
  /// One whole response (by Content-Length).
  Reply reply();
  [[nodiscard]] int fd() const { return fd_.get(); }
  void shut();

 private:
  Fd fd_;
  std::string buffer_;
};

/// A request on a connection of its own.
struct Ask {
  std::string method = "GET";
  std::string path = "/";
  Fields fields;
  std::string body;
  std::string host;  // Empty: localhost with the right port.
};
Reply http(std::uint16_t port, const Ask& ask);
std::string request_text(std::uint16_t port, const Ask& ask);

/// A WebSocket. Every message is checked to be one JSON object with a type.
class Socket {
 public:
  /// The upgrade; `status()` is 101 when it worked.
  Socket(std::uint16_t port, Fields fields);

  [[nodiscard]] int status() const { return handshake_.status; }
  [[nodiscard]] const Reply& handshake() const { return handshake_; }

  void send(const json::object& message);
  void send_frame(unsigned char first_byte, std::string_view payload);
  /// The next message; nothing when the connection ended or the time is over.
  std::optional<json::object> next(std::chrono::milliseconds limit = std::chrono::seconds(60));
  /// Skips messages until one of this type (and, if given, with this requestId).
  std::optional<json::object> until(std::string_view type, std::string_view request_id = "");
  /// Reads until the close frame and answers it; its code, or 1006 when there was none.
  int wait_for_close(std::chrono::milliseconds limit = std::chrono::seconds(60));
  /// The code of a close frame that was met by `next`.
  [[nodiscard]] std::optional<int> close_code() const { return close_code_; }
  /// Types of everything received so far.
  [[nodiscard]] const std::vector<std::string>& seen() const { return seen_; }
  [[nodiscard]] Wire& wire() { return wire_; }
  /// Received pongs.
  [[nodiscard]] int pongs() const { return pongs_; }
  /// Answers pings by itself unless told otherwise.
  bool answer_pings = true;

 private:
  struct Frame {
    unsigned char opcode = 0;
    std::string payload;
  };
  std::optional<Frame> frame(std::chrono::steady_clock::time_point until);

  Wire wire_;
  Reply handshake_;
  std::string buffer_;
  std::optional<int> close_code_;
  std::vector<std::string> seen_;
  int pongs_ = 0;
};

}  // namespace lb::test
