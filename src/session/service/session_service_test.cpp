#include "session/service/session_service.h"

#include <doctest/doctest.h>

#include <boost/asio/steady_timer.hpp>
#include <filesystem>

#include "base/awaitable.h"
#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

TEST_CASE("TC-6.1a: create returns the handle of a session that is open") {
  World world;
  SessionCreateRequest request;
  request.cli_type = "claude-code";
  request.project_dir = world.dir.path();
  const auto made = world.loop.run(world.service->create(request));
  REQUIRE(made.has_value());
  CHECK(made->cli_type == "claude-code");
  REQUIRE(world.claude->created.size() == 1);
  CHECK(world.claude->created[0].session_id == made->session_id);
  CHECK(world.claude->created[0].project_dir == std::filesystem::canonical(world.dir.path()));
  REQUIRE(world.service->projects().size() == 1);  // It was no project: now it is.
  CHECK(world.service->projects()[0].project_id == made->project_id);
  CHECK(world.heard.created.size() == 1);
  CHECK(world.info(made->session_id).status == SessionState::Open);
  CHECK(world.info(made->session_id).title == "New Session");
}

TEST_CASE("TC-6.1b: create with an unknown CLI type says so and makes nothing") {
  World world;
  SessionCreateRequest request;
  request.cli_type = "nonesuch";
  request.project_dir = world.dir.path();
  const auto made = world.loop.run(world.service->create(request));
  REQUIRE(!made.has_value());
  CHECK(made.error().code == ErrorCode::UnsupportedCliType);
  CHECK(world.service->projects().empty());
}

TEST_CASE("a create that fails leaves no session behind") {
  World world;
  const Project project = world.project();
  SessionCreateRequest request;
  request.cli_type = "codex";
  request.project_id = project.project_id;
  world.codex->create_error = Error{ErrorCode::AgentUnavailable, "codex is not installed."};
  CHECK(world.loop.run(world.service->create(request)).error().code == ErrorCode::AgentUnavailable);
  world.codex->create_error = Error{ErrorCode::ProtocolError, "gibberish"};
  CHECK(world.loop.run(world.service->create(request)).error().code ==
        ErrorCode::SessionCreateFailed);
  SessionListRequest list{project.project_id, ListScope::All, false};
  CHECK(world.service->list(list)->empty());
  CHECK(world.heard.created.empty());
  world.restart();
  CHECK(world.service->list(list)->empty());
}

TEST_CASE("TC-6.1c: list has the active sessions of a project; a killed one is gone from it") {
  World world;
  const SessionId one = world.create();
  const SessionId two = world.create("codex");
  const Project other = world.project("other");
  SessionListRequest list{world.info(one).project_id, std::nullopt, false};
  CHECK(world.service->list(list)->size() == 2);
  CHECK(world.service->list({other.project_id, std::nullopt, false})->empty());
  REQUIRE(world.loop.run(ask(*world.service, &Session::kill, two)).has_value());
  REQUIRE(world.service->list(list)->size() == 1);
  CHECK(world.service->list(list)->at(0).session_id == one);
  list.scope = ListScope::All;
  CHECK(world.service->list(list)->size() == 2);
}

TEST_CASE("TC-6.1d: list of an unknown project is refused") {
  World world;
  CHECK(world.service->list({ProjectId("p"), {}, false}).error().code ==
        ErrorCode::ProjectNotFound);
}

TEST_CASE("TC-6.1e: load goes to the provider of the session, with what we know of it") {
  World world;
  const SessionId session = world.create("codex");
  const TurnId turn = world.begin(session);
  world.codex->complete(session, turn);
  world.loop.settle();
  const auto ended_at = world.turn(session, turn)->ended_at;
  world.restart();
  CHECK(world.info(session).status == SessionState::Dead);
  const auto loaded = world.loop.run(world.service->load(session));
  REQUIRE(loaded.has_value());
  CHECK(loaded->cli_type == "codex");
  CHECK(loaded->status == SessionState::Open);
  REQUIRE(world.codex->loaded.size() == 1);
  CHECK(world.claude->loaded.empty());
  CHECK(world.codex->loaded[0].options.cli_session_id == "cli-" + session.str());
  CHECK(world.codex->loaded[0].options.last_known_turn == turn);
  // What is younger is new, also where the CLI gave that turn another id (a slash command).
  REQUIRE(ended_at.has_value());
  CHECK(world.codex->loaded[0].options.last_known_at == ended_at);
  REQUIRE(world.loop.run(world.service->load(session)).has_value());
  CHECK(world.codex->loaded.size() == 1);  // It was there already.
}

TEST_CASE("TC-6.1f: load of a session that does not exist is an error") {
  World world;
  const auto loaded = world.loop.run(world.service->load(SessionId("nobody")));
  REQUIRE(!loaded.has_value());
  CHECK(loaded.error().code == ErrorCode::SessionNotFound);
}

TEST_CASE("TC-6.2a: send goes to the provider of the session") {
  World world;
  const SessionId one = world.create("claude-code");
  const SessionId two = world.create("codex");
  world.begin(two, "for codex");
  CHECK(world.claude->sent.empty());
  REQUIRE(world.codex->sent.size() == 1);
  CHECK(world.codex->sent[0].session == two);
  CHECK(world.codex->sent[0].prompt.content == "for codex");
  world.begin(one, "for claude");
  CHECK(world.claude->sent.size() == 1);
}

TEST_CASE("TC-6.2b: send to a session that does not exist is an error") {
  World world;
  CHECK(world.send(SessionId("nobody"), "hello").error().code == ErrorCode::SessionNotFound);
}

TEST_CASE("TC-6.2c: cancel goes to the provider of the session, and only while a turn runs") {
  World world;
  const SessionId session = world.create("codex");
  SessionCancelRequest cancel{session, std::nullopt};
  REQUIRE(world.loop.run(ask(*world.service, &Session::cancel, cancel)).has_value());
  CHECK(world.codex->cancelled.empty());
  world.begin(session);
  REQUIRE(world.loop.run(ask(*world.service, &Session::cancel, cancel)).has_value());
  CHECK(world.codex->cancelled == std::vector<SessionId>{session});
  cancel.session_id = SessionId("nobody");
  CHECK(world.loop.run(ask(*world.service, &Session::cancel, cancel)).error().code ==
        ErrorCode::SessionNotFound);
}

TEST_CASE("TC-6.2d: the turn id that send returns is the one every output carries") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "What is 6 × 7?");
  REQUIRE(world.claude->sent.size() == 1);
  CHECK(world.claude->sent[0].prompt.turn_id == turn);
  world.claude->say(session, turn, "i1", "42");
  world.claude->complete(session, turn);
  world.loop.settle();
  const auto items = world.items(session);
  REQUIRE(items.size() == 2);
  CHECK(items[0].item_id.str() == turn.str() + ":user");
  CHECK(world.text(items[0]) == "What is 6 × 7?");
  CHECK(items[1].turn_id == turn);
  CHECK(items[0].pos < items[1].pos);
  REQUIRE(world.turns(session).size() == 1);
  CHECK(world.turns(session)[0].type == TurnType::Complete);
  CHECK(world.turns(session)[0].started_at.has_value());
}

TEST_CASE("TC-6.3a: kill ends the process of the provider; the conversation stays") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session);
  world.claude->say(session, turn, "i1", "half an ans", ItemStatus::Update);
  world.claude->ask(session, turn, "i2");
  REQUIRE(world.loop.run(ask(*world.service, &Session::kill, session)).has_value());
  CHECK(world.claude->killed == std::vector<SessionId>{session});
  CHECK(!world.service->status(session)->is_alive);
  CHECK(world.turn(session, turn)->status == TurnStatus::Cancelled);
  const auto items = world.items(session);
  REQUIRE(items.size() == 3);
  for (const Item& item : items) CHECK(is_final(item.status));
  CHECK(world.service->inbox().empty());
}

TEST_CASE("TC-6.3b: status says what the provider knows") {
  World world;
  const SessionId session = world.create();
  CHECK(world.service->status(session)->is_alive);
  CHECK(world.service->status(session)->state == SessionState::Open);
  SessionFacts facts;
  facts.mode = "plan";
  facts.context = ContextUse{10, 200};
  world.claude->report(session, facts);
  CHECK(world.service->status(session)->facts == facts);
  CHECK(world.heard.facts == std::vector<SessionFacts>{facts});
  world.claude->crash(session);
  CHECK(!world.service->status(session)->is_alive);
  CHECK(world.service->status(session)->state == SessionState::Dead);
  CHECK(world.service->status(SessionId("nobody")).error().code == ErrorCode::SessionNotFound);
  world.loop.until([&] { return false; }, std::chrono::milliseconds(300));
  world.restart();
  CHECK(world.service->status(session)->facts == facts);  // Still known after a restart.
}

TEST_CASE("E1-TC-2.1b: sessions are listed by their last activity, newest first") {
  World world;
  world.claude->outside = {{"old", "Old", {1}, {1000}}, {"new", "New", {1}, {3000}}};
  world.codex->outside = {{"mid", "Mid", {1}, {2000}}};
  const Project project = world.project();
  SessionListRequest list{project.project_id, ListScope::All, false};
  REQUIRE(world.loop.until([&] { return world.service->list(list)->size() == 3; }));
  std::vector<std::string> titles;
  for (const SessionInfo& info : *world.service->list(list)) titles.push_back(info.title);
  CHECK(titles == std::vector<std::string>{"New", "Mid", "Old"});
}

TEST_CASE("E1-TC-2.4a E1-TC-2.5a: an archived session leaves the list, also after a restart") {
  World world;
  const SessionId kept = world.create();
  const SessionId archived = world.create();
  REQUIRE(world.loop.run(ask(*world.service, &Session::set_archived, {archived, std::nullopt}))
              .has_value());
  SessionListRequest list{world.info(kept).project_id, ListScope::All, false};
  const auto check = [&] {
    list.archived = false;
    REQUIRE(world.service->list(list)->size() == 1);
    CHECK(world.service->list(list)->at(0).session_id == kept);
    list.archived = true;
    REQUIRE(world.service->list(list)->size() == 1);
    CHECK(world.service->list(list)->at(0).session_id == archived);
  };
  check();
  CHECK(world.claude->killed == std::vector<SessionId>{archived});
  world.restart();
  check();
  REQUIRE(
      world.loop.run(ask(*world.service, &Session::set_archived, {archived, false})).has_value());
  list.archived = false;
  CHECK(world.service->list(list)->size() == 2);
}

TEST_CASE("E1-TC-2.5b: the history is there after a restart, before anything is loaded") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "Question");
  world.claude->say(session, turn, "i1", "Answer");
  world.claude->complete(session, turn);
  world.loop.settle();
  const auto before = world.items(session);
  const auto turns = world.turns(session);
  world.restart();
  CHECK(world.items(session) == before);
  CHECK(world.turns(session) == turns);
  CHECK(world.claude->loaded.empty());
}

void displays_history(World& world, ScriptedProvider& agent) {
  agent.outside = {{"abc", "Outside", {5000}, {9000}}};
  agent.history = [&](const SessionId& session, const LoadSessionOptions& options) {
    if (options.last_known_turn) return;  // Known to us: the record adds only what we lack.
    agent.start(session, TurnId("t1"));
    Message question;
    question.content = Text("Why?");
    question.origin = Origin::User;
    agent.upsert(agent.item(session, TurnId("t1"), "t1:user", question));
    agent.say(session, TurnId("t1"), "i1", "Because.");
    agent.tool(session, TurnId("t1"), "i2", "output");
    agent.complete(session, TurnId("t1"));
  };
  const Project project = world.project();
  SessionListRequest list{project.project_id, ListScope::All, false};
  REQUIRE(world.loop.until([&] { return world.service->list(list)->size() == 1; }));
  const SessionId session = world.service->list(list)->at(0).session_id;
  OpenOptions open;
  open.session_id = session;
  const auto opened = world.loop.run(world.service->open(open));
  REQUIRE(opened.has_value());
  REQUIRE(opened->history.has_value());
  CHECK(opened->history->items.size() == 3);
  CHECK(opened->history->turns.size() == 1);
  CHECK(agent.loaded.empty());  // It can be read before it is loaded.
  const SessionInfo info = world.info(session);
  CHECK(!info.discovered);
  CHECK(!info.unread);  // History is no news.
  CHECK(info.title == "Outside");
  CHECK(info.last_active_at == Timestamp{9000});
  REQUIRE(world.loop.run(world.service->load(session)).has_value());
  CHECK(world.items(session).size() == 3);  // Loading twice changes nothing.
  CHECK(agent.loaded.at(0).options.last_known_turn == TurnId("t1"));
}

TEST_CASE("TC-7.3a: opening an existing Claude Code session shows its history") {
  World world;
  displays_history(world, *world.claude);
}

TEST_CASE("TC-7.3b: opening an existing Codex session shows its history") {
  World world;
  displays_history(world, *world.codex);
}

TEST_CASE("titles: the first prompt names a session, the agent may, the user decides") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "  Fix the login page \n now ");
  CHECK(world.info(session).title == "Fix the login page   now");
  world.claude->complete(session, turn);
  world.begin(session, "Another prompt");
  CHECK(world.info(session).title == "Fix the login page   now");
  world.claude->report(session, SessionTitle{"Login page"});
  CHECK(world.info(session).title == "Login page");
  REQUIRE(world.loop.run(ask(*world.service, &Session::set_title, {session, "Mine"})).has_value());
  world.claude->report(session, SessionTitle{"Not any more"});
  CHECK(world.info(session).title == "Mine");
  CHECK(world.loop.run(ask(*world.service, &Session::set_title, {session, "  "})).error().code ==
        ErrorCode::InvalidRequest);
  CHECK(world.heard.activity.back().title == "Mine");
}

TEST_CASE("delete takes everything away, and discovery does not bring it back") {
  World world;
  world.claude->outside = {{"abc", "Outside", {5000}, {9000}}};
  const Project project = world.project();
  SessionListRequest list{project.project_id, ListScope::All, false};
  REQUIRE(world.loop.until([&] { return world.service->list(list)->size() == 1; }));
  const SessionId session = world.service->list(list)->at(0).session_id;
  OpenOptions open;
  open.session_id = session;
  auto opened = world.loop.run(world.service->open(open));
  bool told = false;
  opened->reader->on_ready([&] { told = true; });
  REQUIRE(world.loop.run(world.service->remove(session)).has_value());
  CHECK(told);
  CHECK(opened->reader->ended().has_value());
  CHECK(world.service->list(list)->empty());
  CHECK(world.loop.run(world.service->open(open)).error().code == ErrorCode::SessionNotFound);
  world.outside = {{"abc", "Outside", {5000}, {9000}}};
  world.restart();
  REQUIRE(world.loop.until([&] { return world.claude->discoveries > 0; }));
  world.loop.settle();
  CHECK(world.service->list(list)->empty());
}

TEST_CASE("fork copies the conversation where the agent can, and says so where it cannot") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "First");
  world.claude->say(session, turn, "i1", "Answer");
  world.claude->complete(session, turn);
  const auto forked = world.loop.run(world.service->fork({session, {}}));
  REQUIRE(forked.has_value());
  CHECK(world.claude->forked.size() == 1);
  const auto copy = world.items(forked->session_id);
  REQUIRE(copy.size() == 2);
  CHECK(world.text(copy[1]) == "Answer");
  CHECK(copy[1].session_id == forked->session_id);
  world.claude->can_fork = false;
  CHECK(world.loop.run(world.service->fork({session, {}})).error().code == ErrorCode::NotSupported);
}

TEST_CASE("a fork has the images and the long outputs of its own: the first may be deleted") {
  World world;
  const SessionId session = world.create();
  const auto image = world.loop.run(world.service->add_attachment(session, {"image/png", "PNG…"}));
  REQUIRE(image.has_value());
  SessionSendRequest request;
  request.session_id = session;
  request.content = "Look";
  request.attachments = {{*image, "shot.png"}};
  const auto sent = world.loop.run(ask(*world.service, &Session::send, request));
  REQUIRE(sent.has_value());
  const std::string output(limits::kToolOutputInlineMax + 1000, 'o');
  world.claude->tool(session, sent->turn_id, "call-1", output);
  world.claude->complete(session, sent->turn_id);
  world.loop.settle();

  const auto forked = world.loop.run(world.service->fork({session, {}}));
  REQUIRE(forked.has_value());
  REQUIRE(world.loop.run(world.service->remove(session)).has_value());
  const auto copy = world.items(forked->session_id);
  REQUIRE(copy.size() == 2);
  const Attachment& attached = std::get<Message>(copy[0].body).attachments.at(0);
  CHECK(attached.attachment_id != *image);
  CHECK(attached.name == "shot.png");
  const auto bytes =
      world.loop.run(world.service->attachment(forked->session_id, attached.attachment_id));
  REQUIRE(bytes.has_value());
  CHECK(bytes->bytes == "PNG…");
  const auto whole = world.loop.run(world.service->output(forked->session_id, ItemId("call-1")));
  REQUIRE(whole.has_value());
  CHECK(*whole == output);
}

TEST_CASE("a server that stops ends all agents at once") {
  World world;
  asio::steady_timer asked(world.loop.executor(), asio::steady_timer::time_point::max());
  int ending = 0;
  const auto waits_for_the_other = [&]() -> asio::awaitable<void> {
    if (++ending == 2) asked.cancel();
    while (ending < 2) co_await asked.async_wait(kNoThrow);
  };
  world.claude->ending = world.codex->ending = waits_for_the_other;
  world.loop.run(world.service->stop());
  CHECK(ending == 2);
}

TEST_CASE("an id that the CLI left behind (/clear) is not found again as a second session") {
  World world;
  const SessionId session = world.create();
  const Project project = world.service->projects().at(0);
  world.claude->report(session, CliIdentity{"before-clear"});
  world.claude->report(session, CliIdentity{"after-clear"});
  SessionRenameRequest rename;  // Answered when everything so far is stored.
  rename.session_id = session;
  rename.title = "Mine";
  REQUIRE(world.loop.run(ask(*world.service, &Session::set_title, rename)).has_value());
  world.outside = {{"before-clear", "The beginning", {5000}, {9000}},
                   {"after-clear", "The rest", {5000}, {9000}}};
  const SessionListRequest list{project.project_id, ListScope::All, false};
  for (int restarts = 0; restarts < 2; ++restarts) {
    world.restart();
    REQUIRE(world.loop.until([&] { return world.claude->discoveries > 0; }));
    world.loop.settle();
    REQUIRE(world.service->list(list)->size() == 1);
    CHECK(world.service->list(list)->at(0).session_id == session);
  }
}

}  // namespace
}  // namespace lb
