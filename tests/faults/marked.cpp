#include "tests/faults/marked.h"

#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "base/id.h"

namespace lb::test {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

std::string new_mark() {
  return make_uuid();
}

std::vector<pid_t> marked(std::string_view mark) {
  std::vector<pid_t> found;
  const std::string entry = fmt::format("{}={}", kMarkVariable, mark);
  std::error_code ignored;
  for (const auto& folder : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = folder.path().filename();
    pid_t pid = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || end != name.data() + name.size()) continue;
    if (read_file("/proc/" + name + "/environ").find(entry) != std::string::npos) {
      found.push_back(pid);
    }
  }
  return found;
}

std::vector<pid_t> marked_named(std::string_view mark, std::string_view name) {
  std::vector<pid_t> found;
  for (const pid_t pid : marked(mark)) {
    if (read_file(fmt::format("/proc/{}/comm", pid)) == std::string(name) + "\n") {
      found.push_back(pid);
    }
  }
  return found;
}

std::int64_t ms_until_gone(std::string_view mark, std::chrono::milliseconds limit) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  for (;;) {
    const auto left = marked(mark);
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    if (left.empty()) return passed.count();
    if (passed > limit) {
      for (const pid_t pid : left) ::kill(pid, SIGKILL);
      return -1;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace lb::test
