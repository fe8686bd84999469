// A message in the middle of a turn, over a scripted CLI that behaves as 2.1.325 was seen to.

#include "providers/claude/provider_test_support.h"

using namespace lb;
using namespace lb::test;

namespace {

std::string init_of(const std::string& uuid) {
  return fmt::format(R"({{"type":"system","subtype":"init","session_id":"cli-1","model":"opus",)"
                     R"("permissionMode":"default","user_message_uuids":["{}"]}})",
                     uuid);
}

std::string lifecycle(const std::string& uuid, std::string_view state) {
  return fmt::format(R"({{"type":"command_lifecycle","command_uuid":"{}","state":"{}"}})", uuid,
                     state);
}

/// A house with a turn that runs until the test ends it.
struct Running : House {
  Running() {
    launcher.on_launch([this](std::shared_ptr<ScriptedProcess> agent) {
      asio::co_spawn(agent->executor(), listens(agent), asio::detached);
    });
    REQUIRE(create().has_value());
    REQUIRE(send("work", "turn-1").has_value());
  }
  /// Begins the first prompt and keeps the others for the test.
  asio::awaitable<void> listens(std::shared_ptr<ScriptedProcess> agent) {
    while (const auto line = co_await agent->hears()) {
      const auto parsed = parse_json(*line);
      const json::object& record = parsed->get_object();
      if (string_at(record, "type") == "control_request") {
        answers(agent, record);
        if (const auto& body = record.at("request").get_object();
            string_at(body, "subtype") == "interrupt") {
          stopped = body;
          agent->says(lifecycle("turn-2", "cancelled"));
          agent->says(std::string(kAborted));
        }
      } else if (string_at(record, "uuid") == "turn-1") {
        agent->says(init_of("turn-1"));
      } else {
        written.emplace_back(string_at(record, "uuid"));
      }
    }
  }
  Result<void> steer(const std::string& turn) {
    return run(provider->steer_turn(session, {TurnId(turn), "and this", {}}));
  }
  [[nodiscard]] const Steered* steered() const {
    const Steered* found = nullptr;
    for (const SessionReport& report : reports) {
      if (const auto* what = std::get_if<Steered>(&report)) found = what;
    }
    return found;
  }
  void says(std::string line) { launcher.agents().back()->says(std::move(line)); }

  std::vector<std::string> written;
  json::object stopped;
};

}  // namespace

TEST_CASE("a message in the middle of a turn is taken up in it, and the turn stays one") {
  Running house;
  CHECK(house.facts().steers);
  REQUIRE(house.steer("turn-2").has_value());
  house.spin([&] { return house.written == std::vector<std::string>{"turn-2"}; });
  house.says(lifecycle("turn-2", "queued"));
  house.says(lifecycle("turn-2", "started"));
  house.spin([&] { return house.steered() != nullptr; });
  CHECK(house.steered()->prompt.str() == "turn-2");
  REQUIRE(house.steered()->into.has_value());
  CHECK(house.steered()->into->str() == "turn-1");
  house.says(std::string(kResult));
  house.spin([&] { return house.ended_turns() == 1; });
  CHECK(house.turns.back().turn_id.str() == "turn-1");
}

TEST_CASE("a message that the running turn has no place for becomes the next turn") {
  Running house;
  REQUIRE(house.steer("turn-2").has_value());
  house.says(std::string(kResult));
  house.says(lifecycle("turn-2", "started"));
  house.says(init_of("turn-2"));
  house.says(text_line("I did both."));
  house.says(std::string(kResult));
  house.spin([&] { return house.ended_turns() == 2; });
  CHECK(house.turns.back().turn_id.str() == "turn-2");
  CHECK(house.turns.back().origin == TurnOrigin::User);
  CHECK(house.steered() == nullptr);  // Its turn says it.
}

TEST_CASE("who stops the turn stops what was said into it as well") {
  Running house;
  REQUIRE(house.steer("turn-2").has_value());
  REQUIRE(house.run(house.provider->cancel_turn(house.session)).has_value());
  house.spin([&] { return house.steered() != nullptr && house.ended_turns() == 1; });
  CHECK(bool_at(house.stopped, "cancel_queued"));
  REQUIRE_FALSE(house.steered()->into.has_value());
  CHECK(house.steered()->into.error().code == ErrorCode::Cancelled);
}

TEST_CASE("a process that dies says of a message in its turn that nobody took it") {
  Running house;
  REQUIRE(house.steer("turn-2").has_value());
  house.launcher.agents().back()->exits({.code = {}, .signal = 9});
  house.spin([&] { return house.steered() != nullptr; });
  REQUIRE_FALSE(house.steered()->into.has_value());
  CHECK(house.steered()->into.error().code == ErrorCode::ProcessCrash);
}

TEST_CASE("an older CLI says nothing of it: when it has nothing left to do, the turn had it") {
  Running house;
  REQUIRE(house.steer("turn-2").has_value());
  house.says(std::string(kResult));
  house.says(R"({"type":"system","subtype":"session_state_changed","state":"idle"})");
  house.spin([&] { return house.steered() != nullptr; });
  CHECK(house.steered()->into->str() == "turn-1");
}
