#include "session/live/reader.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <random>

#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

/// What a client knows: the newest form of every entry, as it was told.
struct Client {
  std::map<std::uint64_t, std::string> forms;    // By position: payloads.
  std::map<std::string, std::uint64_t> item_at;  // Item id → position.
  Revision last = 0;

  void take(const FramePtr& frame) {
    CHECK(frame->rev >= last);  // On one connection it never goes back.
    last = frame->rev;
    if (frame->kind != FrameKind::Append) return take_form(frame);
    const auto message = decode_text<ServerMessage>(frame->json);
    REQUIRE(message.has_value());
    const auto& append = std::get<SessionAppendMessage>(message->body);
    REQUIRE(item_at.contains(append.item_id.str()));
    std::string& payload = forms[item_at[append.item_id.str()]];
    Item item = *decode_text<Item>(payload);
    Text& text = std::get<Message>(item.body).content;
    REQUIRE(text.size() == append.from);  // ASCII only here.
    text.append(append.text);
    item.status = ItemStatus::Update;
    item.rev = append.rev;
    payload = encode(item);
  }
  void take_form(const FramePtr& frame) {
    forms[frame->pos] = std::string(frame->payload());
    if (frame->kind != FrameKind::Upsert) return;
    item_at[decode_text<Item>(frame->payload())->item_id.str()] = frame->pos;
  }
};

std::map<std::uint64_t, std::string> truth(World& world, const SessionId& session) {
  std::map<std::uint64_t, std::string> forms;
  const auto history = world.loop.run(world.service->timeline(session, 0));
  for (const auto* list : {&history->items, &history->turns}) {
    for (const FramePtr& frame : *list) forms[frame->pos] = std::string(frame->payload());
  }
  return forms;
}

Opened open(World& world, OpenOptions options) {
  auto opened = world.loop.run(world.service->open(std::move(options)));
  REQUIRE(opened.has_value());
  return std::move(*opened);
}

OpenOptions of(const SessionId& session) {
  OpenOptions options;
  options.session_id = session;
  return options;
}

TEST_CASE("opening without a cursor gives the history, then the changes") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "Hello");
  world.loop.settle();
  Opened opened = open(world, of(session));
  REQUIRE(opened.history.has_value());
  CHECK(opened.history->items.size() == 1);
  CHECK(opened.history->turns.size() == 1);
  CHECK(!opened.reset);
  int ready = 0;
  opened.reader->on_ready([&] { ++ready; });
  CHECK(opened.reader->next(SIZE_MAX).empty());
  world.claude->say(session, turn, "i1", "Hi");
  REQUIRE(world.loop.until([&] { return ready == 1; }));
  const auto frames = opened.reader->next(SIZE_MAX);
  REQUIRE(frames.size() == 1);
  CHECK(frames[0]->type() == "session:upsert");
  CHECK(opened.reader->cursor() == frames[0]->rev);
  CHECK(opened.reader->next(SIZE_MAX).empty());
  world.loop.settle();
  CHECK(ready == 1);
}

TEST_CASE("a known cursor gets only the changes; a useless one gets everything") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "Hello");
  world.loop.settle();
  const Revision rev = open(world, of(session)).rev;
  world.claude->complete(session, turn);
  world.loop.settle();
  OpenOptions known = of(session);
  known.since = rev;
  known.epoch = world.store.info().epoch;
  Opened opened = open(world, known);
  CHECK(!opened.history.has_value());
  std::vector<FramePtr> frames;
  const auto pump = [&](Opened& from) {  // It may have to be read from the store first.
    return world.loop.until([&] {
      for (FramePtr& frame : from.reader->next(SIZE_MAX)) frames.push_back(std::move(frame));
      return from.reader->cursor() >= from.rev;
    });
  };
  REQUIRE(pump(opened));
  REQUIRE(frames.size() == 1);
  CHECK(frames[0]->type() == "session:turn");

  OpenOptions future = known;
  future.since = rev + 1'000'000;
  CHECK(open(world, future).history.has_value());
  OpenOptions other = known;
  other.epoch = "another store";
  CHECK(open(world, other).reset);
  other.with_history = false;
  Opened replay = open(world, other);
  CHECK(replay.reset);
  CHECK(!replay.history.has_value());
  frames.clear();
  REQUIRE(pump(replay));
  CHECK(frames.size() == 2);
}

TEST_CASE("who saw what a crash took gets everything; who did not gets only the changes") {
  World world;
  const SessionId session = world.create();
  const TurnId first = world.begin(session, "Hello");
  world.claude->say(session, first, "i1", "Hi", ItemStatus::Complete);
  world.claude->complete(session, first);
  world.loop.settle();
  Opened opened = open(world, of(session));
  const Revision stored = opened.rev;
  // Growing text is shown at once and stored a little later: the crash comes in between.
  const TurnId second = world.begin(session, "More");
  world.loop.settle();
  world.claude->say(session, second, "i2", "Half a", ItemStatus::Create);
  std::vector<FramePtr> frames;
  REQUIRE(world.loop.until([&] {
    frames = opened.reader->next(SIZE_MAX);
    return !frames.empty() && frames.back()->kind == FrameKind::Upsert &&
           decode_text<Item>(frames.back()->payload())->item_id.str() == "i2";
  }));
  const Revision taken = opened.reader->cursor();
  opened.reader.reset();
  world.restart();
  CHECK(world.items(session).size() == 3);

  OpenOptions back = of(session);
  back.since = taken;
  const Opened saw = open(world, back);
  CHECK(saw.reset);
  REQUIRE(saw.history.has_value());
  CHECK(saw.history->items.size() == 3);
  CHECK(world.loop.run(world.service->timeline(session, taken))->items.size() == 3);
  back.since = stored;
  const Opened did_not = open(world, back);
  CHECK(!did_not.reset);
  CHECK(!did_not.history.has_value());
  back.since = did_not.rev;  // And what this life showed is good in it.
  CHECK(!open(world, back).reset);
}

TEST_CASE(
    "a reader without appends is paced while text grows, and woken at once by anything else") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "Tell me a story");
  Text story("Once");
  world.claude->say(session, turn, "i1", story, ItemStatus::Create);
  world.loop.settle();
  Opened whole = open(world, of(session));
  OpenOptions with_appends = of(session);
  with_appends.appends = true;
  Opened appends = open(world, with_appends);
  std::size_t whole_frames = 0;
  std::size_t append_frames = 0;
  whole.reader->on_ready([&] { whole_frames += whole.reader->next(SIZE_MAX).size(); });
  appends.reader->on_ready([&] { append_frames += appends.reader->next(SIZE_MAX).size(); });
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < 50; ++i) {
    story.append(" and");
    world.claude->say(session, turn, "i1", story, ItemStatus::Update);
    world.loop.settle();
  }
  const auto took = std::chrono::steady_clock::now() - began;
  CHECK(append_frames == 50);
  const auto paces = took / std::chrono::milliseconds(limits::kReaderPaceMs);
  CHECK(whole_frames <= static_cast<std::size_t>(paces) + 2);
  // A final form does not wait for the pace. The fastest of some: the machine may be busy.
  auto fastest = std::chrono::steady_clock::duration::max();
  for (int i = 0; i < 10; ++i) {
    const std::string id = "final" + std::to_string(i);
    std::size_t before = whole_frames;
    world.claude->say(session, turn, id, Text("It grows"), ItemStatus::Create);
    REQUIRE(world.loop.until([&] { return whole_frames > before; }));
    before = whole_frames;
    const auto asked = std::chrono::steady_clock::now();
    world.claude->say(session, turn, id, Text("It grows"), ItemStatus::Complete);
    REQUIRE(world.loop.until([&] { return whole_frames > before; }));
    fastest = std::min(fastest, std::chrono::steady_clock::now() - asked);
  }
  CHECK(fastest < std::chrono::milliseconds(limits::kReaderPaceMs / 2));
}

TEST_CASE("on_ready never comes from inside next, also when the store answers at once") {
  World world;
  const SessionId session = world.create();
  for (int i = 0; i < 3; ++i) {
    const TurnId turn = world.begin(session, "Prompt");
    world.claude->say(session, turn, "i" + std::to_string(i), "Answer");
    world.claude->complete(session, turn);
    world.loop.settle();
  }
  world.restart();  // Everything is in the store, nothing in memory.
  OpenOptions options = of(session);
  options.with_history = false;
  Opened opened = open(world, options);
  bool inside = false;
  bool called_inside = false;
  std::size_t ready = 0;
  opened.reader->on_ready([&] {
    ++ready;
    called_inside = called_inside || inside;
  });
  std::size_t frames = 0;
  const auto pump = [&] {
    inside = true;
    frames += opened.reader->next(1).size();
    inside = false;
    return opened.reader->cursor() >= opened.rev;
  };
  REQUIRE(world.loop.until(pump));
  CHECK(frames == 9);
  CHECK(ready > 0);
  CHECK(!called_inside);
}

TEST_CASE("readers without appends share the steps of a growing text, and with them the frames") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "Tell me a story");
  Text story("Once");
  world.claude->say(session, turn, "i1", story, ItemStatus::Create);
  world.loop.settle();
  std::vector<Opened> readers;
  std::vector<std::vector<FramePtr>> got(5);
  for (std::size_t i = 0; i < got.size(); ++i) {
    // They come at different times; their steps are the session's all the same.
    readers.push_back(open(world, of(session)));
    readers.back().reader->on_ready([&got, i, reader = readers.back().reader.get()] {
      for (FramePtr& frame : reader->next(SIZE_MAX)) got[i].push_back(std::move(frame));
    });
    story.append(" upon");
    world.claude->say(session, turn, "i1", story, ItemStatus::Update);
    world.loop.settle();
  }
  const auto length_of = [](const FramePtr& frame) {
    const auto item = decode_text<Item>(frame->payload());
    return std::get<Message>(item->body).content.size();
  };
  REQUIRE(world.loop.until([&] {
    return std::ranges::all_of(got, [&](const auto& frames) {
      return !frames.empty() && length_of(frames.back()) == story.size();
    });
  }));
  for (const auto& frames : got) CHECK(frames.back() == got[0].back());  // One frame, held by all.
}

TEST_CASE("pages: the newest entries first, older ones on demand, none twice and none missing") {
  World world;
  const SessionId session = world.create();
  for (int i = 0; i < 30; ++i) {
    const TurnId turn = world.begin(session, "Prompt " + std::to_string(i));
    world.claude->say(session, turn, "i" + std::to_string(i), std::string(100, 'x'));
    world.claude->complete(session, turn);
    world.loop.settle();
    if (i == 20) world.restart();  // Part of it only in the store, part in memory.
  }
  OpenOptions options = of(session);
  options.tail = 10;
  Opened opened = open(world, options);
  std::map<std::uint64_t, std::string> seen;
  History page = std::move(*opened.history);
  for (int pages = 1;; ++pages) {
    CHECK(page.items.size() + page.turns.size() <= 10);
    for (const auto* list : {&page.items, &page.turns}) {
      for (const FramePtr& frame : *list) {
        CHECK(seen.emplace(frame->pos, frame->payload()).second);
      }
    }
    if (!page.before) break;
    REQUIRE(pages < 100);
    page = *world.loop.run(world.service->page({session, *page.before, 10}));
  }
  CHECK(seen == truth(world, session));
}

TEST_CASE("P3: readers cut at random, with and without appends, end with what the store has") {
  World world;
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const SessionId session = world.create();
  struct Live {
    Client client;
    std::optional<Opened> opened;
    bool appends = false;
  };
  std::vector<Live> readers(8);
  std::size_t reconnects = 0;
  const auto pump = [&](Live& live, std::size_t bytes) {
    for (const FramePtr& frame : live.opened->reader->next(bytes)) live.client.take(frame);
  };
  const auto connect = [&](Live& live) {
    ++reconnects;
    OpenOptions options = of(session);
    options.appends = live.appends = below(2) == 0;
    // A cut connection: the client comes back with the last revision it took.
    if (below(8) != 0) options.since = live.client.last;
    live.opened.reset();
    live.opened = open(world, options);
    if (!live.opened->history) return;
    live.client = {};
    for (const auto* list : {&live.opened->history->items, &live.opened->history->turns}) {
      for (const FramePtr& frame : *list) live.client.take_form(frame);
    }
    live.client.last = live.opened->history->rev;
  };
  for (Live& live : readers) connect(live);
  for (int round = 0; round < 60; ++round) {
    const TurnId turn = world.begin(session, "Round " + std::to_string(round));
    std::vector<Text> texts(3);
    for (int step = 0; step < 30; ++step) {
      const std::size_t which = below(3);
      const bool first = texts[which].empty();
      texts[which].append(std::string(below(4000) + 1, 'a'));
      world.claude->say(session, turn, std::to_string(round) + "-" + std::to_string(which),
                        texts[which], first ? ItemStatus::Create : ItemStatus::Update);
      if (below(3) == 0) world.loop.settle();
      Live& live = readers[below(readers.size())];
      if (below(6) == 0) connect(live);
      pump(live, below(3) == 0 ? 100 : 20'000);
    }
    for (std::size_t which = 0; which < 3; ++which) {
      world.claude->say(session, turn, std::to_string(round) + "-" + std::to_string(which),
                        texts[which], ItemStatus::Complete);
    }
    world.claude->complete(session, turn);
    world.loop.settle();
  }
  const auto expected = truth(world, session);
  const Revision rev = world.loop.run(world.service->timeline(session, 0))->rev;
  for (Live& live : readers) {
    REQUIRE(world.loop.until([&] {
      pump(live, 50'000);
      return live.opened->reader->cursor() >= rev;
    }));
    CHECK(live.client.forms == expected);
  }
  CHECK(reconnects > 200);
}

}  // namespace
}  // namespace lb
