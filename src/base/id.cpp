#include "base/id.h"

#include <sys/random.h>

#include <array>
#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <cerrno>
#include <cstdlib>

#include "base/limits.h"

namespace lb {

bool is_wire_id(std::string_view text) {
  const auto alnum = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  };
  if (text.empty() || text.size() > limits::kIdCharsMax || !alnum(text.front())) return false;
  for (const char c : text) {
    if (!alnum(c) && c != '.' && c != '_' && c != ':' && c != '-') return false;
  }
  return true;
}

std::string make_uuid() {
  boost::uuids::uuid id{};
  // Without randomness ids and tokens would be guessable: there is nothing sensible to go on with.
  for (ssize_t got = 0; got != 16;) {
    got = ::getrandom(id.data, sizeof id.data, 0);
    if (got < 0 && errno != EINTR) std::abort();
  }
  id.data[6] = static_cast<std::uint8_t>((id.data[6] & 0x0FU) | 0x40U);
  id.data[8] = static_cast<std::uint8_t>((id.data[8] & 0x3FU) | 0x80U);
  return boost::uuids::to_string(id);
}

std::string uuid_from(std::string_view text) {
  // The namespace is fixed for ever: changing it would orphan every discovered session.
  constexpr boost::uuids::uuid kNamespace = {{0x6c, 0x69, 0x6d, 0x69, 0x6e, 0x61, 0x6c, 0x2d, 0x62,
                                              0x75, 0x69, 0x6c, 0x64, 0x65, 0x72, 0x21}};
  const boost::uuids::name_generator_sha1 generate(kNamespace);
  return boost::uuids::to_string(generate(text.data(), text.size()));
}

}  // namespace lb
