#include "base/beneath.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <strings.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <string_view>
#include <system_error>

namespace lb {
namespace {

/// Something on the way was renamed in that moment.
constexpr int kTries = 8;

Fd open_path(int root, const std::string& path) {
  open_how how = {};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS;
  long fd = -1;
  for (int tries = 0; tries < kTries && fd < 0; ++tries) {
    fd = ::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how);
    if (fd < 0 && errno != EAGAIN && errno != EINTR) break;
  }
  return Fd(static_cast<int>(fd));
}

std::string real_path(const Fd& file) {
  std::array<char, PATH_MAX> where{};
  const std::string link = fmt::format("/proc/self/fd/{}", file.get());
  const ssize_t got = ::readlink(link.c_str(), where.data(), where.size());
  return {where.data(), got < 0 ? 0 : static_cast<std::size_t>(got)};
}

/// Whether the way, perhaps by a link, led into what is git's own.
bool is_in_git_dir(const Fd& top, const Fd& file) {
  const std::string root = real_path(top);
  const std::string path = real_path(file);
  if (path.size() <= root.size() || !path.starts_with(root)) return true;
  std::string_view rest = std::string_view(path).substr(root.size());
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('/'), rest.size());
    if (end == 4 && ::strncasecmp(rest.data(), ".git", end) == 0) return true;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return false;
}

std::unexpected<Error> not_there(const std::string& why) {
  return fail(ErrorCode::NotFound, why);
}

}  // namespace

Result<Fd> open_beneath(const std::string& root, const std::string& path) {
  const Fd top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!top.valid()) return not_there("The folder is not there any more.");
  if (path.empty() || path.contains('\0')) return not_there("There is no such file.");
  const Fd found = open_path(top.get(), path);
  if (!found.valid() && errno == EXDEV) {
    return not_there("This leads out of the folder, and is not shown.");
  }
  if (!found.valid() && errno == ENOSYS) {
    return fail(ErrorCode::NotSupported, "Showing files needs Linux 5.6 or newer.");
  }
  if (!found.valid()) {
    return not_there(errno == EACCES ? "This file may not be read." : "There is no such file.");
  }
  const std::string link = fmt::format("/proc/self/fd/{}", found.get());
  struct stat what = {};
  if (::fstat(found.get(), &what) != 0 || !S_ISREG(what.st_mode)) {
    return not_there("This is no file: there is nothing to show.");
  }
  if (is_in_git_dir(top, found)) return not_there("What is in .git is not shown here.");
  Fd file(::open(link.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!file.valid()) return not_there("This file may not be read.");
  return file;
}

Result<std::string> read_beneath(const std::string& root, const std::string& path,
                                 std::size_t most) {
  auto file = open_beneath(root, path);
  if (!file) return std::unexpected(std::move(file.error()));
  std::string bytes;
  std::array<char, 65536> buffer;
  while (bytes.size() <= most) {
    const ssize_t got = ::read(file->get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return not_there("This file cannot be read: " + std::generic_category().message(errno));
    }
    if (got == 0) return bytes;
    bytes.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return fail(ErrorCode::TooLarge,
              fmt::format("This file has more than {} MiB: too much to show here.", most >> 20U));
}

}  // namespace lb
