#include "base/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "base/fd.h"

namespace lb {
namespace {

/// What is seen twice is so; a process that hands a socket around among its own is not as fast as
/// to be missed this often.
constexpr int kLooks = 5;

std::string read_proc(const std::string& path) {
  const Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::array<char, 4096> buffer{};
  ssize_t got = 0;
  while (file.valid() && (got = ::read(file.get(), buffer.data(), buffer.size())) > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

/// The entries of a /proc directory that are numbers; nothing when it may not be read.
std::optional<std::vector<pid_t>> numbers_of(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(::opendir(folder.c_str()), &::closedir);
  if (!entries) return std::nullopt;
  std::vector<pid_t> numbers;
  // This thread has the stream to itself, which is all that readdir asks for.
  while (const dirent* entry = ::readdir(entries.get())) {  // NOLINT(concurrency-mt-unsafe)
    const std::string_view name(entry->d_name);
    pid_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

struct Stat {
  pid_t parent = 0;
  std::uint64_t began = 0;
};

std::optional<Stat> stat_of(pid_t pid) {
  const std::string text = read_proc("/proc/" + std::to_string(pid) + "/stat");
  // The name is in parentheses and may hold anything, also spaces and parentheses.
  const std::size_t name = text.rfind(')');
  if (name == std::string::npos) return std::nullopt;
  constexpr int kParent = 2;  // Counted from the state, the first word behind the name.
  constexpr int kBegan = 20;
  Stat out;
  std::string_view rest = std::string_view(text).substr(name + 1);
  for (int word = 0; word <= kBegan; ++word) {
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    const std::size_t end = std::min(rest.find(' '), rest.size());
    if (end == 0) return std::nullopt;
    if (word == kParent - 1) std::from_chars(rest.data(), rest.data() + end, out.parent);
    if (word == kBegan - 1) std::from_chars(rest.data(), rest.data() + end, out.began);
    rest.remove_prefix(end);
  }
  return out;
}

std::optional<std::vector<ProcessName>> read_ancestors(pid_t pid, pid_t last) {
  // A loop is impossible, a long line is not: stop somewhere, on the safe side.
  constexpr std::size_t kLongest = 1000;
  std::vector<ProcessName> line;
  while (line.size() < kLongest) {
    const auto stat = stat_of(pid);
    if (!stat) return std::nullopt;
    line.push_back({pid, stat->began});
    if (pid == last || stat->parent == 0) return line;
    pid = stat->parent;
  }
  return std::nullopt;
}

/// The number behind `name` in a file of lines; 0 when there is none.
std::uint64_t number_behind(const std::string& text, std::string_view name) {
  std::size_t at = text.find(name);
  if (at == std::string::npos) return 0;
  at = std::min(text.find_first_not_of(" \t", at + name.size()), text.size());
  std::uint64_t number = 0;
  std::from_chars(text.data() + at, text.data() + text.size(), number);
  return number;
}

/// A socket may have been put into another one's queue, where nobody has it; an io_uring keeps
/// files without a descriptor.
bool may_hide_files(const std::string& process, pid_t fd, std::string_view target) {
  if (target.starts_with("socket:")) {
    return number_behind(read_proc(process + "/fdinfo/" + std::to_string(fd)), "scm_fds:") > 0;
  }
  if (!target.starts_with("anon_inode:[io_uring]")) return false;
  const std::string info = read_proc(process + "/fdinfo/" + std::to_string(fd));
  return info.empty() || number_behind(info, "UserFiles:") > 0;
}

Holds holds_in(const std::string& process, const std::string& wanted) {
  const auto fds = numbers_of(process + "/fd");
  if (!fds) return errno == ENOENT ? Holds::No : Holds::Hidden;
  Holds found = Holds::No;
  std::array<char, 64> target{};
  for (const pid_t fd : *fds) {
    const std::string path = process + "/fd/" + std::to_string(fd);
    const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
    if (size <= 0) continue;
    const std::string_view name(target.data(), static_cast<std::size_t>(size));
    if (name == wanted) return Holds::Yes;
    if (may_hide_files(process, fd, name)) found = Holds::Hidden;
  }
  return found;
}

/// Whether anybody below `ancestor` has it.
Holds held_below(std::uint64_t inode, pid_t ancestor) {
  Holds found = Holds::No;
  for (const pid_t pid : descendants_of(ancestor)) {
    const Holds one = holds_socket(pid, inode);
    if (one == Holds::Yes) return one;
    if (one == Holds::Hidden) found = one;
  }
  return found;
}

}  // namespace

std::optional<std::vector<ProcessName>> ancestors_of(pid_t pid, pid_t last) {
  auto line = read_ancestors(pid, last);
  if (!line || read_ancestors(pid, last) != line) return std::nullopt;
  return line;
}

bool descends_from(pid_t pid, pid_t ancestor) {
  // Parents end, and their children get another one: that is no reason to refuse an honest process.
  for (int look = 0; look < kLooks; ++look) {
    if (const auto line = ancestors_of(pid, ancestor)) return line->back().pid == ancestor;
  }
  return true;
}

std::vector<pid_t> descendants_of(pid_t ancestor) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : numbers_of("/proc").value_or(std::vector<pid_t>())) {
    if (const auto stat = stat_of(pid)) children.emplace(stat->parent, pid);
  }
  std::vector<pid_t> found = {ancestor};
  std::set<pid_t> seen = {ancestor};
  for (std::size_t at = 0; at < found.size(); ++at) {
    const auto [from, to] = children.equal_range(found[at]);
    for (auto child = from; child != to; ++child) {
      if (seen.insert(child->second).second) found.push_back(child->second);
    }
  }
  found.erase(found.begin());
  return found;
}

Holds holds_socket(pid_t pid, std::uint64_t inode) {
  const std::string process = "/proc/" + std::to_string(pid);
  const std::string wanted = "socket:[" + std::to_string(inode) + "]";
  Holds found = holds_in(process, wanted);
  if (found == Holds::Yes) return found;
  // A thread may have descriptors of its own.
  for (const pid_t thread : numbers_of(process + "/task").value_or(std::vector<pid_t>())) {
    if (thread == pid) continue;
    const Holds one = holds_in(process + "/task/" + std::to_string(thread), wanted);
    if (one == Holds::Yes) return one;
    if (one == Holds::Hidden) found = one;
  }
  return found;
}

Holder holder_of(std::uint64_t inode, pid_t ancestor) {
  bool hidden = false;
  for (int look = 0; look < kLooks; ++look) {
    const Holds below = held_below(inode, ancestor);
    if (below == Holds::Yes) return Holder::Descendant;
    hidden = hidden || below == Holds::Hidden;
  }
  const std::string wanted = "socket:[" + std::to_string(inode) + "]";
  for (const pid_t pid : numbers_of("/proc").value_or(std::vector<pid_t>())) {
    if (holds_in("/proc/" + std::to_string(pid), wanted) != Holds::Yes) continue;
    return pid != ancestor && descends_from(pid, ancestor) ? Holder::Descendant : Holder::Another;
  }
  return hidden ? Holder::Hidden : Holder::Unseen;
}

}  // namespace lb
