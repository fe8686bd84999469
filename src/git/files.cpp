#include "git/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdio.h>
#include <strings.h>

#include <cerrno>
#include <cstring>

#include "base/id.h"
#include "process/spawn.h"

namespace lb::git {
namespace {

constexpr int kFolder = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// No tree that git itself would check out has others.
bool is_component(std::string_view name) {
  if (name.empty() || name == "." || name == "..") return false;
  return name.size() != 4 || ::strncasecmp(name.data(), ".git", 4) != 0;
}

/// Whether it is still the file that was looked at. Its ctime changes when it is moved aside.
bool is_same(const struct stat& one, const struct stat& other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino && one.st_mode == other.st_mode &&
         one.st_size == other.st_size && one.st_mtim.tv_sec == other.st_mtim.tv_sec &&
         one.st_mtim.tv_nsec == other.st_mtim.tv_nsec;
}

std::string name_aside() {
  return ".liminal-" + make_uuid().substr(0, 8) + "~";
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(fd, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

/// Whether the next bytes of a file are these.
bool reads(int fd, std::string_view bytes, std::string& buffer) {
  buffer.resize(bytes.size());
  std::size_t had = 0;
  while (had < bytes.size()) {
    const ssize_t got = ::read(fd, buffer.data() + had, bytes.size() - had);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    had += static_cast<std::size_t>(got);
  }
  return buffer == bytes;
}

bool link_leads_to(int folder, const std::string& name, const std::string& target) {
  std::string there(target.size() + 1, '\0');
  const ssize_t got = ::readlinkat(folder, name.c_str(), there.data(), there.size());
  return got >= 0 && there.substr(0, static_cast<std::size_t>(got)) == target;
}

}  // namespace

Files::Files(const std::string& root, Blobs& blobs, bool trusts_modes)
    : root_(::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
      blobs_(blobs),
      trusts_modes_(trusts_modes),
      umask_(umask_of_children()) {}

Files::Place Files::place_of(const std::string& path, bool make) const {
  Place place{Fd(::fcntl(root_.get(), F_DUPFD_CLOEXEC, 0)), path};
  for (std::size_t slash = 0; (slash = place.name.find('/')) != std::string::npos;) {
    const std::string folder = place.name.substr(0, slash);
    place.name.erase(0, slash + 1);
    if (!is_component(folder)) return {};
    Fd next(::openat(place.folder.get(), folder.c_str(), kFolder));
    if (!next.valid() && errno == ENOENT && make &&
        ::mkdirat(place.folder.get(), folder.c_str(), 0700) == 0) {
      next = Fd(::openat(place.folder.get(), folder.c_str(), kFolder));
      if (next.valid()) ::fchmod(next.get(), 0777 & ~umask_);
    }
    place.folder = std::move(next);
    if (!place.folder.valid()) return {};
  }
  if (!is_component(place.name)) return {};
  return place;
}

Result<bool> Files::matches(const Place& place, const TreeFile& file, struct stat& found) {
  const int folder = place.folder.get();
  const char* name = place.name.c_str();
  if (::fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) != 0) {
    return !file.there() && errno == ENOENT;
  }
  if (!file.there()) return false;
  if (file.is_link()) {
    if (!S_ISLNK(found.st_mode)) return false;
    auto target = blobs_.text(file.id);
    if (!target) return std::unexpected(std::move(target.error()));
    return link_leads_to(folder, place.name, *target);
  }
  if (!S_ISREG(found.st_mode)) return false;
  if (trusts_modes_ && ((found.st_mode & S_IXUSR) != 0) != file.runs()) return false;
  const Fd bytes(::openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat opened = {};
  if (!bytes.valid() || ::fstat(bytes.get(), &opened) != 0 || !is_same(opened, found)) return false;
  bool same = true;
  std::string buffer;
  std::uint64_t size = 0;
  auto read = blobs_.read(file.id, [&](std::string_view piece) {
    size += piece.size();
    same = same && reads(bytes.get(), piece, buffer);
  });
  if (!read) return std::unexpected(std::move(read.error()));
  return same && size == static_cast<std::uint64_t>(found.st_size);
}

Result<bool> Files::is(const std::string& path, const TreeFile& file) {
  const Place place = place_of(path, false);
  if (!place.folder.valid()) return !file.there();
  struct stat found = {};
  return matches(place, file, found);
}

Result<std::string> Files::written(const Place& place, const TreeFile& file,
                                   const struct stat* old) {
  const int folder = place.folder.get();
  std::string name = name_aside();
  if (file.is_link()) {
    auto target = blobs_.text(file.id);
    if (!target) return std::unexpected(std::move(target.error()));
    return ::symlinkat(target->c_str(), folder, name.c_str()) == 0 ? name : "";
  }
  // Without a name until it is whole, where the file system can do that.
  Fd fresh(::openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600));
  const bool nameless = fresh.valid();
  if (!nameless) {
    fresh = Fd(::openat(folder, name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
  }
  if (!fresh.valid()) return "";
  bool good = true;
  auto read = blobs_.read(
      file.id, [&](std::string_view piece) { good = good && write_all(fresh.get(), piece); });
  mode_t mode = 0666 & ~umask_;
  if (old != nullptr && S_ISREG(old->st_mode)) mode = old->st_mode & 0777;
  if (trusts_modes_) {
    // Who can read it can run it, as git has it.
    mode = file.runs() ? mode | ((mode & 0444U) >> 2U) : mode & ~mode_t{0111};
    if (file.runs() && (old == nullptr || !S_ISREG(old->st_mode))) mode = 0777 & ~umask_;
  }
  good = good && read && ::fchmod(fresh.get(), mode) == 0;
  if (good && nameless) {
    const std::string link = fmt::format("/proc/self/fd/{}", fresh.get());
    good = ::linkat(AT_FDCWD, link.c_str(), folder, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
  }
  if (!good && !nameless) ::unlinkat(folder, name.c_str(), 0);
  if (!read) return std::unexpected(std::move(read.error()));
  return good ? name : "";
}

/// Both change places, so that nothing is lost whatever was written in between.
bool Files::replace(const Place& place, const std::string& fresh,
                    const struct stat& expected) const {
  const int folder = place.folder.get();
  const char* name = place.name.c_str();
  struct stat ours = {};
  struct stat aside = {};
  const auto look_aside = [&] {
    return ::fstatat(folder, fresh.c_str(), &aside, AT_SYMLINK_NOFOLLOW) == 0;
  };
  if (::fstatat(folder, fresh.c_str(), &ours, AT_SYMLINK_NOFOLLOW) != 0) return false;
  if (::renameat2(folder, fresh.c_str(), folder, name, RENAME_EXCHANGE) == 0) {
    const bool as_expected = look_aside() && is_same(aside, expected);
    if (!as_expected) ::renameat2(folder, fresh.c_str(), folder, name, RENAME_EXCHANGE);
    // Written once more in that moment: both stay.
    if (as_expected || (look_aside() && is_same(aside, ours))) {
      ::unlinkat(folder, fresh.c_str(), 0);
    }
    return as_expected;
  }
  // A file system that cannot do that.
  if (errno == EINVAL && ::fstatat(folder, name, &aside, AT_SYMLINK_NOFOLLOW) == 0 &&
      is_same(aside, expected) && ::renameat(folder, fresh.c_str(), folder, name) == 0) {
    return true;
  }
  ::unlinkat(folder, fresh.c_str(), 0);
  return false;
}

bool Files::remove(const Place& place, const struct stat& expected) const {
  const int folder = place.folder.get();
  const std::string aside = name_aside();
  if (::renameat(folder, place.name.c_str(), folder, aside.c_str()) != 0) return false;
  struct stat found = {};
  if (::fstatat(folder, aside.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0 &&
      is_same(found, expected) && ::unlinkat(folder, aside.c_str(), 0) == 0) {
    return true;
  }
  // Somebody wrote it in this moment. If it is there again already, both stay.
  if (::renameat2(folder, aside.c_str(), folder, place.name.c_str(), RENAME_NOREPLACE) != 0 &&
      errno == EINVAL) {
    ::renameat(folder, aside.c_str(), folder, place.name.c_str());
  }
  return false;
}

void Files::remove_empty_folders_above(const std::string& path) const {
  std::string folder = path;
  for (std::size_t slash; (slash = folder.rfind('/')) != std::string::npos;) {
    folder.resize(slash);
    const Place place = place_of(folder, false);
    if (!place.folder.valid() ||
        ::unlinkat(place.folder.get(), place.name.c_str(), AT_REMOVEDIR) != 0) {
      return;
    }
  }
}

Result<bool> Files::change(const std::string& path, const TreeFile& from, const TreeFile& to) {
  struct stat found = {};
  const Place here = place_of(path, false);
  Result<bool> as_expected = !from.there();
  if (here.folder.valid()) as_expected = matches(here, from, found);
  if (!as_expected) return as_expected;
  if (!*as_expected) return is(path, to);  // Done before, and cut off.
  if (!to.there()) {
    if (!remove(here, found)) return false;
    remove_empty_folders_above(path);
    return true;
  }
  const Place place = place_of(path, true);
  bool done = false;
  if (place.folder.valid()) {
    auto fresh = written(place, to, from.there() ? &found : nullptr);
    if (!fresh) return std::unexpected(std::move(fresh.error()));
    if (fresh->empty()) {
      done = false;
    } else if (from.there()) {
      done = replace(place, *fresh, found);
    } else {
      const int folder = place.folder.get();
      done = ::linkat(folder, fresh->c_str(), folder, place.name.c_str(), 0) == 0;
      if (!done && (errno == EPERM || errno == ENOTSUP)) {
        done =
            ::renameat2(folder, fresh->c_str(), folder, place.name.c_str(), RENAME_NOREPLACE) == 0;
      }
      ::unlinkat(folder, fresh->c_str(), 0);
    }
  }
  if (!done) remove_empty_folders_above(path);
  return done;
}

}  // namespace lb::git
