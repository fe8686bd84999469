// Workspaces, checkpoints and rewinds in both stores.

#include <doctest/doctest.h>

#include "base/limits.h"
#include "store/memory_store.h"
#include "store/sqlite/sqlite_store.h"
#include "store/store_test_support.h"
#include "tests/support/io_loop.h"
#include "tests/support/temp_dir.h"

namespace lb {
namespace {

using namespace test;

struct Stores {
  Stores() { reopen(); }
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
  Catalog catalog() {
    Catalog all = *loop.run(sqlite->load_catalog());
    const Catalog model = *loop.run(memory.load_catalog());
    CHECK(all.workspaces == model.workspaces);
    CHECK(all.setups == model.setups);
    CHECK(all.open_rewinds == model.open_rewinds);
    CHECK(all.sessions == model.sessions);
    CHECK(all.reviewed == model.reviewed);
    return all;
  }
  std::vector<CheckpointRow> checkpoints(const char* session) {
    auto rows = *loop.run(sqlite->read_checkpoints(SessionId(session)));
    CHECK(rows == *loop.run(memory.read_checkpoints(SessionId(session))));
    return rows;
  }

  TempDir dir;
  IoLoop loop;
  MemoryStore memory{loop.executor()};
  std::unique_ptr<Store> sqlite;
};

CheckpointRow checkpoint(const char* session, const char* turn, const char* after) {
  return {SessionId(session), TurnId(turn), "/folder", "b1", after, false, {7}};
}

TEST_CASE("workspaces and the session that has one are read again after reopening") {
  Stores stores;
  WriteBatch batch;
  batch.workspaces.push_back({WorkspaceId("w1"), R"({"state":"creating"})"});
  batch.workspaces.push_back({WorkspaceId("w2"), "{}"});
  batch.setups = {{ProjectId("p1"), "abc"}, {ProjectId("p1"), "abc"}};
  SessionWrite& write = batch.sessions.emplace_back();
  write.session = SessionId("s1");
  write.record = record("s1");
  write.record->workspace_id = WorkspaceId("w1");
  stores.commit(batch);
  WriteBatch ready;
  ready.workspaces.push_back({WorkspaceId("w1"), R"({"state":"ready"})"});
  stores.commit(ready);
  stores.reopen();
  const Catalog catalog = stores.catalog();
  REQUIRE(catalog.workspaces.size() == 2);
  CHECK(catalog.workspaces[0].workspace == R"({"state":"ready"})");
  CHECK(catalog.setups.size() == 1);
  CHECK(catalog.sessions.at(0).workspace_id == WorkspaceId("w1"));
  WriteBatch gone;
  gone.workspaces.push_back({WorkspaceId("w1"), ""});
  stores.commit(gone);
  stores.reopen();
  REQUIRE(stores.catalog().workspaces.size() == 1);
  CHECK(stores.catalog().workspaces[0].id == WorkspaceId("w2"));
}

TEST_CASE("a checkpoint gets its second half, can be dropped, and goes with its session") {
  Stores stores;
  stores.commit(new_session("s1"));
  stores.commit(new_session("s2"));
  WriteBatch begun;
  begun.checkpoints = {checkpoint("s1", "t1", ""), checkpoint("s2", "t1", "")};
  stores.commit(begun);
  WriteBatch ended;
  ended.checkpoints = {checkpoint("s1", "t1", "a1"), checkpoint("s1", "t2", "a2")};
  stores.commit(ended);
  stores.reopen();
  CHECK(stores.checkpoints("s1") ==
        std::vector{checkpoint("s1", "t1", "a1"), checkpoint("s1", "t2", "a2")});
  WriteBatch dropped;
  dropped.dropped_checkpoints = {checkpoint("s1", "t1", "")};
  stores.commit(dropped);
  CHECK(stores.checkpoints("s1").size() == 1);
  CHECK(stores.checkpoints("s2").size() == 1);
  SessionWrite erase = write_of("s1");
  erase.record = record("s1");
  erase.erase = true;
  stores.commit(batch_of(std::move(erase)));
  CHECK(stores.checkpoints("s1").empty());
}

TEST_CASE("a rewind that was not finished is found at the next start") {
  Stores stores;
  WriteBatch begun;
  begun.rewinds = {{"r1", true, "one"}, {"r2", true, "two"}};
  stores.commit(begun);
  WriteBatch done;
  done.rewinds = {{"r1", false, "one, done"}};
  stores.commit(done);
  stores.reopen();
  const Catalog catalog = stores.catalog();
  REQUIRE(catalog.open_rewinds.size() == 1);
  CHECK(catalog.open_rewinds[0].id == "r2");
  CHECK((*stores.loop.run(stores.sqlite->read_rewind("r1")))->rewind == "one, done");
  CHECK((*stores.loop.run(stores.memory.read_rewind("r1")))->rewind == "one, done");
  CHECK_FALSE(stores.loop.run(stores.sqlite->read_rewind("r3"))->has_value());
}

TEST_CASE("only the newest rewinds are kept, and those that are not finished") {
  Stores stores;
  WriteBatch many;
  many.rewinds.push_back({"open", true, ""});
  for (std::uint64_t i = 0; i < limits::kRewindsKept + 5; ++i) {
    many.rewinds.push_back({"r" + std::to_string(i), false, ""});
  }
  REQUIRE(stores.loop.run(stores.sqlite->commit(many)).has_value());
  const auto there = [&](const std::string& id) {
    return stores.loop.run(stores.sqlite->read_rewind(id))->has_value();
  };
  CHECK(there("open"));
  CHECK_FALSE(there("r3"));
  CHECK(there("r5"));
}

TEST_CASE("comments and what was seen are read again, and go with their session") {
  Stores stores;
  stores.commit(new_session("s1"));
  stores.commit(new_session("s2"));
  const auto review = [&](const char* session) {
    auto rows = *stores.loop.run(stores.sqlite->read_review(SessionId(session)));
    const auto model = *stores.loop.run(stores.memory.read_review(SessionId(session)));
    CHECK(rows.comments == model.comments);
    CHECK(rows.seen == model.seen);
    return rows;
  };
  WriteBatch said;
  const SessionId s1("s1");
  said.comments = {{s1, CommentId("c1"), "one"},
                   {s1, CommentId("c2"), "two"},
                   {SessionId("s2"), CommentId("c1"), "of another"}};
  said.seen = {{s1, "b", "o1"}, {s1, "a", "o2"}, {s1, "", "tree"}, {SessionId("s2"), "a", "o3"}};
  stores.commit(said);
  WriteBatch changed;
  changed.comments = {{s1, CommentId("c1"), "one, better"}, {s1, CommentId("c2"), ""}};
  changed.seen = {{s1, "b", ""}, {s1, "a", "o4"}};
  stores.commit(changed);
  stores.reopen();
  CHECK(review("s1").comments == std::vector<CommentRow>{{s1, CommentId("c1"), "one, better"}});
  CHECK(review("s1").seen == std::vector<SeenRow>{{s1, "a", "o4"}});
  CHECK(stores.catalog().reviewed == std::vector<SeenRow>{{s1, "", "tree"}});
  SessionWrite erase = write_of("s1");
  erase.record = record("s1");
  erase.erase = true;
  stores.commit(batch_of(std::move(erase)));
  CHECK(review("s1").comments.empty());
  CHECK(review("s1").seen.empty());
  CHECK(stores.catalog().reviewed.empty());
  CHECK(review("s2").comments.size() == 1);
}

}  // namespace
}  // namespace lb
