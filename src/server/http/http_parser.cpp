#include "server/http/http_parser.h"

#include <algorithm>
#include <cctype>

#include "base/utf8.h"

namespace lb {
namespace {

std::unexpected<Error> bad(std::string_view what) {
  return fail(ErrorCode::InvalidRequest, "malformed HTTP request: " + std::string(what));
}

bool is_token_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("!#$%&'*+-.^_`|~").contains(c);
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, is_token_char);
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// True when `list` (comma separated) names `word`.
bool lists(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(','), list.size());
    if (ascii_lower(trim(list.substr(0, end))) == word) return true;
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return false;
}

bool is_digits(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<std::size_t> RequestParser::feed(std::string_view bytes) {
  if (state_ == State::Head) return feed_head(bytes);
  if (state_ == State::Done) return std::size_t{0};
  if (chunked_) return feed_chunked(bytes);
  const std::size_t take = std::min(length_ - request_.body.size(), bytes.size());
  request_.body.append(bytes.substr(0, take));
  if (request_.body.size() == length_) state_ = State::Done;
  return take;
}

Result<std::size_t> RequestParser::feed_head(std::string_view bytes) {
  const std::size_t before = line_.size();
  // A line end at the very beginning is what some clients leave after a body: not ours to judge.
  line_.append(
      bytes.substr(0, limits::kHeadBytesMax + 1 - std::min(before, limits::kHeadBytesMax)));
  const std::size_t from = before < 3 ? 0 : before - 3;
  const std::size_t end = line_.find("\r\n\r\n", from);
  if (end == std::string::npos) {
    if (line_.size() > limits::kHeadBytesMax) {
      return fail(ErrorCode::TooLarge, "the request's header is too large");
    }
    return bytes.size();
  }
  if (auto parsed = parse_head(std::string_view(line_).substr(0, end + 2)); !parsed) {
    return std::unexpected(parsed.error());
  }
  line_.clear();
  line_.shrink_to_fit();
  return end + 4 - before;
}

Result<void> RequestParser::parse_head(std::string_view head) {
  bool first = true;
  while (!head.empty()) {
    const std::size_t end = head.find("\r\n");
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(end + 2);
    for (const char c : line) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte < 0x20 && c != '\t') || byte == 0x7F) return bad("control character");
    }
    auto parsed = first ? parse_request_line(line) : parse_field(line);
    if (!parsed) return parsed;
    first = false;
  }
  return finish_head();
}

Result<void> RequestParser::parse_request_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last) return bad("request line");
  const std::string_view method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(method) || method.size() > 32) return bad("method");
  if (version != "HTTP/1.1" && version != "HTTP/1.0") return bad("version");
  request_.method = std::string(method);
  request_.minor_version = version.back() - '0';
  return parse_target(target);
}

Result<void> RequestParser::parse_target(std::string_view target) {
  if (target.size() > limits::kTargetBytesMax) {
    return fail(ErrorCode::TooLarge, "the request's address is too long");
  }
  for (const char c : target) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7F || c == '#') return bad("target");
  }
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (!target.starts_with(scheme)) continue;
    const std::string_view rest = target.substr(scheme.size());
    const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
    request_.authority = std::string(rest.substr(0, end));
    request_.target =
        rest.substr(end).starts_with('/') ? rest.substr(end) : "/" + std::string(rest.substr(end));
    return {};
  }
  if (!target.starts_with('/')) return bad("target");
  request_.target = std::string(target);
  return {};
}

Result<void> RequestParser::parse_field(std::string_view line) {
  if (request_.fields.size() >= limits::kHeadFieldsMax) {
    return fail(ErrorCode::TooLarge, "the request has too many header fields");
  }
  const std::size_t colon = line.find(':');
  // A folded line begins with a space and so has no token before its colon either.
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) return bad("field name");
  request_.fields.emplace_back(ascii_lower(line.substr(0, colon)), trim(line.substr(colon + 1)));
  return {};
}

Result<void> RequestParser::finish_head() {
  if (request_.count("host") != 1 || request_.field("host").empty()) return bad("Host");
  if (!split_target(request_)) return bad("escape in the address");
  const std::string_view connection = request_.field("connection");
  keep_alive_ = request_.minor_version == 1 && !lists(connection, "close");
  return decide_framing();
}

Result<void> RequestParser::decide_framing() {
  const std::size_t lengths = request_.count("content-length");
  const std::size_t encodings = request_.count("transfer-encoding");
  if (lengths + encodings > 1) return bad("more than one length");
  if (encodings == 1) {
    if (request_.minor_version == 0) return bad("Transfer-Encoding in HTTP/1.0");
    if (ascii_lower(request_.field("transfer-encoding")) != "chunked")
      return bad("Transfer-Encoding");
    chunked_ = true;
    state_ = State::ChunkSize;
    return {};
  }
  if (lengths == 1) {
    const std::string_view length = request_.field("content-length");
    if (!is_digits(length) || length.size() > 18) return bad("Content-Length");
    length_ = std::stoull(std::string(length));
  }
  state_ = length_ > 0 ? State::Length : State::Done;
  return {};
}

Result<void> RequestParser::set_body_max(std::size_t bytes) {
  body_max_ = bytes;
  if (!chunked_ && length_ > bytes) {
    return fail(ErrorCode::TooLarge, "the body is larger than " + std::to_string(bytes) + " bytes");
  }
  return {};
}

Result<std::size_t> RequestParser::feed_chunked(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size() && state_ != State::Done) {
    if (state_ == State::ChunkData) {
      const std::size_t take = std::min(length_, bytes.size() - at);
      request_.body.append(bytes.substr(at, take));
      length_ -= take;
      at += take;
      if (length_ == 0) state_ = State::ChunkEnd;
      continue;
    }
    const char c = bytes[at++];
    line_ += c;
    if (line_.size() > limits::kChunkLineBytesMax) return bad("chunk");
    if (c != '\n') continue;
    if (!line_.ends_with("\r\n")) return bad("chunk");
    const std::string line = std::exchange(line_, {});
    const std::string_view text = std::string_view(line).substr(0, line.size() - 2);
    if (state_ == State::ChunkSize) {
      if (auto sized = chunk_size(text); !sized) return std::unexpected(sized.error());
    } else {
      if (!text.empty()) return bad("chunk");  // Data longer than said, or a trailer.
      state_ = state_ == State::LastLine ? State::Done : State::ChunkSize;
    }
  }
  return at;
}

Result<void> RequestParser::chunk_size(std::string_view line) {
  const std::string_view digits = line.substr(0, line.find(';'));
  if (digits.empty() || digits.size() > 8) return bad("chunk size");
  length_ = 0;
  for (const char c : digits) {
    if (std::isxdigit(static_cast<unsigned char>(c)) == 0) return bad("chunk size");
    const int digit = c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
    length_ = length_ * 16 + static_cast<std::size_t>(digit);
  }
  if (request_.body.size() + length_ > body_max_) {
    return fail(ErrorCode::TooLarge,
                "the body is larger than " + std::to_string(body_max_) + " bytes");
  }
  state_ = length_ == 0 ? State::LastLine : State::ChunkData;
  return {};
}

}  // namespace lb
