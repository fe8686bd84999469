#include "process/stdin_queue.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <utility>

#include "base/awaitable.h"
#include "base/limits.h"

namespace lb {
namespace {

std::unexpected<Error> does_not_read() {
  return fail(ErrorCode::Busy, "the agent does not read its input");
}

std::unexpected<Error> takes_no_more() {
  return fail(ErrorCode::ProcessCrash, "the agent does not take input any more");
}

}  // namespace

StdinQueue::StdinQueue(asio::posix::stream_descriptor pipe, std::function<void()> on_half_line)
    : pipe_(std::move(pipe)),
      on_half_line_(std::move(on_half_line)),
      changed_(pipe_.get_executor(), asio::steady_timer::time_point::max()) {}

Result<void> StdinQueue::add(Queued line) {
  if (closing_ || broken_) return takes_no_more();
  if (bytes_ > 0 && bytes_ + line.bytes.size() > limits::kStdinQueueBytesMax) {
    return does_not_read();
  }
  line.bytes += '\n';
  bytes_ += line.bytes.size();
  lines_.push_back(std::move(line));
  if (lines_.size() == 1) {
    asio::co_spawn(changed_.get_executor(), run(shared_from_this()), asio::detached);
  }
  return {};
}

asio::awaitable<void> StdinQueue::run(std::shared_ptr<StdinQueue> self) {
  while (!self->lines_.empty()) {
    Queued& line = self->lines_.front();
    if (line.delivery && line.delivery->given_up) {
      self->stop_at_first();
      continue;
    }
    const asio::const_buffer rest = asio::buffer(line.bytes) + line.written;
    const auto [error, count] = co_await self->pipe_.async_write_some(rest, kNoThrow);
    if (self->lines_.empty()) co_return;  // Discarded meanwhile, and `line` with it.
    line.written += count;
    self->bytes_ -= count;
    if (line.written == line.bytes.size()) {
      self->first_is_written();
    } else if (error && !(line.delivery && line.delivery->given_up)) {
      self->broken_ = true;
      self->discard();
    }
  }
  if (self->closing_) self->discard();
}

void StdinQueue::first_is_written() {
  if (const auto& delivery = lines_.front().delivery) delivery->outcome = Result<void>();
  lines_.pop_front();
  changed_.cancel();
}

void StdinQueue::stop_at_first() {
  const Queued line = std::move(lines_.front());
  lines_.pop_front();
  bytes_ -= line.bytes.size() - line.written;
  changed_.cancel();
  if (line.written == 0) {
    line.delivery->outcome = does_not_read();
    return;
  }
  line.delivery->outcome =
      fail(ErrorCode::ProcessCrash, "the agent stopped reading in the middle of a line");
  discard();
  on_half_line_();
}

void StdinQueue::give_up(const std::shared_ptr<Delivery>& delivery) {
  if (delivery->outcome) return;
  delivery->given_up = true;
  const auto line = std::ranges::find(lines_, delivery, &Queued::delivery);
  if (line == lines_.begin()) {
    boost::system::error_code ignored;
    pipe_.cancel(ignored);  // `run` looks again.
    return;
  }
  bytes_ -= line->bytes.size();
  lines_.erase(line);
  delivery->outcome = does_not_read();
  changed_.cancel();
}

asio::awaitable<Result<void>> StdinQueue::deliver(std::string line,
                                                  std::chrono::milliseconds limit) {
  const auto self = shared_from_this();
  const auto delivery = std::make_shared<Delivery>();
  if (auto added = add({std::move(line), 0, delivery}); !added) co_return added;
  asio::steady_timer deadline(changed_.get_executor(), limit);
  deadline.async_wait([self, delivery](boost::system::error_code stopped) {
    if (!stopped) self->give_up(delivery);
  });
  while (!delivery->outcome) co_await changed_.async_wait(kNoThrow);
  co_return *delivery->outcome;
}

asio::awaitable<Result<void>> StdinQueue::flushed() {
  const auto self = shared_from_this();
  while (!lines_.empty()) co_await changed_.async_wait(kNoThrow);
  if (broken_) co_return fail(ErrorCode::ProcessCrash, "the agent closed its input");
  co_return Result<void>();
}

void StdinQueue::close() {
  closing_ = true;
  if (lines_.empty()) discard();
}

void StdinQueue::discard() {
  boost::system::error_code ignored;
  pipe_.close(ignored);  // First: it ends a write that still looks at the queue.
  for (const Queued& line : lines_) {
    if (line.delivery && !line.delivery->outcome) line.delivery->outcome = takes_no_more();
  }
  lines_.clear();
  bytes_ = 0;
  closing_ = true;
  changed_.cancel();
}

}  // namespace lb
