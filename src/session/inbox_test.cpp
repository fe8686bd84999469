// What waits for the user is told as it changes, not asked for.

#include <doctest/doctest.h>

#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

std::vector<std::string> ids(const std::vector<Item>& items) {
  std::vector<std::string> all;
  for (const Item& item : items) all.push_back(item.item_id.str());
  return all;
}
using Ids = std::vector<std::string>;

bool heard(World& world, std::size_t count) {
  return world.loop.until([&] { return world.heard.inboxes.size() == count; });
}

TEST_CASE("the inbox of a session is told when an approval is asked, answered and withdrawn") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "Tidy up");
  world.loop.settle();
  CHECK(world.heard.inboxes.empty());
  world.claude->ask(session, turn, "a1");
  REQUIRE(heard(world, 1));
  CHECK(world.heard.inboxes[0].session == session);
  CHECK(world.heard.inboxes[0].title == "Tidy up");
  CHECK(ids(world.heard.inboxes[0].items) == Ids{"a1"});
  world.claude->ask(session, turn, "a2");
  REQUIRE(heard(world, 2));
  CHECK(ids(world.heard.inboxes[1].items) == Ids{"a1", "a2"});
  CHECK(world.service->inbox().size() == 2);

  SessionAnswerRequest yes;
  yes.session_id = session;
  yes.item_id = ItemId("a1");
  yes.option_id = "yes";
  REQUIRE(world.loop.run(ask(*world.service, &Session::answer, yes, "me")).has_value());
  REQUIRE(world.loop.until([&] { return ids(world.heard.inboxes.back().items) == Ids{"a2"}; }));
  REQUIRE(world.loop.run(ask(*world.service, &Session::set_title, {session, "Another name"}))
              .has_value());
  REQUIRE(world.loop.until([&] { return world.heard.inboxes.back().title == "Another name"; }));

  Approval withdrawn;
  withdrawn.title = "Run rm -r build?";
  withdrawn.state = ApprovalState::Expired;
  world.claude->upsert(
      world.claude->item(session, turn, "a2", std::move(withdrawn), ItemStatus::Cancelled));
  REQUIRE(world.loop.until([&] { return world.heard.inboxes.back().items.empty(); }));
  const std::size_t told = world.heard.inboxes.size();
  world.claude->say(session, turn, "i1", Text("Done."));
  world.claude->complete(session, turn);
  world.loop.settle();
  CHECK(world.heard.inboxes.size() == told);  // Nothing of it has changed.
}

TEST_CASE("what nobody will answer any more leaves the inbox: killed and deleted sessions") {
  for (const bool deleted : {false, true}) {
    World world;
    const SessionId session = world.create();
    world.claude->ask(session, world.begin(session), "a1");
    REQUIRE(heard(world, 1));
    const auto done = deleted ? world.loop.run(world.service->remove(session))
                              : world.loop.run(ask(*world.service, &Session::kill, session));
    REQUIRE(done.has_value());
    REQUIRE(heard(world, 2));
    CHECK(world.heard.inboxes[1].session == session);
    CHECK(world.heard.inboxes[1].items.empty());
    CHECK(world.service->inbox().empty());
  }
}

TEST_CASE("an approval is told when it is stored, not before") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session);
  world.loop.settle();
  world.store.set_state({StoreState::Kind::Full, "The disk is full."});
  world.claude->ask(session, turn, "a1");
  world.loop.settle();
  CHECK(world.heard.inboxes.empty());
  CHECK(world.service->inbox().empty());  // Nor to who asks.
  world.store.set_state({});
  REQUIRE(heard(world, 1));
  CHECK(ids(world.heard.inboxes[0].items) == Ids{"a1"});
  CHECK(world.service->inbox().size() == 1);
}

TEST_CASE("an approval that changes is told as it was until the change is stored") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session);
  world.claude->ask(session, turn, "a1");
  REQUIRE(heard(world, 1));
  world.store.set_state({StoreState::Kind::Full, "The disk is full."});
  Item changed = world.heard.inboxes[0].items.at(0);
  std::get<Approval>(changed.body).title = "Run rm -r /?";
  world.claude->upsert(changed);
  world.loop.settle();
  REQUIRE(world.service->inbox().size() == 1);
  CHECK(world.service->inbox()[0].item == world.heard.inboxes[0].items[0]);
  world.store.set_state({});
  REQUIRE(heard(world, 2));
  CHECK(std::get<Approval>(world.service->inbox().at(0).item.body).title == "Run rm -r /?");
}

}  // namespace
}  // namespace lb
