#include "store/sqlite/sqlite_store.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <random>

#include "store/memory_store.h"
#include "store/sqlite/schema.h"
#include "store/store_test_support.h"
#include "tests/support/io_loop.h"
#include "tests/support/temp_dir.h"

namespace lb {
namespace {

using namespace test;

std::unique_ptr<Store> open(IoLoop& loop, const std::string& directory) {
  auto store = open_sqlite_store(loop.executor(), {directory, ""});
  REQUIRE_MESSAGE(store.has_value(), (store ? "" : store.error().message));
  return std::move(*store);
}

void commit(IoLoop& loop, Store& store, WriteBatch batch) {
  REQUIRE(loop.run(store.commit(std::move(batch))).has_value());
}

TEST_CASE("what was committed is there after reopening") {
  const TempDir dir;
  IoLoop loop;
  std::string epoch;
  {
    auto store = open(loop, dir.path());
    epoch = store->info().epoch;
    WriteBatch batch = new_session("s1");
    batch.projects.push_back({ProjectId("p1"), "/src/web", "web", {5}, 1, false});
    batch.sessions[0].facts = R"({"mode":"plan"})";
    batch.sessions[0].entries = {message("s1", "i1", 1, "one"), message("s1", "i2", 2, "two")};
    batch.sessions[0].outputs = {{"i2", std::string(300'000, 'x')}};
    batch.sessions[0].prompts = {{TurnId("t1"), "key", "hello", "", true}};
    commit(loop, *store, std::move(batch));
    WriteBatch later;
    later.settings = R"({"sendKey":"enter"})";
    later.attachments.push_back({"a1", SessionId("s1"), "image/png", std::string("\0\1\2", 3)});
    commit(loop, *store, std::move(later));
    WriteBatch last;
    last.settings = R"({"sendKey":"ctrl-enter"})";
    commit(loop, *store, std::move(last));
    store->close();
  }
  auto store = open(loop, dir.path());
  CHECK(store->info().epoch == epoch);
  CHECK(!epoch.empty());
  const Catalog catalog = *loop.run(store->load_catalog());
  CHECK(catalog.settings == R"({"sendKey":"ctrl-enter"})");
  REQUIRE(catalog.sessions.size() == 1);
  SessionRecord expected = record("s1");
  expected.facts = R"({"mode":"plan"})";
  CHECK(catalog.sessions[0] == expected);
  CHECK(catalog.projects ==
        std::vector<ProjectRecord>{{ProjectId("p1"), "/src/web", "web", {5}, 1, false}});
  CHECK(loop.run(store->load_unfinished())->empty());
  const auto page = *loop.run(store->read_since(SessionId("s1"), 1, 99, SIZE_MAX));
  REQUIRE(page.entries.size() == 1);
  CHECK(text_of(page.entries[0].payload) == "two");
  CHECK(loop.run(store->read_output(SessionId("s1"), "i2"))->value().size() == 300'000);
  const auto keys = *loop.run(store->read_prompt_keys(SessionId("s1")));
  REQUIRE(keys.size() == 1);
  CHECK(keys[0].key == "key");
  CHECK(loop.run(store->read_prompt(SessionId("s1"), keys[0].turn_id))->value().key == "key");
  CHECK(!loop.run(store->read_prompt(SessionId("s1"), TurnId("none")))->has_value());
  CHECK(loop.run(store->read_attachment(SessionId("s1"), "a1"))->value().bytes.size() == 3);
  CHECK(!loop.run(store->read_attachment(SessionId("s2"), "a1"))->has_value());
}

TEST_CASE("every field of a session is kept, also when its row is replaced") {
  const TempDir dir;
  IoLoop loop;
  SessionRecord first;
  first.id = SessionId("s1");
  first.project_id = ProjectId("p1");
  SessionRecord all;
  all.id = first.id;
  all.project_id = ProjectId("p2");
  all.cli_type = "type";
  all.cli_session_id = "theirs";
  all.owner = "epoch";
  all.title = "title";
  all.title_source = TitleSource::User;
  all.created_at = {1};
  all.last_active_at = {2};
  all.last_turn = TurnId("turn");
  all.model = "model";
  all.mode = "mode";
  all.reserved = 3;
  all.next_pos = 4;
  // Flags look alike: each is once the only one that is set.
  const auto flags = [](SessionRecord& record) {
    return std::array{&record.archived, &record.external, &record.imported,
                      &record.deleted,  &record.unread,   &record.failed};
  };
  auto store = open(loop, dir.path());
  const auto kept = [&](const SessionRecord& record) {
    SessionWrite write;
    write.session = record.id;
    write.record = record;
    commit(loop, *store, batch_of(write));
    return loop.run(store->load_catalog())->sessions.at(0);
  };
  CHECK(kept(first) == first);
  for (std::size_t set = 0; set < flags(all).size(); ++set) {
    for (std::size_t i = 0; i < flags(all).size(); ++i) *flags(all)[i] = i == set;
    CHECK(kept(all) == all);
  }
}

TEST_CASE("growing text is written in pieces and folded when it is read after a crash") {
  const TempDir dir;
  IoLoop loop;
  {
    auto store = open(loop, dir.path());
    WriteBatch batch = new_session("s1");
    batch.sessions[0].entries = {message("s1", "i1", 1, "a", ItemStatus::Create)};
    commit(loop, *store, std::move(batch));
    SessionWrite growth = write_of("s1");
    growth.growth = {{"i1", 2, 1, "b"}, {"i1", 3, 2, "c"}};
    commit(loop, *store, batch_of(growth));
    SessionWrite more = write_of("s1");
    more.growth = {{"i1", 4, 3, "d"}};
    commit(loop, *store, batch_of(more));
  }
  auto store = open(loop, dir.path());
  const auto unfinished = *loop.run(store->load_unfinished());
  REQUIRE(unfinished.size() == 1);
  REQUIRE(unfinished[0].entries.size() == 1);
  CHECK(text_of(unfinished[0].entries[0].payload) == "abcd");
  CHECK(decode_text<Item>(unfinished[0].entries[0].payload)->status == ItemStatus::Update);
}

TEST_CASE("a torn piece at the end of the log hides nothing before it") {
  const TempDir dir;
  IoLoop loop;
  {
    auto store = open(loop, dir.path());
    WriteBatch batch = new_session("s1");
    batch.sessions[0].entries = {message("s1", "i1", 1, "", ItemStatus::Create)};
    batch.sessions[0].growth = {};
    commit(loop, *store, std::move(batch));
    SessionWrite growth = write_of("s1");
    growth.growth = {{"i1", 2, 0, "whole"}};
    commit(loop, *store, batch_of(growth));
    growth.growth = {{"i1", 3, 5, " torn"}};
    commit(loop, *store, batch_of(growth));
  }
  const std::string log = dir.file("growing.log");
  std::filesystem::resize_file(log, std::filesystem::file_size(log) - 2);
  auto store = open(loop, dir.path());
  CHECK(text_of(loop.run(store->load_unfinished())->at(0).entries.at(0).payload) == "whole");
}

TEST_CASE("pieces of an earlier form are not added to a later one") {
  const TempDir dir;
  IoLoop loop;
  {
    auto store = open(loop, dir.path());
    WriteBatch batch = new_session("s1");
    batch.sessions[0].entries = {message("s1", "i1", 1, "a", ItemStatus::Create)};
    commit(loop, *store, std::move(batch));
    SessionWrite write = write_of("s1");
    write.growth = {{"i1", 2, 1, "b"}};
    commit(loop, *store, batch_of(write));
    SessionWrite form = write_of("s1");
    form.entries = {message("s1", "i1", 3, "X", ItemStatus::Update)};
    commit(loop, *store, batch_of(form));
  }
  auto store = open(loop, dir.path());
  CHECK(text_of(loop.run(store->load_unfinished())->at(0).entries.at(0).payload) == "X");
}

TEST_CASE("F42: a store of a newer version is refused and left as it is") {
  const TempDir dir;
  IoLoop loop;
  open(loop, dir.path())->close();
  {
    Database database(dir.file("store.db"), SQLITE_OPEN_READWRITE, nullptr);
    database.run("PRAGMA user_version = 99");
  }
  const auto bytes = [&] {
    std::ifstream file(dir.file("store.db"), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = bytes();
  const auto refused = open_sqlite_store(loop.executor(), {dir.path(), ""});
  REQUIRE(!refused.has_value());
  CHECK(refused.error().message.find("newer Liminal Builder") != std::string::npos);
  CHECK(bytes() == before);
}

TEST_CASE("F25: a damaged file is refused with a clear text and left as it is") {
  const TempDir dir;
  IoLoop loop;
  std::ofstream(dir.file("store.db")) << std::string(8192, 'z');
  const auto refused = open_sqlite_store(loop.executor(), {dir.path(), ""});
  REQUIRE(!refused.has_value());
  CHECK(refused.error().message.find("damaged") != std::string::npos);
  CHECK(std::filesystem::file_size(dir.file("store.db")) == 8192);
}

TEST_CASE("every file of the store is for its owner only") {
  const TempDir dir;
  IoLoop loop;
  auto store = open(loop, dir.path());
  commit(loop, *store, new_session("s1"));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir.path())) {
    struct stat info{};
    REQUIRE(::stat(entry.path().c_str(), &info) == 0);
    INFO(entry.path().string());
    CHECK((info.st_mode & 0777U) == 0600U);
    ++files;
  }
  CHECK(files == 4);  // The file, its WAL and shared memory, and the log of growing text.
}

TEST_CASE("search finds words, beginnings of words, tools and their output, after their commit") {
  const TempDir dir;
  IoLoop loop;
  auto store = open(loop, dir.path());
  WriteBatch batch = new_session("s1");
  batch.sessions[0].entries = {message("s1", "i1", 1, "The Quick brown fox"),
                               message("s1", "i2", 2, "slow green turtle"),
                               message("s1", "i3", 3, "quick but open", ItemStatus::Update)};
  Item tool = *decode_text<Item>(message("s1", "i4", 4, "").form->payload());
  ToolCall call;
  call.tool_name = "Bash";
  call.tool_arguments = RawObject(json::object{{"command", "make install"}});
  call.tool_output = Text("gcc: fatal error");
  tool.body = call;
  batch.sessions[0].entries.push_back(
      {EntryKind::Item, "i4", frame_from_payload(FrameKind::Upsert, "s1", 4, 4, encode(tool)),
       false});
  commit(loop, *store, std::move(batch));
  const auto find = [&](const std::string& text) {
    std::vector<std::string> ids;
    for (const SearchHit& hit : *loop.run(store->search({text, {SessionId("s1")}, 10}))) {
      ids.push_back(hit.item_id);
    }
    return ids;
  };
  using Ids = std::vector<std::string>;
  REQUIRE(loop.until([&] { return find("quick") == Ids{"i1"}; }));
  CHECK(find("QUICK fo") == Ids{"i1"});
  CHECK(find("fox slow") == Ids{});
  CHECK(find("install") == Ids{"i4"});
  CHECK(find("fatal bash") == Ids{"i4"});
  CHECK(find("\"*) OR (") == Ids{});
  CHECK(loop.run(store->search({"turtle", {SessionId("s9")}, 10}))->empty());

  SessionWrite erase = write_of("s1");
  erase.erase = true;
  commit(loop, *store, batch_of(erase));
  CHECK(find("turtle") == Ids{});
}

/// The same random writes to both; every question must get the same answer.
TEST_CASE("the SQLite store and the memory store agree") {
  const TempDir dir;
  IoLoop loop;
  MemoryStore memory(loop.executor());
  std::unique_ptr<Store> sqlite = open(loop, dir.path());
  std::mt19937 random(42);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  const std::vector<std::string> sessions = {"s1", "s2", "s3"};
  for (const std::string& id : sessions) {
    commit(loop, memory, new_session(id));
    commit(loop, *sqlite, new_session(id));
  }
  const auto same = [&] {
    for (const std::string& id : sessions) {
      const Revision since = below(200);
      const Revision upto = since + below(400);
      const std::size_t bytes = below(3000);
      const auto a = *loop.run(memory.read_since(SessionId(id), since, upto, bytes));
      const auto b = *loop.run(sqlite->read_since(SessionId(id), since, upto, bytes));
      CHECK(a.entries == b.entries);
      CHECK(a.more == b.more);
      const std::uint64_t before = below(2) == 0 ? UINT64_MAX : below(1'000'000'007);
      const auto c = *loop.run(memory.read_window(SessionId(id), before, below(20)));
      const auto d = *loop.run(sqlite->read_window(SessionId(id), before, c.entries.size()));
      CHECK(c.entries == d.entries);
      const auto keys = *loop.run(memory.read_prompt_keys(SessionId(id)));
      CHECK(keys == *loop.run(sqlite->read_prompt_keys(SessionId(id))));
      for (const PromptKey& one : keys) {
        CHECK(*loop.run(memory.read_prompt(SessionId(id), one.turn_id)) ==
              *loop.run(sqlite->read_prompt(SessionId(id), one.turn_id)));
      }
    }
  };
  Revision rev = 0;
  for (int round = 0; round < 60; ++round) {
    WriteBatch batch;
    for (std::uint32_t n = below(4) + 1; n > 0; --n) {
      SessionWrite write = write_of(sessions[below(3)]);
      const std::string item = "i" + std::to_string(below(40));
      const bool open = below(3) == 0;
      write.entries.push_back(message(write.session.str(), item, ++rev,
                                      std::string(below(300), 'a'),
                                      open ? ItemStatus::Update : ItemStatus::Complete));
      if (open) write.growth.push_back({item, ++rev, 0, "more"});
      if (below(5) == 0) {
        write.prompts.push_back(
            {TurnId("t" + std::to_string(below(9))), "k", "c", "", below(2) == 0});
      }
      if (below(40) == 0) write.erase = true;
      batch.sessions.push_back(std::move(write));
    }
    commit(loop, memory, batch);
    commit(loop, *sqlite, std::move(batch));
    if (below(10) == 0) {
      sqlite->close();
      sqlite = open(loop, dir.path());
    }
    same();
  }
}

}  // namespace
}  // namespace lb
