#include "tests/walls/owner.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "process/children.h"
#include "process/guarded_process.h"
#include "process/spawn.h"
#include "tests/faults/marked.h"
#include "tests/support/temp_dir.h"
#include "tests/walls/attacker.h"

namespace lb::test {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr uid_t kOrdinary = 54321;

std::string self() {
  return fs::read_symlink("/proc/self/exe");
}

void put(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path) << text << '\n';
}

/// Somebody listens there for as long as the returned descriptor lives.
Fd listening(const std::string& name) {
  if (name.front() == '/') fs::create_directories(fs::path(name).parent_path());
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, name.data(), std::min(name.size(), sizeof address.sun_path));
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      ::listen(socket.get(), 8) != 0) {
    std::cerr << "cannot listen on " << name << '\n';
    std::exit(1);
  }
  return socket;
}

std::string handle_of(const std::string& path) {
  struct {
    file_handle head;
    unsigned char bytes[MAX_HANDLE_SZ];
  } handle{};
  handle.head.handle_bytes = MAX_HANDLE_SZ;
  int mount = 0;
  if (::name_to_handle_at(AT_FDCWD, path.c_str(), &handle.head, &mount, 0) != 0) return "0:";
  std::string text = fmt::format("{}:", handle.head.handle_type);
  for (unsigned i = 0; i < handle.head.handle_bytes; ++i) {
    text += fmt::format("{:02x}", handle.head.f_handle[i]);
  }
  return text;
}

/// The home, and who listens in it.
std::vector<Fd> furnish(const Target& target) {
  put(target.data_dir + "/grants", kSecret);
  put(target.home + "/.config/google-chrome/Default/storage", kSecret);
  put(target.home + "/.mozilla/firefox/storage", kSecret);
  put(target.home + "/.config/liminal-builder/config.toml", "port = 0");
  fs::create_directories(target.home + "/work");
  std::vector<Fd> listeners;
  for (const std::string& name :
       {target.data_dir + "/control.sock", target.runtime + "/bus",
        target.runtime + "/systemd/private", target.runtime + "/docker.sock",
        target.runtime + "/podman/podman.sock",
        fmt::format("{}/tmux-{}/default", target.home, ::getuid()), target.home + "/screens/1.tty",
        target.home + "/named-bus", std::string(1, '\0') + target.abstract}) {
    listeners.push_back(listening(name));
  }
  return listeners;
}

Environment environment_in(const Target& target) {
  return child_environment(
      {{"HOME", target.home},
       {"XDG_RUNTIME_DIR", target.runtime},
       {"TMUX_TMPDIR", target.home},
       {"SCREENDIR", target.home + "/screens"},
       {"DBUS_SESSION_BUS_ADDRESS", fmt::format("unix:path={}/named-bus,guid=1", target.home)}},
      {});
}

pid_t first_child(pid_t pid) {
  std::ifstream list(fmt::format("/proc/{0}/task/{0}/children", pid));
  pid_t child = 0;
  list >> child;
  return child;
}

LaunchOptions part(const Target& target, std::vector<std::string> arguments, bool confined) {
  LaunchOptions options;
  options.argv = {self()};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  options.cwd = target.home + "/work";
  options.env = environment_in(target);
  options.confined = confined;
  return options;
}

asio::awaitable<void> repeat_lines(std::shared_ptr<AgentProcess> agent, bool& done) {
  while (auto line = co_await agent->next_line()) std::cout << line->text << std::endl;
  const ExitStatus status = co_await agent->exited();
  if (status.code != 0) std::cout << status.text() << ": " << agent->stderr_tail() << std::endl;
  done = true;
}

void launch_or_die(Result<std::shared_ptr<AgentProcess>>& agent) {
  if (agent) return;
  std::cout << agent.error().message << std::endl;
  std::exit(1);
}

Result<std::pair<Spawned, Fd>> start_part(std::vector<std::string> arguments,
                                          const std::string& program) {
  auto output = make_pipe();
  if (!output) return std::unexpected(output.error());
  SpawnOptions options;
  options.program = program;
  options.argv = {"wall_tests"};
  options.argv.insert(options.argv.end(), arguments.begin(), arguments.end());
  options.env = child_environment({}, {});
  options.descriptors = {0, output->second.get(), 2};
  options.death_signal = SIGKILL;
  auto process = spawn(options);
  if (!process) return std::unexpected(process.error());
  return std::pair(std::move(*process), std::move(output->first));
}

void become_ordinary() {
  if (::geteuid() != 0) return;
  if (::setgroups(0, nullptr) != 0 || ::setgid(kOrdinary) != 0 || ::setuid(kOrdinary) != 0) {
    std::exit(1);
  }
  // Easier to attack than the server, which is not dumpable: what fails, fails at the walls.
  ::prctl(PR_SET_DUMPABLE, 1);
}

/// A home of the ordinary user, with this program in it: we may be where that user cannot go.
class OrdinaryHome {
 public:
  OrdinaryHome() {
    ::chmod(place_.path().c_str(), 0755);
    fs::create_directories(path() + "/bin");
    fs::copy_file(self(), program());
    if (::geteuid() != 0) return;
    for (const auto& one : {path(), path() + "/bin", program()}) {
      if (::chown(one.c_str(), kOrdinary, kOrdinary) != 0) std::abort();
    }
  }
  [[nodiscard]] std::string path() const { return place_.file("home"); }
  [[nodiscard]] std::string program() const { return place_.file("home/bin/wall_tests"); }

 private:
  TempDir place_;
};

bool runs_as_root(pid_t pid) {
  struct stat found = {};
  return ::stat(fmt::format("/proc/{}", pid).c_str(), &found) != 0 || found.st_uid == 0;
}

}  // namespace

int run_owner(const std::vector<std::string>& arguments) {
  const std::string home = arguments.at(0);
  const bool confined = arguments.at(1) == "confined";
  become_ordinary();
  static const std::string secret(kSecret);
  Target target;
  target.home = home;
  target.data_dir = home + "/.local/share/liminal-builder";
  target.runtime = home + "/run";
  target.abstract = fmt::format("lb-walls-{}", ::getpid());
  target.program = self();
  target.server = ::getpid();
  target.secret_at = reinterpret_cast<std::uintptr_t>(secret.data());
  const auto listeners = furnish(target);
  target.handle = handle_of(target.data_dir + "/grants");
  const Fd terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ::grantpt(terminal.get());
  ::unlockpt(terminal.get());
  char name[64] = {};
  if (::ptsname_r(terminal.get(), name, sizeof name) == 0) target.terminal = name;

  asio::io_context io;
  GuardedLauncher launcher(io.get_executor());
  launcher.build_walls([&] {
    return walls_for({.data_dir = target.data_dir, .config_file = {}, .program = target.program},
                     environment_in(target));
  });
  auto neighbour = launcher.launch(part(target, {"sleeper"}, confined));
  launch_or_die(neighbour);
  bool done = false;
  bool slept = false;
  asio::co_spawn(
      io,
      [](std::shared_ptr<AgentProcess> agent, bool& ready) -> asio::awaitable<void> {
        co_await agent->next_line();
        ready = true;
      }(*neighbour, slept),
      asio::detached);
  while (!slept) io.run_one();
  target.guardian = direct_children().at(0);
  target.neighbour = first_child(confined ? first_child(target.guardian) : target.guardian);
  std::vector<std::string> attack = {"attacker"};
  for (std::string& argument : target.arguments()) attack.push_back(std::move(argument));
  auto attacker = launcher.launch(part(target, attack, confined));
  launch_or_die(attacker);
  asio::co_spawn(io, repeat_lines(*attacker, done), asio::detached);
  while (!done) io.run_one();
  return 0;
}

std::vector<std::string> attack(bool confined) {
  const OrdinaryHome home;
  auto owner = start_part({"owner", home.path(), confined ? "confined" : "free"}, home.program());
  if (!owner) return {owner.error().message};
  std::string said;
  char buffer[4096];
  for (ssize_t got = 0; (got = ::read(owner->second.get(), buffer, sizeof buffer)) > 0;) {
    said.append(buffer, static_cast<std::size_t>(got));
  }
  ::waitpid(owner->first.pid, nullptr, 0);
  forget_own_child(owner->first.pid);
  std::vector<std::string> lines;
  std::istringstream text(said);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::string why_not_confined() {
  asio::io_context io;
  GuardedLauncher launcher(io.get_executor());
  std::string why;
  asio::co_spawn(
      io,
      [](GuardedLauncher& launch, std::string& reason) -> asio::awaitable<void> {
        const auto allowed = co_await check_confinement(launch);
        if (!allowed) reason = allowed.error().message;
      }(launcher, why),
      asio::detached);
  io.run();
  return why;
}

int run_kill_owner(const std::string& mark) {
  become_ordinary();
  asio::io_context io;
  GuardedLauncher launcher(io.get_executor());
  LaunchOptions options;
  options.argv = {self(), "family"};
  options.cwd = "/";
  options.env = child_environment({{std::string(kMarkVariable), mark}}, {});
  options.confined = true;
  auto agent = launcher.launch(std::move(options));
  launch_or_die(agent);
  bool done = false;
  asio::co_spawn(io, repeat_lines(*agent, done), asio::detached);
  const auto forever = asio::make_work_guard(io);
  io.run();
  return 0;
}

std::int64_t confined_kill_round() {
  const std::string mark = new_mark();
  static const OrdinaryHome home;  // One for all rounds.
  auto owner = start_part({"kill-owner", mark}, home.program());
  if (!owner) return -1;
  std::string said;
  char byte = 0;
  while (!said.ends_with("ready\n") && ::read(owner->second.get(), &byte, 1) == 1) said += byte;
  const pid_t guardian = first_child(owner->first.pid);
  if (!said.ends_with("ready\n") || guardian == 0 || runs_as_root(owner->first.pid)) {
    std::cerr << said << '\n';
    return -1;
  }
  // Stopped first, so that neither has a moment between the two signals.
  ::kill(owner->first.pid, SIGSTOP);
  ::kill(guardian, SIGSTOP);
  ::kill(owner->first.pid, SIGKILL);
  ::kill(guardian, SIGKILL);
  const std::int64_t ms = ms_until_gone(mark, 30s);
  ::waitpid(owner->first.pid, nullptr, 0);
  forget_own_child(owner->first.pid);
  return ms;
}

}  // namespace lb::test
