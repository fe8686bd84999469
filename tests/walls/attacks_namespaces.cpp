// Ways with namespaces of the agent's own, in which it has every capability.
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/nsfs.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/fd.h"
#include "tests/walls/attacker.h"

namespace lb::test {
namespace {

/// Runs in a child that is root of user, mount and PID namespaces of its own; what it finds comes
/// back.
Outcome as_root_below(const std::function<Outcome()>& attack) {
  int tell[2];
  if (::pipe(tell) != 0) return "no pipe";
  const pid_t child = ::fork();
  if (child == 0) {
    const uid_t user = ::getuid();
    const gid_t group = ::getgid();
    Outcome found = "could not make a namespace: a sandbox of the agent's own would not work";
    if (::unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID) == 0) {
      std::ofstream("/proc/self/setgroups") << "deny";
      std::ofstream("/proc/self/uid_map") << fmt::format("0 {} 1", user);
      std::ofstream("/proc/self/gid_map") << fmt::format("0 {} 1", group);
      found = attack();
    }
    if (found) static_cast<void>(!::write(tell[1], found->data(), found->size()));
    ::_exit(0);
  }
  ::close(tell[1]);
  std::string text;
  char buffer[512];
  for (ssize_t got = 0; (got = ::read(tell[0], buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  ::close(tell[0]);
  ::waitpid(child, nullptr, 0);
  return text.empty() ? Outcome() : Outcome(text);
}

Attack below(std::string_view name, Outcome (*attack)(const Target&)) {
  return {name,
          [attack](const Target& target) { return as_root_below([&] { return attack(target); }); }};
}

std::string share(const Target& target) {
  return std::filesystem::path(target.data_dir).parent_path();
}

Outcome unmounts(const Target& target) {
  for (const int flags : {0, int{MNT_DETACH}}) {
    if (::umount2(target.data_dir.c_str(), flags) == 0) return "the wall was unmounted";
  }
  return shows_secret(target.data_dir + "/grants");
}

Outcome unmounts_above(const Target& target) {
  const std::string local = target.home + "/.local";
  for (const std::string& path : {share(target), local, target.home, std::string("/proc")}) {
    if (::umount2(path.c_str(), MNT_DETACH) == 0) return path + " was unmounted";
  }
  return {};
}

Outcome binds(const Target& target) {
  const std::string place = target.home + "/work";
  for (const unsigned flags : {unsigned{MS_BIND}, unsigned{MS_BIND} | unsigned{MS_REC}}) {
    if (::mount(share(target).c_str(), place.c_str(), nullptr, flags, nullptr) != 0) continue;
    if (auto found = shows_secret(place + "/liminal-builder/grants")) return found;
  }
  return {};
}

Outcome clones_tree(const Target& target) {
  constexpr long kOpenTree = 428;
  constexpr unsigned kClone = 1;
  const Fd tree(
      static_cast<int>(::syscall(kOpenTree, AT_FDCWD, share(target).c_str(), kClone | O_CLOEXEC)));
  if (!tree.valid()) return {};
  const Fd file(::openat(tree.get(), "liminal-builder/grants", O_RDONLY | O_CLOEXEC));
  return file.valid() ? Outcome("the grants were opened in a clone of the tree") : Outcome();
}

Outcome overlays(const Target& target) {
  const std::string place = target.home + "/work";
  const std::string options = fmt::format("lowerdir={}:/etc", share(target));
  if (::mount("overlay", place.c_str(), "overlay", 0, options.c_str()) != 0) return {};
  return shows_secret(place + "/liminal-builder/grants");
}

Outcome moves(const Target& target) {
  const std::string place = target.home + "/work";
  if (::mount(target.data_dir.c_str(), place.c_str(), nullptr, MS_MOVE, nullptr) == 0) {
    return "the wall was moved";
  }
  return shows_secret(target.data_dir + "/grants");
}

Outcome remounts_writable(const Target& target) {
  const std::string config = target.home + "/.config/liminal-builder";
  if (::mount(nullptr, config.c_str(), nullptr, MS_REMOUNT | MS_BIND, nullptr) == 0) {
    return "the configuration was made writable";
  }
  return takes_file(config);
}

Outcome renames_from_below(const Target& target) {
  const std::string moved = target.home + "/moved";
  for (const std::string& path : {share(target), target.home + "/.config", target.data_dir}) {
    if (::rename(path.c_str(), moved.c_str()) != 0) continue;
    ::rename(moved.c_str(), path.c_str());
    return path + " was renamed";
  }
  return {};
}

Outcome opens_by_handle(const Target& target) {
  struct {
    file_handle head;
    unsigned char bytes[MAX_HANDLE_SZ];
  } handle{};
  const std::string& hex = target.handle;
  handle.head.handle_type = std::stoi(hex.substr(0, hex.find(':')));
  const std::string digits = hex.substr(hex.find(':') + 1);
  handle.head.handle_bytes = static_cast<unsigned>(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size() / 2; ++i) {
    handle.head.f_handle[i] =
        static_cast<unsigned char>(std::stoi(digits.substr(2 * i, 2), {}, 16));
  }
  const Fd place(::open(target.home.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Fd file(::open_by_handle_at(place.get(), &handle.head, O_RDONLY | O_CLOEXEC));
  return file.valid() ? Outcome("the grants were opened by their handle") : Outcome();
}

/// A /proc of the namespace that it is in, without one of its own.
Outcome mounts_proc(const Target& target) {
  const pid_t child = ::fork();  // Into the new PID namespace.
  if (child == 0) {
    const std::string place = target.home + "/work";
    if (::mount("proc", place.c_str(), "proc", 0, nullptr) != 0) ::_exit(2);
    ::_exit(::access(fmt::format("{}/{}", place, target.server).c_str(), F_OK) == 0 ? 1 : 0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 2) return "no /proc: a sandbox of the agent's own would not work";
  return WEXITSTATUS(status) == 1 ? Outcome("the server is in that /proc") : Outcome();
}

Outcome leaves_root(const Target& target) {
  const std::string place = target.home + "/work";
  if (::mount("none", place.c_str(), "tmpfs", 0, nullptr) != 0) return {};
  const std::string old = place + "/old";
  ::mkdir(old.c_str(), 0700);
  if (::syscall(SYS_pivot_root, place.c_str(), old.c_str()) != 0) return {};
  static_cast<void>(!::chdir("/"));
  ::umount2(("/old" + target.data_dir).c_str(), MNT_DETACH);
  return shows_secret("/old" + target.data_dir + "/grants");
}

Outcome unmounts_without(const Target& target) {
  if (::umount2(target.data_dir.c_str(), MNT_DETACH) == 0) return "the wall was unmounted";
  if (::mount("none", target.home.c_str(), "tmpfs", 0, nullptr) == 0) return "it can mount";
  return {};
}

Outcome joins(const std::string& path, int kind) {
  const Fd space(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!space.valid() || ::setns(space.get(), kind) != 0) return {};
  return path + " was joined";
}

Outcome joins_others(const Target& target) {
  for (const pid_t pid : {target.server, target.guardian, pid_t{1}}) {
    for (const auto& [name, kind] :
         {std::pair("user", CLONE_NEWUSER), std::pair("mnt", CLONE_NEWNS),
          std::pair("pid", CLONE_NEWPID)}) {
      if (auto in = joins(fmt::format("/proc/{}/ns/{}", pid, name), kind)) return in;
    }
  }
  return {};
}

Outcome finds_parent(const Target&) {
  const Fd own(::open("/proc/self/ns/user", O_RDONLY | O_CLOEXEC));
  const Fd above(::ioctl(own.get(), NS_GET_PARENT));
  return above.valid() ? Outcome("the namespace above has a descriptor") : Outcome();
}

}  // namespace

std::vector<Attack> attacks_with_namespaces() {
  return {
      {"mounts: without a namespace", unmounts_without},
      below("below: unmount the wall", unmounts),
      below("below: unmount what is above it", unmounts_above),
      below("below: show the folder above elsewhere", binds),
      below("below: a clone of the tree", clones_tree),
      below("below: an overlay of the folder above", overlays),
      below("below: move the wall", moves),
      below("below: make the configuration writable", remounts_writable),
      below("below: rename what is pinned", renames_from_below),
      below("below: open by a file handle", opens_by_handle),
      below("below: another /proc", mounts_proc),
      below("below: another root", leaves_root),
      {"namespaces: join those of others", joins_others},
      {"namespaces: find the one above", finds_parent},
  };
}

}  // namespace lb::test
