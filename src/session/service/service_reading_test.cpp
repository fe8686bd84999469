#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "session/service/session_service.h"
#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

TEST_CASE("search finds what was said, with a snippet and where it was") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "Where is the flux capacitor?");
  world.claude->say(session, turn, "i1",
                    "Behind the seat.\nThe FLUX capacitor is behind the seat.");
  world.claude->complete(session, turn);
  world.loop.settle();
  const auto found = world.loop.run(world.service->search({"flux capac", {}, {}, 10}));
  REQUIRE(found->size() == 2);
  for (const SearchResult& result : *found) {
    CHECK(result.session_id == session);
    CHECK(result.turn_id == turn);
    CHECK(result.title == "Where is the flux capacitor?");
    CHECK(result.snippet.find("apacitor") != std::string::npos);
  }
  SearchRequest elsewhere{"flux", {}, "codex", 10};
  CHECK(world.loop.run(world.service->search(elsewhere))->empty());
}

TEST_CASE("who asks after an end was announced gets it, also while it is on its way to the disk") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "Hello");
  world.loop.settle();
  world.claude->say(session, turn, "i1", "Hi", ItemStatus::Complete);
  world.claude->complete(session, turn);
  CHECK(world.info(session).activity == Activity::Idle);  // A client polls for this
  const auto history = world.loop.run(world.service->timeline(session, 0));  // and then reads.
  REQUIRE(history->turns.size() == 1);
  CHECK(decode_text<Turn>(history->turns[0]->payload())->type == TurnType::Complete);
  CHECK(history->items.size() == 2);
}

TEST_CASE("export gives the conversation as Markdown and as JSON") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "List files");
  world.claude->tool(session, turn, "i1", "a.txt\n```b.txt```");
  world.claude->say(session, turn, "i2", "Two files.");
  world.claude->complete(session, turn);
  world.loop.settle();
  const auto markdown =
      world.loop.run(world.service->export_session(session, ExportFormat::Markdown));
  CHECK(*markdown ==
        "# List files\n\n## You\n\nList files\n\n## "
        "claude-code\n\n**Bash**\n\n````\na.txt\n```b.txt```\n````\n\n"
        "Two files.\n\n");
  const auto text = world.loop.run(world.service->export_session(session, ExportFormat::Json));
  const auto parsed = parse_json(*text);
  REQUIRE(parsed.has_value());
  CHECK(array_at(parsed->get_object(), "entries")->size() == 3);
  CHECK(array_at(parsed->get_object(), "turns")->size() == 1);
  CHECK(string_at(parsed->get_object(), "title") == "List files");
}

TEST_CASE("files for mentions are matched loosely and respect .gitignore; directories complete") {
  World world;
  const Project project = world.project("repo");
  const std::string root = world.dir.file("repo");
  std::filesystem::create_directories(root + "/src/session");
  for (const char* name : {"/src/session/session_service.cpp", "/src/main.cpp", "/secret.log"}) {
    std::ofstream(root + name) << "x";
  }
  std::ofstream(root + "/.gitignore") << "*.log\n";
  REQUIRE(std::system(("git init -q " + root).c_str()) == 0);
  const auto find = [&](const std::string& query) {
    std::vector<std::string> paths;
    const auto found = world.loop.run(world.service->files({project.project_id, query, 10}));
    for (const FileBody& file : found->files) paths.push_back(file.path);
    return paths;
  };
  using Paths = std::vector<std::string>;
  CHECK(find("sesserv") == Paths{"src/session/session_service.cpp"});
  CHECK(find("main") == Paths{"src/main.cpp"});
  CHECK(find("secret").empty());
  CHECK(find("").size() == 3);  // With .gitignore itself.
  CHECK(world.loop.run(world.service->files({ProjectId("p"), "", 1})).error().code ==
        ErrorCode::ProjectNotFound);
  CHECK(world.loop.run(world.service->directories({root + "/s"})).directories ==
        Paths{root + "/src"});
  CHECK(world.loop.run(world.service->directories({"relative"})).directories.empty());
}

TEST_CASE("agents: status is told to everyone and kept for new connections") {
  World world;
  CHECK(world.service->agent_statuses().size() == 2);
  world.codex->status(AgentStatus::Disconnected, "It exited.");
  REQUIRE(world.heard.statuses.size() == 1);
  CHECK(world.heard.statuses[0].status == AgentStatus::Disconnected);
  CHECK(world.service->agent_statuses().at(1).message == "It exited.");
  CHECK(world.loop.run(world.service->agents()).size() == 2);
  REQUIRE(world.loop.run(world.service->reconnect({"codex"})).has_value());
  REQUIRE(world.loop.until([&] { return world.codex->reconnects == 1; }));
  CHECK(world.loop.run(world.service->reconnect({"nonesuch"})).error().code ==
        ErrorCode::UnsupportedCliType);
}

TEST_CASE("mode and model go to the agent and are kept for the next load") {
  World world;
  const SessionId session = world.create();
  REQUIRE(world.loop.run(ask(*world.service, &Session::set_mode, {session, "plan"})).has_value());
  REQUIRE(world.loop.run(ask(*world.service, &Session::set_model, {session, "opus"})).has_value());
  CHECK(world.claude->modes[session] == "plan");
  world.loop.run(ask(*world.service, &Session::set_title, {session, "x"})).value();
  world.restart();
  REQUIRE(world.loop.run(world.service->load(session)).has_value());
  CHECK(world.claude->loaded.at(0).options.mode == "plan");
  CHECK(world.claude->loaded.at(0).options.model == "opus");
}

TEST_CASE("how much to think goes to the agent and is kept with what it reports") {
  World world;
  SessionCreateRequest request;
  request.cli_type = "claude-code";
  request.project_id = world.project().project_id;
  request.thinking = "low";
  const auto made = world.loop.run(world.service->create(std::move(request)));
  REQUIRE(made.has_value());
  CHECK(world.claude->created.at(0).thinking == "low");
  const SessionId session = made->session_id;
  REQUIRE(
      world.loop.run(ask(*world.service, &Session::set_thinking, {session, "high"})).has_value());
  CHECK(world.claude->thinking[session] == "high");
  SessionFacts facts;
  facts.thinking_levels = {{"high", "High effort", std::nullopt}};
  facts.thinking = "high";
  world.claude->report(session, facts);
  world.loop.settle();
  CHECK(world.service->status(session)->facts.thinking == "high");
  world.loop.run(ask(*world.service, &Session::set_title, {session, "x"}))
      .value();  // Durable, with all before it.
  world.restart();
  REQUIRE(world.loop.run(world.service->load(session)).has_value());
  CHECK(world.claude->loaded.at(0).options.thinking == "high");
  CHECK(world.loop.run(ask(*world.service, &Session::set_thinking, {SessionId("nobody"), "high"}))
            .error()
            .code == ErrorCode::SessionNotFound);
}

}  // namespace
}  // namespace lb
