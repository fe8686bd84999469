/// RequestParser: bytes of a connection → one HTTP/1.1 request, strictly.
///
/// Requests that two parsers could read differently are refused instead of interpreted: bare line
/// feeds, folded lines, spaces before a colon, two lengths, a length beside an encoding, trailers
/// (reliability: request smuggling). That strictness is why the parser is ours.
///
/// `feed` first takes the head and stops there, so that the chain before routing can refuse before
/// a body is read; the next calls take the body, at most `set_body_max` bytes of it.
/// Pure; one per request.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"
#include "server/http/http_message.h"

namespace lb {

class RequestParser {
 public:
  /// Takes what belongs to the head (then to the body) and returns how many bytes that were.
  /// InvalidRequest or TooLarge: the connection has to be closed after the answer.
  Result<std::size_t> feed(std::string_view bytes);

  [[nodiscard]] bool head_done() const { return state_ > State::Head; }
  [[nodiscard]] bool done() const { return state_ == State::Done; }
  [[nodiscard]] bool started() const { return head_done() || !line_.empty(); }
  [[nodiscard]] bool has_body() const { return chunked_ || length_ > 0; }
  [[nodiscard]] bool keep_alive() const { return keep_alive_; }
  [[nodiscard]] HttpRequest& request() { return request_; }

  /// After the head: a declared length above it fails at once.
  Result<void> set_body_max(std::size_t bytes);

 private:
  enum class State { Head, Length, ChunkSize, ChunkData, ChunkEnd, LastLine, Done };

  Result<void> parse_head(std::string_view head);
  Result<void> parse_request_line(std::string_view line);
  Result<void> parse_target(std::string_view target);
  Result<void> parse_field(std::string_view line);
  Result<void> finish_head();
  Result<void> decide_framing();
  Result<std::size_t> feed_head(std::string_view bytes);
  Result<std::size_t> feed_chunked(std::string_view bytes);
  Result<void> chunk_size(std::string_view line);

  State state_ = State::Head;
  std::string line_;  // The head so far, or a line of the chunked encoding.
  HttpRequest request_;
  bool chunked_ = false;
  bool keep_alive_ = true;
  std::size_t length_ = 0;  // Of the body, or what is left of the chunk.
  std::size_t body_max_ = limits::kBodyBytesMax;
};

}  // namespace lb
