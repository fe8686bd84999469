// A data directory that version 0.1 wrote opens with every entry, now and after every later change.
// What must appear is what 0.1 itself shows of it: tests/fixtures/data-0.1.

#include <doctest/doctest.h>

#include <filesystem>
#include <set>

#include "base/base64.h"
#include "base/json.h"
#include "session/service/session_service.h"
#include "session/session_test_support.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/support/golden.h"
#include "tests/support/io_loop.h"
#include "tests/support/temp_dir.h"

namespace lb {
namespace {

using namespace test;
namespace fs = std::filesystem;

const fs::path kFixture = fs::path(LB_SOURCE_DIR) / "tests/fixtures/data-0.1";

/// A server over a copy of the fixture, without any agent: readable is all it must be.
struct OldData {
  OldData() : expected(*parse_json(slurp(kFixture / "expected.json"))) {
    for (const char* file : {"store.db", "store.db-wal", "growing.log"}) {
      fs::copy_file(kFixture / file, dir.file(file));
      fs::permissions(dir.file(file), fs::perms::owner_read | fs::perms::owner_write);
    }
  }
  void start() {
    store = *open_sqlite_store(loop.executor(), {dir.path(), ""});
    ServiceDeps deps{loop.executor(), *store, agents, clock};
    service.emplace(deps);
    REQUIRE(loop.run(service->start()).has_value());
  }
  void stop() {
    loop.run(service->stop());
    service.reset();
    store->close();
    store.reset();
  }
  const json::object& sessions() { return expected.at("sessions").as_object(); }
  static SessionId id_of(const json::value& session) {
    return SessionId(std::string(session.at("sessionId").as_string()));
  }

  TempDir dir;
  IoLoop loop;
  SystemClock clock;
  ProviderRegistry agents;
  json::value expected;
  std::unique_ptr<Store> store;
  std::optional<SessionService> service;
};

/// What was open when the server was killed ends when the next one starts, and that is now. It also
/// gets the client's id of its message, which 0.1 kept beside it.
json::object comparable(json::value entry, const std::set<std::string>& ended_now) {
  json::object fields = std::move(entry.as_object());
  const json::value& id = fields.contains("itemId") ? fields.at("itemId") : fields.at("turnId");
  if (ended_now.contains(std::string(id.as_string()))) {
    fields.erase("endedAt");
    fields.erase("clientMessageId");
  }
  // What waits is held anew at every start.
  if (fields.at("type") == "turn_queued") fields.erase("rev");
  return fields;
}

std::set<std::string> open_entries(OldData& old) {
  std::set<std::string> ids;
  const auto unfinished = old.loop.run(old.store->load_unfinished());
  REQUIRE(unfinished.has_value());
  for (const Unfinished& left : *unfinished) {
    for (const StoredEntry& entry : left.entries) ids.insert(entry.id);
  }
  return ids;
}

std::size_t check_entries(const json::array& expected, const std::vector<FramePtr>& shown,
                          const std::set<std::string>& ended_now) {
  REQUIRE(shown.size() == expected.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const auto got = comparable(*parse_json(shown[i]->payload()), ended_now);
    const auto want = comparable(expected[i], ended_now);
    INFO(json::serialize(want) << "\n  but got " << json::serialize(got));
    CHECK((got == want));
  }
  return shown.size();
}

void check_everything(OldData& old, const std::set<std::string>& ended_now) {
  std::size_t entries = 0;
  for (const auto& [name, session] : old.sessions()) {
    INFO(std::string(name));
    const SessionId id = OldData::id_of(session);
    const auto history = old.loop.run(old.service->timeline(id, 0));
    REQUIRE(history.has_value());
    entries += check_entries(session.at("entries").as_array(), history->items, ended_now);
    entries += check_entries(session.at("turns").as_array(), history->turns, ended_now);
    const SessionInfo info = old.service->status(id)->info;
    CHECK(info.title == session.at("title").as_string());
    CHECK(info.cli_type == session.at("cliType").as_string());
    CHECK(info.project_id.str() == session.at("projectId").as_string());
    CHECK(info.archived == session.at("archived").as_bool());
    CHECK(info.unread == session.at("unread").as_bool());
    CHECK(to_iso(info.created_at) == session.at("createdAt").as_string());
  }
  CHECK(entries > 40);  // Not nothing compared with nothing.

  const json::array& projects = old.expected.at("projects").as_array();
  REQUIRE(old.service->projects().size() == projects.size());
  for (std::size_t i = 0; i < projects.size(); ++i) {
    const Project project = old.service->projects()[i];
    CHECK(project.project_id.str() == projects[i].at("projectId").as_string());
    CHECK(project.path == projects[i].at("path").as_string());
    CHECK(project.name == projects[i].at("name").as_string());
  }
  const SessionId deleted(std::string(old.expected.at("deleted").as_string()));
  CHECK(old.service->status(deleted).error().code == ErrorCode::SessionNotFound);
  const json::value& image = old.expected.at("attachment");
  const auto attachment = old.loop.run(old.service->attachment(
      OldData::id_of(image), std::string(image.at("attachmentId").as_string())));
  REQUIRE(attachment.has_value());
  CHECK(to_base64(attachment->bytes) == image.at("base64").as_string());
  const auto found = old.loop.run(old.service->search({"greeting program", {}, {}, 50}));
  REQUIRE(found.has_value());
  CHECK(!found->empty());
}

TEST_CASE("a data directory of version 0.1 opens with every entry") {
  OldData old;
  old.start();
  const std::set<std::string> ended_now = [] {
    OldData other;  // As it was before the server mended it.
    other.store = *open_sqlite_store(other.loop.executor(), {other.dir.path(), ""});
    auto ids = open_entries(other);
    other.store->close();
    return ids;
  }();
  CHECK(ended_now.size() >= 5);
  check_everything(old, ended_now);

  const json::value& text = old.sessions().at("text");
  SessionSendRequest again;
  again.session_id = OldData::id_of(text);
  again.content = "/markdown";
  again.client_message_id = "message-/markdown";
  const auto known = old.loop.run(ask(*old.service, &Session::send, again));
  REQUIRE(known.has_value());  // Its idempotency key is known: nothing is sent twice.
  CHECK(known->turn_id.str() == text.at("turns").at(0).at("turnId").as_string());

  old.stop();
  old.start();  // In our own form by now.
  check_everything(old, ended_now);
  old.stop();
}

}  // namespace
}  // namespace lb
