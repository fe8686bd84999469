/// The attacker: an agent that tries every way we know to what a confined agent must not reach.
///
/// What it is told, it is told as a courtesy that no real attacker has: where everything is, which
/// pids and addresses are whose. It says one line per way: `closed NAME` or `open NAME: HOW`.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lb::test {

inline constexpr std::string_view kSecret = "the hash of a bearer";

/// Where things are, outside. Passed on the command line, one `name=value` each.
struct Target {
  std::string home;
  std::string data_dir;
  std::string runtime;   // The user's run-time folder.
  std::string terminal;  // A terminal of the user.
  std::string handle;    // The file handle of the secret file, in hex.
  std::string abstract;  // The name of an abstract socket that the user's program listens on.
  std::string program;
  pid_t server = 0;
  pid_t guardian = 0;
  pid_t neighbour = 0;          // A process of another session.
  std::uint64_t secret_at = 0;  // In the server's memory.

  [[nodiscard]] std::vector<std::string> arguments() const;
  static Target from(const std::vector<std::string>& arguments);
};

/// How it got through, or nothing.
using Outcome = std::optional<std::string>;
struct Attack {
  std::string_view name;
  std::function<Outcome(const Target&)> run;
};

std::vector<Attack> attacks_on_files();
std::vector<Attack> attacks_on_processes();
std::vector<Attack> attacks_with_namespaces();

/// The content of a file; nothing when it cannot be read.
std::optional<std::string> content(const std::string& path);
/// "… was read" when the file shows the secret.
Outcome shows_secret(const std::string& path);
/// Whether a new file could be written there; it is removed again.
Outcome takes_file(const std::string& folder);
Outcome connects(const std::string& socket);

int run_attacker(const std::vector<std::string>& arguments);

}  // namespace lb::test
