// Ways to what is hidden or read-only by names and sockets.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/fd.h"
#include "tests/walls/attacker.h"

namespace lb::test {
namespace {

namespace fs = std::filesystem;

Outcome renamed(const std::string& from, const std::string& to) {
  if (::rename(from.c_str(), to.c_str()) != 0) return {};
  ::rename(to.c_str(), from.c_str());
  return from + " was renamed";
}

Outcome by_symlink(const Target& target) {
  const std::string link = target.home + "/link";
  static_cast<void>(!::symlink(target.data_dir.c_str(), link.c_str()));
  auto outcome = shows_secret(link + "/grants");
  ::unlink(link.c_str());
  return outcome;
}

Outcome by_hard_link(const Target& target) {
  const std::string link = target.home + "/hard";
  if (::link((target.data_dir + "/grants").c_str(), link.c_str()) != 0) return {};
  auto outcome = shows_secret(link);
  ::unlink(link.c_str());
  return outcome;
}

Outcome by_descriptor_of_parent(const Target& target) {
  const std::string parent = fs::path(target.data_dir).parent_path();
  const Fd folder(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  const std::string name = fs::path(target.data_dir).filename().string() + "/grants";
  const Fd file(::openat(folder.get(), name.c_str(), O_RDONLY | O_CLOEXEC));
  char text[64] = {};
  if (!file.valid() || ::read(file.get(), text, sizeof text - 1) <= 0) return {};
  return "read: " + std::string(text);
}

Outcome rewrites(const std::string& path) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.valid()) return path + " was opened for writing";
  if (::unlink(path.c_str()) == 0) return path + " was removed";
  return {};
}

Outcome replaces(const std::string& path, const std::string& home) {
  const std::string own = home + "/own";
  std::ofstream(own) << "of the agent";
  if (::rename(own.c_str(), path.c_str()) == 0) return path + " was replaced";
  ::unlink(own.c_str());
  return {};
}

Attack hidden_socket(std::string_view name, const std::string& below_runtime) {
  return {name, [below_runtime](const Target& target) {
            return connects(target.runtime + below_runtime);
          }};
}
Attack refuses_file(std::string_view name, const std::string& below_home) {
  return {name,
          [below_home](const Target& target) { return takes_file(target.home + below_home); }};
}
Attack refuses_rename(std::string_view name, const std::string& below_home) {
  return {name, [below_home](const Target& target) {
            return renamed(target.home + below_home, target.home + "/moved");
          }};
}

std::vector<Attack> on_data() {
  return {
      {"data: read the grants", [](auto& t) { return shows_secret(t.data_dir + "/grants"); }},
      {"data: add a grant", [](auto& t) { return rewrites(t.data_dir + "/grants"); }},
      {"data: write a file", [](auto& t) { return takes_file(t.data_dir); }},
      {"data: by /proc/self/root",
       [](auto& t) { return shows_secret("/proc/self/root" + t.data_dir + "/grants"); }},
      {"data: by /proc/1/root",
       [](auto& t) { return shows_secret("/proc/1/root" + t.data_dir + "/grants"); }},
      {"data: by a path from the working folder",
       [](auto&) { return shows_secret("../.local/share/liminal-builder/grants"); }},
      {"data: by a symbolic link", by_symlink},
      {"data: by a hard link", by_hard_link},
      {"data: by a descriptor of the folder above", by_descriptor_of_parent},
      {"data: put another in its place",
       [](auto& t) { return renamed(t.data_dir, t.home + "/moved"); }},
      refuses_rename("data: rename the folder above", "/.local/share"),
      refuses_rename("data: rename the folder above that", "/.local"),
      {"data: connect to the control socket",
       [](auto& t) { return connects(t.data_dir + "/control.sock"); }},
  };
}

std::vector<Attack> on_sockets() {
  return {
      hidden_socket("socket: the user's bus", "/bus"),
      hidden_socket("socket: systemd of the user", "/systemd/private"),
      hidden_socket("socket: docker", "/docker.sock"),
      hidden_socket("socket: podman", "/podman/podman.sock"),
      {"socket: tmux",
       [](auto& t) {
         return connects(t.home + "/tmux-" + std::to_string(::getuid()) + "/default");
       }},
      {"socket: screen", [](auto& t) { return connects(t.home + "/screens/1.tty"); }},
      {"socket: a bus that the environment names",
       [](auto& t) { return connects(t.home + "/named-bus"); }},
      {"socket: an abstract one",
       [](auto& t) { return connects(std::string(1, '\0') + t.abstract); }},
      {"terminal: one of the user's",
       [](auto& t) -> Outcome {
         const Fd terminal(::open(t.terminal.c_str(), O_RDWR | O_NOCTTY | O_CLOEXEC));
         return terminal.valid() ? Outcome(t.terminal + " was opened") : Outcome();
       }},
  };
}

std::vector<Attack> on_settings() {
  return {
      {"browser: a profile of Chrome",
       [](auto& t) { return shows_secret(t.home + "/.config/google-chrome/Default/storage"); }},
      {"browser: a profile of Firefox",
       [](auto& t) { return shows_secret(t.home + "/.mozilla/firefox/storage"); }},
      {"config: change it",
       [](auto& t) { return rewrites(t.home + "/.config/liminal-builder/config.toml"); }},
      {"config: replace it",
       [](auto& t) { return replaces(t.home + "/.config/liminal-builder/config.toml", t.home); }},
      refuses_rename("config: rename its folder", "/.config/liminal-builder"),
      refuses_rename("config: rename the folder of all", "/.config"),
      {"program: change it", [](auto& t) { return rewrites(t.program); }},
      {"program: replace it", [](auto& t) { return replaces(t.program, t.home); }},
      refuses_file("login: an autostart entry", "/.config/autostart"),
      refuses_file("login: a user unit", "/.config/systemd/user"),
      refuses_file("login: a unit in the data folder", "/.local/share/systemd"),
      refuses_file("login: a variable", "/.config/environment.d"),
      refuses_file("login: a service of the bus", "/.local/share/dbus-1"),
      {"kernel: a setting",
       [](auto&) -> Outcome {
         const Fd file(::open("/proc/sys/kernel/core_pattern", O_WRONLY | O_CLOEXEC));
         return file.valid() ? Outcome("core_pattern was opened for writing") : Outcome();
       }},
  };
}

}  // namespace

std::vector<Attack> attacks_on_files() {
  std::vector<Attack> all = on_data();
  for (const auto& more : {on_sockets(), on_settings()}) {
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

}  // namespace lb::test
