#include "base/log.h"

#include <doctest/doctest.h>

#include "base/json.h"

using namespace lb;

TEST_CASE("S33: a log line is one line whatever the values hold, and JSON stays JSON") {
  const std::string evil = "a\r\nfake \x1b]52;c;x\x07 \xc2\x9b \xe2\x80\xae \xff \"q\" \\";
  const std::string line =
      log_line(LogFormat::Json, LogLevel::Warn, "refused", {{"host", evil}, {"n", 7}});
  CHECK(line.find('\n') == line.size() - 1);
  for (const char c : line.substr(0, line.size() - 1)) CHECK(static_cast<unsigned char>(c) >= 0x20);
  const auto value = parse_json(line);
  REQUIRE(value);
  CHECK(value->at("event") == "refused");
  CHECK(value->at("n") == 7);
  CHECK(value->at("level") == "warn");

  const std::string text = log_line(LogFormat::Text, LogLevel::Info, "refused", {{"host", evil}});
  CHECK(text.find('\n') == text.size() - 1);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("\\u001b") != std::string::npos);
}

TEST_CASE("plain values need no quotes in a text line") {
  const std::string text = log_line(LogFormat::Text, LogLevel::Info, "listening",
                                    {{"port", 4750}, {"host", "127.0.0.1"}});
  CHECK(text.ends_with(" info listening port=4750 host=127.0.0.1\n"));
}
