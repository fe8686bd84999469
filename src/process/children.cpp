#include "process/children.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "base/fd.h"

namespace lb {
namespace {

struct OwnChildren {
  std::mutex mutex;
  std::set<pid_t> pids;
};
OwnChildren& own_children() {
  static OwnChildren children;
  return children;
}

std::string read_small_file(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  char buffer[4096];
  for (ssize_t got = 0; file.valid() && (got = ::read(file.get(), buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

/// The entries of a /proc directory that are numbers.
std::vector<pid_t> numbers_in(const char* folder) {
  std::vector<pid_t> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder), &::closedir);
  if (!entries) return numbers;
  // This thread has the stream to itself, which is all that readdir asks for.
  while (const dirent* entry = ::readdir(entries.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name(entry->d_name);
    pid_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

/// For kernels without task/…/children: every process says who its parent is.
std::vector<pid_t> children_by_search() {
  std::vector<pid_t> children;
  for (const pid_t pid : numbers_in("/proc")) {
    const std::string stat = read_small_file(fmt::format("/proc/{}/stat", pid));
    // "pid (name) state ppid …", and the name may contain anything.
    const std::size_t after_name = stat.rfind(") ");
    if (after_name == std::string::npos || after_name + 4 > stat.size()) continue;
    pid_t parent = 0;
    std::from_chars(stat.data() + after_name + 4, stat.data() + stat.size(), parent);
    if (parent == ::getpid()) children.push_back(pid);
  }
  return children;
}

}  // namespace

void become_subreaper() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
}

void note_own_child(pid_t pid) {
  auto& own = own_children();
  const std::scoped_lock lock(own.mutex);
  own.pids.insert(pid);
}

void forget_own_child(pid_t pid) {
  auto& own = own_children();
  const std::scoped_lock lock(own.mutex);
  own.pids.erase(pid);
}

std::vector<pid_t> direct_children() {
  static const bool listed = ::access("/proc/thread-self/children", R_OK) == 0;
  if (!listed) return children_by_search();
  std::vector<pid_t> children;
  for (const pid_t thread : numbers_in("/proc/self/task")) {
    const std::string list = read_small_file(fmt::format("/proc/self/task/{}/children", thread));
    const char* at = list.data();
    const char* const end = list.data() + list.size();
    while (at < end) {
      pid_t pid = 0;
      const auto [next, error] = std::from_chars(at, end, pid);
      if (error != std::errc()) break;
      children.push_back(pid);
      at = next + 1;
    }
  }
  return children;
}

void kill_child_and_group(pid_t child) {
  const pid_t group = ::getpgid(child);
  if (group > 1 && group != ::getpgrp()) ::kill(-group, SIGKILL);
  ::kill(child, SIGKILL);
}

std::size_t sweep_orphans() {
  std::set<pid_t> own;
  {
    auto& registered = own_children();
    const std::scoped_lock lock(registered.mutex);
    own = registered.pids;
  }
  std::size_t found = 0;
  for (const pid_t child : direct_children()) {
    if (own.contains(child)) continue;
    ++found;
    kill_child_and_group(child);
    ::waitpid(child, nullptr, WNOHANG);
  }
  return found;
}

}  // namespace lb
