#include "process/pty.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "base/awaitable.h"
#include "base/limits.h"

namespace lb {
namespace {

/// A slice, and what is read in it: of a terminal before it counts as a flood, and of all that
/// flood together (32 MB/s). The io thread has others to hear, and the writer sleeps in between.
constexpr std::chrono::milliseconds kSlice{4};
constexpr std::size_t kQuietBytes = std::size_t{16} << 10U;
constexpr std::size_t kFloodBytes = std::size_t{128} << 10U;
/// Between two sizes, so that a program sees both.
constexpr std::chrono::milliseconds kBetweenSizes{40};

void set_size(int terminal, PtySize size) {
  winsize window{};
  window.ws_col = size.cols;
  window.ws_row = size.rows;
  ::ioctl(terminal, TIOCSWINSZ, &window);
}

std::unexpected<Error> no_pty(int error) {
  return fail(ErrorCode::Busy,
              "could not make a terminal: " + std::generic_category().message(error));
}

}  // namespace

Result<PtyEnds> open_pty(PtySize size) {
  PtyEnds ends;
  ends.master = Fd(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK));
  if (!ends.master.valid() || ::unlockpt(ends.master.get()) != 0) return no_pty(errno);
  ends.slave = Fd(::ioctl(ends.master.get(), TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC));
  if (!ends.slave.valid()) return no_pty(errno);
  termios settings{};
  if (::tcgetattr(ends.slave.get(), &settings) == 0) {
    settings.c_iflag |= IUTF8;  // Backspace takes a whole character.
    ::tcsetattr(ends.slave.get(), TCSANOW, &settings);
  }
  set_size(ends.master.get(), size);
  return ends;
}

void PtyPace::read(std::size_t bytes) {
  const auto now = Clock::now();
  if (now - slice_ > kSlice) {
    slice_ = now;
    bytes_ = 0;
  }
  bytes_ += bytes;
}

std::optional<PtyPace::Clock::time_point> PtyPace::full(std::size_t most) const {
  const auto end = slice_ + kSlice;
  if (bytes_ <= most || Clock::now() >= end) return std::nullopt;
  return end;
}

PtyProcess::PtyProcess(const asio::any_io_executor& executor, Fd master,
                       std::shared_ptr<GuardianLink> guardian, std::shared_ptr<PtyPace> all)
    : master_(watched(executor, master)),
      guardian_(std::move(guardian)),
      all_(std::move(all)),
      changed_(executor, asio::steady_timer::time_point::max()),
      pause_(executor),
      grace_(executor) {
  winsize window{};
  ::ioctl(master_.native_handle(), TIOCGWINSZ, &window);
  size_ = {window.ws_col, window.ws_row};
}

void PtyProcess::start() {
  asio::co_spawn(changed_.get_executor(), watch(shared_from_this()), asio::detached);
}

asio::awaitable<void> PtyProcess::watch(std::shared_ptr<PtyProcess> self) {
  const std::optional<ExitStatus> status = co_await self->guardian_->ended();
  if (!status) co_return;
  self->status_ = *status;
  self->grace_.cancel();
  boost::system::error_code ignored;
  if (self->master_.is_open()) self->master_.cancel(ignored);
  self->changed_.cancel();
}

/// As much as there is and fits; says in output_ended_ when nobody is left to write.
std::size_t PtyProcess::read_now(std::span<char> room) {
  std::size_t total = 0;
  while (total < room.size()) {
    const ssize_t got = ::read(master_.native_handle(), room.data() + total, room.size() - total);
    if (got > 0) {
      total += static_cast<std::size_t>(got);
    } else if (got < 0 && errno == EINTR) {
      continue;
    } else {
      // EIO: every program has closed the terminal.
      output_ended_ = got == 0 || errno != EAGAIN;
      break;
    }
  }
  return total;
}

asio::awaitable<void> PtyProcess::leave_room() {
  if (!own_.full(kQuietBytes)) co_return;
  const auto until = all_->full(kFloodBytes);
  if (!until) co_return;
  pause_.expires_at(*until);
  co_await pause_.async_wait(kNoThrow);
}

asio::awaitable<std::size_t> PtyProcess::read(std::span<char> room) {
  const auto self = shared_from_this();
  while (!output_ended_ && master_.is_open()) {
    co_await leave_room();
    if (!master_.is_open()) break;
    if (const std::size_t got = read_now(room); got > 0) {
      own_.read(got);
      all_->read(got);
      co_return got;
    }
    if (output_ended_ || status_) break;
    co_await master_.async_wait(asio::posix::descriptor_base::wait_read, kNoThrow);
  }
  output_ended_ = true;
  while (!status_) co_await changed_.async_wait(kNoThrow);
  co_return 0;
}

Result<void> PtyProcess::write(std::string_view bytes) {
  if (status_ || !master_.is_open()) {
    return fail(ErrorCode::ProcessCrash, "this terminal has ended");
  }
  if (input_.size() + bytes.size() > limits::kTerminalInputMax) {
    return fail(ErrorCode::Busy, "the program in this terminal does not read its input");
  }
  input_ += bytes;
  if (!std::exchange(writing_, true)) {
    asio::co_spawn(changed_.get_executor(), write_queued(shared_from_this()), asio::detached);
  }
  return {};
}

asio::awaitable<void> PtyProcess::write_queued(std::shared_ptr<PtyProcess> self) {
  while (!self->input_.empty() && self->master_.is_open() && !self->status_) {
    const ssize_t wrote =
        ::write(self->master_.native_handle(), self->input_.data(), self->input_.size());
    if (wrote > 0) {
      self->input_.erase(0, static_cast<std::size_t>(wrote));
    } else if (wrote == 0 || errno == EAGAIN) {
      co_await self->master_.async_wait(asio::posix::descriptor_base::wait_write, kNoThrow);
    } else if (errno != EINTR) {
      break;
    }
  }
  self->input_.clear();
  self->writing_ = false;
}

void PtyProcess::resize(PtySize size) {
  size_ = size;
  if (master_.is_open()) set_size(master_.native_handle(), size);
}

void PtyProcess::draw_again() {
  if (!master_.is_open() || status_) return;
  // The kernel says SIGWINCH only when the size is another.
  set_size(master_.native_handle(), {size_.cols, static_cast<unsigned short>(size_.rows + 1)});
  grace_.expires_after(kBetweenSizes);
  grace_.async_wait([weak = weak_from_this()](boost::system::error_code stopped) {
    const auto self = weak.lock();
    if (!stopped && self) self->resize(self->size_);
  });
}

void PtyProcess::hang_up() {
  if (status_) return;
  boost::system::error_code ignored;
  master_.close(ignored);  // The kernel says SIGHUP.
  changed_.cancel();
  grace_.expires_after(limits::kHangUpGrace);
  grace_.async_wait([self = shared_from_this()](boost::system::error_code stopped) {
    if (!stopped) self->guardian_->kill();
  });
}

}  // namespace lb
