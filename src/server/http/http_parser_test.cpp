#include "server/http/http_parser.h"

#include <doctest/doctest.h>

using namespace lb;

namespace {

/// Feeds all of it, in pieces of `step` bytes; the error, or nothing when the request is whole.
std::optional<Error> feed_all(RequestParser& parser, std::string_view bytes,
                              std::size_t step = 4096) {
  while (!bytes.empty() && !parser.done()) {
    const auto took = parser.feed(bytes.substr(0, step));
    if (!took) return took.error();
    bytes.remove_prefix(*took);
  }
  return std::nullopt;
}

std::string with_fields(std::string_view fields, std::string_view body = "") {
  return "POST /api/x HTTP/1.1\r\nHost: localhost\r\n" + std::string(fields) + "\r\n" +
         std::string(body);
}

}  // namespace

TEST_CASE("a request is read whatever the split of its bytes") {
  const std::string bytes =
      "POST /a%20b?q=x+y%26z&n=1 HTTP/1.1\r\nHost: localhost:1\r\nContent-Length: 5\r\n"
      "X-Thing:  v \r\n\r\nhello";
  for (std::size_t step = 1; step < bytes.size(); ++step) {
    RequestParser parser;
    REQUIRE_FALSE(feed_all(parser, bytes, step));
    REQUIRE(parser.done());
    CHECK(parser.request().method == "POST");
    CHECK(parser.request().path == "/a%20b");
    CHECK(parser.request().query.at("q") == "x y&z");
    CHECK(parser.request().field("x-thing") == "v");
    CHECK(parser.request().body == "hello");
    CHECK(parser.keep_alive());
  }
}

TEST_CASE("a chunked body is read whatever the split") {
  const std::string bytes =
      with_fields("Transfer-Encoding: chunked\r\n", "5\r\nhello\r\n1;x=y\r\n!\r\n0\r\n\r\n");
  for (std::size_t step = 1; step < bytes.size(); ++step) {
    RequestParser parser;
    REQUIRE_FALSE(feed_all(parser, bytes, step));
    REQUIRE(parser.done());
    CHECK(parser.request().body == "hello!");
  }
}

TEST_CASE("the head comes first, so that a request can be refused before its body") {
  RequestParser parser;
  const std::string bytes = with_fields("Content-Length: 5\r\n", "hello");
  const auto took = parser.feed(bytes);
  REQUIRE(took);
  CHECK(*took == bytes.size() - 5);
  CHECK(parser.head_done());
  CHECK_FALSE(parser.done());
}

TEST_CASE("S19: what two parsers could read differently is refused") {
  const std::pair<std::string_view, std::string> table[] = {
      {"length and encoding",
       with_fields("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n")},
      {"two lengths", with_fields("Content-Length: 5\r\nContent-Length: 5\r\n", "hello")},
      {"length with a sign", with_fields("Content-Length: +5\r\n", "hello")},
      {"length in hexadecimal", with_fields("Content-Length: 0x5\r\n", "hello")},
      {"length in two parts", with_fields("Content-Length: 5 5\r\n", "hello")},
      {"length as a list", with_fields("Content-Length: 5, 5\r\n", "hello")},
      {"empty length", with_fields("Content-Length:\r\n", "hello")},
      {"length beyond 64 bits", with_fields("Content-Length: 18446744073709551621\r\n", "hello")},
      {"unknown encoding", with_fields("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n")},
      {"twice chunked", with_fields("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n")},
      {"encoding in HTTP/1.0",
       "POST / HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
      {"bare line feed", "GET / HTTP/1.1\nHost: a\r\n\r\n"},
      {"bare line feed between fields", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n"},
      {"bare carriage return", "GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n"},
      {"folded line", "GET / HTTP/1.1\r\nHost: a\r\n folded: b\r\n\r\n"},
      {"space before the colon", "GET / HTTP/1.1\r\nHost : a\r\n\r\n"},
      {"NUL in a value", std::string("GET / HTTP/1.1\r\nHost: a\r\nX: ") + '\0' + "b\r\n\r\n"},
      {"no name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n"},
      {"long chunk extension",
       with_fields("Transfer-Encoding: chunked\r\n", "1;" + std::string(1U << 20U, 'x'))},
      {"chunk of 2^64",
       with_fields("Transfer-Encoding: chunked\r\n", "10000000000000000\r\nx\r\n0\r\n\r\n")},
      {"negative chunk", with_fields("Transfer-Encoding: chunked\r\n", "-1\r\nx\r\n0\r\n\r\n")},
      {"chunk longer than said", with_fields("Transfer-Encoding: chunked\r\n", "1\r\nxy\r\n")},
      {"trailers", with_fields("Transfer-Encoding: chunked\r\n", "0\r\nX: y\r\n\r\n")},
      {"chunk line with a bare line feed", with_fields("Transfer-Encoding: chunked\r\n", "1\nx")},
      {"no version", "GET /\r\nHost: a\r\n\r\n"},
      {"other version", "GET / HTTP/2.0\r\nHost: a\r\n\r\n"},
      {"two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"fragment", "GET /#x HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"no path", "GET x HTTP/1.1\r\nHost: a\r\n\r\n"},
      {"bad escape", "GET /?q=%zz HTTP/1.1\r\nHost: a\r\n\r\n"},
  };
  for (const auto& [what, bytes] : table) {
    INFO(what);
    for (const std::size_t step : {std::size_t{1}, std::size_t{4096}}) {
      RequestParser parser;
      const auto error = feed_all(parser, bytes, step);
      REQUIRE(error);
      CHECK(error->code == ErrorCode::InvalidRequest);
    }
  }
}

TEST_CASE("S3: no Host, an empty one and two are malformed") {
  for (const std::string_view fields : {"", "Host:\r\n", "Host: a\r\nHost: a\r\n"}) {
    RequestParser parser;
    const auto error =
        feed_all(parser, "GET / HTTP/1.1\r\n" + std::string(fields) + "X: y\r\n\r\n");
    REQUIRE(error);
    CHECK(error->code == ErrorCode::InvalidRequest);
  }
}

TEST_CASE("limits: head, fields, address and body") {
  const auto code = [](const std::string& bytes) {
    RequestParser parser;
    const auto error = feed_all(parser, bytes);
    return error ? error->code : ErrorCode::Internal;
  };
  CHECK(code("GET / HTTP/1.1\r\nX: " + std::string(20'000, 'x')) == ErrorCode::TooLarge);
  CHECK(code("GET /" + std::string(9000, 'x') + " HTTP/1.1\r\nHost: a\r\n\r\n") ==
        ErrorCode::TooLarge);
  std::string many = "GET / HTTP/1.1\r\nHost: a\r\n";
  for (int i = 0; i < 101; ++i) many += "X: y\r\n";
  CHECK(code(many + "\r\n") == ErrorCode::TooLarge);

  RequestParser declared;
  REQUIRE(declared.feed(with_fields("Content-Length: 2000000\r\n")));
  CHECK(declared.set_body_max(limits::kBodyBytesMax).error().code == ErrorCode::TooLarge);

  RequestParser chunked;
  REQUIRE(chunked.feed(with_fields("Transfer-Encoding: chunked\r\n")));
  REQUIRE(chunked.set_body_max(10));
  CHECK(chunked.feed("8\r\n12345678\r\n8\r\n").error().code == ErrorCode::TooLarge);
}

TEST_CASE("an absolute address names its own host") {
  RequestParser parser;
  REQUIRE_FALSE(feed_all(parser, "GET http://evil.test/a?b HTTP/1.1\r\nHost: localhost\r\n\r\n"));
  CHECK(parser.request().authority == "evil.test");
  CHECK(parser.request().path == "/a");
}

TEST_CASE("HTTP/1.0 and Connection: close end the connection") {
  for (const std::string_view bytes :
       {"GET / HTTP/1.0\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nConnection: x, Close\r\n\r\n"}) {
    RequestParser parser;
    REQUIRE_FALSE(feed_all(parser, bytes));
    CHECK_FALSE(parser.keep_alive());
  }
}
