#include "demo/stdio.h"

#include <unistd.h>

#include <boost/asio/post.hpp>
#include <cerrno>

#include "base/awaitable.h"

namespace lb::demo {
namespace {}  // namespace

Stdio::~Stdio() {
  taken_->release();  // The thread, if it waits for us, finds us gone.
}

void Stdio::start() {
  // Detached: it may sit in read() when the program ends, and nothing can wake it there.
  std::thread(&Stdio::read_input, weak_from_this(), changed_.get_executor(), taken_).detach();
}

void Stdio::read_input(std::weak_ptr<Stdio> weak, asio::any_io_executor executor,
                       std::shared_ptr<std::binary_semaphore> taken) {
  std::string buffer(std::size_t{64} << 10U, '\0');
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    std::string piece = got > 0 ? buffer.substr(0, static_cast<std::size_t>(got)) : std::string();
    const bool end = got <= 0;
    asio::post(executor, [weak, piece = std::move(piece), end] {
      const auto self = weak.lock();
      if (!self) return;
      self->lines_.feed(piece);
      self->waiting_for_more_ = false;
      self->ended_ = end;
      self->changed_.cancel();
    });
    if (end) return;
    taken->acquire();
    if (weak.expired()) return;
  }
}

asio::awaitable<std::optional<Line>> Stdio::next_line() {
  const auto self = shared_from_this();
  for (;;) {
    if (auto line = lines_.next()) co_return line;
    if (ended_) co_return lines_.finish();
    if (!waiting_for_more_) {
      waiting_for_more_ = true;
      taken_->release();
    }
    co_await changed_.async_wait(kNoThrow);
  }
}

Result<void> Stdio::write_line(std::string line) {
  line += '\n';
  for (std::size_t at = 0; at < line.size() && !broken_;) {
    const ssize_t written = ::write(STDOUT_FILENO, line.data() + at, line.size() - at);
    if (written >= 0) at += static_cast<std::size_t>(written);
    if (written < 0 && errno != EINTR) broken_ = true;
  }
  if (broken_) return fail(ErrorCode::ProcessCrash, "nobody reads our output");
  return {};
}

asio::awaitable<Result<void>> Stdio::deliver_line(std::string line, std::chrono::milliseconds) {
  co_return write_line(std::move(line));
}

asio::awaitable<Result<void>> Stdio::flushed() {
  co_return Result<void>();
}

asio::awaitable<ExitStatus> Stdio::exited() {
  const auto self = shared_from_this();
  while (!ended_) co_await changed_.async_wait(kNoThrow);
  co_return ExitStatus{.code = 0, .signal = {}};
}

}  // namespace lb::demo
