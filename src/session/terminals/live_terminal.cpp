#include "session/terminals/live_terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include "base/awaitable.h"
#include "base/limits.h"
#include "base/metrics.h"
#include "session/terminals/terminal_reader.h"

namespace lb {
namespace {

/// The first bytes after a pause are shown at once; what follows gathers for this long, or until it
/// is this much, so that a flood leaves in few large frames.
constexpr std::chrono::milliseconds kGather{4};
constexpr std::size_t kGatherBytes = std::size_t{32} << 10U;

}  // namespace

LiveTerminal::LiveTerminal(const asio::any_io_executor& io, Terminal description,
                           std::shared_ptr<PtyProcess> process,
                           std::function<void(const Terminal&)> changed)
    : description_(std::move(description)),
      process_(std::move(process)),
      changed_(std::move(changed)),
      moved_(io),
      gather_(io),
      end_(io, asio::steady_timer::time_point::max()) {}

void LiveTerminal::start() {
  asio::co_spawn(moved_.get_executor(), run(shared_from_this()), asio::detached);
}

asio::awaitable<void> LiveTerminal::run(std::shared_ptr<LiveTerminal> self) {
  for (;;) {
    co_await self->wait_for_readers();
    const std::size_t got = co_await self->process_->read(self->scrollback_.room());
    if (got == 0) break;
    self->scrollback_.wrote(got);
    self->arrived(got);
  }
  self->over_ = true;
  self->description_.state = TerminalState::Ended;
  self->description_.ended = self->process_->status()->text();
  self->end_.cancel();
  if (self->changed_) self->changed_(self->description_);
  self->tell_readers();
}

/// Returns when no reader that looks is too far behind. One that does not draw at all is not waited
/// for any longer.
asio::awaitable<void> LiveTerminal::wait_for_readers() {
  while (!closed_) {
    std::optional<Clock::time_point> until;
    for (TerminalReader* reader : readers_) {
      const auto patience = reader->holds_until();
      if (patience && (!until || *patience < *until)) until = patience;
    }
    if (!until) co_return;
    moved_.expires_at(*until);
    co_await moved_.async_wait(kNoThrow);
    for (TerminalReader* reader : readers_) reader->look_at_clock();
  }
}

void LiveTerminal::arrived(std::size_t bytes) {
  static Counter& said = counter("lb_terminal_bytes_total", "Bytes that shells said.");
  said.add(bytes);
  untold_ += bytes;
  const auto now = Clock::now();
  if (now - told_at_ >= kGather || untold_ >= kGatherBytes) return tell_readers();
  if (std::exchange(gathering_, true)) return;
  gather_.expires_at(told_at_ + kGather);
  gather_.async_wait([weak = weak_from_this()](boost::system::error_code stopped) {
    const auto self = weak.lock();
    if (!self) return;
    self->gathering_ = false;
    if (!stopped && self->untold_ > 0) self->tell_readers();
  });
}

void LiveTerminal::tell_readers() {
  untold_ = 0;
  told_at_ = Clock::now();
  for (TerminalReader* reader : readers_) reader->tell();
}

void LiveTerminal::remove(TerminalReader* reader) {
  std::erase(readers_, reader);
  moved_.cancel();
}

void LiveTerminal::rename(std::string name) {
  description_.name = std::move(name);
  if (changed_) changed_(description_);
}

Result<void> LiveTerminal::check_size(std::uint64_t cols, std::uint64_t rows) {
  if (std::min(cols, rows) < limits::kTerminalSideMin ||
      std::max(cols, rows) > limits::kTerminalSideMax) {
    return fail(
        ErrorCode::InvalidRequest,
        fmt::format("cols, rows: {} to {}", limits::kTerminalSideMin, limits::kTerminalSideMax));
  }
  return {};
}

Result<void> LiveTerminal::resize(std::uint64_t cols, std::uint64_t rows) {
  if (auto proper = check_size(cols, rows); !proper) return proper;
  if (description_.cols == cols && description_.rows == rows) return {};
  description_.cols = cols;
  description_.rows = rows;
  process_->resize({static_cast<unsigned short>(cols), static_cast<unsigned short>(rows)});
  for (TerminalReader* reader : readers_) reader->resized();
  if (changed_) changed_(description_);
  return {};
}

Result<void> LiveTerminal::type(std::string_view bytes) {
  return process_->write(bytes);
}

void LiveTerminal::close() {
  closed_ = true;
  changed_ = nullptr;
  process_->hang_up();
  moved_.cancel();
  tell_readers();
}

void LiveTerminal::abandon() {
  readers_.clear();
  close();
}

asio::awaitable<void> LiveTerminal::ended() {
  const auto self = shared_from_this();
  while (!over_) co_await end_.async_wait(kNoThrow);
}

}  // namespace lb
