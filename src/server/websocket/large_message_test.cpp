#include "server/websocket/large_message.h"

#include <doctest/doctest.h>

#include "base/limits.h"

using namespace lb;

namespace {

LargeMessage in_pieces(const std::string& text, std::size_t size) {
  LargeMessage message;
  for (std::size_t at = 0; at < text.size(); at += size) message.add(text.substr(at, size));
  return message;
}

std::string id_of(const std::string& text) {
  const std::string whole = in_pieces(text, text.size()).request_id().value_or("none");
  for (const std::size_t size : {std::size_t{1}, std::size_t{7}, std::size_t{1000}}) {
    CHECK(in_pieces(text, size).request_id().value_or("none") == whole);
    CHECK(in_pieces(text, size).bytes() == text.size());
  }
  return whole;
}

}  // namespace

TEST_CASE("a message that is too large tells its requestId from either end") {
  const std::string filler(3 * limits::kLargeMessageEndBytes, 'x');
  CHECK(id_of(R"({"type":"a","content":")" + filler + R"(","requestId":"r7"})") == "r7");
  CHECK(id_of(R"({"type":"a","content":")" + filler + R"(" , "requestId" : "r7" } )") == "r7");
  CHECK(id_of(R"({"requestId":"r1","type":"a","content":")" + filler + R"("})") == "r1");
  CHECK(id_of(" {\n \"requestId\": \"r1\", \"content\":\"" + filler + "\"}") == "r1");
}

TEST_CASE("what only looks like a requestId is none") {
  const std::string filler(3 * limits::kLargeMessageEndBytes, 'x');
  // Words of the content, quoted.
  CHECK(id_of(R"({"content":")" + filler + R"(,\"requestId\":\"r7\"}"})") == "none");
  CHECK(id_of(R"({"content":")" + filler + R"(\"requestId":"r7"})") == "none");
  // Of an object inside.
  CHECK(id_of(R"({"content":")" + filler + R"(","a":{"requestId":"r7"}})") == "none");
  CHECK(id_of(R"({"content":")" + filler + R"(","requestId":7})") == "none");
  CHECK(id_of(R"({"content":")" + filler + R"(","requestId":"\u0072"})") == "none");
  CHECK(id_of(R"({"content":")" + filler + R"(","requestId":"r7)") == "none");
  CHECK(id_of(filler) == "none");
  CHECK(LargeMessage().request_id().value_or("none") == "none");
}
