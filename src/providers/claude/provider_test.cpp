// The provider over a scripted CLI: lifecycle, delivery, approvals, failures.

#include "providers/claude/protocol.h"
#include "providers/claude/provider_test_support.h"

using namespace lb;
using namespace lb::test;

TEST_CASE("TC-2.1b, TC-3.1a: creating a session starts a process that stays") {
  House house;
  const auto session = house.create();
  REQUIRE(session.has_value());
  CHECK(session->cli_type == "claude-code");
  CHECK(house.provider->cli_type() == "claude-code");
  REQUIRE(house.launcher.launches().size() == 1);
  const LaunchOptions& launch = house.launcher.launches()[0];
  CHECK(launch.cwd == (house.folder / "project").string());
  CHECK(launch.argv[0] == "claude");
  CHECK(launch.argv.back() == "--session-id=" + session->cli_session_id);
  CHECK(std::ranges::count(launch.argv, "--permission-prompt-tool=stdio") == 1);
  CHECK(house.provider->is_alive(house.session));
  CHECK(house.launcher.agents()[0]->alive());
}

TEST_CASE("flags that we add come after the configured args") {
  ClaudeConfig config;
  config.args = {"--one", "two"};
  House house(config);
  REQUIRE(house.create(RawObject(json::object{{"effort", "high"}})).has_value());
  const auto& argv = house.launcher.launches()[0].argv;
  CHECK(argv[1] == "--one");
  CHECK(argv[2] == "two");
  CHECK(argv[3] == "--output-format");
  CHECK(argv.back() == "--effort=high");
}

TEST_CASE("providerOptions is a closed list") {
  House house;
  for (const std::string_view bad :
       {R"({"env":{"A":"b"}})", R"({"hooks":{}})", R"({"viewFilePath":"/etc/passwd"})",
        R"({"effort":"--dangerous"})", R"({"maxTurns":0})", R"({"maxThinkingTokens":"many"})"}) {
    const auto refused = house.create(RawObject(parse_json(bad)->get_object()));
    CHECK_MESSAGE(refused.error().code == ErrorCode::InvalidRequest, bad);
  }
  CHECK(house.launcher.launches().empty());
}

TEST_CASE("TC-3.1b: loading resumes the session in its directory and brings its history") {
  House house;
  const fs::path records = house.folder / "config/projects/any-folder";
  fs::create_directories(records);
  const std::string dir = (house.folder / "project").string();
  std::ofstream(records / "old-session.jsonl")
      << fmt::format(
             R"({{"type":"user","uuid":"u1","parentUuid":null,"cwd":"{}","timestamp":"2026-01-01T00:00:00.000Z","message":{{"role":"user","content":"before"}}}})",
             dir)
      << "\n"
      << R"({"type":"assistant","uuid":"a1","parentUuid":"u1","timestamp":"2026-01-01T00:00:01.000Z","message":{"id":"m1","model":"opus","stop_reason":"end_turn","content":[{"type":"text","text":"earlier"}]}})"
      << "\n";
  LoadSessionOptions options;
  options.cli_session_id = "old-session";
  options.project_dir = "/";
  const auto loaded = house.run(house.provider->load_session(house.session, options));
  REQUIRE(loaded.has_value());
  CHECK(house.launcher.launches()[0].argv.back() == "--resume=old-session");
  CHECK(house.launcher.launches()[0].cwd == dir);
  REQUIRE(house.upserts.size() == 2);
  CHECK(house.upserts[0].item_id.str() == "u1:user");
  CHECK(std::get<Message>(house.upserts[1].body).content.view() == "earlier");
  CHECK(house.ended_turns() == 1);
  // Loading twice changes nothing.
  options.last_known_turn = TurnId("u1");
  REQUIRE(house.run(house.provider->load_session(house.session, options)).has_value());
  CHECK(house.upserts.size() == 2);
  CHECK(house.launcher.launches().size() == 1);
}

TEST_CASE("TC-3.1c: a session that cannot be created says why and leaves nothing") {
  House house;
  CreateSessionOptions nowhere;
  nowhere.session_id = house.session;
  nowhere.project_dir = (house.folder / "missing").string();
  const auto no_directory = house.run(house.provider->create_session(nowhere));
  CHECK(no_directory.error().code == ErrorCode::SessionCreateFailed);
  CHECK(no_directory.error().message.find("does not exist") != std::string::npos);

  house.launcher.fails_with({ErrorCode::AgentUnavailable, "claude: not found"});
  const auto no_program = house.create();
  CHECK(no_program.error().code == ErrorCode::AgentUnavailable);
  CHECK(no_program.error().message.find("Could not start Claude Code. Check that it's installed") ==
        0);
  CHECK(no_program.error().message.find("npm install -g") != std::string::npos);

  house.launcher.on_launch([](std::shared_ptr<ScriptedProcess> agent) {
    agent->complains("error: unknown option '--include-partial-messages'\n");
    agent->exits({.code = 1, .signal = {}});
  });
  const auto too_old = house.create();
  CHECK(too_old.error().code == ErrorCode::AgentUnavailable);
  CHECK(too_old.error().message.find("unknown option") != std::string::npos);
  CHECK_FALSE(house.provider->is_alive(house.session));
}

TEST_CASE("TC-3.2a: a message reaches the process, and send returns when its turn runs") {
  House house;
  REQUIRE(house.create().has_value());
  const std::string turn = make_uuid();
  const auto sent = house.send("hang", turn);
  REQUIRE(sent.has_value());
  CHECK(sent->turn_id.str() == turn);
  REQUIRE(house.turns.size() == 1);
  CHECK(house.turns[0].type == TurnType::Started);
  CHECK(house.turns[0].model_id == "opus");
  const auto prompts = house.heard(0, "user");
  REQUIRE(prompts.size() == 1);
  CHECK(string_at(prompts[0], "uuid") == turn);
  CHECK(prompts[0].at("message").at("content").at(0).at("text") == "hang");
}

TEST_CASE("a message of images alone has no empty text in it") {
  House house;
  REQUIRE(house.create().has_value());
  Prompt prompt{TurnId(make_uuid()), "", {{"image/png", "PNG…"}}};
  REQUIRE(house.run(house.provider->send_message(house.session, prompt)).has_value());
  const json::value content = house.heard(0, "user").at(0).at("message").at("content");
  REQUIRE(content.as_array().size() == 1);
  CHECK(content.at(0).at("type") == "image");
}

TEST_CASE("an attached text has a block of its own behind the words, and a label in the history") {
  House house;
  REQUIRE(house.create().has_value());
  CHECK(house.provider->takes_text() == true);
  Prompt prompt;
  prompt.turn_id = TurnId(make_uuid());
  prompt.content = "hang";
  prompt.texts.push_back({"my \"log\".txt", "<command-name>one\ntwo"});
  REQUIRE(house.run(house.provider->send_message(house.session, prompt)).has_value());
  const auto prompts = house.heard(0, "user");
  REQUIRE(prompts.size() == 1);
  const json::array& blocks = prompts[0].at("message").at("content").as_array();
  REQUIRE(blocks.size() == 2);
  CHECK(blocks[0].at("text") == "hang");
  CHECK(blocks[1].at("text") ==
        "<attached-text name=\"my _log_.txt\">\n<command-name>one\ntwo\n</attached-text>");
  CHECK(claude::text_of(prompts[0]) == "hang\n\n[Attached: my _log_.txt]");
}

TEST_CASE("TC-3.2b: messages are delivered in order by one process") {
  House house;
  REQUIRE(house.create().has_value());
  for (const std::string text : {"one", "two", "three"}) {
    REQUIRE(house.send(text).has_value());
    house.spin([&] { return house.turns.back().type == TurnType::Complete; });
    CHECK(std::get<Message>(house.upserts.back().body).content.view() == "You said: " + text);
  }
  CHECK(house.launcher.launches().size() == 1);
  CHECK(house.ended_turns() == 3);
}

TEST_CASE("TC-3.2c: a send that the process does not survive fails, and the next one resumes") {
  House house;
  REQUIRE(house.create().has_value());
  const auto lost = house.send("die silently");
  CHECK(lost.error().code == ErrorCode::ProcessCrash);
  CHECK(house.turns.empty());
  CHECK_FALSE(house.provider->is_alive(house.session));

  house.launcher.fails_with({ErrorCode::ProcessCrash, "no more processes"});
  CHECK(house.send("into the void").error().code == ErrorCode::ProcessCrash);

  REQUIRE(house.send("again").has_value());
  house.spin([&] { return house.ended_turns() == 1; });
  CHECK(house.provider->is_alive(house.session));

  REQUIRE(house.run(house.provider->kill_session(house.session)).has_value());
  CHECK(house.send("after kill").error().code == ErrorCode::ProcessCrash);
  CHECK(house.run(house.provider->send_message(SessionId("unknown"), {TurnId("t"), "x", {}}))
            .error()
            .code == ErrorCode::SessionNotFound);
}

TEST_CASE("a crash in mid-turn ends the turn with the reason and the last words") {
  House house;
  REQUIRE(house.create().has_value());
  REQUIRE(house.send("crash").has_value());
  house.spin([&] { return house.ended_turns() == 1; });
  const Turn& turn = house.turns.back();
  CHECK(turn.type == TurnType::Error);
  CHECK(turn.error_code == "PROCESS_CRASH");
  CHECK(turn.error_message->find("SIGKILL") != std::string::npos);
  CHECK(turn.error_message->find("out of luck") != std::string::npos);
  CHECK(std::ranges::any_of(house.reports, [](const SessionReport& report) {
    return std::holds_alternative<SessionEnded>(report);
  }));
}

TEST_CASE("a turn that runs when the server stops says so, and not that the agent crashed") {
  House house;
  REQUIRE(house.create().has_value());
  REQUIRE(house.send("hang").has_value());
  house.run(house.provider->shutdown());
  REQUIRE(house.ended_turns() == 1);
  const Turn& turn = house.turns.back();
  CHECK(turn.type == TurnType::Error);
  CHECK(turn.error_code == "SERVER_RESTARTED");
  CHECK(turn.error_message == "The server was stopped during this turn.");
}

TEST_CASE("a message that was on its way when the server stops says the same") {
  House house;
  REQUIRE(house.create().has_value());
  std::optional<Result<SendResult>> sent;
  asio::co_spawn(house.io,
                 house.provider->send_message(house.session, {TurnId("turn-1"), "never mind", {}}),
                 [&](std::exception_ptr, Result<SendResult> result) { sent = std::move(result); });
  house.spin([&] { return house.heard(0, "user").size() == 1; });
  house.run(house.provider->shutdown());
  house.spin([&] { return sent.has_value(); });
  REQUIRE_FALSE(sent->has_value());
  CHECK(sent->error().code == ErrorCode::ServerRestarted);
}

TEST_CASE("TC-3.4a: cancel interrupts the turn, which ends as cancelled; the process lives") {
  House house;
  REQUIRE(house.create().has_value());
  REQUIRE(house.send("hang").has_value());
  REQUIRE(house.run(house.provider->cancel_turn(house.session)).has_value());
  house.spin([&] { return house.ended_turns() == 1; });
  CHECK(house.turns.back().status == TurnStatus::Cancelled);
  CHECK(house.provider->is_alive(house.session));
  REQUIRE(house.send("next").has_value());
  house.spin([&] { return house.ended_turns() == 2; });
  CHECK(house.turns.back().status == TurnStatus::Completed);
  // Nothing runs: nothing to cancel.
  CHECK(house.run(house.provider->cancel_turn(house.session)).has_value());
}

TEST_CASE("TC-3.4a: on cancel an open question is answered at once and expires") {
  House house;
  REQUIRE(house.create().has_value());
  REQUIRE(house.send("ask").has_value());
  house.spin([&] { return house.approval() != nullptr; });
  REQUIRE(house.run(house.provider->cancel_turn(house.session)).has_value());
  house.spin([&] { return house.ended_turns() == 1; });
  const auto answers_heard = house.heard(0, "control_response");
  REQUIRE(answers_heard.size() == 1);
  CHECK(answers_heard[0].at("response").at("response").at("behavior") == "deny");
  CHECK(std::get<Approval>(house.approval()->body).state == ApprovalState::Expired);
  CHECK(house.approval()->status == ItemStatus::Cancelled);
  CHECK(house.turns.back().status == TurnStatus::Cancelled);
}

TEST_CASE("TC-3.4b, TC-3.4c: kill ends the process; isAlive tells before and after") {
  House house;
  CHECK_FALSE(house.provider->is_alive(house.session));
  REQUIRE(house.create().has_value());
  CHECK(house.provider->is_alive(house.session));
  REQUIRE(house.send("hang").has_value());
  REQUIRE(house.run(house.provider->kill_session(house.session)).has_value());
  CHECK_FALSE(house.provider->is_alive(house.session));
  CHECK(house.launcher.agents()[0]->killed());
  REQUIRE(house.ended_turns() == 1);
  CHECK(house.turns.back().status == TurnStatus::Cancelled);
}

TEST_CASE("approvals: once, always and no reach the agent exactly, and only once") {
  for (const std::string option : {"allow", "allow-always-0", "reject", "reject-and-stop"}) {
    House house;
    INFO(option);
    REQUIRE(house.create().has_value());
    REQUIRE(house.send("ask").has_value());
    house.spin([&] { return house.approval() != nullptr; });
    const Upsert asked = *house.approval();
    const auto& approval = std::get<Approval>(asked.body);
    CHECK(asked.status == ItemStatus::Create);
    CHECK(approval.detail == "rm x");
    CHECK(approval.options.size() == 4);
    Answer answer;
    answer.item_id = asked.item_id;
    answer.option_id = "nonsense";
    CHECK(house.run(give_answer(*house.provider, house.session, answer)).error().code ==
          ErrorCode::InvalidRequest);
    answer.option_id = option;
    answer.message = "because";
    answer.answered_by = "me";
    REQUIRE(house.run(give_answer(*house.provider, house.session, answer)).has_value());
    CHECK(house.run(give_answer(*house.provider, house.session, answer)).error().code ==
          ErrorCode::AlreadyAnswered);
    CHECK(house.approval()->status == ItemStatus::Create);  // The end is the session's to tell.
    const auto lines = house.heard(0, "control_response");
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].at("response").at("request_id") == "q1");
    const json::object& payload = lines[0].at("response").at("response").get_object();
    if (option.starts_with("allow")) {
      CHECK(payload.at("behavior") == "allow");
      CHECK(json::serialize(payload.at("updatedInput")) == R"({"command":"rm x"})");
      CHECK(payload.contains("updatedPermissions") == (option != "allow"));
    } else {
      CHECK(payload.at("behavior") == "deny");
      CHECK(payload.at("message") == "because");
      CHECK(bool_at(payload, "interrupt") == (option == "reject-and-stop"));
    }
  }
}

TEST_CASE("an answer that the CLI does not take leaves the question asked") {
  House house;
  REQUIRE(house.create().has_value());
  REQUIRE(house.send("ask").has_value());
  house.spin([&] { return house.approval() != nullptr; });
  Answer answer;
  answer.item_id = house.approval()->item_id;
  answer.option_id = "allow";
  const auto agent = house.launcher.agents().front();
  agent->stops_reading();
  const auto refused = house.run(give_answer(*house.provider, house.session, answer));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::Busy);
  CHECK(house.heard(0, "control_response").empty());
  CHECK_FALSE(is_final(house.approval()->status));
  agent->reads_again();
  SUBCASE("another answer reaches it") {
    answer.option_id = "reject";
    REQUIRE(house.run(give_answer(*house.provider, house.session, answer)).has_value());
    REQUIRE(house.heard(0, "control_response").size() == 1);
  }
  SUBCASE("it expires with its turn") {
    REQUIRE(house.run(house.provider->cancel_turn(house.session)).has_value());
    house.spin([&] { return house.ended_turns() == 1; });
    CHECK(std::get<Approval>(house.approval()->body).state == ApprovalState::Expired);
  }
}

TEST_CASE("what an answer says reaches the CLI with a refusal, and with nothing else") {
  House house;
  REQUIRE(house.create().has_value());
  REQUIRE(house.send("ask").has_value());
  house.spin([&] { return house.approval() != nullptr; });
  Answer answer;
  answer.item_id = house.approval()->item_id;
  answer.message = "with care";
  for (const auto& [option, carried] :
       std::map<std::string, bool>{{"allow", false}, {"allow-always-0", false}, {"reject", true}}) {
    answer.option_id = option;
    const auto prepared = house.provider->prepare_answer(house.session, answer);
    REQUIRE(prepared.has_value());
    CHECK(prepared->carries_message == carried);
  }
  CHECK(house.heard(0, "control_response").empty());  // Preparing does nothing.
}

TEST_CASE("modes and models are switched by the agent, and unknown modes refused") {
  House house;
  REQUIRE(house.create().has_value());
  REQUIRE(house.run(house.provider->set_mode(house.session, "plan")).has_value());
  CHECK(house.run(house.provider->set_mode(house.session, "bypassPermissions")).error().code ==
        ErrorCode::InvalidRequest);
  REQUIRE(house.run(house.provider->set_model(house.session, "opus")).has_value());
  const auto requests = house.heard(0, "control_request");
  REQUIRE(requests.size() == 3);
  CHECK(requests[1].at("request").at("mode") == "plan");
  CHECK(requests[2].at("request").at("model") == "opus");
  const auto* facts = std::get_if<SessionFacts>(&house.reports.back());
  REQUIRE(facts != nullptr);
  CHECK(facts->mode == "plan");
  CHECK(facts->model == "opus");
  CHECK(facts->commands.size() == 1);
}

TEST_CASE("an idle process ends by itself, and the next message resumes the session") {
  ClaudeConfig config;
  config.idle_end = std::chrono::milliseconds(30);
  House house(config);
  REQUIRE(house.create().has_value());
  REQUIRE(house.send("one").has_value());
  house.spin([&] { return house.ended_turns() == 1; });
  house.spin([&] { return !house.provider->is_alive(house.session); });
  CHECK(std::ranges::none_of(house.reports, [](const SessionReport& report) {
    return std::holds_alternative<SessionEnded>(report);
  }));
  REQUIRE(house.send("two").has_value());
  house.spin([&] { return house.ended_turns() == 2; });
  CHECK(house.launcher.launches().size() == 2);
}

TEST_CASE("a session whose file someone else just changed is not resumed without asking") {
  House house;
  const auto created = house.create();
  REQUIRE(created.has_value());
  REQUIRE(house.send("crash").has_value());
  house.spin([&] { return house.ended_turns() == 1; });
  const fs::path records = house.folder / "config/projects/p";
  fs::create_directories(records);
  std::ofstream(records / "cli-1.jsonl") << "{}\n";  // The id that `init` told.
  const auto refused = house.send("again");
  CHECK(refused.error().code == ErrorCode::Busy);
  CHECK(refused.error().message.find("another program") != std::string::npos);
  REQUIRE(house.send("I mean it").has_value());
  CHECK(house.launcher.launches().back().argv.back() == "--permission-mode=default");
  CHECK(std::ranges::count(house.launcher.launches().back().argv, "--resume=cli-1") == 1);
}

TEST_CASE("a request of the CLI that we do not serve is refused, not ignored") {
  House house;
  REQUIRE(house.create().has_value());
  house.launcher.agents()[0]->says(
      R"({"type":"control_request","request_id":"h1","request":{"subtype":"hook_callback"}})");
  house.spin([&] { return !house.heard(0, "control_response").empty(); });
  CHECK(house.heard(0, "control_response")[0].at("response").at("subtype") == "error");
}

TEST_CASE("a session that is held does not read its agent") {
  House house;
  REQUIRE(house.create().has_value());
  house.provider->hold(house.session, true);
  const auto& agent = house.launcher.agents()[0];
  agent->says(R"({"type":"keep_alive"})");
  for (int i = 0; i < 10; ++i) agent->says(R"({"type":"keep_alive"})");
  house.spin([&] { return agent->unread() == 10; });
  house.provider->hold(house.session, false);
  house.spin([&] { return agent->unread() == 0; });
}
