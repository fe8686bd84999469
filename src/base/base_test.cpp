#include <doctest/doctest.h>

#include <set>

#include "base/codec.h"
#include "base/id.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/shared_list.h"
#include "base/text.h"
#include "base/time.h"
#include "base/utf8.h"

using namespace lb;

TEST_CASE("a text ends at its limit, between two characters, and says so") {
  Text text(std::string(limits::kGrowingBytesMax - 1, 'x'));
  append_within_limit(text, "\u00E9 and more");  // Two bytes: only one has room.
  CHECK(text.view().substr(limits::kGrowingBytesMax - 1) == "\n[Cut: longer than 8 MiB.]");
  const std::size_t size = text.size();
  append_within_limit(text, "still more");
  CHECK(text.size() == size);
}

TEST_CASE("appending to the newest copy of a text leaves older copies as they were") {
  Text text("one");
  const Text before = text;
  text.append(" two");
  CHECK(before.view() == "one");
  CHECK(text.view() == "one two");
  CHECK(text.grew_from(before));
  CHECK(text.since(before) == " two");
  CHECK_FALSE(before.grew_from(text));
}

TEST_CASE("appending to an older copy forks it") {
  Text newest("a");
  Text old = newest;
  newest.append("b");
  old.append("c");
  CHECK(newest.view() == "ab");
  CHECK(old.view() == "ac");
  CHECK_FALSE(old.grew_from(newest));
  CHECK(old == Text("ac"));
}

TEST_CASE("an empty text is the beginning of any text") {
  CHECK(Text("abc").grew_from(Text()));
  CHECK(Text().empty());
  CHECK(Text() == Text(""));
}

TEST_CASE("error codes have unique names and an HTTP status") {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::Internal); ++code) {
    const auto shape = shape_of(static_cast<ErrorCode>(code));
    CHECK(names.insert(shape.name).second);
    CHECK(shape.http_status >= 400);
    CHECK(shape.http_status < 600);
  }
  CHECK(shape_of(ErrorCode::SessionNotFound).http_status == 404);
  CHECK(Error{ErrorCode::Busy, "full"}.context("write").message == "write: full");
}

TEST_CASE("times are written and read as ISO 8601 with milliseconds") {
  CHECK(to_iso({0}) == "1970-01-01T00:00:00.000Z");
  CHECK(to_iso({1'700'000'000'123}) == "2023-11-14T22:13:20.123Z");
  for (const std::int64_t ms : {0LL, 1LL, 999LL, 951'782'400'000LL, 4'102'444'799'999LL}) {
    CHECK(from_iso(to_iso({ms})) == Timestamp{ms});
  }
  CHECK(from_iso("2026-02-18T10:00:00.5Z")->ms % 1000 == 500);
}

TEST_CASE("ids in paths and bodies follow one grammar") {
  for (const std::string good : {"a", "A9._:-", "550e8400-e29b-41d4-a716-446655440000"}) {
    CHECK(is_wire_id(good));
  }
  for (const std::string bad : {"", "-p", ".hidden", "a/b", "a b", "ü", "a\n", "$(id)"}) {
    CHECK_FALSE(is_wire_id(bad));
  }
  CHECK(is_wire_id(std::string(128, 'x')));
  CHECK_FALSE(is_wire_id(std::string(129, 'x')));
}

TEST_CASE("uuids are random or, from the same text, always the same") {
  CHECK(make_uuid() != make_uuid());
  CHECK(make_uuid().size() == 36);
  CHECK(make_uuid()[14] == '4');
  CHECK(uuid_from("codex:1") == uuid_from("codex:1"));
  CHECK(uuid_from("codex:1") != uuid_from("codex:2"));
}

TEST_CASE("invalid UTF-8 is replaced and counted, valid text is left alone") {
  std::string good = "plain, Grüße, 中文, 😀";
  CHECK(repair_utf8(good) == 0);
  CHECK(good == "plain, Grüße, 中文, 😀");
  std::string bad =
      "a\xFF"
      "b\xC0\xAF"
      "c\xED\xA0\x80"
      "d\xE2\x82";
  CHECK(repair_utf8(bad) == 8);
  CHECK(is_valid_utf8(bad));
  CHECK(bad.front() == 'a');
}

TEST_CASE("lengths are counted as browsers count them") {
  CHECK(utf16_length("abc") == 3);
  CHECK(utf16_length("Grüße") == 5);
  CHECK(utf16_length("😀") == 2);
}

TEST_CASE("a cut never splits a code point") {
  CHECK(utf8_prefix("aé", 2) == "a");
  CHECK(utf8_prefix("aé", 3) == "aé");
  CHECK(utf8_suffix("éa", 2) == "a");
  CHECK(utf8_suffix("😀", 3).empty());
}

TEST_CASE("a number that JSON cannot say becomes null, never Infinity") {
  const auto value = parse_json(R"({"a":1e999,"b":-1e999,"c":1.5})");
  REQUIRE(value.has_value());
  CHECK(RawJson(*value).str() == R"({"a":null,"b":null,"c":1.5E0})");
}

TEST_CASE("a number that was read, written and read again is the same number") {
  for (const std::string text : {"0.1", "0.0123456", "-3", "1e-7", "4.1825e22",
                                 "2222222222222222222222222222222222222222222222222222222222.05"}) {
    CAPTURE(text);
    const double first = read_double(*parse_json(text));
    CHECK(read_double(*parse_json(encode(first))) == first);
  }
  CHECK(read_double(*parse_json("0.0123456")) == 0.0123456);
  CHECK(read_double(*parse_json("1.7976931348699e308")) == std::numeric_limits<double>::infinity());
}

TEST_CASE("nesting is bounded, in both readers") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(parse_json(nested(limits::kJsonDepthMax)).has_value());
  CHECK_FALSE(parse_json(nested(limits::kJsonDepthMax + 1)).has_value());
  CHECK_FALSE(parse_json(nested(limits::kClientJsonDepthMax + 1), limits::kClientJsonDepthMax));
  CHECK_FALSE(parse_json(std::string(5'000'000, '[')).has_value());
  JsonReader reader;
  CHECK_FALSE(reader.parse(nested(limits::kJsonDepthMax + 1)).has_value());
}

TEST_CASE("a lone surrogate escape costs a character, not the line") {
  JsonReader reader;
  const auto value =
      reader.parse(R"({"text":"cut \ud83d here","ok":"\ud83d\ude00","q":"\\ud83d"})");
  REQUIRE(value.has_value());
  const auto& object = (*value)->as_object();
  CHECK(string_at(object, "text") == "cut \uFFFD here");
  CHECK(string_at(object, "ok") == "😀");
  CHECK(string_at(object, "q") == "\\ud83d");
  CHECK(reader.repaired() == 1);
  CHECK(parse_json(R"(["\udc00"])").has_value());
}

TEST_CASE("a reader parses line after line in the same memory") {
  JsonReader reader;
  for (int i = 0; i < 1000; ++i) {
    const auto value = reader.parse(R"({"n":)" + std::to_string(i) + R"(,"t":")" +
                                    std::string(static_cast<std::size_t>(i) * 100, 'x') + "\"}");
    REQUIRE(value.has_value());
    CHECK((*value)->at("n").as_int64() == i);
    if (i % 10 == 0) CHECK_FALSE(reader.parse("{broken").has_value());
  }
}

TEST_CASE("text is escaped so that any JSON reader gives it back") {
  std::string all;
  for (int c = 0; c < 128; ++c) all += static_cast<char>(c);
  all += "Grüße 😀";
  std::string out;
  append_quoted(out, all);
  const auto back = parse_json(out);
  REQUIRE(back.has_value());
  CHECK(std::string_view(back->as_string()) == all);
}

TEST_CASE("missing or wrong members read as nothing") {
  const auto value = parse_json(R"({"s":"x","n":2,"o":{},"a":[],"b":true})");
  const auto& object = value->as_object();
  CHECK(string_at(object, "s") == "x");
  CHECK(string_at(object, "n").empty());
  CHECK(object_at(object, "o") != nullptr);
  CHECK(object_at(object, "s") == nullptr);
  CHECK(array_at(object, "a") != nullptr);
  CHECK(bool_at(object, "b"));
  CHECK(number_at(object, "n") == 2);
  CHECK(number_at(object, "x", 7) == 7);
}

TEST_CASE("equal lists are in memory once, and go with the last who holds one") {
  struct Watched {
    int id = 0;
    std::shared_ptr<int> life;
    bool operator==(const Watched& other) const { return id == other.id; }
  };
  const auto life = std::make_shared<int>(0);
  SharedList<Watched> one = {{1, life}, {2, life}};
  SharedList<Watched> two = std::vector<Watched>{{1, life}, {2, life}};
  const SharedList<Watched> other = {{1, life}};
  CHECK(&one.get() == &two.get());
  CHECK(one == two);
  CHECK_FALSE(one == other);
  CHECK(life.use_count() == 4);
  one.clear();
  CHECK(one.empty());
  CHECK(one == SharedList<Watched>());
  CHECK(two.size() == 2);
  two = one;
  CHECK(life.use_count() == 2);
}
