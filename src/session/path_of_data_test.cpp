// One way out: agent → provider → session → timeline → readers → socket. Held by the includes and
// at run time.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;
namespace fs = std::filesystem;

/// The folders that the sources of `folder` (tests apart) include from.
std::set<std::string> included_by(const std::string& folder) {
  std::set<std::string> folders;
  for (const auto& file :
       fs::recursive_directory_iterator(fs::path(LB_SOURCE_DIR) / "src" / folder)) {
    const std::string name = file.path().filename().string();
    if (!file.is_regular_file() || name.find("_test") != std::string::npos) continue;
    std::ifstream in(file.path());
    for (std::string line; std::getline(in, line);) {
      constexpr std::string_view kInclude = "#include \"";
      if (!line.starts_with(kInclude)) continue;
      const std::string path = line.substr(kInclude.size(), line.rfind('"') - kInclude.size());
      folders.insert(path.substr(0, path.rfind('/')));
    }
  }
  return folders;
}

TEST_CASE("TC-7.4a: nothing of a protocol can reach a socket but through the timeline") {
  for (const std::string& folder : included_by("providers")) {
    INFO(folder);
    CHECK(!folder.starts_with("server"));
    CHECK(!folder.starts_with("session"));
    CHECK(!folder.starts_with("store"));
  }
  for (const std::string& folder : included_by("session")) {
    INFO(folder);
    CHECK(!folder.starts_with("server"));
    CHECK(!folder.starts_with("providers/"));  // No CLI, no protocol: provider.h and registry.h.
    CHECK(!folder.starts_with("process"));
  }
  for (const std::string& folder : included_by("store")) {
    INFO(folder);
    CHECK(!folder.starts_with("session"));
    CHECK(!folder.starts_with("providers"));
    CHECK(!folder.starts_with("server"));
  }
}

TEST_CASE("TC-7.4a: a reader sees upserts, turns and appends, whatever the agent does") {
  World world;
  const SessionId session = world.create();
  OpenOptions options;
  options.session_id = session;
  options.appends = true;
  auto opened = world.loop.run(world.service->open(options));
  std::set<std::string> types;
  const auto pump = [&] {
    for (const FramePtr& frame : opened->reader->next(SIZE_MAX)) {
      types.emplace(frame->type());
      const auto message = decode_text<ServerMessage>(frame->json);
      REQUIRE_MESSAGE(message.has_value(), frame->json);
    }
  };
  const TurnId turn = world.begin(session);
  Text text("a");
  world.claude->say(session, turn, "i1", text, ItemStatus::Create);
  world.loop.settle();
  pump();
  text.append("b");
  world.claude->say(session, turn, "i1", text, ItemStatus::Update);
  pump();
  world.claude->say(session, turn, "i1", text);
  world.claude->ask(session, turn, "i2");
  world.claude->fail_turn(session, turn, {ErrorCode::ProcessCrash, "Gone."});
  world.loop.settle();
  pump();
  CHECK(types == std::set<std::string>{"session:append", "session:turn", "session:upsert"});
}

}  // namespace
}  // namespace lb
