#include "session/terminals/terminal_modes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace lb {
namespace {

constexpr char kEscape = '\x1b';
/// Longer ones are none of those that matter here.
constexpr std::size_t kParametersMax = 64;

/// DEC private modes that outlast what is on the screen, alternate screens first: entering one
/// clears it.
struct Mode {
  unsigned number;
  bool on = false;  // In a fresh terminal.
};
constexpr std::array<Mode, TerminalModes::kModes> kKnown = {{{1049},
                                                             {1047},
                                                             {47},
                                                             {1},
                                                             {7, true},
                                                             {9},
                                                             {25, true},
                                                             {1000},
                                                             {1002},
                                                             {1003},
                                                             {1004},
                                                             {1005},
                                                             {1006},
                                                             {1015},
                                                             {2004}}};
constexpr std::size_t kAlternates = 3;

}  // namespace

void TerminalModes::feed(std::string_view bytes) {
  while (!bytes.empty()) {
    if (state_ == State::Text) {
      const void* at = std::memchr(bytes.data(), kEscape, bytes.size());
      if (at == nullptr) return;
      bytes.remove_prefix(static_cast<std::size_t>(static_cast<const char*>(at) - bytes.data()));
    }
    take(bytes.front());
    bytes.remove_prefix(1);
  }
}

void TerminalModes::take(char c) {
  if (c == kEscape) {
    state_ = State::Escape;
  } else if (state_ == State::Escape) {
    escape(c);
  } else if (c >= '@' && c <= '~') {
    state_ = State::Text;
    sequence_ended(c);
  } else if (c >= ' ' && parameters_.size() < kParametersMax) {
    parameters_ += c;
  }
}

void TerminalModes::escape(char c) {
  state_ = c == '[' ? State::Sequence : State::Text;
  parameters_.clear();
  if (c == 'c') changed_.reset();
  if (c == '=' || c == '>' || c == 'c') keypad_ = c == '=';
}

void TerminalModes::sequence_ended(char final) {
  const std::string_view all = parameters_;
  if ((final == 'h' || final == 'l') && all.starts_with('?')) {
    set_all(all.substr(1), final == 'h');
  } else if (final == 'p' && all == "!") {  // A soft reset leaves the screen as it is.
    for (std::size_t i = kAlternates; i < kModes; ++i) changed_.reset(i);
    keypad_ = false;
  }
}

void TerminalModes::set_all(std::string_view numbers, bool on) {
  while (!numbers.empty()) {
    const std::size_t end = std::min(numbers.find(';'), numbers.size());
    unsigned number = 0;
    std::from_chars(numbers.data(), numbers.data() + end, number);
    for (std::size_t i = 0; i < kModes; ++i) {
      if (kKnown.at(i).number == number) changed_.set(i, on != kKnown.at(i).on);
    }
    numbers.remove_prefix(std::min(end + 1, numbers.size()));
  }
}

bool TerminalModes::alternate_screen() const {
  for (std::size_t i = 0; i < kAlternates; ++i) {
    if (changed_.test(i)) return true;
  }
  return false;
}

std::string TerminalModes::restoring() const {
  std::string out;
  for (std::size_t i = 0; i < kModes; ++i) {
    if (!changed_.test(i)) continue;
    out += "\x1b[?" + std::to_string(kKnown.at(i).number) + (kKnown.at(i).on ? 'l' : 'h');
  }
  if (keypad_) out += "\x1b=";
  return out;
}

}  // namespace lb
