// Messages that nobody can take, from outside. One that is too large is answered and ends nothing;
// one that breaks the protocol ends its connection.
#include <doctest/doctest.h>
#include <malloc.h>

#include <algorithm>

#include "base/limits.h"
#include "tests/server/live_server.h"

#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#include <sanitizer/allocator_interface.h>
#endif

using namespace lb;
using namespace lb::test;

namespace {

std::string words_at(const json::object& object, std::string_view key) {
  return std::string(string_at(object, key));
}

/// What this process, in which the server runs too, has allocated. Not what is resident: a
/// sanitizer keeps for a while what was freed.
std::size_t allocated_bytes() {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
  return __sanitizer_get_current_allocated_bytes();
#else
  const auto info = ::mallinfo2();
  return info.uordblks + info.hblkhd;
#endif
}

}  // namespace

TEST_CASE_FIXTURE(LiveServer,
                  "a message that is too large is answered, and the connection goes on") {
  const SessionId session = create();
  auto socket = std::make_unique<Socket>(port(), Fields{bearer()});
  const auto hello = socket->until("hello");
  REQUIRE(hello);
  const json::object told = *object_at(*hello, "limits");
  CHECK(number_at(told, "messageBytes") == limits::kBodyBytesMax);
  CHECK(number_at(told, "promptBytes") == limits::kPromptBytesMax);
  CHECK(number_at(told, "imageBytes") == limits::kAttachmentBytesMax);
  CHECK(number_at(told, "textBytes") == limits::kTextBytesMax);
  const auto prompt = [&](const std::string& request, std::size_t size) {
    json::object message = {{"type", "session:send"}, {"sessionId", session.str()}};
    message["content"] = "";
    message["requestId"] = request;
    const std::size_t rest = json::serialize(message).size();
    message["content"] = std::string(size - rest, 'x');
    return json::serialize(message);
  };
  const auto refused = [&](const std::string& request) {
    const auto error = socket->until("error", request);
    REQUIRE(error);
    CHECK(words_at(*error, "code") == "TOO_LARGE");
    CHECK(words_at(*error, "message").contains("1048576"));
    return *error;
  };
  // By one byte; far; in several frames, with a ping between them; without an id.
  socket->send_frame(0x81, prompt("one", limits::kBodyBytesMax + 1));
  refused("one");
  socket->send_frame(0x81, prompt("far", 8 * limits::kBodyBytesMax));
  refused("far");
  const std::string whole = prompt("parts", 3 * limits::kBodyBytesMax);
  socket->send_frame(0x01, whole.substr(0, limits::kBodyBytesMax));
  socket->send_frame(0x89, "there?");
  socket->send_frame(0x00, whole.substr(limits::kBodyBytesMax, limits::kBodyBytesMax));
  socket->send_frame(0x80, whole.substr(2 * limits::kBodyBytesMax));
  refused("parts");
  CHECK(socket->pongs() == 1);
  socket->send_frame(0x81, std::string(limits::kBodyBytesMax + 1, ' '));
  CHECK_FALSE(refused("").contains("requestId"));
  CHECK(on_io([this] { return claude->sent.empty(); }));
  // The largest that fits is taken, on the same connection.
  socket->send_frame(0x81, prompt("fits", limits::kBodyBytesMax));
  CHECK(socket->until("session:sent", "fits"));
  CHECK_FALSE(socket->close_code());
}

TEST_CASE_FIXTURE(LiveServer, "a message without end costs no memory") {
  auto socket = this->socket();
  const std::string piece(1U << 20U, 'x');
  socket->send_frame(0x01, piece);
  const std::size_t before = allocated_bytes();
  std::size_t most = before;
  for (int sent = 1; sent < 64; ++sent) {
    socket->send_frame(0x00, piece);
    most = std::max(most, allocated_bytes());
  }
  socket->send_frame(0x80, "");
  const auto error = socket->until("error");
  REQUIRE(error);
  CHECK(words_at(*error, "message").contains(std::to_string(64U << 20U)));
  CHECK(most - before < 16U << 20U);
}

TEST_CASE_FIXTURE(LiveServer, "close codes: not text, our own goodbye answered, garbled") {
  auto binary = socket();
  binary->send_frame(0x82, "bytes");
  CHECK(binary->wait_for_close() == 1008);
  auto polite = socket();
  polite->send_frame(0x88, std::string("\x03\xE8", 2));
  CHECK(polite->wait_for_close() == 1000);
  auto garbled = socket();
  garbled->send_frame(0x81, "\xFF\xFE");
  CHECK(garbled->wait_for_close() == 1007);
}
