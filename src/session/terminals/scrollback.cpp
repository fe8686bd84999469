#include "session/terminals/scrollback.h"

#include <algorithm>
#include <cstring>

#include "base/limits.h"

namespace lb {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{16} << 10U;

}  // namespace

std::span<char> Scrollback::room() {
  if (blocks_.empty() || blocks_.back().size == kBlockBytes) {
    blocks_.push_back({std::make_shared_for_overwrite<char[]>(kBlockBytes), 0});
  }
  Block& last = blocks_.back();
  return {last.bytes.get() + last.size, kBlockBytes - last.size};
}

void Scrollback::wrote(std::size_t bytes) {
  blocks_.back().size += bytes;
  end_ += bytes;
  while (end_ - begin_ > limits::kScrollbackBytes) {
    const Block& oldest = blocks_.front();
    before_.feed({oldest.bytes.get(), oldest.size});
    begin_ += oldest.size;
    blocks_.pop_front();
  }
}

std::vector<Scrollback::Piece> Scrollback::from(std::uint64_t offset, std::size_t most) const {
  std::vector<Piece> pieces;
  std::uint64_t at = begin_;
  for (const Block& block : blocks_) {
    const std::uint64_t block_begin = at;
    at += block.size;
    if (at <= offset || most == 0) continue;
    const std::size_t skip = offset > block_begin ? offset - block_begin : 0;
    const std::size_t count = std::min(block.size - skip, most);
    pieces.push_back({block.bytes, {block.bytes.get() + skip, count}});
    most -= count;
  }
  return pieces;
}

/// Bytes before the first line that begins within: 0 where nothing was cut, or no line begins soon.
std::size_t Scrollback::skipped_to_line() const {
  if (begin_ == 0 || blocks_.empty()) return 0;
  const Block& first = blocks_.front();
  const void* newline = std::memchr(first.bytes.get(), '\n', first.size);
  if (newline == nullptr) return 0;
  return static_cast<std::size_t>(static_cast<const char*>(newline) - first.bytes.get()) + 1;
}

Scrollback::Beginning Scrollback::beginning() const {
  Beginning beginning;
  const std::size_t skipped = skipped_to_line();
  TerminalModes modes = before_;
  if (skipped > 0) modes.feed({blocks_.front().bytes.get(), skipped});
  beginning.offset = begin_ + skipped;
  beginning.modes = modes.restoring();
  for (const Piece& piece : from(beginning.offset, limits::kScrollbackBytes)) {
    modes.feed(piece.bytes);
  }
  beginning.alternate_screen = modes.alternate_screen();
  return beginning;
}

}  // namespace lb
