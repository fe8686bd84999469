#include "process/confine.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <system_error>

#include "process/mount_table.h"

namespace lb {
namespace {

// What the headers of Debian 12 lack, or have in a header that clashes with <sys/mount.h>.
struct MountAttributes {
  std::uint64_t set = 0;
  std::uint64_t clear = 0;
  std::uint64_t propagation = 0;
  std::uint64_t userns = 0;
};
constexpr long kMountSetattr = 442;
constexpr unsigned kRecursive = 0x8000;  // AT_RECURSIVE
constexpr std::uint64_t kReadOnlyMount = 1;
struct LandlockRules {
  std::uint64_t files = 0;
  std::uint64_t network = 0;
  std::uint64_t scoped = 0;
};
constexpr long kLandlockCreate = 444;
constexpr long kLandlockRestrict = 446;
constexpr unsigned kLandlockVersion = 1;
constexpr int kLandlockScopes = 6;  // The version that knows them.
constexpr std::uint64_t kScopeAbstractSockets = 1;

std::string refused(std::string_view what) {
  return fmt::format("{}: {}", what, std::generic_category().message(errno));
}

bool write_file(const char* path, const std::string& text) {
  const Fd file(::open(path, O_WRONLY | O_CLOEXEC));
  return file.valid() &&
         ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// In a user namespace that was just made: the user is who he was, and nobody else is there.
bool map_user(const ConfineOptions& options) {
  return write_file("/proc/self/setgroups", "deny") &&
         write_file("/proc/self/uid_map", fmt::format("{0} {0} 1", options.user)) &&
         write_file("/proc/self/gid_map", fmt::format("{0} {0} 1", options.group));
}

std::string real_path(const std::string& path) {
  char* found = ::realpath(path.c_str(), nullptr);
  if (found == nullptr) return {};
  std::string real(found);
  ::free(found);
  return real;
}

bool same_file(const std::string& a, const std::string& b) {
  struct stat first{};
  struct stat second{};
  return ::lstat(a.c_str(), &first) == 0 && ::lstat(b.c_str(), &second) == 0 &&
         first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == 0 || slash == std::string::npos ? "/" : path.substr(0, slash);
}

void make_folders(const std::string& path) {
  if (path == "/" || ::access(path.c_str(), F_OK) == 0) return;
  make_folders(parent_of(path));
  ::mkdir(path.c_str(), 0700);
}

void make_if_missing(const Wall& wall) {
  if (wall.kind == Wall::Kind::ReadOnlyMade) make_folders(wall.path);
  if (wall.kind == Wall::Kind::HiddenMade) ::mkdir(wall.path.c_str(), 0700);
}

bool hides(const Wall& wall) {
  return wall.kind == Wall::Kind::Hidden || wall.kind == Wall::Kind::HiddenMade;
}

/// Builds the walls, outermost first. Each function returns what was refused, or nothing.
class Mason {
 public:
  std::string build(const ConfineOptions& options);

 private:
  std::string put_up(const Wall& wall);
  std::string pin_above(const std::string& path);
  std::string hide(const std::string& path);
  static std::string bind(const std::string& what, const std::string& where);

  std::set<std::string> mounted_;
  std::string empty_;  // A folder that shows the empty file system already.
};

/// Real paths and all other names of them, each once.
std::vector<Wall> resolved(const ConfineOptions& options) {
  const MountTable table = MountTable::read();
  std::vector<Wall> found;
  const auto add = [&](Wall::Kind kind, const std::string& path) {
    if (std::ranges::find(found, path, &Wall::path) == found.end()) found.push_back({kind, path});
  };
  for (const Wall& wall : options.walls) {
    if (options.make_missing) make_if_missing(wall);
    const std::string real = real_path(wall.path);
    if (real.empty() || real == "/") continue;
    add(wall.kind, real);
    for (const std::string& name : table.other_names(real)) {
      if (same_file(real, name)) add(wall.kind, name);
    }
  }
  return found;
}

std::string Mason::build(const ConfineOptions& options) {
  std::vector<Wall> walls = resolved(options);
  std::ranges::sort(walls, {}, [](const Wall& wall) {
    return std::pair(std::ranges::count(wall.path, '/'), wall.path);
  });
  for (const Wall& wall : walls) {
    if (auto problem = put_up(wall); !problem.empty()) return problem;
  }
  return {};
}

std::string Mason::put_up(const Wall& wall) {
  if (::access(wall.path.c_str(), F_OK) != 0) return {};  // Behind another wall.
  if (auto problem = pin_above(wall.path); !problem.empty()) return problem;
  mounted_.insert(wall.path);
  if (hides(wall)) return hide(wall.path);
  if (auto problem = bind(wall.path, wall.path); !problem.empty()) return problem;
  const MountAttributes read_only{.set = kReadOnlyMount};
  if (::syscall(kMountSetattr, AT_FDCWD, wall.path.c_str(), kRecursive, &read_only,
                sizeof read_only) != 0) {
    return refused("making " + wall.path + " read-only");
  }
  return {};
}

/// Whoever can rename a folder above a wall can put one of his own in its place.
std::string Mason::pin_above(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    const std::string folder = path.substr(0, at);
    if (mounted_.contains(folder) || ::access(parent_of(folder).c_str(), W_OK) != 0) continue;
    mounted_.insert(folder);
    if (auto problem = bind(folder, folder); !problem.empty()) return problem;
  }
  return {};
}

std::string Mason::bind(const std::string& what, const std::string& where) {
  if (::mount(what.c_str(), where.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0) return {};
  return refused("mounting " + where);
}

std::string Mason::hide(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return refused("hiding " + path);
  if (!S_ISDIR(info.st_mode)) return bind("/dev/null", path);
  if (!empty_.empty()) return bind(empty_, path);
  constexpr unsigned long kFlags = MS_RDONLY | MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (::mount("tmpfs", path.c_str(), "tmpfs", kFlags, "mode=0500,size=4k,nr_inodes=2") != 0) {
    return refused("hiding " + path);
  }
  empty_ = path;
  return {};
}

/// Processes and terminals of its own.
std::string mount_own_kernel_files() {
  constexpr unsigned long kFlags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
  if (::mount("proc", "/proc", "proc", kFlags, nullptr) != 0) {
    return refused("mounting a /proc of its own");
  }
  if (::access("/dev/pts", F_OK) == 0 &&
      ::mount("devpts", "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC,
              "newinstance,ptmxmode=0666,mode=620") != 0) {
    return refused("mounting a /dev/pts of its own");
  }
  return {};
}

/// Abstract sockets have no path that could be hidden; newer kernels can keep a process to those
/// that were made beside it. Where that is not known, they stay reachable.
void scope_abstract_sockets() {
  const long version = ::syscall(kLandlockCreate, nullptr, 0, kLandlockVersion);
  if (version < kLandlockScopes) return;
  const LandlockRules rules{.scoped = kScopeAbstractSockets};
  const Fd ruleset(static_cast<int>(::syscall(kLandlockCreate, &rules, sizeof rules, 0)));
  if (ruleset.valid()) ::syscall(kLandlockRestrict, ruleset.get(), 0);
}

/// For good: neither a set-user-id program nor being root brings one back.
bool give_up_capabilities() {
  for (unsigned long capability = 0; ::prctl(PR_CAPBSET_READ, capability) >= 0; ++capability) {
    if (::prctl(PR_CAPBSET_DROP, capability) != 0) return false;
  }
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (::prctl(PR_SET_SECUREBITS, SECBIT_NOROOT | SECBIT_NOROOT_LOCKED) != 0) return false;
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  const __user_cap_data_struct none[2] = {};
  return ::syscall(SYS_capset, &header, none) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
}

}  // namespace

pid_t fork_into_namespaces() {
  constexpr unsigned long kFlags = CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | SIGCHLD;
  return static_cast<pid_t>(::syscall(SYS_clone, kFlags, nullptr, nullptr, nullptr, nullptr));
}

std::string confine_self(const ConfineOptions& options) {
  if (!map_user(options)) return refused("a user namespace with this user in it");
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    return refused("mounting in a user namespace");
  }
  if (auto problem = Mason().build(options); !problem.empty()) return problem;
  if (auto problem = mount_own_kernel_files(); !problem.empty()) return problem;
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0 || !map_user(options)) {
    return refused("a second user namespace, which locks the mounts");
  }
  // By its name again: the folder that we came with lies below the walls.
  if (::chdir("/") != 0 || ::chdir(options.folder.c_str()) != 0) {
    return refused("working in " + options.folder);
  }
  if (!give_up_capabilities()) return refused("giving up all capabilities");
  scope_abstract_sockets();
  ::prctl(PR_SET_DUMPABLE, 0);
  return {};
}

}  // namespace lb
