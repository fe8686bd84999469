// Projects through the service: added, found again, gone, removed.

#include "session/projects/projects.h"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

TEST_CASE("E1-TC-1.1a: projects are listed in the order they were added, also after a restart") {
  World world;
  const std::vector<std::string> names = {"zeta", "alpha", "middle"};
  for (const std::string& name : names) world.project(name);
  const auto check = [&] {
    std::vector<std::string> listed;
    for (const Project& project : world.service->projects()) listed.push_back(project.name);
    CHECK(listed == names);
  };
  check();
  world.restart();
  check();
}

TEST_CASE("a project whose folder disappears says so, and says when it is back") {
  World world;
  const Project project = world.project("gone");
  std::filesystem::remove(world.dir.file("gone"));
  world.restart();  // A start looks for all of them.
  REQUIRE(world.loop.until([&] { return world.service->projects().at(0).missing == true; }));
  CHECK(world.heard.added.back().missing == true);
  const Project back = world.project("gone");
  CHECK(back.project_id == project.project_id);
  CHECK(!back.missing);
  CHECK(!world.heard.added.back().missing);
}

TEST_CASE("a session in a folder that is gone is refused with that, and its project marked") {
  World world;
  const Project project = world.project("gone");
  std::filesystem::remove(world.dir.file("gone"));
  SessionCreateRequest request;
  request.project_id = project.project_id;
  request.cli_type = "codex";
  const auto refused = world.loop.run(world.service->create(request));
  REQUIRE(!refused.has_value());
  CHECK(refused.error().code == ErrorCode::ProjectPathInvalid);
  CHECK(refused.error().message ==
        "The folder " + project.path + " is gone. Put it back, or choose another project.");
  CHECK(world.heard.added.back().missing == true);
}

TEST_CASE("a tilde is the home directory") {
  const std::string home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe): one thread.
  CHECK(with_home("~") == home);
  CHECK(with_home("~/work") == home + "/work");
  CHECK(with_home("~work") == "~work");
  CHECK(real_directory("~") == real_directory(home));
}

TEST_CASE("E1-TC-1.2a E1-TC-2.4c: an added directory appears with the sessions made outside") {
  World world;
  world.claude->outside = {{"abc", "Set up CI", {5000}, {9000}}};
  const Project project = world.project();
  CHECK(world.heard.added == std::vector<Project>{project});
  SessionListRequest list{project.project_id, ListScope::All, false};
  REQUIRE(world.loop.until([&] { return world.service->list(list)->size() == 1; }));
  const SessionInfo found = world.service->list(list)->at(0);
  CHECK(found.title == "Set up CI");
  CHECK(found.discovered);
  CHECK(found.last_active_at == Timestamp{9000});
  CHECK(found.session_id.str() == uuid_from("claude-code:abc"));
  world.restart();
  world.claude->outside = {{"abc", "Set up CI", {5000}, {9000}}};
  CHECK(world.service->list(list)->size() == 1);  // Listed once, whoever finds it again.
}

TEST_CASE("E1-TC-1.2b: what is no directory is refused with a clear text and nothing is added") {
  World world;
  std::ofstream(world.dir.file("file")) << "x";
  for (const std::string& path : {world.dir.file("missing"), world.dir.file("file"),
                                  std::string("relative/path"), std::string("")}) {
    const auto added = world.loop.run(world.service->add_project(path));
    REQUIRE(!added.has_value());
    CHECK(added.error().code == ErrorCode::ProjectPathInvalid);
    CHECK(!added.error().message.empty());
  }
  const std::string missing = world.dir.file("missing");
  CHECK(world.loop.run(world.service->add_project(missing)).error().message ==
        "There is no directory " + missing + ".");
  CHECK(world.service->projects().empty());
}

TEST_CASE("E1-TC-1.2d: the same real directory is one project, however it is spelled") {
  World world;
  const Project project = world.project("web");
  std::filesystem::create_directory_symlink(world.dir.file("web"), world.dir.file("link"));
  for (const std::string& path : {world.dir.file("web"), world.dir.file("web/"),
                                  world.dir.file("web/../web/."), world.dir.file("link")}) {
    const auto again = world.loop.run(world.service->add_project(path));
    REQUIRE(again.has_value());
    CHECK(again->existed);
    CHECK(again->project == project);
  }
  CHECK(world.service->projects().size() == 1);
}

TEST_CASE("E1-TC-1.3a: a removed project disappears; adding it again brings its sessions back") {
  World world;
  const SessionId session = world.create();
  const TurnId turn = world.begin(session, "Remember me");
  world.claude->complete(session, turn);
  world.loop.settle();
  const ProjectId project = world.info(session).project_id;
  REQUIRE(world.loop.run(world.service->remove_project({project})).has_value());
  CHECK(world.service->projects().empty());
  CHECK(world.heard.removed == std::vector<ProjectId>{project});
  CHECK(world.service->list({project, ListScope::All, false}).error().code ==
        ErrorCode::ProjectNotFound);
  CHECK(world.loop.run(world.service->remove_project({project})).error().code ==
        ErrorCode::ProjectNotFound);
  world.restart();
  CHECK(world.project().project_id == project);
  const auto listed = world.service->list({project, ListScope::All, false});
  REQUIRE(listed->size() == 1);
  CHECK(listed->at(0).session_id == session);
  CHECK(listed->at(0).title == "Remember me");
}

}  // namespace
}  // namespace lb
