#include "session/terminals/terminal_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"
#include "base/limits.h"
#include "base/metrics.h"

namespace lb {
namespace {

constexpr std::size_t kFrameBytes = std::size_t{64} << 10U;

}  // namespace

TerminalReader::TerminalReader(std::shared_ptr<LiveTerminal> terminal,
                               std::optional<std::uint64_t> since)
    : terminal_(std::move(terminal)), since_(since), drawn_at_(LiveTerminal::Clock::now()) {
  // Until it has its first frame it has everything.
  position_ = drawn_ = terminal_->scrollback().end();
  terminal_->add(this);
}

TerminalReader::~TerminalReader() {
  terminal_->remove(this);
}

std::string TerminalReader::size_fields() const {
  const Terminal& terminal = terminal_->description();
  return fmt::format(R"("cols":{},"rows":{})", terminal.cols, terminal.rows);
}

TerminalFrame TerminalReader::start() {
  const Scrollback& said = terminal_->scrollback();
  const bool known = since_ && *since_ >= said.begin() && *since_ <= said.end();
  std::uint64_t offset = since_.value_or(0);
  if (!known) {
    Scrollback::Beginning beginning = said.beginning();
    modes_ = std::move(beginning.modes);
    position_ = beginning.offset;
    // They are counted like bytes of the shell, so that offsets agree from here on.
    offset = position_ - modes_.size();
    if (beginning.alternate_screen) terminal_->draw_again();
  } else {
    position_ = offset;
  }
  drawn_ = offset;
  drawn_at_ = LiveTerminal::Clock::now();
  since_.reset();
  started_ = true;
  size_changed_ = false;
  return {
      fmt::format(R"({{"type":"start","offset":{},{},"reset":{}}})", offset, size_fields(), !known),
      {},
      {}};
}

/// How many bytes may leave now.
std::uint64_t TerminalReader::sendable() const {
  if (!looks()) return 0;
  const std::uint64_t most = drawn_ + limits::kTerminalUnackedMax;
  if (position_ >= most) return 0;
  return std::min(
      {terminal_->scrollback().end() - position_, most - position_, std::uint64_t{kFrameBytes}});
}

std::optional<TerminalFrame> TerminalReader::next() {
  if (told_end_) return std::nullopt;
  if (!started_ || (looks() && position_ < terminal_->scrollback().begin())) return start();
  if (std::exchange(size_changed_, false)) {
    return TerminalFrame{fmt::format(R"({{"type":"size",{}}})", size_fields()), {}, {}};
  }
  const std::uint64_t count = sendable();
  if (count > 0 || !modes_.empty()) {
    TerminalFrame frame{
        {}, std::exchange(modes_, {}), terminal_->scrollback().from(position_, count)};
    position_ += count;
    return frame;
  }
  const bool all = position_ == terminal_->scrollback().end();
  if (terminal_->closed() || (looks() && all && !terminal_->running())) {
    told_end_ = true;
    std::string text = R"({"type":"ended","how":)";
    append_quoted(text, terminal_->description().ended.value_or("was closed"));
    return TerminalFrame{text + '}', {}, {}};
  }
  return std::nullopt;
}

void TerminalReader::acked(std::uint64_t offset) {
  drawn_ = std::clamp(offset, drawn_, std::max(drawn_, position_));
  drawn_at_ = LiveTerminal::Clock::now();
  lagging_ = false;
  terminal_->reader_moved();
  if (ready_) ready_();
}

void TerminalReader::look(bool looking) {
  looking_ = looking;
  drawn_at_ = LiveTerminal::Clock::now();
  terminal_->reader_moved();
  if (looking && ready_) ready_();
}

std::optional<LiveTerminal::Clock::time_point> TerminalReader::holds_until() const {
  const std::uint64_t behind = terminal_->scrollback().end() - std::min(drawn_, position_);
  if (!looks() || behind < limits::kTerminalUnackedMax) return std::nullopt;
  return drawn_at_ + limits::kTerminalAckMax;
}

void TerminalReader::look_at_clock() {
  const auto until = holds_until();
  if (!until || LiveTerminal::Clock::now() < *until) return;
  lagging_ = true;
  counter("lb_terminal_readers_dropped_total", "Windows that shells did not wait for any longer.")
      .add();
}

void TerminalReader::tell() {
  // What comes now is the first that it has to draw.
  if (drawn_ == position_) drawn_at_ = LiveTerminal::Clock::now();
  if (ready_) ready_();
}

void TerminalReader::resized() {
  size_changed_ = started_;
  if (ready_) ready_();
}

}  // namespace lb
