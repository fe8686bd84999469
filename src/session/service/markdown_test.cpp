#include "session/service/markdown.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "session/session_test_support.h"
#include "session/texts.h"

namespace lb {
namespace {

using namespace test;

std::string exported(World& world, const SessionId& session) {
  world.loop.settle();
  return *world.loop.run(world.service->export_session(session, ExportFormat::Markdown));
}

bool holds(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

TEST_CASE("an export says who speaks, by the agent's name") {
  World world;
  world.registry->name("claude-code", "Claude Code");
  const SessionId session = world.create();
  const TurnId first = world.begin(session, "Hello");
  world.claude->say(session, first, "a1", Text("Hello to you."));
  world.claude->say(session, first, "a2", Text("What is to be done?"));
  world.claude->complete(session, first);
  const TurnId second = world.begin(session, "Nothing");
  world.claude->complete(session, second);
  CHECK(exported(world, session) ==
        "# Hello\n\n## You\n\nHello\n\n## Claude Code\n\nHello to you.\n\nWhat is to be done?\n\n"
        "## You\n\nNothing\n\n");
}

TEST_CASE("an export says what was allowed, what was denied, and by whom") {
  const std::vector<std::tuple<std::string, std::string, std::string>> decisions = {
      {"yes", "browser", "**Run rm -r build?** Allowed by you.\n"},
      {"no", "browser", "**Run rm -r build?** Denied by you.\n"},
      {"no", "ci-bot", "**Run rm -r build?** Denied by ci-bot.\n"}};
  for (const auto& [option, by, text] : decisions) {
    World world;
    const SessionId session = world.create();
    const TurnId turn = world.begin(session, "Clean");
    world.claude->ask(session, turn, "q");
    SessionAnswerRequest answer;
    answer.session_id = session;
    answer.item_id = ItemId("q");
    answer.option_id = option;
    REQUIRE(world.loop.run(ask(*world.service, &Session::answer, answer, by)).has_value());
    world.claude->complete(session, turn);
    CHECK(holds(exported(world, session), text));
  }
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "Clean");
  world.claude->ask(session, turn, "q");
  CHECK(holds(exported(world, session), "**Run rm -r build?** Waiting for an answer.\n"));
  REQUIRE(world.loop.run(ask(*world.service, &Session::kill, session)).has_value());
  CHECK(holds(exported(world, session), "**Run rm -r build?** Not answered: denied.\n"));
}

TEST_CASE("an export says which turns failed and why, and which were cancelled, in their place") {
  World world;
  const SessionId session = world.create();
  const TurnId failed = world.begin(session, "One");
  world.claude->say(session, failed, "a1", Text("I try."));
  world.claude->fail_turn(session, failed, {ErrorCode::ProcessCrash, "It was killed.\nTwice."});
  const TurnId cancelled = world.begin(session, "Two");
  world.claude->complete(session, cancelled, TurnStatus::Cancelled);
  const TurnId fine = world.begin(session, "Three");
  world.claude->say(session, fine, "a3", Text("Done."));
  world.claude->complete(session, fine);
  CHECK(exported(world, session) ==
        "# One\n\n## You\n\nOne\n\n## claude-code\n\nI try.\n\n"
        "> **This turn failed** (PROCESS_CRASH): It was killed.\n> Twice.\n\n"
        "## You\n\nTwo\n\n> **This turn was cancelled.**\n\n"
        "## You\n\nThree\n\n## claude-code\n\nDone.\n\n");
}

TEST_CASE("an export says what was done with a file, not only which") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "Look");
  const auto call = [&](const std::string& id, const std::string& name, const std::string& title) {
    ToolCall tool;
    tool.tool_name = name;
    tool.call_id = id;
    if (!title.empty()) tool.title = title;
    world.claude->upsert(world.claude->item(session, turn, id, std::move(tool)));
  };
  call("1", "Read", "src/cart.ts");
  call("2", "Edit", "src/cart.ts");
  call("3", "read", "Read src/cart.ts");
  call("4", "Bash", "");
  world.claude->complete(session, turn);
  const std::string text = exported(world, session);
  CHECK(holds(text, "**Read** src/cart.ts\n"));
  CHECK(holds(text, "**Edit** src/cart.ts\n"));
  CHECK(holds(text, "**Read src/cart.ts**\n"));
  CHECK(holds(text, "**Bash**\n"));
}

TEST_CASE("a queued message that was taken back is in no export") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "One");
  const TurnId queued = world.send(session, "Two")->turn_id;
  REQUIRE(
      world.loop.run(ask(*world.service, &Session::edit_queue, {session, queued, {}})).has_value());
  world.claude->complete(session, turn);
  CHECK(exported(world, session) == "# One\n\n## You\n\nOne\n\n");
}

TEST_CASE("the name of an export is safe on a command line, and keeps the letters of its title") {
  const auto named = [](std::string_view title) { return export_disposition(title, "md"); };
  const auto plain = [](std::string_view name) {
    return fmt::format("attachment; filename=\"{}.md\"", name);
  };
  CHECK(named("List files") == plain("List-files"));
  CHECK(named("--help me, please!") == plain("help-me-please"));
  CHECK(named("/compact") == plain("compact"));
  CHECK(named("../../etc/passwd") == plain("etc-passwd"));
  CHECK(named(".hidden") == plain("hidden"));
  CHECK(named("") == plain("conversation"));
  CHECK(named("?!") == plain("conversation"));
  CHECK(named(std::string(59, 'a') + " b") == plain(std::string(59, 'a')));
  CHECK(named("Was ist das f\u00fcr \"eine\" Datei?") ==
        plain("Was-ist-das-f-r-eine-Datei") +
            "; filename*=UTF-8''Was-ist-das-f%C3%BCr-eine-Datei.md");
  CHECK(named("\u4f60\u597d") ==
        plain("conversation") + "; filename*=UTF-8''%E4%BD%A0%E5%A5%BD.md");
  // What turns the line, is not seen or is no letter is in no name.
  CHECK(named("a\u202egnp.exe\u00a0\u200b\u2800\U0001f600b") == plain("a-gnp.exe-b"));
}

}  // namespace
}  // namespace lb
