#include "store/data_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

namespace lb {
namespace {

std::string reason() {
  return std::error_code(errno, std::generic_category()).message();
}

Result<void> make_private(const std::string& path) {
  std::error_code why;
  const std::filesystem::path parent = std::filesystem::path(path).parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, why);
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
    return fail(ErrorCode::InvalidRequest, fmt::format("Cannot make {}: {}", path, reason()));
  }
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    return fail(ErrorCode::InvalidRequest, fmt::format("{} is not a directory.", path));
  }
  if (info.st_uid != ::geteuid()) {
    return fail(ErrorCode::InvalidRequest, fmt::format("{} belongs to another user.", path));
  }
  if ((info.st_mode & 077U) != 0) {
    return fail(ErrorCode::InvalidRequest,
                fmt::format("Others can read {}. Run: chmod 700 {}", path, path));
  }
  return {};
}

/// A server may have been killed while it started a program: until that runs, it has the lock.
constexpr std::chrono::milliseconds kLockWait{300};

bool locked_soon(int fd) {
  const auto until = std::chrono::steady_clock::now() + kLockWait;
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (std::chrono::steady_clock::now() > until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

std::string read_all(int fd) {
  std::array<char, 512> buffer{};
  const ssize_t got = ::pread(fd, buffer.data(), buffer.size(), 0);
  return got > 0 ? std::string(buffer.data(), static_cast<std::size_t>(got)) : std::string();
}

}  // namespace

Result<DataDir> DataDir::open(const std::string& path) {
  if (auto made = make_private(path); !made) return std::unexpected(made.error());
  const std::string lock_path = path + "/lock";
  Fd lock(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!lock.valid()) {
    return fail(ErrorCode::InvalidRequest, fmt::format("Cannot open {}: {}", lock_path, reason()));
  }
  if (!locked_soon(lock.get())) {
    const std::string address = read_all(lock.get());
    return fail(ErrorCode::Busy, fmt::format("Another Liminal Builder uses {}: {}", path,
                                             address.empty() ? "(it is just starting)" : address));
  }
  if (::ftruncate(lock.get(), 0) != 0) {
    return fail(ErrorCode::StoreFull, fmt::format("Cannot write {}: {}", lock_path, reason()));
  }
  return DataDir(path, std::move(lock));
}

Result<void> DataDir::set_address(const std::string& address) {
  if (::ftruncate(lock_.get(), 0) != 0 || ::pwrite(lock_.get(), address.data(), address.size(),
                                                   0) != static_cast<ssize_t>(address.size())) {
    return fail(ErrorCode::StoreFull, fmt::format("Cannot write {}: {}", file("lock"), reason()));
  }
  return {};
}

std::string DataDir::address_of(const std::string& path) {
  const Fd lock(::open((path + "/lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!lock.valid()) return {};
  if (::flock(lock.get(), LOCK_SH | LOCK_NB) == 0) return {};
  return read_all(lock.get());
}

}  // namespace lb
