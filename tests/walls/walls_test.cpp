#include "process/walls.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>

#include "process/mount_table.h"
#include "tests/walls/owner.h"

namespace lb::test {
namespace {

TEST_CASE("a confined agent finds every way closed") {
  REQUIRE(why_not_confined() == "");
  const auto said = attack(true);
  CHECK(said.size() >= 60);
  for (const std::string& line : said) CHECK_MESSAGE(line.starts_with("closed "), line);
}

/// What shows that the ways are real: without walls they lead somewhere.
TEST_CASE("the same agent without walls gets through") {
  const auto said = attack(false);
  for (const std::string_view way : {"data: read the grants",
                                     "data: add a grant",
                                     "data: rename the folder above",
                                     "data: connect to the control socket",
                                     "socket: the user's bus",
                                     "socket: docker",
                                     "socket: tmux",
                                     "socket: a bus that the environment names",
                                     "socket: an abstract one",
                                     "terminal: one of the user's",
                                     "browser: a profile of Chrome",
                                     "config: change it",
                                     "config: rename its folder",
                                     "login: a user unit",
                                     "login: a variable",
                                     "process: see others",
                                     "server: signal it",
                                     "server: trace it",
                                     "server: read its memory by a call",
                                     "server: compare with it",
                                     "session: signal another's process",
                                     "below: show the folder above elsewhere"}) {
    const bool open = std::ranges::any_of(said, [&](const std::string& line) {
      return line.starts_with("open " + std::string(way) + ":");
    });
    CHECK_MESSAGE(open, std::string(way));
  }
}

TEST_CASE("walls follow from where the user keeps things") {
  const auto walls =
      walls_for({.data_dir = "/srv/lb/", .config_file = "/etc/lb.toml", .program = "/opt/lb/lb"},
                {{"HOME", "/home/u"}, {"XDG_CONFIG_HOME", "/home/u/conf"}});
  const auto has = [&](Wall::Kind kind, const std::string& path) {
    return std::ranges::find(walls, Wall{kind, path}) != walls.end();
  };
  CHECK(has(Wall::Kind::Hidden, "/srv/lb"));
  CHECK(has(Wall::Kind::Hidden, "/home/u/.mozilla"));
  CHECK(has(Wall::Kind::Hidden, "/home/u/conf/google-chrome"));
  CHECK(has(Wall::Kind::Hidden, "/run/user/" + std::to_string(::geteuid()) + "/bus"));
  CHECK(has(Wall::Kind::ReadOnly, "/etc/lb.toml"));
  CHECK(has(Wall::Kind::ReadOnly, "/opt/lb/lb"));
  CHECK(has(Wall::Kind::ReadOnlyMade, "/home/u/conf/autostart"));
  CHECK(has(Wall::Kind::ReadOnlyMade, "/home/u/.local/share/dbus-1"));
  for (const Wall& wall : walls) CHECK(wall_of(wall_argument(wall)) == wall);
  CHECK_FALSE(wall_of("h").has_value());
  CHECK_FALSE(wall_of("xpath").has_value());
  CHECK_FALSE(wall_of("hrelative").has_value());
}

TEST_CASE("a path is found under its other names") {
  const MountTable table(
      "20 1 254:0 / / rw - ext4 /dev/vda rw\n"
      "21 20 0:30 /@home /home rw - btrfs /dev/sdb rw\n"
      "22 20 0:30 / /mnt/whole\\040disk rw - btrfs /dev/sdb rw\n"
      "23 20 0:30 /@home/u/.local /srv/local rw - btrfs /dev/sdb rw\n"
      "24 20 0:30 /@other /other rw - btrfs /dev/sdb rw\n");
  CHECK(table.other_names("/home/u/.local/share/lb") ==
        std::vector<std::string>{"/mnt/whole disk/@home/u/.local/share/lb", "/srv/local/share/lb"});
  CHECK(table.other_names("/etc/lb").empty());
  CHECK(table.other_names("/srv/local/share/lb") ==
        std::vector<std::string>{"/home/u/.local/share/lb",
                                 "/mnt/whole disk/@home/u/.local/share/lb"});
}

}  // namespace
}  // namespace lb::test
