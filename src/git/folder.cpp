#include "git/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "base/fd.h"
#include "git/git.h"

namespace lb::git {
namespace {

constexpr int kFolderFlags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};
using Entries = std::unique_ptr<DIR, CloseDir>;

Entries entries_of(int fd) {
  Fd own(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  Entries entries(own.valid() ? ::fdopendir(own.get()) : nullptr);
  if (entries) {
    static_cast<void>(own.release());
    ::rewinddir(entries.get());
  }
  return entries;
}

/// The next name that is not "." or "..", or null.
const dirent* next_of(DIR* entries) {
  while (const dirent* entry = ::readdir(entries)) {  // NOLINT(concurrency-mt-unsafe): our own.
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return entry;
  }
  return nullptr;
}

class Meter {
 public:
  explicit Meter(std::chrono::milliseconds limit)
      : until_(std::chrono::steady_clock::now() + limit) {}
  Measured found;

  void add(int parent, const std::string& name) {
    struct stat file = {};
    if (::fstatat(parent, name.c_str(), &file, AT_SYMLINK_NOFOLLOW) != 0) return;
    device_ = file.st_dev;
    one(parent, name, file);
  }

 private:
  void one(int parent, const std::string& name, const struct stat& file) {
    if (file.st_dev != device_) return;
    const auto bytes = static_cast<std::uint64_t>(file.st_blocks) * 512;
    if (!S_ISDIR(file.st_mode)) {
      ++found.files;
      if (file.st_nlink > 1 && !seen_.emplace(file.st_dev, file.st_ino).second) return;
      found.bytes += bytes;
      return;
    }
    found.bytes += bytes;
    const Fd folder(::openat(parent, name.c_str(), kFolderFlags));
    if (!folder.valid()) return;
    const Entries entries = entries_of(folder.get());
    while (const dirent* entry = entries ? next_of(entries.get()) : nullptr) {
      if (++looked_ % 1024 == 0 && std::chrono::steady_clock::now() > until_) found.whole = false;
      if (!found.whole) return;
      struct stat below = {};
      if (::fstatat(folder.get(), entry->d_name, &below, AT_SYMLINK_NOFOLLOW) != 0) continue;
      one(folder.get(), entry->d_name, below);
    }
  }

  std::chrono::steady_clock::time_point until_;
  std::size_t looked_ = 0;
  dev_t device_ = 0;
  std::set<std::pair<dev_t, ino_t>> seen_;
};

/// Empties a folder that is open. False: `where` is what could not be removed, errno says why.
// NOLINTNEXTLINE(misc-no-recursion): as deep as the folders are.
bool empty_folder(int fd, dev_t device, std::string& where) {
  struct stat self = {};
  if (::fstat(fd, &self) != 0) return false;
  if (self.st_dev != device) {
    errno = EBUSY;
    return false;
  }
  if ((self.st_mode & S_IRWXU) != S_IRWXU) ::fchmod(fd, self.st_mode | S_IRWXU);
  std::vector<std::string> names;
  {
    const Entries entries = entries_of(fd);
    if (!entries) return false;
    while (const dirent* entry = next_of(entries.get())) names.emplace_back(entry->d_name);
  }
  for (const std::string& name : names) {
    if (::unlinkat(fd, name.c_str(), 0) == 0 || errno == ENOENT) continue;
    const std::size_t before = where.size();
    where += "/" + name;
    if (errno != EISDIR && errno != EPERM) return false;
    struct stat below = {};
    if (::fstatat(fd, name.c_str(), &below, AT_SYMLINK_NOFOLLOW) != 0) return false;
    if (!S_ISDIR(below.st_mode)) return false;
    if ((below.st_mode & S_IRWXU) != S_IRWXU) {
      // What cannot be changed is noticed when it is removed.
      static_cast<void>(::fchmodat(fd, name.c_str(), below.st_mode | S_IRWXU, 0) == 0);
    }
    const Fd folder(::openat(fd, name.c_str(), kFolderFlags));
    if (!folder.valid() || !empty_folder(folder.get(), device, where)) return false;
    if (::unlinkat(fd, name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT) return false;
    where.resize(before);
  }
  return true;
}

/// The folders above the last part of `path`, made below `root`; the last of them is open.
Fd make_folders(int root, const std::string& path, int like) {
  Fd at(::fcntl(root, F_DUPFD_CLOEXEC, 0));
  Fd same(::fcntl(like, F_DUPFD_CLOEXEC, 0));
  std::size_t begin = 0;
  for (std::size_t end = path.find('/'); end != std::string::npos && at.valid();
       begin = end + 1, end = path.find('/', begin)) {
    const std::string name = path.substr(begin, end - begin);
    struct stat old = {};
    const bool known =
        same.valid() && ::fstatat(same.get(), name.c_str(), &old, AT_SYMLINK_NOFOLLOW) == 0;
    same = Fd(same.valid() ? ::openat(same.get(), name.c_str(), kFolderFlags) : -1);
    const mode_t mode = known ? (old.st_mode & 07777U) | S_IRWXU : 0777;
    if (::mkdirat(at.get(), name.c_str(), mode) != 0 && errno != EEXIST) return {};
    at = Fd(::openat(at.get(), name.c_str(), kFolderFlags));
  }
  return at;
}

/// The folder above the last part of `path`, through no link.
Fd folder_of(int root, const std::string& path) {
  Fd at(::fcntl(root, F_DUPFD_CLOEXEC, 0));
  std::size_t begin = 0;
  for (std::size_t end = path.find('/'); end != std::string::npos && at.valid();
       begin = end + 1, end = path.find('/', begin)) {
    at = Fd(::openat(at.get(), path.substr(begin, end - begin).c_str(), kFolderFlags));
  }
  return at;
}

std::string name_of(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::string link_target(int folder, const std::string& name) {
  std::array<char, 4096> target;
  const ssize_t length = ::readlinkat(folder, name.c_str(), target.data(), target.size());
  return length < 0 ? "" : std::string(target.data(), static_cast<std::size_t>(length));
}

bool copy_bytes(int from, int to, std::uint64_t size) {
  if (::ioctl(to, FICLONE, from) == 0) return true;
  std::uint64_t done = 0;
  while (done < size) {
    const ssize_t got = ::copy_file_range(from, nullptr, to, nullptr, size - done, 0);
    if (got == 0) return true;  // It became shorter.
    if (got > 0) {
      done += static_cast<std::uint64_t>(got);
      continue;
    }
    if (errno == EINTR) continue;
    if (done > 0 || (errno != EXDEV && errno != EINVAL && errno != EOPNOTSUPP && errno != ENOSYS)) {
      return false;
    }
    break;
  }
  std::vector<char> buffer(done < size ? 1U << 17U : 0);
  while (done < size) {
    const ssize_t got = ::read(from, buffer.data(), buffer.size());
    if (got == 0) return true;
    if (got < 0 || ::write(to, buffer.data(), static_cast<std::size_t>(got)) != got) return false;
    done += static_cast<std::uint64_t>(got);
  }
  return true;
}

bool same_bytes(const std::string& left, const std::string& right) {
  std::ifstream a(left, std::ios::binary);
  std::ifstream b(right, std::ios::binary);
  std::vector<char> ours(1U << 16U);
  std::vector<char> theirs(ours.size());
  while (a && b) {
    a.read(ours.data(), static_cast<std::streamsize>(ours.size()));
    b.read(theirs.data(), static_cast<std::streamsize>(theirs.size()));
    if (a.gcount() != b.gcount()) return false;
    if (!std::equal(ours.begin(), ours.begin() + a.gcount(), theirs.begin())) return false;
  }
  return a.eof() && b.eof();
}

}  // namespace

Error file_error(const std::string& doing, const std::string& path, int why) {
  const ErrorCode code =
      why == ENOSPC || why == EDQUOT ? ErrorCode::StoreFull : ErrorCode::NotSupported;
  return {code, fmt::format("{} {}: {}", doing, shown_path(path),
                            std::error_code(why, std::generic_category()).message())};
}

Measured measure(const std::vector<std::string>& paths, std::chrono::milliseconds limit) {
  Meter meter(limit);
  for (const std::string& path : paths) meter.add(AT_FDCWD, path);
  return meter.found;
}

Result<void> remove_folder(const std::string& path) {
  struct stat self = {};
  if (::lstat(path.c_str(), &self) != 0) {
    if (errno == ENOENT) return {};
    return std::unexpected(file_error("cannot remove", path, errno));
  }
  std::string where = path;
  if (S_ISDIR(self.st_mode)) {
    if ((self.st_mode & S_IRWXU) != S_IRWXU) ::chmod(path.c_str(), self.st_mode | S_IRWXU);
    const Fd folder(::open(path.c_str(), kFolderFlags));
    if (!folder.valid() || !empty_folder(folder.get(), self.st_dev, where) ||
        ::rmdir(path.c_str()) != 0) {
      return std::unexpected(file_error("cannot remove", where, errno));
    }
    return {};
  }
  if (::unlink(path.c_str()) != 0) {
    return std::unexpected(file_error("cannot remove", where, errno));
  }
  return {};
}

bool same_file(const std::string& left, const std::string& right) {
  struct stat a = {};
  struct stat b = {};
  if (::lstat(left.c_str(), &a) != 0 || ::lstat(right.c_str(), &b) != 0) return false;
  if ((a.st_mode & S_IFMT) != (b.st_mode & S_IFMT)) return false;
  if (S_ISLNK(a.st_mode)) return link_target(AT_FDCWD, left) == link_target(AT_FDCWD, right);
  if (!S_ISREG(a.st_mode)) return false;
  return a.st_size == b.st_size && (a.st_mode & S_IXUSR) == (b.st_mode & S_IXUSR) &&
         same_bytes(left, right);
}

int open_folder(const std::string& path) {
  return ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

Result<void> copy_below(int from, int to, const std::string& path) {
  const auto refused = [&](int why) {
    return std::unexpected(file_error("cannot copy", path, why));
  };
  const std::string name = name_of(path);
  const Fd source = folder_of(from, path);
  if (!source.valid()) return refused(errno);
  const Fd target = make_folders(to, path, from);
  if (!target.valid()) return refused(errno);
  struct stat file = {};
  if (::fstatat(source.get(), name.c_str(), &file, AT_SYMLINK_NOFOLLOW) != 0) return refused(errno);
  if (S_ISLNK(file.st_mode)) {
    const std::string link = link_target(source.get(), name);
    if (::symlinkat(link.c_str(), target.get(), name.c_str()) != 0) return refused(errno);
    return {};
  }
  if (!S_ISREG(file.st_mode)) return refused(EINVAL);
  const Fd in(::openat(source.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!in.valid()) return refused(errno);
  const Fd out(::openat(target.get(), name.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!out.valid()) return refused(errno);
  if (!copy_bytes(in.get(), out.get(), static_cast<std::uint64_t>(file.st_size))) {
    return refused(errno);
  }
  ::fchmod(out.get(), file.st_mode & 07777U);
  const std::array<timespec, 2> times = {file.st_atim, file.st_mtim};
  ::futimens(out.get(), times.data());
  return {};
}

void remove_below(int root, const std::string& path) {
  std::string at = path;
  for (int flag = 0; !at.empty(); flag = AT_REMOVEDIR) {
    const Fd folder = folder_of(root, at);
    if (!folder.valid()) return;
    if (::unlinkat(folder.get(), name_of(at).c_str(), flag) != 0 && errno != ENOENT) return;
    at.resize(at.contains('/') ? at.rfind('/') : 0);
  }
}

std::string small_file(const std::string& path) {
  constexpr std::size_t kMost = 4U << 20U;
  const Fd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  struct stat self = {};
  if (!file.valid() || ::fstat(file.get(), &self) != 0 || !S_ISREG(self.st_mode)) return {};
  std::string text;
  std::array<char, 16384> buffer;
  while (text.size() < kMost) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got <= 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

Result<void> write_file(const std::string& path, const std::string& text) {
  const std::string next = path + ".liminal-new";
  const Fd file(::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (!file.valid()) return std::unexpected(file_error("cannot write", path, errno));
  const ssize_t wrote = ::write(file.get(), text.data(), text.size());
  if (wrote != static_cast<ssize_t>(text.size()) || ::rename(next.c_str(), path.c_str()) != 0) {
    const int why = wrote >= 0 && wrote != static_cast<ssize_t>(text.size()) ? ENOSPC : errno;
    ::unlink(next.c_str());
    return std::unexpected(file_error("cannot write", path, why));
  }
  return {};
}

Result<std::string> make_private_folder(const std::string& parent) {
  std::error_code why;
  std::filesystem::create_directories(parent, why);
  std::string path = parent + "/git-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return std::unexpected(file_error("cannot make a folder in", parent, errno));
  }
  return path;
}

bool is_there(const std::string& path) {
  struct stat self = {};
  return ::lstat(path.c_str(), &self) == 0;
}

bool is_absent_or_empty(const std::string& path) {
  struct stat self = {};
  if (::lstat(path.c_str(), &self) != 0) return errno == ENOENT || errno == ENOTDIR;
  if (!S_ISDIR(self.st_mode)) return false;
  std::error_code why;
  return std::filesystem::is_empty(path, why) && !why;
}

}  // namespace lb::git
