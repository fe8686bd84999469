// The WebSocket and the event stream from outside, with scripted agents.
#include <doctest/doctest.h>

#include <set>

#include "tests/server/live_server.h"

using namespace lb;
using namespace lb::test;

namespace {

std::string text_at(const json::object& object, std::string_view key) {
  return std::string(string_at(object, key));
}

/// Nothing of the former protocol may ever be sent.
void check_no_legacy(const Socket& socket) {
  const std::set<std::string> legacy = {"session:update", "session:chunk", "session:complete",
                                        "session:cancelled"};
  for (const std::string& type : socket.seen()) CHECK_FALSE(legacy.contains(type));
}

/// Streams a text in three pieces, with a tool call, and ends the turn.
void play(LiveServer& live, ScriptedProvider& agent, const SessionId& session, const TurnId& turn) {
  const std::string text = turn.str() + ":1:0";
  const std::string tool = turn.str() + ":2:0";
  live.on_io([&] {
    Text growing("Hel");
    agent.say(session, turn, text, growing, ItemStatus::Create);
    growing.append("lo ");
    agent.say(session, turn, text, growing, ItemStatus::Update);
    growing.append("world");
    agent.say(session, turn, text, growing, ItemStatus::Complete);
    agent.tool(session, turn, tool, "", ItemStatus::Create);
    agent.tool(session, turn, tool, "out", ItemStatus::Complete);
    agent.complete(session, turn);
  });
}

struct Seen {
  std::map<std::string, json::object> items;  // Newest form by id.
  std::map<std::string, int> types;
  json::object turn;
};

Seen read_turn(Socket& socket) {
  Seen seen;
  double rev = 0;
  while (auto message = socket.next()) {
    const std::string type = text_at(*message, "type");
    if (type != "session:upsert" && type != "session:turn") continue;
    CHECK(number_at(*message, "rev") > rev);
    rev = number_at(*message, "rev");
    const json::object payload = *object_at(*message, "payload");
    if (type == "session:upsert") {
      seen.items[text_at(payload, "itemId")] = payload;
      ++seen.types[text_at(payload, "type")];
    } else {
      seen.turn = payload;
      if (text_at(payload, "type") == "turn_complete") return seen;
    }
  }
  FAIL("the turn did not end");
  return seen;
}

void streams_to_the_browser(LiveServer& live, const std::string& cli_type) {
  ScriptedProvider& agent = cli_type == "codex" ? *live.codex : *live.claude;
  const SessionId session = live.create(cli_type);
  auto socket = live.socket();
  socket->send({{"type", "session:open"}, {"sessionId", session.str()}, {"requestId", "o"}});
  REQUIRE(socket->until("session:history", "o"));
  socket->send({{"type", "session:send"},
                {"sessionId", session.str()},
                {"content", "go"},
                {"requestId", "s"}});
  const auto sent = socket->until("session:sent", "s");
  REQUIRE(sent);
  const TurnId turn(text_at(*sent, "turnId"));
  auto reader = live.socket();
  reader->send({{"type", "session:open"}, {"sessionId", session.str()}, {"since", 0}});
  play(live, agent, session, turn);
  const Seen seen = read_turn(*socket);
  const json::object& message = seen.items.at(turn.str() + ":1:0");
  CHECK(text_at(message, "type") == "message");
  CHECK(text_at(message, "content") == "Hello world");
  CHECK(text_at(message, "status") == "complete");
  const json::object& tool = seen.items.at(turn.str() + ":2:0");
  CHECK(text_at(tool, "type") == "tool_call");
  CHECK(text_at(tool, "toolOutput") == "out");
  CHECK(text_at(tool, "status") == "complete");
  check_no_legacy(*socket);
}

}  // namespace

TEST_CASE_FIXTURE(LiveServer,
                  "hello comes first, then settings, projects, agents and what is not idle") {
  const SessionId session = create();
  send(session, "work");
  on_io([&] { claude->status(AgentStatus::Connected); });
  Socket socket(port(), {bearer()});
  const auto hello = socket.next();
  REQUIRE(hello);
  CHECK(text_at(*hello, "type") == "hello");
  CHECK(number_at(*hello, "wireVersion") == kWireVersion);
  CHECK(text_at(*hello, "epoch") == on_io([&] { return store.info().epoch; }));
  CHECK(text_at(*socket.next(), "type") == "settings");
  CHECK(text_at(*socket.next(), "type") == "project:list");
  CHECK(text_at(*socket.next(), "type") == "agent:status");
  const auto activity = socket.until("session:info");
  REQUIRE(activity);
  CHECK(text_at(*activity, "sessionId") == session.str());
  CHECK(text_at(*activity, "activity") == "working");
}

TEST_CASE_FIXTURE(LiveServer, "a new connection is told what waits for the user, by session") {
  const SessionId session = create();
  const TurnId turn = send(session, "work");
  on_io([&] { claude->ask(session, turn, "ask-1"); });
  REQUIRE(eventually([&] { return service->inbox().size() == 1; }));
  Socket socket(port(), {bearer()});
  const auto inbox = socket.until("session:inbox");
  REQUIRE(inbox);
  CHECK(text_at(*inbox, "sessionId") == session.str());
  CHECK(text_at(*inbox, "title") == "work");
  const json::array& items = *array_at(*inbox, "items");
  REQUIRE(items.size() == 1);
  CHECK(text_at(items[0].as_object(), "type") == "approval");
  post(path(session, "kill"));
  const auto left = socket.until("session:inbox");
  REQUIRE(left);
  CHECK(array_at(*left, "items")->empty());
}

TEST_CASE_FIXTURE(LiveServer, "2b-WS-1: session:create is routed to the agent") {
  auto asker = socket();
  auto other = socket();
  asker->send({{"type", "session:create"},
               {"cliType", "codex"},
               {"projectDir", dir.path()},
               {"requestId", "c1"}});
  const auto created = asker->until("session:created", "c1");
  REQUIRE(created);
  CHECK(text_at(*created, "cliType") == "codex");
  CHECK(on_io([&] { return codex->created.size(); }) == 1);
  const auto told = other->until("session:created");
  REQUIRE(told);
  CHECK(text_at(*told, "sessionId") == text_at(*created, "sessionId"));
  CHECK_FALSE(told->contains("requestId"));
}

TEST_CASE_FIXTURE(LiveServer, "2b-WS-2: session:send is routed to the agent") {
  const SessionId session = create();
  auto asker = socket();
  asker->send({{"type", "session:send"},
               {"sessionId", session.str()},
               {"content", "hello"},
               {"clientMessageId", "m1"},
               {"requestId", "s1"}});
  const auto sent = asker->until("session:sent", "s1");
  REQUIRE(sent);
  const auto prompts = on_io([&] { return claude->sent; });
  REQUIRE(prompts.size() == 1);
  CHECK(prompts[0].prompt.content == "hello");
  CHECK(prompts[0].prompt.turn_id.str() == text_at(*sent, "turnId"));
}

TEST_CASE_FIXTURE(LiveServer, "2b-WS-3: session:cancel is routed to the agent") {
  const SessionId session = create();
  send(session, "work");
  auto asker = socket();
  asker->send({{"type", "session:cancel"}, {"sessionId", session.str()}, {"requestId", "x1"}});
  CHECK(asker->until("ok", "x1"));
  CHECK(on_io([&] { return claude->cancelled; }) == std::vector<SessionId>{session});
}

TEST_CASE_FIXTURE(LiveServer, "session:thinking is routed to the agent of that session") {
  const SessionId session = create();
  const SessionId other = create();
  auto asker = socket();
  const auto think = [&](const std::string& id, const std::string& level, const char* request) {
    asker->send({{"type", "session:thinking"},
                 {"sessionId", id},
                 {"thinking", level},
                 {"requestId", request}});
  };
  think(session.str(), "high", "t1");
  REQUIRE(asker->until("ok", "t1"));
  CHECK(on_io([&] { return claude->thinking; }) ==
        std::map<SessionId, std::string>{{session, "high"}});
  think(other.str(), "low", "t2");
  REQUIRE(asker->until("ok", "t2"));
  CHECK(on_io([&] { return claude->thinking[other]; }) == "low");
  think("nonexistent", "high", "t3");
  const auto unknown = asker->until("error", "t3");
  REQUIRE(unknown);
  CHECK(text_at(*unknown, "code") == "SESSION_NOT_FOUND");
  asker->send({{"type", "session:thinking"}, {"sessionId", session.str()}, {"requestId", "t4"}});
  const auto incomplete = asker->until("error", "t4");
  REQUIRE(incomplete);
  CHECK(text_at(*incomplete, "code") == "INVALID_REQUEST");
}

TEST_CASE_FIXTURE(LiveServer, "2b-WS-4: the agent's status reaches every connection") {
  auto first = socket();
  auto second = socket();
  on_io([&] { codex->status(AgentStatus::Reconnecting, "try 2"); });
  for (Socket* one : {first.get(), second.get()}) {
    for (;;) {
      const auto told = one->until("agent:status");
      REQUIRE(told);
      if (text_at(*told, "status") != "reconnecting") continue;
      CHECK(text_at(*told, "cliType") == "codex");
      CHECK(text_at(*told, "message") == "try 2");
      break;
    }
  }
}

TEST_CASE_FIXTURE(LiveServer, "2b-WS-5: an agent's failure becomes an error with the requestId") {
  const SessionId session = create();
  on_io([&] { claude->send_error = Error{ErrorCode::ProcessCrash, "it is gone"}; });
  auto asker = socket();
  asker->send({{"type", "session:send"},
               {"sessionId", session.str()},
               {"content", "hello"},
               {"requestId", "s9"}});
  const auto error = asker->until("error", "s9");
  REQUIRE(error);
  CHECK(text_at(*error, "code") == "PROCESS_CRASH");
  CHECK(text_at(*error, "sessionId") == session.str());
  asker->send({{"type", "session:open"}, {"sessionId", "nonexistent"}, {"requestId", "o9"}});
  const auto unknown = asker->until("error", "o9");
  REQUIRE(unknown);
  CHECK(text_at(*unknown, "code") == "SESSION_NOT_FOUND");
}

TEST_CASE_FIXTURE(LiveServer,
                  "TC-7.1a: Claude Code text streaming reaches the browser as upsert objects") {
  streams_to_the_browser(*this, "claude-code");
}

TEST_CASE_FIXTURE(LiveServer,
                  "TC-7.1b: Codex text streaming reaches the browser as upsert objects") {
  streams_to_the_browser(*this, "codex");
}

TEST_CASE_FIXTURE(LiveServer,
                  "TC-7.1c: tool calls from both providers reach the browser as upsert objects") {
  for (const std::string cli_type : {"claude-code", "codex"})
    streams_to_the_browser(*this, cli_type);
}

TEST_CASE_FIXTURE(LiveServer, "TC-7.4a: nothing reaches a socket but through a timeline") {
  const SessionId session = create();
  auto bystander = socket();  // Has opened nothing.
  auto reader = socket();
  reader->send({{"type", "session:open"}, {"sessionId", session.str()}, {"requestId", "o"}});
  REQUIRE(reader->until("session:history", "o"));
  const TurnId turn = send(session, "go");
  play(*this, *claude, session, turn);
  const Seen seen = read_turn(*reader);
  CHECK(text_at(seen.turn, "turnId") == turn.str());
  // Everything the reader saw has a revision of the timeline, and the timeline has all of it.
  const json::object timeline = get(path(session, "timeline")).json();
  for (const json::value& entry : *array_at(timeline, "entries")) {
    const std::string id = text_at(entry.as_object(), "itemId");
    if (seen.items.contains(id)) CHECK(entry.as_object() == seen.items.at(id));
  }
  bystander->send({{"type", "project:list"}, {"requestId", "end"}});
  REQUIRE(bystander->until("project:list", "end"));
  for (const std::string& type : bystander->seen()) {
    CHECK(type != "session:upsert");
    CHECK(type != "session:turn");
    CHECK(type != "session:append");
  }
  check_no_legacy(*bystander);
  check_no_legacy(*reader);
}

TEST_CASE_FIXTURE(LiveServer,
                  "a known cursor is answered by the changes, then ok; a useless one by all") {
  const SessionId session = create();
  const TurnId turn = send(session, "go");
  play(*this, *claude, session, turn);
  REQUIRE(eventually([&] { return service->status(session)->info.activity == Activity::Idle; }));
  const double rev = number_at(get(path(session, "timeline")).json(), "rev");
  auto reader = socket();
  reader->send(
      {{"type", "session:open"}, {"sessionId", session.str()}, {"since", 1}, {"requestId", "a"}});
  int changes = 0;
  std::optional<json::object> message;
  while ((message = reader->next()) && text_at(*message, "type") != "ok") {
    const std::string type = text_at(*message, "type");
    if (type == "session:upsert" || type == "session:turn") ++changes;
  }
  REQUIRE(message);
  CHECK(text_at(*message, "requestId") == "a");
  CHECK(number_at(*message, "rev") == rev);
  CHECK(changes > 0);

  reader->send({{"type", "session:open"},
                {"sessionId", session.str()},
                {"since", rev + 1000},
                {"requestId", "b"}});
  const auto future = reader->until("session:history", "b");
  REQUIRE(future);
  CHECK(number_at(*future, "rev") == rev);
  CHECK(array_at(*future, "entries")->size() == 3);

  reader->send({{"type", "session:open"},
                {"sessionId", session.str()},
                {"since", 1},
                {"epoch", "of-another-store"},
                {"requestId", "c"}});
  CHECK(reader->until("session:history", "c"));

  reader->send(
      {{"type", "session:open"}, {"sessionId", session.str()}, {"tail", 1}, {"requestId", "d"}});
  const auto tail = reader->until("session:history", "d");
  REQUIRE(tail);
  CHECK(array_at(*tail, "entries")->size() + array_at(*tail, "turns")->size() >= 1);
  REQUIRE(tail->contains("before"));
  reader->send({{"type", "session:page"},
                {"sessionId", session.str()},
                {"before", tail->at("before")},
                {"count", 10},
                {"requestId", "e"}});
  const auto page = reader->until("session:page", "e");
  REQUIRE(page);
  CHECK_FALSE(page->contains("rev"));
}

TEST_CASE_FIXTURE(LiveServer,
                  "appends: a reader that asked gets only what is new, and ends the same") {
  const SessionId session = create();
  auto reader = socket();
  reader->send({{"type", "session:open"},
                {"sessionId", session.str()},
                {"appends", true},
                {"requestId", "o"}});
  REQUIRE(reader->until("session:history", "o"));
  const TurnId turn = send(session, "go");
  const std::string id = turn.str() + ":1:0";
  Text growing("a");
  on_io([&] { claude->say(session, turn, id, growing, ItemStatus::Create); });
  std::string content;
  int appends = 0;
  for (int i = 0; i < 20; ++i) {
    growing.append("\xF0\x9F\x98\x80 x");
    on_io([&] { claude->say(session, turn, id, growing, ItemStatus::Update); });
    while (content.size() < growing.size()) {
      const auto message = reader->next();
      REQUIRE(message);
      if (text_at(*message, "type") == "session:append") {
        CHECK(text_at(*message, "itemId") == id);
        content += text_at(*message, "text");
        ++appends;
      } else if (text_at(*message, "type") == "session:upsert") {
        const json::object& payload = *object_at(*message, "payload");
        if (text_at(payload, "itemId") == id) content = text_at(payload, "content");
      }
    }
  }
  CHECK(content == growing.str());
  CHECK(appends > 5);
}

TEST_CASE_FIXTURE(LiveServer, "requests are answered side by side, each with its requestId") {
  auto asker = socket();
  for (int i = 0; i < 50; ++i) {
    asker->send({{"type", i % 2 == 0 ? "project:list" : "session:list"},
                 {"projectId", "nowhere"},
                 {"requestId", "r" + std::to_string(i)}});
  }
  std::set<std::string> answered;
  while (answered.size() < 50) {
    const auto message = asker->next();
    REQUIRE(message);
    if (const std::string id = text_at(*message, "requestId"); !id.empty()) answered.insert(id);
  }
  CHECK(answered.size() == 50);
}

TEST_CASE_FIXTURE(LiveServer, "malformed messages are answered, and the connection lives on") {
  auto asker = socket();
  asker->send_frame(0x81, "{nonsense");
  CHECK(text_at(*asker->until("error"), "code") == "INVALID_REQUEST");
  asker->send({{"type", "no:such"}, {"requestId", "q1"}});
  CHECK(text_at(*asker->until("error", "q1"), "code") == "INVALID_REQUEST");
  asker->send({{"type", "session:send"}, {"sessionId", 7}, {"content", "x"}, {"requestId", "q2"}});
  CHECK(asker->until("error", "q2"));
  asker->send({{"type", "session:open"}, {"sessionId", "--flag"}, {"requestId", "q3"}});
  CHECK(asker->until("error", "q3"));
  asker->send_frame(0x89, "ping");  // A ping in the middle is answered too.
  asker->send({{"type", "project:list"}, {"requestId", "q4"}});
  CHECK(asker->until("project:list", "q4"));
  CHECK(asker->pongs() == 1);
}

TEST_CASE_FIXTURE(LiveServer,
                  "projects: the asker's copy carries the requestId, the others get theirs") {
  auto asker = socket();
  auto other = socket();
  asker->send({{"type", "project:add"}, {"path", dir.path()}, {"requestId", "p1"}});
  const auto added = asker->until("project:added");
  REQUIRE(added);
  CHECK(text_at(*added, "requestId") == "p1");
  const std::string id = text_at(*object_at(*added, "project"), "projectId");
  const auto told = other->until("project:added");
  REQUIRE(told);
  CHECK_FALSE(told->contains("requestId"));
  asker->send({{"type", "project:remove"}, {"projectId", id}, {"requestId", "p2"}});
  CHECK(asker->until("project:removed", "p2"));
  CHECK(other->until("project:removed"));
  int copies = 0;
  for (const std::string& type : asker->seen()) copies += type == "project:added" ? 1 : 0;
  CHECK(copies == 1);
}

TEST_CASE_FIXTURE(
    LiveServer, "the event stream: ids are revisions, Last-Event-ID resumes, a future one resets") {
  const SessionId session = create();
  const TurnId turn = send(session, "go");
  play(*this, *claude, session, turn);
  REQUIRE(eventually([&] { return service->status(session)->info.activity == Activity::Idle; }));
  const auto events = [&](const std::string& query, Fields fields, std::string_view until) {
    fields.push_back(bearer());
    Wire wire(port());
    wire.send(request_text(port(), {"GET", path(session, "events") + query, fields, "", ""}));
    std::string all;
    while (!all.contains(until)) {
      const std::string more = wire.receive();
      if (more.empty()) break;
      all += more;
    }
    return all;
  };
  const std::string all = events("", {}, "turn_complete");
  CHECK(all.contains("Content-Type: text/event-stream"));
  CHECK(all.contains("\nevent: session:upsert\ndata: {\"type\":\"session:upsert\""));
  CHECK(all.contains("X-Content-Type-Options: nosniff"));
  const auto rev = static_cast<int>(number_at(get(path(session, "timeline")).json(), "rev"));
  const std::string later =
      events("", {{"Last-Event-ID", std::to_string(rev - 1)}}, "turn_complete");
  CHECK(later.contains("id: " + std::to_string(rev) + "\n"));
  CHECK_FALSE(later.contains("id: 1\n"));
  const std::string reset = events("?since=" + std::to_string(rev + 50), {}, "turn_complete");
  CHECK(reset.contains("event: session:reset\n"));
  CHECK(reset.contains("id: " + std::to_string(rev) + "\n"));
  CHECK(get(path(SessionId("nonexistent"), "events")).code() == "SESSION_NOT_FOUND");
  CHECK(get(path(session, "events?since=abc")).code() == "INVALID_REQUEST");
}
