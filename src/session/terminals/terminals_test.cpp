// What is kept of what a terminal said, and what a window must know that begins in the middle.
// Shells that run are in tests/faults/pty_test.cpp and tests/server/terminal.test.mjs.
#include "session/terminals/terminals.h"

#include <doctest/doctest.h>

#include <cstring>

#include "base/limits.h"

namespace lb {
namespace {

void say(Scrollback& scrollback, std::string_view text) {
  while (!text.empty()) {
    const auto room = scrollback.room();
    const std::size_t count = std::min(room.size(), text.size());
    std::memcpy(room.data(), text.data(), count);
    scrollback.wrote(count);
    text.remove_prefix(count);
  }
}

std::string text_from(const Scrollback& scrollback, std::uint64_t offset,
                      std::size_t most = limits::kScrollbackBytes * 2) {
  std::string text;
  for (const auto& piece : scrollback.from(offset, most)) text += piece.bytes;
  return text;
}

std::string restoring(std::string_view bytes) {
  TerminalModes modes;
  modes.feed(bytes);
  return modes.restoring();
}

TEST_CASE("modes are known by what was switched, wherever the bytes are cut") {
  CHECK(restoring("plain text \n and more").empty());
  CHECK(restoring("\x1b[?1049h") == "\x1b[?1049h");
  CHECK(restoring("\x1b[?1049h\x1b[?1049l").empty());
  CHECK(restoring("\x1b[?25l") == "\x1b[?25l");
  CHECK(restoring("\x1b[?25l\x1b[?25h").empty());
  CHECK(restoring("\x1b[?1;2004h\x1b[?1002;1006h") == "\x1b[?1h\x1b[?1002h\x1b[?1006h\x1b[?2004h");
  CHECK(restoring("\x1b=") == "\x1b=");
  CHECK(restoring("\x1b=\x1b>").empty());
  CHECK(restoring("\x1b[?2004h\x1b[?1049h\x1b"
                  "c")
            .empty());
  CHECK(restoring("\x1b[?2004h\x1b[?1049h\x1b[!p") == "\x1b[?1049h");
  CHECK(restoring("\x1b[4h\x1b[31m\x1b]0;title\x07").empty());
  CHECK(restoring("\x1b[?" + std::string(1000, '1') + "h").empty());
  const std::string text = "a\x1b[?1049;25l\x1b[?47hb\x1b[?1000h";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    TerminalModes modes;
    modes.feed(std::string_view(text).substr(0, cut));
    modes.feed(std::string_view(text).substr(cut));
    CHECK(modes.restoring() == "\x1b[?47h\x1b[?25l\x1b[?1000h");
    CHECK(modes.alternate_screen());
  }
}

TEST_CASE("the scrollback keeps the last bytes, and offsets count all") {
  Scrollback scrollback;
  CHECK(scrollback.beginning().offset == 0);
  std::string all;
  for (int i = 0; all.size() < 3 * limits::kScrollbackBytes; ++i) {
    const std::string line = "line " + std::to_string(i) + "\r\n";
    say(scrollback, line);
    all += line;
  }
  CHECK(scrollback.end() == all.size());
  CHECK(scrollback.end() - scrollback.begin() <= limits::kScrollbackBytes);
  CHECK(scrollback.end() - scrollback.begin() > limits::kScrollbackBytes / 2);
  CHECK(text_from(scrollback, scrollback.begin()) == all.substr(scrollback.begin()));
  CHECK(text_from(scrollback, scrollback.end()).empty());
  CHECK(text_from(scrollback, scrollback.end() - 40'000, 30'000) ==
        all.substr(all.size() - 40'000, 30'000));
  const auto beginning = scrollback.beginning();
  CHECK(beginning.offset > scrollback.begin());
  CHECK(all[beginning.offset - 1] == '\n');
  CHECK(beginning.modes.empty());
}

TEST_CASE("who begins in the middle gets the modes that were set before") {
  Scrollback scrollback;
  say(scrollback, "\x1b[?2004h$ vim\r\n\x1b[?1049h\x1b[?25l");
  CHECK(scrollback.beginning().offset == 0);
  CHECK(scrollback.beginning().modes.empty());
  CHECK(scrollback.beginning().alternate_screen);
  say(scrollback, std::string(2 * limits::kScrollbackBytes, '~'));
  CHECK(scrollback.beginning().modes == "\x1b[?1049h\x1b[?25l\x1b[?2004h");
  CHECK(scrollback.beginning().alternate_screen);
  say(scrollback, "\x1b[?1049l\x1b[?25h");
  CHECK(scrollback.beginning().modes == "\x1b[?1049h\x1b[?25l\x1b[?2004h");
  CHECK_FALSE(scrollback.beginning().alternate_screen);
}

TEST_CASE("pieces stay as they are while more is said") {
  Scrollback scrollback;
  say(scrollback, "one");
  const auto pieces = scrollback.from(0, 100);
  say(scrollback, std::string(3 * limits::kScrollbackBytes, 'x'));
  REQUIRE(pieces.size() == 1);
  CHECK(pieces[0].bytes == "one");
}

TEST_CASE("the user's shell is a program that exists") {
  CHECK(shell_of_the_user().starts_with('/'));
  CHECK(find_program(shell_of_the_user(), "").has_value());
}

}  // namespace
}  // namespace lb
