// A randomised model: a writer does anything a provider may do while readers of every kind come,
// pause, reconnect and coalesce. In the end each reader's state must be the writer's.

#include <doctest/doctest.h>

#include <map>
#include <random>

#include "base/codec.h"
#include "base/utf8.h"
#include "model/server_message.h"
#include "timeline/timeline.h"

using namespace lb;

namespace {

/// What a client holds, applied exactly as docs/wire.md tells a client to.
struct Client {
  ReadForm form = ReadForm::Whole;
  std::size_t bytes_max = SIZE_MAX;
  bool forgetful = false;  // Reconnects after every frame, with the cursor of that frame.
  Revision cursor = 0;
  std::map<std::string, Item> items;
  std::map<std::string, Turn> turns;
  Revision last_rev = 0;

  void apply(const FramePtr& frame) {
    REQUIRE(frame->rev > last_rev);  // The rev of messages on one connection never goes back.
    last_rev = frame->rev;
    auto message = decode_text<ServerMessage>(frame->json);
    REQUIRE_MESSAGE(message.has_value(), frame->json);
    if (auto* upsert = std::get_if<SessionUpsertMessage>(&message->body)) {
      items[upsert->payload.item_id.str()] = upsert->payload;
    } else if (auto* turn = std::get_if<SessionTurnMessage>(&message->body)) {
      turns[turn->payload.turn_id.str()] = turn->payload;
    } else {
      append(std::get<SessionAppendMessage>(message->body));
    }
  }

  void append(const SessionAppendMessage& more) {
    REQUIRE_MESSAGE(items.contains(more.item_id.str()), encode(more));
    Item& item = items[more.item_id.str()];
    REQUIRE(more.rev > item.rev);
    Text* text = more.field == "content" ? &std::get<Message>(item.body).content
                                         : &*std::get<ToolCall>(item.body).tool_output;
    REQUIRE(utf16_length(text->view()) == more.from);  // No gap, no duplicate.
    text->append(more.text);
    item.status = ItemStatus::Update;
    item.rev = more.rev;
  }

  void pump(Timeline& timeline) {
    const auto changes = timeline.changes_since(cursor, form, bytes_max);
    for (const auto& frame : changes.frames) {
      apply(frame);
      cursor = frame->rev;
      if (forgetful) return;
    }
    cursor = changes.rev;
  }
};

class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  void step(Timeline& timeline) {
    const unsigned what = pick(100);
    if (what < 55 && !open_.empty()) {
      grow(timeline);
    } else if (what < 70) {
      start(timeline);
    } else if (what < 78 && !open_.empty()) {
      finish(timeline);
    } else if (what < 84) {
      turn(timeline);
    } else {
      // The store commits up to some revision, not always the newest.
      const Revision head = timeline.head();
      timeline.durable_up_to(head - std::min<Revision>(head, pick(4)));
    }
  }

  void finish_all(Timeline& timeline) {
    while (!open_.empty()) finish(timeline);
    timeline.durable_up_to(timeline.head());
  }

  const std::map<std::string, Item>& items() const { return items_; }
  const std::map<std::string, Turn>& turns() const { return turns_; }
  unsigned pick(unsigned below) {
    return std::uniform_int_distribution<unsigned>(0, below - 1)(random_);
  }

 private:
  void put(Timeline& timeline, Item item) {
    const auto done = timeline.put(item);
    REQUIRE(done.kind != Timeline::PutKind::Refused);
    Item& known = items_[item.item_id.str()];
    // The model of growth: text and status change, the rest stays.
    const std::uint64_t pos = known.pos != 0 ? known.pos : ++last_pos_;
    const Item before = known;
    known = item;
    if (done.grew) {
      known.emitted_at = before.emitted_at;
      known.source_timestamp = before.source_timestamp;
    }
    known.pos = pos;
    known.rev = done.rev;
  }

  void start(Timeline& timeline) {
    Item item;
    item.turn_id = TurnId("t");
    item.session_id = SessionId("s1");
    item.item_id = ItemId("i" + std::to_string(items_.size()));
    item.emitted_at = {static_cast<std::int64_t>(pick(1'000'000))};
    if (pick(3) == 0) {
      ToolCall tool;
      tool.tool_name = "Bash";
      tool.call_id = "c";
      if (pick(2) == 0) tool.tool_output = Text(words());
      item.body = tool;
    } else {
      item.body = Message{.content = Text(words()), .origin = Origin::Agent, .attachments = {}};
    }
    open_.push_back(item.item_id.str());
    put(timeline, item);
  }

  void grow(Timeline& timeline) {
    Item item = items_[open_[pick(static_cast<unsigned>(open_.size()))]];
    item.status = ItemStatus::Update;
    item.emitted_at = {static_cast<std::int64_t>(pick(1'000'000))};
    if (auto* message = std::get_if<Message>(&item.body)) {
      message->content.append(words());
      if (pick(20) == 0) message->content = Text(words());  // A text replaced.
    } else {
      auto& tool = std::get<ToolCall>(item.body);
      if (!tool.tool_output) tool.tool_output = Text();
      tool.tool_output->append(words());
      if (pick(10) == 0) tool.title = words();
    }
    put(timeline, item);
  }

  void finish(Timeline& timeline) {
    const unsigned which = pick(static_cast<unsigned>(open_.size()));
    Item item = items_[open_[which]];
    open_.erase(open_.begin() + which);
    item.status = pick(2) == 0 ? ItemStatus::Complete : ItemStatus::Cancelled;
    if (auto* message = std::get_if<Message>(&item.body); message != nullptr && pick(2) == 0) {
      message->content.append(words());
    }
    put(timeline, item);
  }

  void turn(Timeline& timeline) {
    const std::string id = "t" + std::to_string(turn_);
    Turn& turn = turns_[id];
    const bool fresh = turn.turn_id.empty();
    turn.turn_id = TurnId(id);
    turn.session_id = SessionId("s1");
    turn.type = fresh ? (pick(2) == 0 ? TurnType::Queued : TurnType::Started) : TurnType::Complete;
    if (turn.type == TurnType::Complete) {
      turn.status = TurnStatus::Completed;
      ++turn_;
    }
    const auto done = timeline.put(turn);
    if (turn.pos == 0) turn.pos = ++last_pos_;
    turn.rev = done.rev;
  }

  std::string words() {
    static const std::string kPieces[] = {"a",  "word ", "\"quoted\"\n", "Ünïcødé ",
                                          "😀", "",      "\\",           "\x01"};
    std::string text;
    for (unsigned i = pick(4); i > 0; --i) text += kPieces[pick(8)];
    return text;
  }

  std::mt19937 random_;
  std::map<std::string, Item> items_;
  std::map<std::string, Turn> turns_;
  std::vector<std::string> open_;
  std::uint64_t last_pos_ = 0;
  int turn_ = 0;
};

}  // namespace

TEST_CASE("any number of readers with any pattern of pauses end with the writer's state") {
  for (unsigned seed = 1; seed <= 150; ++seed) {
    CAPTURE(seed);
    Writer writer(seed);
    Timeline timeline(SessionId("s1"), {},
                      {.final_bytes_max = SIZE_MAX, .spans_max = 2 + seed % 30});
    std::vector<Client> clients;
    for (int i = 0; i < 8; ++i) {
      Client client;
      client.form = i % 2 == 0 ? ReadForm::Whole : ReadForm::Appends;
      client.bytes_max = i < 4 ? SIZE_MAX : 1 + writer.pick(2000);
      client.forgetful = i >= 6;
      clients.push_back(client);
    }
    for (int step = 0; step < 400; ++step) {
      writer.step(timeline);
      for (Client& client : clients) {
        if (writer.pick(6) == 0) client.pump(timeline);
      }
    }
    writer.finish_all(timeline);
    for (Client& client : clients) {
      while (client.cursor < timeline.head()) client.pump(timeline);
      for (const auto& [id, item] : writer.items()) {
        REQUIRE_MESSAGE(client.items[id] == item, encode(client.items[id]), " ", encode(item));
      }
      REQUIRE(client.items.size() == writer.items().size());
      REQUIRE(client.turns == writer.turns());
    }
  }
}

TEST_CASE("a reader that opens in the middle gets a history and goes on from its revision") {
  for (unsigned seed = 1; seed <= 100; ++seed) {
    CAPTURE(seed);
    Writer writer(seed);
    Timeline timeline(SessionId("s1"), {}, {.final_bytes_max = SIZE_MAX});
    for (unsigned step = writer.pick(300); step > 0; --step) writer.step(timeline);
    Client client;
    client.form = seed % 2 == 0 ? ReadForm::Whole : ReadForm::Appends;
    Revision newest = 0;
    for (const auto& frame : timeline.snapshot()) {
      client.last_rev = 0;
      client.apply(frame);
      newest = std::max(newest, frame->rev);
    }
    client.last_rev = client.cursor = timeline.visible();
    REQUIRE(newest <= client.cursor);
    for (int step = 0; step < 100; ++step) {
      writer.step(timeline);
      if (writer.pick(3) == 0) client.pump(timeline);
    }
    writer.finish_all(timeline);
    client.pump(timeline);
    REQUIRE(client.items == writer.items());
    REQUIRE(client.turns == writer.turns());
  }
}
