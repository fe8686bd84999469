/// Scrollback: the last bytes that a terminal said, limits::kScrollbackBytes of them.
///
/// Kept in blocks that are filled once and shared with whoever sends them: nothing is copied. An
/// offset is the count of all bytes before it, ever. Lives on the io thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "session/terminals/terminal_modes.h"

namespace lb {

class Scrollback {
 public:
  /// Bytes in a row, and what keeps them.
  struct Piece {
    std::shared_ptr<const char[]> owner;
    std::string_view bytes;
  };
  /// Where a window begins that knows nothing: at a line's start where there is one, with the modes
  /// that were set before.
  struct Beginning {
    std::uint64_t offset = 0;
    std::string modes;
    bool alternate_screen = false;  // By now.
  };

  /// Room for the next bytes; `wrote` says how many there are.
  [[nodiscard]] std::span<char> room();
  void wrote(std::size_t bytes);

  [[nodiscard]] std::uint64_t begin() const { return begin_; }
  [[nodiscard]] std::uint64_t end() const { return end_; }
  /// At most `most` bytes from `offset` on, which is within.
  [[nodiscard]] std::vector<Piece> from(std::uint64_t offset, std::size_t most) const;
  [[nodiscard]] Beginning beginning() const;

 private:
  struct Block {
    std::shared_ptr<char[]> bytes;
    std::size_t size = 0;
  };
  [[nodiscard]] std::size_t skipped_to_line() const;

  std::deque<Block> blocks_;
  std::uint64_t begin_ = 0;
  std::uint64_t end_ = 0;
  TerminalModes before_;  // At `begin_`.
};

}  // namespace lb
