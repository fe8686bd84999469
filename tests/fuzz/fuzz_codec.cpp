// The decoders of everything that comes from outside: no input may crash them, and what they
// accept they must be able to write and read again.

#include <cstdlib>
#include <string_view>

#include "base/codec.h"
#include "model/requests.h"
#include "model/server_message.h"
#include "model/stream_event.h"

namespace {

template <class T>
void round_trip(const lb::json::value& value) {
  const auto decoded = lb::decode<T>(value);
  if (!decoded) {
    if (decoded.error().message.empty()) std::abort();
    return;
  }
  const std::string text = lb::encode(*decoded);
  const auto again = lb::decode_text<T>(text);
  if (!again || lb::encode(*again) != text) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto value = lb::parse_json(text);
  if (!value) return 0;
  round_trip<lb::SessionCreateRequest>(*value);
  round_trip<lb::SessionSendRequest>(*value);
  round_trip<lb::SessionQueueRequest>(*value);
  round_trip<lb::SessionAnswerRequest>(*value);
  round_trip<lb::SearchRequest>(*value);
  round_trip<lb::ServerMessage>(*value);
  round_trip<lb::StreamEvent>(*value);
  round_trip<lb::Item>(*value);
  round_trip<lb::Turn>(*value);
  return 0;
}
