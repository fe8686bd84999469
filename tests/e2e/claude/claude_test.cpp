// The real Claude Code, offline against the scripted model.
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <signal.h>

#include <algorithm>

#include "tests/e2e/claude/claude_world.h"

namespace lb::test {

TEST_CASE("claude: text, thinking, rounds of tools and parallel tools; the file shows the same") {
  ClaudeWorld world;
  world.begin();
  CHECK(world.say("[[scenario:text]] hi").status == TurnStatus::Completed);
  CHECK(world.heard->text(world.last).find("scripted answer") != std::string::npos);
  CHECK(world.heard->turns.back().usage->output_tokens > 0);

  CHECK(world.say("[[scenario:thinking]] think").status == TurnStatus::Completed);
  REQUIRE(world.heard->all<Thinking>(world.last).size() == 1);
  CHECK(world.heard->all<Thinking>(world.last)[0].status == ItemStatus::Complete);

  // The answer after the tools is what the original loses.
  CHECK(world.say("[[scenario:tool]] read").status == TurnStatus::Completed);
  REQUIRE(world.tools().size() == 1);
  CHECK(world.tools()[0].tool_name == "Read");
  CHECK(world.tools()[0].tool_output->view().find("hello world") != std::string::npos);
  CHECK(world.heard->text(world.last).find("greeting") != std::string::npos);

  CHECK(world.say("[[scenario:parallel-tools]] at once").status == TurnStatus::Completed);
  REQUIRE(world.tools().size() == 3);
  for (const Upsert& item : world.heard->all<ToolCall>(world.last)) {
    CHECK(item.status == ItemStatus::Complete);
  }
  world.start_saying("[[scenario:bash-fail]] fail");
  world.answer(world.asked(), "allow");
  world.wait_for_end();
  CHECK(world.tools().at(0).exit_code == 3);
  CHECK_FALSE(world.heard->facts.models.empty());
  CHECK_FALSE(world.heard->facts.commands.empty());
  CHECK(world.heard->facts.context->size > 0);

  const Heard& read = world.from_file();
  CHECK(shown(read) == shown(*world.heard));
  CHECK(read.turns.back().turn_id.str() == world.last);  // File and live meet by the prompt's id.
}

TEST_CASE("claude: allow, deny and always") {
  ClaudeWorld world;
  world.begin();
  world.start_saying("[[scenario:permission]] please");
  const Upsert first = world.asked();
  CHECK(std::get<Approval>(first.body).tool_name == "Bash");
  world.answer(first, "reject", "not today");
  world.wait_for_end();
  CHECK(world.heard->turns.back().status == TurnStatus::Completed);
  CHECK(world.tools().at(0).tool_output->view() == "not today");
  CHECK_FALSE(fs::exists(world.root / "project/made-by-permission"));

  world.start_saying("[[scenario:permission]] please");
  world.answer(world.asked(), "reject-and-stop");
  world.wait_for_end();
  CHECK(world.heard->turns.back().status == TurnStatus::Cancelled);

  world.start_saying("[[scenario:permission]] please");
  world.answer(world.asked(), "allow");
  world.wait_for_end();
  CHECK(world.heard->turns.back().status == TurnStatus::Completed);
  CHECK(fs::exists(world.root / "project/made-by-permission"));

  world.start_saying("[[scenario:write]] a file");
  const Upsert write = world.asked();
  world.answer(write, "allow-always-0");
  world.wait_for_end();
  CHECK(fs::exists(world.root / "project/out.txt"));
  REQUIRE_FALSE(world.tools().empty());
  CHECK_FALSE(world.tools().back().diffs.empty());
  const std::size_t before = world.heard->items.size();
  CHECK(world.say("[[scenario:write]] again").status == TurnStatus::Completed);
  CHECK(world.heard->items.size() > before);
  CHECK(world.heard->all<Approval>(world.last).empty());  // Not asked a second time.
}

TEST_CASE("claude: confined it talks, reads, asks and runs as ever, and goes on after a restart" *
          doctest::skip(kRoot)) {
  ClaudeWorld world;
  world.confine();
  world.begin();
  CHECK(world.say("[[scenario:tool]] read").status == TurnStatus::Completed);
  REQUIRE(world.tools().size() == 1);
  CHECK(world.tools()[0].tool_output->view().find("hello world") != std::string::npos);
  world.start_saying("[[scenario:permission]] please");
  world.answer(world.asked(), "allow");
  world.wait_for_end();
  CHECK(world.heard->turns.back().status == TurnStatus::Completed);
  CHECK(fs::exists(world.root / "project/made-by-permission"));
  const Heard& read = world.from_file();
  CHECK(shown(read) == shown(*world.heard));

  world.restart();
  LoadSessionOptions options;
  options.cli_session_id = world.session.cli_session_id;
  options.project_dir = world.project();
  options.confined = true;
  options.last_known_turn = TurnId(world.last);
  const auto loaded =
      run(world.io, world.provider->load_session(kSession, options), std::chrono::seconds(60));
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
  CHECK(world.say("[[scenario:echo]] still there").status == TurnStatus::Completed);
}

TEST_CASE("claude: a question and a plan are answered as what they are") {
  ClaudeWorld world;
  world.begin();
  world.start_saying("[[scenario:ask]] ask me");
  const Upsert question = world.asked();
  const auto& approval = std::get<Approval>(question.body);
  CHECK(approval.kind == ApprovalKind::Question);
  REQUIRE(approval.questions.size() == 1);
  Answer answer;
  answer.item_id = question.item_id;
  answer.answers.emplace();
  (*answer.answers)[approval.questions[0].question] = approval.questions[0].options[1].label;
  world.give(kSession, question, answer);
  world.wait_for_end();
  CHECK(world.tools().at(0).tool_output->view().find(approval.questions[0].options[1].label) !=
        std::string::npos);

  REQUIRE(run(world.io, world.provider->set_mode(kSession, "plan")).has_value());
  world.start_saying("[[scenario:exit-plan]] plan it");
  const Upsert plan = world.asked();
  CHECK(std::get<Approval>(plan.body).kind == ApprovalKind::Plan);
  world.answer(plan, "allow");
  world.wait_for_end();
  CHECK(world.heard->turns.back().status == TurnStatus::Completed);
}

TEST_CASE("claude: interrupt in text, in a tool and at a question; the next turn works") {
  ClaudeWorld world;
  world.begin();
  world.start_saying("[[scenario:gated]] [[gate:never]] talk");
  REQUIRE(world.shows("Before the gate."));
  world.cancel();
  world.wait_for_end();
  CHECK(world.heard->turns.back().status == TurnStatus::Cancelled);
  CHECK(world.heard->all<Message>(world.last).back().status == ItemStatus::Cancelled);

  world.start_saying("[[scenario:bash-sleep]] run");
  REQUIRE(world.until([&] { return !marked_named(world.mark, "sleep").empty(); }));
  world.cancel();
  world.wait_for_end();
  CHECK(world.heard->turns.back().status == TurnStatus::Cancelled);
  CHECK(world.heard->all<ToolCall>(world.last).back().status == ItemStatus::Cancelled);
  CHECK(world.until([&] { return marked_named(world.mark, "sleep").empty(); }));

  world.start_saying("[[scenario:permission]] please");
  const Upsert question = world.asked();
  world.cancel();
  world.wait_for_end();
  CHECK(world.heard->turns.back().status == TurnStatus::Cancelled);
  CHECK(world.heard->items.at(question.item_id.str()).status == ItemStatus::Cancelled);

  CHECK(world.say("[[scenario:echo]] next").status == TurnStatus::Completed);
  CHECK(world.provider->is_alive(kSession));
}

TEST_CASE("claude: killed from outside, the turn fails with the reason and the session goes on") {
  ClaudeWorld world;
  world.begin();
  CHECK(world.say("[[scenario:text]] first").status == TurnStatus::Completed);
  world.start_saying("[[scenario:gated]] [[gate:never]] talk");
  REQUIRE(world.shows("Before the gate."));
  for (const pid_t pid : marked_named(world.mark, "claude")) ::kill(pid, SIGKILL);
  for (const pid_t pid : marked_named(world.mark, "claude.exe")) ::kill(pid, SIGKILL);
  world.wait_for_end();
  CHECK(world.heard->turns.back().type == TurnType::Error);
  CHECK(world.heard->turns.back().error_code == "PROCESS_CRASH");
  CHECK(world.heard->all<Message>(world.last).back().status == ItemStatus::Cancelled);

  CHECK(world.say("[[scenario:echo]] after the kill").status == TurnStatus::Completed);
  CHECK(world.heard->text(world.last).find("after the kill") != std::string::npos);

  // After a restart of the server: loaded, only what is new is told, and it goes on.
  const std::size_t turns = world.heard->turns.size();
  world.restart();
  LoadSessionOptions options;
  options.cli_session_id = world.session.cli_session_id;
  options.project_dir = world.project();
  options.last_known_turn = TurnId(world.last);
  const auto loaded =
      run(world.io, world.provider->load_session(kSession, options), std::chrono::seconds(60));
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
  CHECK(world.heard->turns.size() == turns);
  CHECK(world.say("[[scenario:echo]] still here").status == TurnStatus::Completed);
}

TEST_CASE("claude: kill in a running tool leaves nothing behind") {
  ClaudeWorld world;
  world.begin();
  world.start_saying("[[scenario:bash-sleep]] run");
  REQUIRE(world.until([&] { return !marked_named(world.mark, "sleep").empty(); }));
  REQUIRE(run(world.io, world.provider->kill_session(kSession)).has_value());
  CHECK_FALSE(world.provider->is_alive(kSession));
  CHECK(world.heard->turns.back().status == TurnStatus::Cancelled);
  CHECK(world.until([&] { return marked_named(world.mark, "sleep").empty(); }));
}

TEST_CASE("claude: API errors, with and without retries") {
  ClaudeWorld world;
  world.begin();
  CHECK(world.say("[[scenario:error-429]] [[times:2]] twice").status == TurnStatus::Completed);
  CHECK(world.heard->text(world.last).find("Recovered") != std::string::npos);
  std::string notes;
  for (const Upsert& item : world.heard->all<Message>(world.last)) {
    const auto& message = std::get<Message>(item.body);
    if (message.origin == Origin::System) notes += message.content.view();
  }
  CHECK(notes.find("429; retry 2 of") != std::string::npos);

  const Turn& failed = world.say("[[scenario:error-400]] no");
  CHECK(failed.type == TurnType::Error);
  CHECK(failed.error_code == "API_ERROR");
  CHECK(failed.error_message->find("400") != std::string::npos);
  CHECK(world.say("[[scenario:text]] fine again").status == TurnStatus::Completed);
  CHECK(shown(world.from_file()).size() == shown(*world.heard).size());
}

TEST_CASE("claude: /clear gets a new id, /compact is told, and the session goes on") {
  ClaudeWorld world;
  world.begin();
  CHECK(world.say("[[scenario:text]] [[words:300]] one").status == TurnStatus::Completed);
  CHECK(world.say("[[scenario:tool]] two").status == TurnStatus::Completed);
  CHECK(world.say("/compact").status == TurnStatus::Completed);
  std::string notes;
  for (const Upsert& item : world.heard->all<Message>(world.last)) {
    const auto& message = std::get<Message>(item.body);
    CHECK(message.origin == Origin::System);
    notes += message.content.view();
  }
  CHECK(notes.find("compacted") != std::string::npos);
  CHECK(world.say("[[scenario:text]] three").status == TurnStatus::Completed);
  CHECK(shown(world.from_file()) == shown(*world.heard));

  CHECK(world.say("/clear").status == TurnStatus::Completed);
  const std::string id = world.heard->cli_id;
  CHECK(id != world.session.cli_session_id);
  CHECK(world.say("[[scenario:echo]] after").status == TurnStatus::Completed);
  world.session.cli_session_id = id;
  CHECK(world.from_file().text(world.last).find("after") != std::string::npos);
}

TEST_CASE("claude: a subagent's work belongs to its call, and its end to a turn of its own") {
  ClaudeWorld world;
  world.begin();
  world.start_saying("[[scenario:subagent]] delegate");
  world.until([&] { return world.heard->ended(world.last); });
  REQUIRE(world.until([&] {
    return std::ranges::any_of(world.heard->items, [](const auto& known) {
      const Upsert& item = known.second;
      return item.parent_call_id && std::holds_alternative<ToolCall>(item.body) &&
             is_final(item.status);
    });
  }));
  for (const auto& [id, item] : world.heard->items) {
    if (item.parent_call_id) CHECK(item.turn_id.str() == world.last);
  }
}

TEST_CASE("claude: sessions made here and elsewhere are discovered with their titles") {
  ClaudeWorld world;
  world.begin();
  CHECK(world.say("Say [[scenario:text]] something nice").status == TurnStatus::Completed);
  const auto found = run(world.io, world.provider->discover(world.project()));
  REQUIRE(found.size() == 1);
  CHECK(found[0].cli_session_id == world.session.cli_session_id);
  CHECK(found[0].title == "Say [[scenario:text]] something nice");
  CHECK(found[0].created_at <= found[0].last_active_at);
  const auto info = run(world.io, world.provider->inspect());
  CHECK(info.installed);
  REQUIRE(info.version.has_value());
  CHECK_FALSE(info.problem.has_value());
}

}  // namespace lb::test
