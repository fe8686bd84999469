/// TerminalModes: what a stream of terminal bytes has switched on, as far as a window that begins
/// in the middle has to know: the alternate screen, mouse, bracketed paste, cursor keys, cursor.
///
/// Costs a search for ESC and nothing else where there is none. A value.
#pragma once

#include <bitset>
#include <cstddef>
#include <string>
#include <string_view>

namespace lb {

class TerminalModes {
 public:
  void feed(std::string_view bytes);
  /// The full screen of vim, less, htop.
  [[nodiscard]] bool alternate_screen() const;
  /// The sequences that switch a fresh terminal to these modes; empty where it is in them.
  [[nodiscard]] std::string restoring() const;

  static constexpr std::size_t kModes = 15;

 private:
  enum class State { Text, Escape, Sequence };
  void take(char c);
  void escape(char c);
  void sequence_ended(char final);
  void set_all(std::string_view numbers, bool on);

  State state_ = State::Text;
  std::string parameters_;
  std::bitset<kModes> changed_;  // From what a fresh terminal has.
  bool keypad_ = false;
};

}  // namespace lb
