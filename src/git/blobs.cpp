#include "git/blobs.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

namespace lb::git {
namespace {

bool wait_for(int fd, short what) {
  pollfd end{fd, what, 0};
  const auto most = std::chrono::milliseconds(limits::kGitCall).count();
  return ::poll(&end, 1, static_cast<int>(most)) > 0;
}

}  // namespace

Result<void> Blobs::start() {
  if (talking_) return {};
  auto started = git_.start(keep_.call({"cat-file", "--batch"}));
  if (!started) return std::unexpected(std::move(started.error()));
  talking_.emplace(std::move(*started));
  talking_->err.reset();
  return {};
}

Result<void> Blobs::say(std::string_view line) {
  while (!line.empty()) {
    const ssize_t wrote = ::write(talking_->in.get(), line.data(), line.size());
    if (wrote > 0) {
      line.remove_prefix(static_cast<std::size_t>(wrote));
    } else if ((errno != EAGAIN && errno != EINTR) || !wait_for(talking_->in.get(), POLLOUT)) {
      return fail(ErrorCode::Internal, "git cat-file ended");
    }
  }
  return {};
}

Result<void> Blobs::hear() {
  std::array<char, 65536> buffer;
  while (true) {
    const ssize_t got = ::read(talking_->out.get(), buffer.data(), buffer.size());
    if (got > 0) {
      had_.append(buffer.data(), static_cast<std::size_t>(got));
      return {};
    }
    if (got == 0) return fail(ErrorCode::Internal, "git cat-file ended");
    if ((errno != EAGAIN && errno != EINTR) || !wait_for(talking_->out.get(), POLLIN)) {
      return fail(ErrorCode::Timeout, "git cat-file does not answer");
    }
  }
}

Result<void> Blobs::read(const std::string& id, const std::function<void(std::string_view)>& take) {
  if (auto started = start(); !started) return started;
  if (auto said = say(id + "\n"); !said) return said;
  while (!had_.contains('\n')) {
    if (auto heard = hear(); !heard) return heard;
  }
  const std::string header = had_.substr(0, had_.find('\n'));
  had_.erase(0, header.size() + 1);
  std::uint64_t left = 0;
  const std::size_t space = header.rfind(' ');
  if (!header.starts_with(id + " blob ") ||
      std::from_chars(header.data() + space + 1, header.data() + header.size(), left).ec !=
          std::errc()) {
    talking_.reset();
    had_.clear();
    return fail(ErrorCode::NotFound, fmt::format("git has no file {} any more", id));
  }
  while (left > 0) {
    if (had_.empty()) {
      if (auto heard = hear(); !heard) return heard;
    }
    const std::size_t piece = std::min<std::uint64_t>(left, had_.size());
    take(std::string_view(had_).substr(0, piece));
    had_.erase(0, piece);
    left -= piece;
  }
  while (had_.empty()) {
    if (auto heard = hear(); !heard) return heard;
  }
  had_.erase(0, 1);  // The line end behind the bytes.
  return {};
}

Result<std::string> Blobs::text(const std::string& id) {
  std::string all;
  auto done = read(id, [&](std::string_view piece) { all += piece; });
  if (!done) return std::unexpected(std::move(done.error()));
  return all;
}

}  // namespace lb::git
