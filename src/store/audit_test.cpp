// The audit trail and the logins in both stores.

#include <doctest/doctest.h>

#include "base/limits.h"
#include "base/metrics.h"
#include "store/memory_store.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/support/io_loop.h"
#include "tests/support/temp_dir.h"

namespace lb {
namespace {

using namespace test;

struct Both {
  Both() { reopen(); }
  void reopen() {
    if (sqlite) sqlite->close();
    auto opened = open_sqlite_store(loop.executor(), {dir.path(), ""});
    REQUIRE(opened.has_value());
    sqlite = std::move(*opened);
  }
  void commit(const WriteBatch& batch) {
    REQUIRE(loop.run(memory.commit(batch)).has_value());
    REQUIRE(loop.run(sqlite->commit(batch)).has_value());
  }
  std::vector<AuditRow> audit(std::uint64_t before, std::uint64_t count) {
    auto rows = *loop.run(sqlite->read_audit(before, count));
    CHECK(rows == *loop.run(memory.read_audit(before, count)));
    return rows;
  }
  Logins logins() {
    Logins all = *loop.run(sqlite->read_logins());
    CHECK(all.rows == loop.run(memory.read_logins())->rows);
    return all;
  }

  TempDir dir;
  IoLoop loop;
  MemoryStore memory{loop.executor()};
  std::unique_ptr<Store> sqlite;
};

TEST_CASE("the trail is read newest first, page by page, also after reopening") {
  Both both;
  for (int i = 1; i <= 5; ++i) {
    WriteBatch batch;
    batch.audit.push_back({0, i == 3, "line " + std::to_string(i)});
    both.commit(batch);
  }
  both.reopen();
  const auto newest = both.audit(UINT64_MAX, 2);
  REQUIRE(newest.size() == 2);
  CHECK(newest[0].entry == "line 5");
  CHECK(newest[1].entry == "line 4");
  const auto older = both.audit(newest[1].id, 100);
  REQUIRE(older.size() == 3);
  CHECK(older[0].stranger);
  CHECK(older[2].entry == "line 1");
  CHECK(both.audit(older[2].id, 100).empty());
}

TEST_CASE("limits: the oldest lines go, and strangers push out nothing but strangers") {
  Both both;
  const Counter& dropped = counter("lb_audit_dropped_total", "");
  const auto before = dropped.value();
  const auto add = [&](bool stranger, std::size_t count) {
    WriteBatch batch;
    for (std::size_t i = 0; i < count; ++i) batch.audit.push_back({0, stranger, "x"});
    both.commit(batch);
  };
  const auto count = [&](bool stranger) {
    const auto all = both.audit(UINT64_MAX, 1'000'000);
    return static_cast<std::size_t>(std::ranges::count(all, stranger, &AuditRow::stranger));
  };
  add(false, 100);
  add(true, limits::kAuditStrangersMax + 1000);
  CHECK(count(false) == 100);
  CHECK(count(true) >= limits::kAuditStrangersMax);
  CHECK(count(true) < limits::kAuditStrangersMax + limits::kAuditSlack);
  add(false, limits::kAuditMax);
  CHECK(count(false) >= limits::kAuditMax);
  CHECK(count(false) < limits::kAuditMax + limits::kAuditSlack);
  CHECK(dropped.value() > before + 900);
}

TEST_CASE("a login has a row until it ends") {
  Both both;
  CHECK(both.logins().known);
  WriteBatch batch;
  batch.logins = {{"hash 1", "one"}, {"hash 2", "two"}};
  both.commit(batch);
  WriteBatch end;
  end.ended_logins = {"hash 1"};
  both.commit(end);
  both.reopen();
  CHECK(both.logins().rows == std::vector<LoginRow>{{"hash 2", "two"}});
}

}  // namespace
}  // namespace lb
