// How a file of an older version becomes one of ours, and that the old one is kept.

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "store/sqlite/database.h"
#include "store/sqlite/schema.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/support/golden.h"
#include "tests/support/io_loop.h"
#include "tests/support/temp_dir.h"

namespace lb {
namespace {

using namespace test;
namespace fs = std::filesystem;

/// What version 0.1 left on the disk, for us to change.
struct OldStore {
  OldStore() {
    const fs::path fixture = fs::path(LB_SOURCE_DIR) / "tests/fixtures/data-0.1";
    for (const char* file : {"store.db", "store.db-wal", "growing.log"}) {
      fs::copy_file(fixture / file, dir.file(file));
      fs::permissions(dir.file(file), fs::perms::owner_read | fs::perms::owner_write);
    }
  }
  Result<std::unique_ptr<Store>> open() {
    return open_sqlite_store(loop.executor(), {dir.path(), ""});
  }
  std::int64_t number(const char* file, const char* sql) {
    return Database(dir.file(file), SQLITE_OPEN_READWRITE, nullptr).number(sql);
  }

  TempDir dir;
  IoLoop loop;
};

constexpr const char* kVersion = "PRAGMA user_version";

TEST_CASE("a store of version 1 is copied before it is migrated") {
  OldStore old;
  const std::int64_t entries = old.number("store.db", "SELECT count(*) FROM entries");
  const std::string growing = slurp(old.dir.file("growing.log"));
  CHECK(entries > 40);
  REQUIRE(!growing.empty());
  auto store = old.open();
  REQUIRE_MESSAGE(store.has_value(), (store ? "" : store.error().message));
  (*store)->close();
  CHECK(old.number("store.db", kVersion) == kSchemaVersion);
  CHECK(old.number("store.db", "SELECT count(*) FROM entries") == entries);
  CHECK(old.number("store.db", "SELECT count(*) FROM sessions WHERE confined") == 0);

  // Everything in one file, as version 0.1 knows it: nothing is left behind in a WAL.
  CHECK(!fs::exists(old.dir.file("store.db.v1-wal")));
  for (const char* copy : {"store.db.v1", "growing.log.v1"}) {
    struct stat info{};
    REQUIRE(::stat(old.dir.file(copy).c_str(), &info) == 0);
    CHECK((info.st_mode & 0777U) == 0600U);
  }
  CHECK(old.number("store.db.v1", kVersion) == 1);
  CHECK(old.number("store.db.v1", "SELECT count(*) FROM entries") == entries);
  CHECK(old.number("store.db.v1", "SELECT count(*) FROM credentials") == 0);
  CHECK(slurp(old.dir.file("growing.log.v1")) == growing);
}

TEST_CASE("an older store does not know its logins, until they were taken over") {
  OldStore old;
  auto store = old.open();
  REQUIRE(store.has_value());
  CHECK_FALSE(old.loop.run((*store)->read_logins())->known);
  WriteBatch batch;
  batch.logins.push_back({"hash", "{}"});
  batch.logins_known = true;
  REQUIRE(old.loop.run((*store)->commit(std::move(batch))).has_value());
  (*store)->close();
  store = old.open();
  REQUIRE(store.has_value());
  const Logins logins = *old.loop.run((*store)->read_logins());
  CHECK(logins.known);
  CHECK(logins.rows.size() == 1);
  (*store)->close();
}

TEST_CASE("a store of this version is not copied, and neither is a new one") {
  const TempDir dir;
  IoLoop loop;
  for (int i = 0; i < 2; ++i) (*open_sqlite_store(loop.executor(), {dir.path(), ""}))->close();
  for (const auto& file : fs::directory_iterator(dir.path())) {
    CHECK(file.path().string().find(".v") == std::string::npos);
  }
}

TEST_CASE("a copy never overwrites another") {
  OldStore old;
  std::ofstream(old.dir.file("store.db.v1")) << "of an earlier migration";
  std::ofstream(old.dir.file("growing.log.v1.2")) << "of another";
  auto store = old.open();
  REQUIRE(store.has_value());
  (*store)->close();
  CHECK(slurp(old.dir.file("store.db.v1")) == "of an earlier migration");
  CHECK(slurp(old.dir.file("growing.log.v1.2")) == "of another");
  CHECK(!fs::exists(old.dir.file("store.db.v1.2")));
  CHECK(old.number("store.db.v1.3", kVersion) == 1);
  CHECK(fs::exists(old.dir.file("growing.log.v1.3")));
}

/// In a process of its own, where no file may become as large as the store is. Exit codes are
/// steps: 0 is good.
int migrate_without_room(OldStore& old) {
  const std::string path = old.dir.file("store.db");
  if (old.number("store.db", "PRAGMA wal_checkpoint(TRUNCATE)") != 0) return 11;
  ::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = fs::file_size(path) - 1;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const auto refused = old.open();
  if (refused) return 12;
  if (refused.error().code != ErrorCode::StoreFull) return 13;
  if (refused.error().message.find("no room for a copy") == std::string::npos) return 14;
  for (const auto& file : fs::directory_iterator(old.dir.path())) {
    const std::string name = file.path().filename().string();
    if (name.find(".v1") != std::string::npos || name.ends_with(".part")) return 15;
  }
  return old.number("store.db", kVersion) == 1 ? 0 : 16;
}

TEST_CASE("without room for the copy nothing is migrated") {
  OldStore old;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(migrate_without_room(old));
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
  auto store = old.open();  // With room it goes on.
  REQUIRE(store.has_value());
  (*store)->close();
  CHECK(old.number("store.db", kVersion) == kSchemaVersion);
}

}  // namespace
}  // namespace lb
