/// Recorded files: compared by default, recorded with LIMINAL_UPDATE_GOLDEN=1 for review.
#pragma once

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace lb::test {

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline bool updating_golden() {
  return std::getenv("LIMINAL_UPDATE_GOLDEN") != nullptr;  // NOLINT(concurrency-mt-unsafe)
}

/// Compares with the recorded file, or records it.
inline void check_golden(const std::filesystem::path& recorded, const std::string& got) {
  if (updating_golden()) {
    std::ofstream(recorded, std::ios::binary) << got;
    return;
  }
  INFO("recorded in " << recorded.string() << "; LIMINAL_UPDATE_GOLDEN=1 records it again");
  const std::string expected = slurp(recorded);
  CHECK((got == expected));
  if (got == expected) return;
  std::size_t at = 0;
  while (at < got.size() && at < expected.size() && got[at] == expected[at]) ++at;
  const std::size_t from = at > 80 ? at - 80 : 0;
  FAIL_CHECK("first difference at byte " << at << "\n  got:      " << got.substr(from, 240)
                                         << "\n  expected: " << expected.substr(from, 240));
}

}  // namespace lb::test
