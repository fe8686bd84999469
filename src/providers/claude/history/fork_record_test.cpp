// Copies of a session's record; tests/e2e/claude/fork_test.cpp makes them with the real CLI.

#include "providers/claude/history/fork_record.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <fstream>
#include <iterator>

#include "providers/claude/protocol.h"
#include "tests/support/temp_dir.h"

using namespace lb;
using namespace lb::claude;

namespace {

constexpr std::string_view kOne = "00000000-0000-4000-8000-000000000001";
constexpr std::string_view kTwo = "00000000-0000-4000-8000-000000000002";
constexpr std::string_view kThree = "00000000-0000-4000-8000-000000000003";

/// A record in the making: each line hangs from the one before.
struct Record {
  std::string text;
  std::string parent;
  int minute = 0;

  void line(std::string_view type, std::string_view uuid, std::string_view rest) {
    text += fmt::format(
        R"({{"parentUuid":{},"isSidechain":false,"type":"{}","uuid":"{}","timestamp":"2026-01-01T00:{:02}:00.000Z","cwd":"/old","sessionId":"original",{}}})"
        "\n",
        parent.empty() ? "null" : "\"" + parent + "\"", type, uuid, minute++, rest);
    parent = uuid;
  }
  void user(std::string_view uuid, std::string_view words, std::string_view more = "") {
    line("user", uuid, fmt::format(R"("message":{{"role":"user","content":"{}"}}{})", words, more));
  }
  void answer(std::string_view uuid, std::string_view words) {
    line(
        "assistant", uuid,
        fmt::format(
            R"("message":{{"id":"m-{}","role":"assistant","stop_reason":"end_turn","content":[{{"type":"text","text":"{}"}}]}})",
            uuid, words));
  }
  void turn(std::string_view uuid, const std::string& words) {
    text += R"({"type":"queue-operation","operation":"enqueue","sessionId":"original"})"
            "\n";
    user(uuid, words);
    line("attachment", "at-" + words, R"("attachment":{"type":"date"})");
    answer("an-" + words, "re " + words);
    line("attachment", "sn-" + words, R"("attachment":{"type":"prompt_snapshot"})");
  }
  void command(std::string_view uuid, std::string_view name) {
    user(fmt::format("caveat-{}", uuid), "<local-command-caveat>x", R"(,"isMeta":true)");
    user(uuid, fmt::format("<command-name>{}</command-name>", name));
  }
  void compaction(std::string_view uuid) {
    const std::string before = std::exchange(parent, "");
    line(
        "system", "boundary",
        fmt::format(
            R"("subtype":"compact_boundary","logicalParentUuid":"{}","compactMetadata":{{"trigger":"manual"}})",
            before));
    user("summary", "what happened", R"(,"isCompactSummary":true)");
    command(uuid, "/compact");
    user("printed", "<local-command-stdout>Compacted</local-command-stdout>");
  }
};

struct Copies {
  /// The uuids that a copy has.
  std::vector<std::string> before(std::string_view turn, std::string_view kept,
                                  std::optional<std::string_view> kept_until = {}) {
    ForkPoint point;
    point.turn = TurnId(std::string(turn));
    if (!kept.empty()) point.last_kept = TurnId(std::string(kept));
    if (kept_until) point.last_kept_at = from_iso(*kept_until);
    return copy(point);
  }
  std::vector<std::string> copy(const std::optional<ForkPoint>& point) {
    std::ofstream(dir.file("original.jsonl"), std::ios::binary) << record.text;
    std::filesystem::remove(to());
    const auto copied = copy_record({dir.file("original.jsonl"), to(), "copy", "/new", point});
    REQUIRE_MESSAGE(copied.has_value(), copied.error().message);
    CHECK(std::filesystem::exists(to()) == *copied);
    std::ifstream file(to());
    std::vector<std::string> uuids;
    for (std::string line; std::getline(file, line);) {
      const auto value = parse_json(line);
      REQUIRE(value.has_value());
      const json::object& one = value->get_object();
      CHECK(string_at(one, "sessionId") == "copy");
      CHECK(string_at(one, "cwd") == "/new");
      uuids.emplace_back(string_at(one, "uuid"));
    }
    return uuids;
  }
  [[nodiscard]] std::string to() const { return dir.file("folder/copy.jsonl"); }

  test::TempDir dir;
  Record record;
};

using Uuids = std::vector<std::string>;
const Uuids kFirst = {std::string(kOne), "at-one", "an-one", "sn-one"};

}  // namespace

TEST_CASE("a copy of a record ends before a turn and is only its owner's") {
  Copies copies;
  copies.record.turn(kOne, "one");
  copies.record.turn(kTwo, "two");
  copies.record.turn(kThree, "three");
  CHECK(copies.before(kTwo, kOne) == kFirst);
  struct stat found = {};
  REQUIRE(::stat(copies.to().c_str(), &found) == 0);
  CHECK((found.st_mode & 0777U) == 0600U);
  CHECK(copies.before(kThree, kTwo).size() == 8);
  CHECK(copies.copy(std::nullopt).size() == 12);
  CHECK(copies.before(kOne, "").empty());
}

TEST_CASE("a turn that the record knows under another id is found by the one before, or by time") {
  Copies copies;
  copies.record.turn(kOne, "one");
  copies.record.turn(kTwo, "two");
  CHECK(copies.before("other", kOne) == kFirst);
  CHECK(copies.before("other", "other too", "2026-01-01T00:03:30.000Z") == kFirst);
  // One that never reached the agent.
  CHECK(copies.before("other", kTwo).size() == 8);
  const auto lost = copy_record({copies.dir.file("original.jsonl"), copies.to() + "2", "c", "/new",
                                 ForkPoint{TurnId("other"), TurnId("other too"), {}}});
  REQUIRE_FALSE(lost.has_value());
  CHECK(lost.error().code == ErrorCode::NotSupported);
}

TEST_CASE("a compaction belongs to its command") {
  Copies copies;
  copies.record.turn(kOne, "one");
  copies.record.compaction(kTwo);
  copies.record.turn(kThree, "three");
  CHECK(copies.before(kTwo, kOne) == kFirst);
  const Uuids later = copies.before(kThree, kTwo);
  CHECK(later.size() == 9);
  CHECK(later.back() == "printed");
}

TEST_CASE("what was said in front of a command goes with it") {
  Copies copies;
  copies.record.turn(kOne, "one");
  copies.record.command(kTwo, "/context");
  copies.record.turn(kThree, "three");
  CHECK(copies.before(kTwo, kOne) == kFirst);
  CHECK(copies.before(kThree, kTwo).size() == 6);
}

TEST_CASE("branches that were left are not copied") {
  Copies copies;
  copies.record.turn(kOne, "one");
  copies.record.turn("00000000-0000-4000-8000-00000000000a", "abandoned");
  copies.record.parent = "sn-one";
  copies.record.turn(kTwo, "two");
  CHECK(copies.before(kTwo, kOne) == kFirst);
}

TEST_CASE("a record that begins with /clear has nothing from before") {
  Copies copies;
  copies.record.command(kTwo, "/clear");
  copies.record.turn(kThree, "three");
  CHECK(copies.before(kThree, kTwo).empty());
  for (const std::string_view turn : {kOne, kTwo}) {
    ForkPoint point{TurnId(std::string(turn)), TurnId("before"), from_iso("2025-12-31T00:00:00Z")};
    const auto refused =
        copy_record({copies.dir.file("original.jsonl"), copies.to(), "c", "/new", point});
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == ErrorCode::NotSupported);
  }
}
