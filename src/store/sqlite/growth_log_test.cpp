#include "store/sqlite/growth_log.h"

#include <doctest/doctest.h>

#include <filesystem>

#include "tests/support/temp_dir.h"

namespace lb {
namespace {

/// Texts of many sizes, so that records lie across the windows in which the file is read.
GrowthPut put(const std::string& item, Revision rev, std::size_t bytes) {
  GrowthPut made;
  made.item_id = item;
  made.rev = rev;
  made.text = std::string(bytes, static_cast<char>('a' + rev % 26));
  return made;
}

void append(GrowthLog& log, const std::string& session, const GrowthPut& piece) {
  REQUIRE(log.append({{session, &piece}}) == 0);
}

TEST_CASE("the log returns every piece in order, also those larger than what is read at once") {
  const test::TempDir dir;
  std::vector<GrowthPut> written;
  {
    auto log = GrowthLog::open(dir.file("log"));
    REQUIRE(log.has_value());
    for (Revision rev = 1; rev <= 200; ++rev) {
      const std::size_t bytes = rev % 50 == 0 ? 700'000 : rev * 37;
      written.push_back(put("i" + std::to_string(rev % 3), rev, bytes));
      append(*log, "s", written.back());
    }
  }
  auto log = GrowthLog::open(dir.file("log"));
  const auto pieces = log->read_all();
  REQUIRE(pieces.size() == written.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    CHECK(pieces[i].session == "s");
    CHECK(pieces[i].put.rev == written[i].rev);
    CHECK(pieces[i].put.text == written[i].text);
  }
  CHECK(log->read_alive().size() == written.size());
}

TEST_CASE("what has a whole form again is not read when the log is folded") {
  const test::TempDir dir;
  auto log = GrowthLog::open(dir.file("log"));
  REQUIRE(log.has_value());
  for (Revision rev = 1; rev <= 100; ++rev) append(*log, "s", put("done", rev, 5000));
  append(*log, "s", put("grows", 101, 10));
  append(*log, "t", put("done", 102, 10));
  log->void_pieces("s", "done");
  const auto alive = log->read_alive();
  REQUIRE(alive.size() == 2);
  CHECK(alive[0].put.item_id == "grows");
  CHECK(alive[1].session == "t");
  log->void_session("t");
  CHECK(log->read_alive().size() == 1);
}

TEST_CASE("nothing behind a record that does not hold is believed") {
  const test::TempDir dir;
  {
    auto log = GrowthLog::open(dir.file("log"));
    for (Revision rev = 1; rev <= 3; ++rev) append(*log, "s", put("i", rev, 400'000));
  }
  std::filesystem::resize_file(dir.file("log"), std::filesystem::file_size(dir.file("log")) - 1);
  auto log = GrowthLog::open(dir.file("log"));
  CHECK(log->read_all().size() == 2);
}

}  // namespace
}  // namespace lb
