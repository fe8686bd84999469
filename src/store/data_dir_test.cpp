#include "store/data_dir.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temp_dir.h"

namespace lb {
namespace {

TEST_CASE("P14: a second one is refused and told the address of the first") {
  const test::TempDir dir;
  const std::string path = dir.file("data");
  {
    auto first = DataDir::open(path);
    REQUIRE(first.has_value());
    REQUIRE(first->set_address("http://127.0.0.1:4750").has_value());
    const auto second = DataDir::open(path);
    REQUIRE(!second.has_value());
    CHECK(second.error().code == ErrorCode::Busy);
    CHECK(second.error().message.ends_with("http://127.0.0.1:4750"));
    CHECK(DataDir::address_of(path) == "http://127.0.0.1:4750");
    struct stat info{};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    CHECK((info.st_mode & 0777U) == 0700U);
  }
  CHECK(DataDir::address_of(path).empty());
  CHECK(DataDir::open(path).has_value());
}

TEST_CASE("P14: the lock dies with its process") {
  const test::TempDir dir;
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    auto mine = DataDir::open(dir.file("data"));
    const char byte = mine ? '1' : '0';
    if (::write(ready[1], &byte, 1) != 1) ::_exit(1);
    ::pause();
    ::_exit(0);
  }
  char byte = 0;
  REQUIRE(::read(ready[0], &byte, 1) == 1);
  CHECK(byte == '1');
  CHECK(!DataDir::open(dir.file("data")).has_value());
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  CHECK(DataDir::open(dir.file("data")).has_value());
  ::close(ready[0]);
  ::close(ready[1]);
}

TEST_CASE(
    "P14: what a killed server was just starting holds the lock for a moment, and is waited for") {
  const test::TempDir dir;
  auto mine = DataDir::open(dir.file("data"));
  REQUIRE(mine.has_value());
  const pid_t child = ::fork();  // It has the descriptor, as between fork and exec.
  if (child == 0) {
    ::usleep(50'000);
    ::_exit(0);
  }
  mine = fail(ErrorCode::Internal, "killed");
  CHECK(DataDir::open(dir.file("data")).has_value());
  ::waitpid(child, nullptr, 0);
}

TEST_CASE("S17: a data directory that others can read is refused with the remedy") {
  const test::TempDir dir;
  REQUIRE(::mkdir(dir.file("open").c_str(), 0755) == 0);
  const auto refused = DataDir::open(dir.file("open"));
  REQUIRE(!refused.has_value());
  CHECK(refused.error().message.find("chmod 700") != std::string::npos);
}

}  // namespace
}  // namespace lb
