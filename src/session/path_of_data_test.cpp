// One way out: agent → provider → session → timeline → readers → socket. Held at run time here, and
// by the includes in tests/tidy.

#include <doctest/doctest.h>

#include <set>

#include "session/session_test_support.h"

namespace lb {
namespace {

using namespace test;

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
