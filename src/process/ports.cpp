#include "process/ports.h"

#include <arpa/inet.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <unordered_map>

#include "base/limits.h"
#include "base/process_tree.h"

namespace lb {
namespace {

struct Listening {
  std::uint64_t port = 0;
  std::string address;
};
using ByInode = std::unordered_map<std::uint64_t, Listening>;

/// `0100007F` or 32 digits: words of 32 bits, each in the order of this machine.
std::string address_of(std::string_view digits) {
  std::array<std::uint32_t, 4> words{};
  const std::size_t count = digits.size() / 8;
  if (count != 1 && count != words.size()) return {};
  for (std::size_t i = 0; i < count; ++i) {
    std::from_chars(digits.data() + 8 * i, digits.data() + 8 * (i + 1), words.at(i), 16);
  }
  std::array<char, INET6_ADDRSTRLEN> text{};
  ::inet_ntop(count == 1 ? AF_INET : AF_INET6, words.data(), text.data(), text.size());
  return text.data();
}

/// A line: number, local, remote, state, queues, timer, retransmits, uid, timeout, inode.
void read_table(const char* path, ByInode& out) {
  constexpr std::string_view kListens = "0A";
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);  // The head.
  while (std::getline(file, line)) {
    std::istringstream fields(line);
    std::string number;
    std::string local;
    std::string remote;
    std::string state;
    fields >> number >> local >> remote >> state;
    const std::size_t colon = local.find(':');
    if (state != kListens || colon == std::string::npos) continue;
    std::string skipped;
    for (int i = 0; i < 5; ++i) fields >> skipped;
    std::uint64_t inode = 0;
    if (!(fields >> inode)) continue;
    Listening& one = out[inode];
    one.address = address_of(std::string_view(local).substr(0, colon));
    std::from_chars(local.data() + colon + 1, local.data() + local.size(), one.port, 16);
  }
}

/// The inodes of the sockets that a process has.
std::vector<std::uint64_t> sockets_of(pid_t pid) {
  constexpr std::string_view kSocket = "socket:[";
  std::vector<std::uint64_t> inodes;
  std::error_code why;
  std::filesystem::directory_iterator all("/proc/" + std::to_string(pid) + "/fd", why);
  for (; !why && all != std::filesystem::directory_iterator(); all.increment(why)) {
    std::array<char, 64> target{};
    const ssize_t size = ::readlink(all->path().c_str(), target.data(), target.size());
    const std::string_view text(target.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    if (!text.starts_with(kSocket)) continue;
    std::uint64_t inode = 0;
    std::from_chars(text.data() + kSocket.size(), text.data() + text.size(), inode);
    inodes.push_back(inode);
  }
  return inodes;
}

std::string program_of(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

ListeningPort described(const Listening& one, pid_t pid, const ProcessOwner& owner) {
  ListeningPort port;
  port.port = one.port;
  port.address = one.address;
  port.pid = static_cast<std::uint64_t>(pid);
  port.program = program_of(pid);
  if (!owner.session_id.empty()) port.session_id = owner.session_id;
  if (!owner.terminal_id.empty()) port.terminal_id = owner.terminal_id;
  if (owner.session_id.empty() && !owner.cli_type.empty()) port.cli_type = owner.cli_type;
  return port;
}

}  // namespace

std::vector<ListeningPort> ports_below(const std::vector<LivingProcess>& living) {
  ByInode listening;
  read_table("/proc/net/tcp", listening);
  read_table("/proc/net/tcp6", listening);
  std::map<std::pair<std::uint64_t, std::string>, ListeningPort> found;
  std::size_t looked_at = 0;
  for (const LivingProcess& one : living) {
    if (listening.empty()) break;
    for (const pid_t pid : descendants_of(one.pid)) {
      if (++looked_at > limits::kPortProcessesMax) break;
      for (const std::uint64_t inode : sockets_of(pid)) {
        const auto at = listening.find(inode);
        if (at == listening.end()) continue;
        found.try_emplace({at->second.port, at->second.address},
                          described(at->second, pid, one.owner));
        listening.erase(at);  // Children have it too.
      }
    }
  }
  std::vector<ListeningPort> ports;
  for (auto& [key, port] : found) {
    if (ports.size() < limits::kPortsListedMax) ports.push_back(std::move(port));
  }
  return ports;
}

}  // namespace lb
