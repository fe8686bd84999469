// A copy is written under a name of its own and gets its real name when it is whole and synced, so
// that whoever finds NAME.SUFFIX finds all of it.
#include "store/file_copy.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include "base/fd.h"
#include "base/limits.h"

namespace lb {
namespace {

namespace fs = std::filesystem;

std::unexpected<Error> refuse(const std::string& file, int error) {
  if (error == ENOSPC || error == EDQUOT || error == EFBIG) {
    std::error_code ignored;
    return fail(
        ErrorCode::StoreFull,
        fmt::format("There is no room for a copy of {} ({} bytes), which is made before its "
                    "format changes. Make room and start again; nothing was changed.",
                    file, fs::file_size(file, ignored)));
  }
  return fail(ErrorCode::StoreFull,
              fmt::format("Cannot copy {}, which is done before its format changes: {}. Nothing "
                          "was changed.",
                          file, std::error_code(error, std::generic_category()).message()));
}

/// 0, or an errno.
int write_all(int fd, const char* bytes, std::size_t size) {
  for (std::size_t done = 0; done < size;) {
    const ssize_t wrote = ::write(fd, bytes + done, size - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return errno;
    done += static_cast<std::size_t>(wrote);
  }
  return 0;
}

int copy_bytes(int from, int to) {
  std::array<char, 64U << 10U> piece{};
  for (;;) {
    const ssize_t got = ::read(from, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) return ::fsync(to) == 0 ? 0 : errno;
    if (const int error = write_all(to, piece.data(), static_cast<std::size_t>(got))) return error;
  }
}

int copy_file(const std::string& file, const std::string& to) {
  const Fd source(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!source.valid()) return errno;
  const Fd target(::open(to.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!target.valid()) return errno;
  return copy_bytes(source.get(), target.get());
}

int sync_directory(const std::string& file) {
  const Fd directory(::open(fs::path(file).parent_path().c_str(), O_RDONLY | O_CLOEXEC));
  if (!directory.valid()) return errno;
  return ::fsync(directory.get()) == 0 ? 0 : errno;
}

bool taken(const std::vector<std::string>& files, const std::string& suffix) {
  for (const std::string& file : files) {
    struct stat unused{};
    if (::lstat((file + suffix).c_str(), &unused) == 0) return true;
  }
  return false;
}

}  // namespace

Result<std::vector<std::string>> copy_beside(const std::vector<std::string>& files,
                                             const std::string& suffix) {
  std::string ending = "." + suffix;
  for (int number = 2; taken(files, ending); ++number) {
    if (number > limits::kStoreCopiesMax) return refuse(files.front(), EEXIST);
    ending = fmt::format(".{}.{}", suffix, number);
  }
  std::vector<std::string> copies;
  std::vector<std::string> parts;
  const auto give_up = [&](const std::string& file, int error) {
    for (const std::string& part : parts) ::unlink(part.c_str());
    return refuse(file, error);
  };
  for (const std::string& file : files) {
    if (::access(file.c_str(), F_OK) != 0) continue;
    parts.push_back(file + ".part");
    if (const int error = copy_file(file, parts.back())) return give_up(file, error);
    copies.push_back(file + ending);
  }
  // The data directory is locked for one process: nobody takes the names meanwhile.
  for (std::size_t i = 0; i < copies.size(); ++i) {
    if (::rename(parts[i].c_str(), copies[i].c_str()) != 0) return give_up(files.front(), errno);
  }
  if (copies.empty()) return copies;
  if (const int error = sync_directory(copies.front())) return refuse(files.front(), error);
  return copies;
}

}  // namespace lb
