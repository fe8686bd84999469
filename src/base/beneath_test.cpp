#include "base/beneath.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace lb {
namespace {

namespace fs = std::filesystem;

ErrorCode refused(const std::string& root, const std::string& path) {
  const auto read = read_beneath(root, path, 100);
  REQUIRE_FALSE(read.has_value());
  return read.error().code;
}

TEST_CASE("Files below a folder are read, and nothing else is") {
  const test::TempDir place;
  const std::string root = place.file("root");
  fs::create_directories(root + "/sub/.git");
  fs::create_directories(root + "/.github");
  const auto write = [&](const std::string& path, const std::string& text) {
    std::ofstream(place.file(path)) << text;
  };
  write("outside", "secret");
  write("root/file", "text");
  write("root/sub/\xff\n", "odd");
  write("root/.github/x", "shown");
  write("root/sub/.git/config", "secret");
  write("root/full", std::string(100, 'x'));
  write("root/over", std::string(101, 'x'));
  fs::create_symlink("../file", root + "/sub/inside");
  fs::create_symlink("sub", root + "/folder");
  fs::create_symlink("../outside", root + "/up");
  fs::create_symlink(place.file("root/file"), root + "/whole");
  fs::create_symlink("..", root + "/above");
  fs::create_symlink("sub/.git/config", root + "/config");
  fs::create_symlink("loop", root + "/loop");
  fs::create_symlink("/proc/self/root", root + "/magic");
  REQUIRE(::mkfifo((root + "/fifo").c_str(), 0600) == 0);
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (root + "/socket").c_str(), sizeof address.sun_path - 1);
  REQUIRE(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);

  CHECK(read_beneath(root, "file", 100) == "text");
  CHECK(read_beneath(root, "sub/\xff\n", 100) == "odd");
  CHECK(read_beneath(root, ".github/x", 100) == "shown");
  CHECK(read_beneath(root, "sub/inside", 100) == "text");
  CHECK(read_beneath(root, "folder/inside", 100) == "text");
  CHECK(read_beneath(root, "full", 100) == std::string(100, 'x'));
  CHECK(refused(root, "over") == ErrorCode::TooLarge);
  for (const char* path :
       {"", "none", "sub", ".", "..", "../outside", "up", "whole", "above/outside", "config",
        "sub/.git/config", "folder/.git/config", "loop", "fifo", "socket", "/etc/passwd",
        "magic/etc/passwd", "file/below"}) {
    CAPTURE(path);
    CHECK(refused(root, path) == ErrorCode::NotFound);
  }
  CHECK(refused(root, std::string("file\0x", 6)) == ErrorCode::NotFound);
  CHECK(refused(place.file("nowhere"), "file") == ErrorCode::NotFound);
}

}  // namespace
}  // namespace lb
