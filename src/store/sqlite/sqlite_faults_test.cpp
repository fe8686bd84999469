// What is left after kill -9, on a full disk and after a failed sync.

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <thread>

#include "store/sqlite/sqlite_store.h"
#include "store/store_test_support.h"
#include "tests/support/faulty_vfs.h"
#include "tests/support/io_loop.h"
#include "tests/support/temp_dir.h"

namespace lb {
namespace {

using namespace test;

std::unique_ptr<Store> open(IoLoop& loop, const std::string& directory, const char* vfs = "") {
  auto store = open_sqlite_store(loop.executor(), {directory, vfs});
  REQUIRE_MESSAGE(store.has_value(), (store ? "" : store.error().message));
  return std::move(*store);
}

std::set<std::string> stored_ids(IoLoop& loop, Store& store) {
  std::set<std::string> ids;
  const auto page = loop.run(store.read_since(SessionId("s1"), 0, 1U << 30U, SIZE_MAX));
  REQUIRE(page.has_value());
  for (const StoredEntry& entry : page->entries) ids.insert(entry.id);
  return ids;
}

WriteBatch one_item(const std::string& id, Revision rev) {
  SessionWrite write = write_of("s1");
  write.entries = {message("s1", id, rev, "text of " + id)};
  return batch_of(std::move(write));
}

/// Writes for ever and reports each item that is durable, until it is killed.
[[noreturn]] void write_until_killed(const std::string& directory, int report, int round) {
  IoLoop loop;
  auto opened = open_sqlite_store(loop.executor(), {directory, ""});
  if (!opened) ::_exit(2);
  Store& store = **opened;
  store.write(new_session("s1"), nullptr);
  Revision rev = static_cast<Revision>(round) * 1'000'000;
  std::size_t under_way = 0;
  for (;;) {
    while (under_way < 8) {
      const std::string id = std::to_string(++rev);
      ++under_way;
      store.write(one_item(id, rev), [&under_way, id, report] {
        --under_way;
        const std::string line = id + "\n";
        if (::write(report, line.data(), line.size()) < 0) ::_exit(3);
      });
    }
    if (!loop.until([&] { return under_way < 8; })) ::_exit(4);
  }
}

TEST_CASE("P1 F39: everything reported durable is there after kill -9, again and again") {
  const TempDir dir;
  std::mt19937 random(11);
  const char* asked = std::getenv("LB_KILLS");
  const int rounds = asked != nullptr ? std::atoi(asked) : 20;
  std::set<std::string> reported;
  for (int round = 1; round <= rounds; ++round) {
    int ends[2];
    REQUIRE(::pipe(ends) == 0);
    const pid_t child = ::fork();
    if (child == 0) {
      ::close(ends[0]);
      write_until_killed(dir.path(), ends[1], round);
    }
    ::close(ends[1]);
    std::string heard;
    char buffer[4096];
    // Killed at a random moment after its first report.
    REQUIRE(::read(ends[0], buffer, 1) == 1);
    heard += buffer[0];
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    ::kill(child, SIGKILL);
    for (ssize_t got; (got = ::read(ends[0], buffer, sizeof buffer)) > 0;) {
      heard.append(buffer, static_cast<std::size_t>(got));
    }
    ::close(ends[0]);
    ::waitpid(child, nullptr, 0);
    for (std::size_t at = 0, end; (end = heard.find('\n', at)) != std::string::npos; at = end + 1) {
      reported.insert(heard.substr(at, end - at));
    }
  }
  IoLoop loop;
  auto store = open(loop, dir.path());
  const std::set<std::string> there = stored_ids(loop, *store);
  std::size_t lost = 0;
  for (const std::string& id : reported) lost += there.contains(id) ? 0 : 1;
  MESSAGE("kills " << rounds << ", reported durable " << reported.size() << ", lost " << lost);
  CHECK(lost == 0);
  CHECK(reported.size() >= static_cast<std::size_t>(rounds));
}

TEST_CASE("P12 F20: a disk that is full at any write loses nothing and heals by itself") {
  const char* vfs = FaultyVfs::use();
  REQUIRE(vfs != nullptr);
  int covered = 0;
  bool reached = true;
  for (int n = 1; reached && n < 200; ++n) {
    const TempDir dir;
    IoLoop loop;
    faults().reset();
    auto store = open(loop, dir.path(), vfs);
    std::vector<StoreState::Kind> states;
    store->on_state([&](const StoreState& state) { states.push_back(state.kind); });
    bool first = false;
    store->write(new_session("s1"), [&] { first = true; });
    REQUIRE(loop.until([&] { return first; }));
    faults().writes = 0;
    faults().fail_write_at = n;
    std::vector<int> done;
    for (int i = 1; i <= 5; ++i) {
      store->write(one_item("i" + std::to_string(i), static_cast<Revision>(i)),
                   [&done, i] { done.push_back(i); });
    }
    loop.until([&] { return done.size() == 5 || !states.empty(); });
    reached = !states.empty();
    if (reached) {
      ++covered;
      CHECK(states.front() == StoreState::Kind::Full);
      CHECK(done.size() < 5);
      CHECK(loop.run(store->commit(one_item("x", 99))).error().code == ErrorCode::StoreFull);
    }
    faults().heal();
    REQUIRE(loop.until([&] { return done.size() == 5; }));
    CHECK(done == std::vector<int>{1, 2, 3, 4, 5});  // In the order they were written.
    if (reached) REQUIRE(loop.until([&] { return states.back() == StoreState::Kind::Ready; }));
    CHECK(stored_ids(loop, *store) == std::set<std::string>{"i1", "i2", "i3", "i4", "i5"});
    store->close();
  }
  CHECK(covered >= 3);
}

TEST_CASE("P12 F21: a failed sync stops the store with a clear state, and nothing is reported") {
  const char* vfs = FaultyVfs::use();
  const TempDir dir;
  IoLoop loop;
  faults().reset();
  auto store = open(loop, dir.path(), vfs);
  REQUIRE(loop.run(store->commit(new_session("s1"))).has_value());
  REQUIRE(loop.run(store->commit(one_item("i1", 1))).has_value());
  StoreState state;
  store->on_state([&](const StoreState& now) { state = now; });
  faults().syncs = 0;
  faults().fail_sync_at = 1;
  bool reported = false;
  store->write(one_item("i2", 2), [&] { reported = true; });
  REQUIRE(loop.until([&] { return state.kind == StoreState::Kind::Failed; }));
  CHECK(!state.message.empty());
  faults().heal();
  store->write(one_item("i3", 3), [&] { reported = true; });
  CHECK(loop.run(store->commit(one_item("i4", 4))).error().code == ErrorCode::StoreFull);
  loop.until([&] { return reported; }, std::chrono::milliseconds(400));
  CHECK(!reported);
  store->close();
  auto again = open(loop, dir.path());
  CHECK(stored_ids(loop, *again).contains("i1"));
}

/// A real limit of the kernel, in a process of its own: 0 when everything went as promised.
int fill_and_heal(const std::string& directory) {
  ::signal(SIGXFSZ, SIG_IGN);
  IoLoop loop;
  auto opened = open_sqlite_store(loop.executor(), {directory, ""});
  if (!opened) return 10;
  Store& store = **opened;
  if (!loop.run(store.commit(new_session("s1")))) return 11;
  SessionWrite start = write_of("s1");
  start.entries = {message("s1", "growing", 1, "", ItemStatus::Create)};
  if (!loop.run(store.commit(batch_of(start)))) return 12;
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = 64 * 1024;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  int done = 0;
  std::string grown;
  Revision rev = 1;
  for (int i = 0; i < 40; ++i) {
    SessionWrite write = write_of("s1");
    const std::string piece(1000, static_cast<char>('a' + i % 26));
    write.growth = {{"growing", ++rev, grown.size(), piece}};
    grown += piece;
    write.entries = {message("s1", "i" + std::to_string(i), ++rev, std::string(4000, 'x'))};
    store.write(batch_of(std::move(write)), [&done] { ++done; });
  }
  if (!loop.until([&] { return store.state().kind == StoreState::Kind::Full; })) return 13;
  if (done == 40) return 14;
  limit.rlim_cur = before;
  ::setrlimit(RLIMIT_FSIZE, &limit);
  if (!loop.until([&] { return done == 40 && store.state().kind == StoreState::Kind::Ready; })) {
    return 15;
  }
  store.close();
  auto again = open_sqlite_store(loop.executor(), {directory, ""});
  if (!again) return 16;
  const auto unfinished = loop.run((*again)->load_unfinished());
  if (!unfinished || unfinished->size() != 1) return 17;
  if (text_of(unfinished->at(0).entries.at(0).payload) != grown) return 18;
  return stored_ids(loop, **again).size() == 40 ? 0 : 19;
}

TEST_CASE("P12 F20: the kernel refuses to let the files grow, then allows it again") {
  const TempDir dir;
  const pid_t child = ::fork();
  if (child == 0) ::_exit(fill_and_heal(dir.path()));
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("long answers at once: the log of growing text stays bounded and folds into the rows") {
  const TempDir dir;
  IoLoop loop;
  std::string grown;
  {
    auto store = open(loop, dir.path());
    WriteBatch batch = new_session("s1");
    batch.sessions[0].entries = {message("s1", "growing", 1, "", ItemStatus::Create)};
    REQUIRE(loop.run(store->commit(std::move(batch))).has_value());
    Revision rev = 1;
    const std::string piece(256U << 10U, 'g');
    const auto log_size = [&] { return std::filesystem::file_size(dir.file("growing.log")); };
    while (grown.size() <= limits::kGrowthLogMax) {
      SessionWrite write = write_of("s1");
      write.growth = {{"growing", ++rev, grown.size(), piece}};
      grown += piece;
      REQUIRE(loop.run(store->commit(batch_of(std::move(write)))).has_value());
    }
    REQUIRE(loop.until([&] { return log_size() == 0; }));
    SessionWrite more = write_of("s1");
    more.growth = {{"growing", ++rev, grown.size(), "tail"}};
    grown += "tail";
    REQUIRE(loop.run(store->commit(batch_of(std::move(more)))).has_value());
  }
  auto store = open(loop, dir.path());
  CHECK(text_of(loop.run(store->load_unfinished())->at(0).entries.at(0).payload) == grown);
}

}  // namespace
}  // namespace lb
