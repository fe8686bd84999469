#include "process/walls.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace lb {
namespace {

namespace fs = std::filesystem;
using Kind = Wall::Kind;

/// Below the home folder. What holds the user's logins, ours among them.
constexpr std::array kBrowsers = {
    ".mozilla",
    ".librewolf",
    ".waterfox",
    ".zen",
    ".floorp",
    ".tor-browser",
    "snap/firefox",
    "snap/chromium",
    "snap/brave",
    "snap/opera",
    ".var/app/org.mozilla.firefox",
    ".var/app/io.gitlab.librewolf-community",
    ".var/app/app.zen_browser.zen",
    ".var/app/org.chromium.Chromium",
    ".var/app/com.google.Chrome",
    ".var/app/com.brave.Browser",
    ".var/app/com.microsoft.Edge",
    ".var/app/com.vivaldi.Vivaldi",
    ".var/app/org.gnome.Epiphany",
};

/// Below the folder of configurations.
constexpr std::array kBrowserConfigurations = {
    "mozilla",
    "google-chrome",
    "google-chrome-beta",
    "google-chrome-unstable",
    "chromium",
    "BraveSoftware",
    "microsoft-edge",
    "microsoft-edge-beta",
    "microsoft-edge-dev",
    "vivaldi",
    "vivaldi-snapshot",
    "opera",
    "yandex-browser",
    "thorium",
    "net.imput.helium",
};

/// Below the user's run-time folder: what starts or controls programs of the user.
constexpr std::array kRuntime = {
    "bus",    "dbus-1", "systemd",    "at-spi",  "docker.sock",
    "docker", "podman", "containerd", "libvirt", "containerd-rootless",
};

/// Of the system: who may use them may start programs, or end ours.
constexpr std::array kSystem = {
    "/run/dbus/system_bus_socket",
    "/run/systemd/private",
    "/run/docker.sock",
    "/run/podman",
    "/run/containerd",
    "/run/crio",
    "/run/libvirt",
    "/run/snapd.socket",
    "/var/lib/lxd/unix.socket",
    "/var/lib/incus/unix.socket",
    "/var/snap/lxd/common/lxd/unix.socket",
};

/// Below the folder of configurations: what is run at the next login.
constexpr std::array kStarted = {"autostart", "systemd", "environment.d"};

class List {
 public:
  void add(Kind kind, const fs::path& path) {
    if (!path.is_absolute()) return;
    std::string text = path.lexically_normal().string();
    while (text.size() > 1 && text.ends_with('/')) text.pop_back();
    const auto known = std::ranges::find(walls_, text, &Wall::path);
    if (known == walls_.end()) walls_.push_back({kind, std::move(text)});
  }
  [[nodiscard]] std::vector<Wall> take() { return std::move(walls_); }

 private:
  std::vector<Wall> walls_;
};

fs::path folder(const Environment& environment, std::string_view name, const fs::path& otherwise) {
  const std::string_view value = variable(environment, name);
  return value.starts_with('/') ? fs::path(value) : otherwise;
}

/// The socket of the bus, where the environment names a file: `unix:path=/tmp/dbus-x,guid=…`.
fs::path named_bus(const Environment& environment) {
  constexpr std::string_view kPrefix = "unix:path=";
  const std::string_view address = variable(environment, "DBUS_SESSION_BUS_ADDRESS");
  const std::size_t at = address.find(kPrefix);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = address.substr(at + kPrefix.size());
  return rest.substr(0, rest.find_first_of(",;"));
}

std::string user_name() {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(::geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0) return {};
  return found == nullptr ? std::string() : std::string(found->pw_name);
}

/// tmux and screen: whoever reaches their sockets types into the user's terminals.
void add_terminals(List& list, const Environment& environment, const fs::path& home) {
  const std::string tmux = fmt::format("tmux-{}", ::geteuid());
  list.add(Kind::HiddenMade, fs::path("/tmp") / tmux);
  const std::string_view named = variable(environment, "TMUX_TMPDIR");
  if (named.starts_with('/')) list.add(Kind::HiddenMade, fs::path(named) / tmux);
  if (const std::string name = user_name(); !name.empty()) {
    list.add(Kind::HiddenMade, fs::path("/run/screen") / ("S-" + name));
    list.add(Kind::Hidden, fs::path("/tmp/screens") / ("S-" + name));
  }
  list.add(Kind::Hidden, home / ".screen");
  const std::string_view screens = variable(environment, "SCREENDIR");
  if (screens.starts_with('/')) list.add(Kind::Hidden, screens);
}

void add_sockets(List& list, const Environment& environment, const fs::path& home) {
  const fs::path usual = fmt::format("/run/user/{}", ::geteuid());
  for (const fs::path& runtime : {usual, folder(environment, "XDG_RUNTIME_DIR", usual)}) {
    for (const char* name : kRuntime) list.add(Kind::Hidden, runtime / name);
  }
  for (const char* path : kSystem) list.add(Kind::Hidden, path);
  list.add(Kind::Hidden, home / ".docker/run");
  list.add(Kind::Hidden, home / ".docker/desktop");
  list.add(Kind::Hidden, named_bus(environment));
  add_terminals(list, environment, home);
}

}  // namespace

std::vector<Wall> walls_for(const WallPlaces& places, const Environment& environment) {
  List list;
  const fs::path home = folder(environment, "HOME", {});
  const fs::path config = folder(environment, "XDG_CONFIG_HOME", home / ".config");
  const fs::path data = folder(environment, "XDG_DATA_HOME", home / ".local/share");
  list.add(Kind::Hidden, places.data_dir);
  add_sockets(list, environment, home);
  for (const char* name : kBrowsers) list.add(Kind::Hidden, home / name);
  for (const char* name : kBrowserConfigurations) list.add(Kind::Hidden, config / name);
  list.add(Kind::Hidden, data / "epiphany");
  list.add(Kind::Hidden, data / "qutebrowser");

  list.add(Kind::ReadOnlyMade, config / "liminal-builder");
  list.add(Kind::ReadOnly, places.config_file);
  list.add(Kind::ReadOnly, places.program);
  for (const char* name : kStarted) list.add(Kind::ReadOnlyMade, config / name);
  for (const char* name : {"plasma-workspace", "autostart-scripts"}) {
    list.add(Kind::ReadOnly, config / name);
  }
  list.add(Kind::ReadOnlyMade, data / "systemd");
  list.add(Kind::ReadOnlyMade, data / "dbus-1");
  return list.take();
}

std::string wall_argument(const Wall& wall) {
  return static_cast<char>(wall.kind) + wall.path;
}

std::optional<Wall> wall_of(std::string_view argument) {
  constexpr std::string_view kKinds = "hHrR";
  if (argument.size() < 2 || argument[1] != '/' || !kKinds.contains(argument[0])) return {};
  return Wall{static_cast<Kind>(argument[0]), std::string(argument.substr(1))};
}

}  // namespace lb
