#include "process/line_reader.h"

#include <doctest/doctest.h>

#include <chrono>
#include <random>

#include "base/utf8.h"

namespace lb {
namespace {

std::vector<Line> read_all(LineReader& reader, const std::vector<std::string>& pieces) {
  std::vector<Line> lines;
  for (const std::string& piece : pieces) {
    reader.feed(piece);
    while (auto line = reader.next()) lines.push_back(std::move(*line));
  }
  if (auto last = reader.finish()) lines.push_back(std::move(*last));
  return lines;
}

std::vector<std::string> texts(const std::vector<Line>& lines) {
  std::vector<std::string> out;
  for (const Line& line : lines) out.push_back(line.text);
  return out;
}

/// The rules once more, on the whole stream at once.
std::vector<Line> naive(std::string stream, std::size_t bytes_max, std::size_t kept_max) {
  if (stream.starts_with("\xEF\xBB\xBF")) stream.erase(0, 3);
  std::vector<Line> lines;
  while (!stream.empty()) {
    const std::size_t end = stream.find('\n');
    Line line;
    line.partial = end == std::string::npos;
    std::string text = stream.substr(0, end);
    stream = line.partial ? "" : stream.substr(end + 1);
    if (text.ends_with('\r')) text.pop_back();
    line.bytes = text.size();
    line.truncated = text.size() > bytes_max;
    if (line.truncated) {
      std::size_t cut = kept_max;
      for (std::size_t back = 0; back <= 3 && back <= cut; ++back) {
        if ((static_cast<unsigned char>(text[cut - back]) & 0xC0U) != 0x80U) {
          cut -= back;
          break;
        }
      }
      text.resize(cut);
    }
    repair_utf8(text);
    line.text = text;
    lines.push_back(line);
  }
  return lines;
}

bool same(const Line& a, const Line& b) {
  return a.text == b.text && a.bytes == b.bytes && a.truncated == b.truncated &&
         a.partial == b.partial;
}

TEST_CASE("F11, F16: lines with LF, CRLF, empty lines and a partial last one") {
  LineReader reader;
  const auto lines = read_all(reader, {"one\ntwo\r\n\n\r\nmid\rdle\nla", "st"});
  CHECK(texts(lines) == std::vector<std::string>{"one", "two", "", "", "mid\rdle", "last"});
  CHECK(!lines[4].partial);
  CHECK(lines[5].partial);
  CHECK(lines[1].bytes == 3);
  CHECK(reader.finish() == std::nullopt);
}

TEST_CASE("a byte order mark is dropped at the start of the stream only") {
  LineReader reader;
  CHECK(texts(read_all(reader, {"\xEF", "\xBB", "\xBF{}\n", "\xEF\xBB\xBF{}\n"})) ==
        std::vector<std::string>{"{}", "\xEF\xBB\xBF{}"});
  LineReader alone;
  CHECK(read_all(alone, {"\xEF\xBB\xBF"}).empty());
  LineReader empty;
  CHECK(read_all(empty, {}).empty());
}

TEST_CASE("F12: bytes that are no UTF-8 are replaced, also when a split cuts a character") {
  LineReader reader;
  const auto lines = read_all(reader, {"a\xFF", "b\n\xE2", "\x82", "\xAC\n\xE2\x82\n"});
  CHECK(texts(lines) == std::vector<std::string>{"a\xEF\xBF\xBD"
                                                 "b",
                                                 "\xE2\x82\xAC", "\xEF\xBF\xBD\xEF\xBF\xBD"});
  CHECK(lines[2].bytes == 2);
}

TEST_CASE("F10: a line up to the limit is whole, a longer one keeps its beginning and its size") {
  LineReader reader(100, 10);
  const std::string exact(100, 'x');
  const auto lines =
      read_all(reader, {"\xEF\xBB\xBF" + exact + "\r\n" + exact + "y\n", std::string(5000, 'z'),
                        "\r", "\nnext\n" + std::string(200, 'p')});
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].text == exact);
  CHECK(!lines[0].truncated);
  CHECK(lines[1].truncated);
  CHECK(lines[1].bytes == 101);
  CHECK(lines[1].text == std::string(10, 'x'));
  CHECK(lines[2].bytes == 5000);
  CHECK(lines[2].text == std::string(10, 'z'));
  CHECK(lines[3].text == "next");
  CHECK((lines[4].truncated && lines[4].partial && lines[4].bytes == 200));
}

TEST_CASE("F10: a line of 100 MB with the real limit costs bounded memory and linear time") {
  LineReader reader;
  const std::string piece(std::size_t{64} << 10U, 'x');
  const auto before = std::chrono::steady_clock::now();
  std::size_t held_max = 0;
  for (int i = 0; i < 1600; ++i) {
    reader.feed(piece);
    CHECK(reader.next() == std::nullopt);
    held_max = std::max(held_max, reader.held_bytes());
  }
  reader.feed("\nafter\n");
  const auto huge = reader.next();
  REQUIRE(huge.has_value());
  CHECK(huge->truncated);
  CHECK(huge->bytes == piece.size() * 1600);
  CHECK(huge->text.size() == limits::kTruncatedLineBytes);
  CHECK(reader.next()->text == "after");
  CHECK(held_max <= limits::kLineBytesMax + piece.size() + 8);
  CHECK(std::chrono::steady_clock::now() - before < std::chrono::seconds(60));
}

TEST_CASE("F11: any splitting of any bytes gives the lines of the whole") {
  std::mt19937 random(20261115);
  const std::string alphabet = "ab\r\n\n{\"\xEF\xBB\xBF\xE2\x82\xAC\xFF\x80\xF0\x9F\x98\x80";
  for (int round = 0; round < 3000; ++round) {
    std::string stream = round % 5 == 0 ? "\xEF\xBB\xBF" : "";
    const std::size_t length = random() % 120;
    for (std::size_t i = 0; i < length; ++i) stream += alphabet[random() % alphabet.size()];
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < stream.size();) {
      const std::size_t size = 1 + random() % (round % 3 == 0 ? 3 : 40);
      pieces.push_back(stream.substr(at, size));
      at += size;
    }
    LineReader reader(24, 8);
    const auto got = read_all(reader, pieces);
    const auto expected = naive(stream, 24, 8);
    REQUIRE(got.size() == expected.size());
    for (std::size_t i = 0; i < got.size(); ++i) {
      INFO("round " << round << " line " << i << ": " << got[i].text << " / " << expected[i].text);
      REQUIRE(same(got[i], expected[i]));
    }
  }
}

}  // namespace
}  // namespace lb
