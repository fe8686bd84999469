// Any bytes, in any split: the parser neither crashes nor reads a request differently.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "server/http/http_parser.h"

namespace {

/// What came of the bytes when they arrive in pieces of `step`: the error's code, or the request.
struct Outcome {
  bool failed = false;
  bool done = false;
  std::string method;
  std::string target;
  std::string body;
  friend bool operator==(const Outcome&, const Outcome&) = default;
};

Outcome parse(std::string_view bytes, std::size_t step) {
  lb::RequestParser parser;
  Outcome outcome;
  while (!bytes.empty() && !parser.done()) {
    const auto took = parser.feed(bytes.substr(0, step));
    if (!took) {
      outcome.failed = true;
      return outcome;
    }
    if (*took > bytes.size()) std::abort();
    bytes.remove_prefix(*took);
  }
  outcome.done = parser.done();
  if (!outcome.done) return outcome;
  outcome.method = parser.request().method;
  outcome.target = parser.request().target;
  outcome.body = parser.request().body;
  return outcome;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t step = 1 + data[0] % 64;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = parse(bytes, std::max<std::size_t>(bytes.size(), 1));
  if (!(whole == parse(bytes, step))) std::abort();
  return 0;
}
