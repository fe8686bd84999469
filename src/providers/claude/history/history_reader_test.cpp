// What a session's file shows is what the live run showed.

#include "providers/claude/history/history_reader.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <stdlib.h>

#include <cstdlib>

#include "providers/claude/history/discovery.h"
#include "tests/support/claude_transcript.h"

using namespace lb;
using namespace lb::test;

namespace {

const fs::path kFolder = fs::path(LB_SOURCE_DIR) / "src/providers/claude/transcripts";

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<claude::Output> read_history(const fs::path& file, claude::HistoryOptions options = {},
                                         std::size_t piece = 1U << 20U) {
  options.session = SessionId("session");
  claude::HistoryReader reader(file, std::move(options));
  REQUIRE(reader.open().has_value());
  std::vector<claude::Output> outputs;
  while (reader.next(piece, outputs)) {
  }
  return outputs;
}

std::vector<claude::Output> play_live(const std::vector<std::string>& names) {
  std::vector<claude::Output> outputs;
  for (const std::string& name : names) {
    claude::TranslatorOptions options;
    options.session = SessionId("session");
    TranscriptPlayer player(options, "P" + std::to_string(outputs.size()) + "T");
    for (const RecordedLine& line : read_transcript(kFolder / (name + ".jsonl"))) {
      player.play(line);
    }
    player.end();
    outputs.insert(outputs.end(), player.outputs().begin(), player.outputs().end());
  }
  return outputs;
}

std::string line_of(const Item& item) {
  std::string text = item.parent_call_id ? "in " + *item.parent_call_id + " " : "";
  if (const auto* message = std::get_if<Message>(&item.body)) {
    text += fmt::format("{} {} {}", wire_name(item.status), wire_name(message->origin),
                        message->content.view());
  } else if (const auto* thinking = std::get_if<Thinking>(&item.body)) {
    text += fmt::format("{} thinking {}", wire_name(item.status), thinking->content.view());
  } else if (const auto* plan = std::get_if<Plan>(&item.body)) {
    text += encode(*plan);
  } else {
    ToolCall tool = std::get<ToolCall>(item.body);
    text += fmt::format("{} {}", wire_name(item.status), encode(tool));
  }
  return text;
}

struct ShowOptions {
  bool user_messages = false;
  bool cut_items = true;       // Cancelled texts and failed calls of a killed process.
  bool subagent_texts = true;  // Which a live foreground agent does not forward.
};

/// One line per item in its last form, in the order in which items began; then the turns.
std::vector<std::string> shown(const std::vector<claude::Output>& outputs, ShowOptions how) {
  std::map<std::string, std::size_t> known;
  std::vector<Item> items;
  std::vector<std::string> lines;
  std::vector<std::string> turns;
  for (const claude::Output& output : outputs) {
    if (const auto* turn = std::get_if<Turn>(&output); turn != nullptr && is_final(*turn)) {
      turns.push_back(fmt::format(
          "{} {} {}", wire_name(turn->type), turn->status ? wire_name(*turn->status) : "-",
          turn->status == TurnStatus::Completed && turn->usage ? turn->usage->output_tokens : 0));
    }
    const auto* item = std::get_if<Upsert>(&output);
    if (item == nullptr || std::holds_alternative<Approval>(item->body)) continue;
    const auto [place, added] = known.try_emplace(item->item_id.str(), items.size());
    if (added) items.emplace_back();
    items[place->second] = *item;
  }
  // Subagents talk at the same time as the main thread; each of them in order.
  std::map<std::optional<std::string>, std::vector<Item>> threads;
  for (const Item& item : items) threads[item.parent_call_id].push_back(item);
  items.clear();
  for (const auto& [parent, thread] : threads)
    items.insert(items.end(), thread.begin(), thread.end());
  for (const Item& item : items) {
    const auto* message = std::get_if<Message>(&item.body);
    if (message != nullptr && message->origin == Origin::User && !how.user_messages) continue;
    const bool cut =
        item.status == ItemStatus::Cancelled ||
        (item.status == ItemStatus::Error && !std::holds_alternative<Message>(item.body));
    if (cut && !how.cut_items) continue;
    if (item.parent_call_id && !std::holds_alternative<ToolCall>(item.body) &&
        !how.subagent_texts) {
      continue;
    }
    lines.push_back(line_of(item));
  }
  lines.insert(lines.end(), turns.begin(), turns.end());
  return lines;
}

void check_same(const std::vector<std::string>& live, const std::string& history,
                ShowOptions how = {}) {
  INFO(history);
  const auto from_file = read_history(kFolder / "history" / (history + ".jsonl"));
  const auto before = shown(play_live(live), how);
  const auto after = shown(from_file, how);
  for (std::size_t i = 0; i < std::max(before.size(), after.size()); ++i) {
    CHECK((i < before.size() ? before[i] : "(nothing live)") ==
          (i < after.size() ? after[i] : "(nothing in history)"));
  }
}

struct TemporaryFolder {
  fs::path path;
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "lb-history-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~TemporaryFolder() { fs::remove_all(path); }
};

}  // namespace

TEST_CASE("TC-7.3a: a session's file shows what its live run showed") {
  check_same({"13-error-400.v197"}, "session-api-error.v197");
  check_same({"13-error-400.v325"}, "session-api-error.v325");
  check_same({"07-parallel-tools.v197"}, "session-parallel-tools.v197");
  check_same({"19-slash-compact.v197"}, "session-compacted.v197");
  check_same({"09-interrupt-text.v325"}, "session-interrupted.v325");
  check_same({"20b-subagent-parallel.v197"}, "session-subagents.v197", {.subagent_texts = false});
  check_same(
      {"18-resume-a-session-id.v197", "18-resume-c-resume.v197", "18-resume-j-replay-flag.v197"},
      "session-thinking-tools-resumed.v197");
  check_same({"18-resume-a-session-id.v325", "18-resume-c-resume.v325",
              "18-resume-g-resume-other-cwd.v325", "18-resume-j-replay-flag.v325"},
             "session-thinking-tools-resumed.v325");
  // What the kill cut is not kept by the CLI, and how the turn ended is not either.
  check_same({"18-resume-h-kill-midturn.v197", "18-resume-i-resume-after-kill.v197"},
             "session-killed-midturn-resumed.v197", {.cut_items = false});
  check_same({"18-resume-h-kill-midturn.v325", "18-resume-i-resume-after-kill.v325"},
             "session-killed-midturn-resumed.v325", {.cut_items = false});
}

TEST_CASE("TC-7.3a: each recorded file becomes the reviewed conversation, in pieces of any size") {
  const bool update = std::getenv("LIMINAL_UPDATE_GOLDEN") != nullptr;
  for (const fs::path& path : transcripts(kFolder / "history")) {
    INFO(path.filename().string());
    const auto outputs = read_history(path);
    CHECK(shown(read_history(path, {}, 1), {}) == shown(outputs, {}));
    const std::string got = OutputPrinter().print(outputs);
    const fs::path golden = kFolder / "golden" / (path.stem().string() + ".txt");
    if (update) std::ofstream(golden) << got;
    CHECK(got == slurp(golden));
  }
}

TEST_CASE("reading from the last known turn on adds only what is new") {
  const fs::path file = kFolder / "history/session-thinking-tools-resumed.v197.jsonl";
  std::vector<TurnId> turns;
  for (const claude::Output& output : read_history(file)) {
    const auto* turn = std::get_if<Turn>(&output);
    if (turn != nullptr && is_final(*turn)) turns.push_back(turn->turn_id);
  }
  REQUIRE(turns.size() == 4);
  CHECK(read_history(file, {.after = turns[3]}).empty());
  for (const claude::Output& output : read_history(file, {.after = turns[1]})) {
    if (const auto* turn = std::get_if<Turn>(&output)) CHECK(turn->turn_id >= TurnId());
    if (const auto* item = std::get_if<Upsert>(&output)) {
      CHECK((item->turn_id == turns[2] || item->turn_id == turns[3]));
    }
  }
  // A turn that the file does not know (a slash command): by time, or nothing.
  CHECK(read_history(file, {.after = TurnId("unknown")}).empty());
  const auto late =
      read_history(file, {.after = TurnId("unknown"), .after_time = Timestamp{1'000'000'000'000}});
  CHECK(shown(late, {}) == shown(read_history(file), {}));
}

TEST_CASE("a file that is cut, broken or strange loses only what is broken") {
  TemporaryFolder folder;
  const std::string whole = slurp(kFolder / "history/session-parallel-tools.v197.jsonl");
  const auto expected =
      shown(read_history(kFolder / "history/session-parallel-tools.v197.jsonl"), {});
  const fs::path file = folder.path / "session.jsonl";
  const auto write = [&](const std::string& text) {
    std::ofstream(file, std::ios::binary) << text;
  };

  write(whole + "{\"type\":\"user\",\"uuid\":\"half");
  CHECK(shown(read_history(file), {}) == expected);
  write("not json\n[1,2]\n{\"type\":\"unheard-of\",\"uuid\":\"x\"}\n" + whole);
  CHECK(shown(read_history(file), {}) == expected);
  // Without its first attachment line the chain is broken; the prompt before it is still found.
  const std::size_t from = whole.find("agent_listing_delta");
  const std::size_t begin = whole.rfind('\n', from) + 1;
  write(whole.substr(0, begin) + whole.substr(whole.find('\n', from) + 1));
  CHECK(shown(read_history(file), {.user_messages = true}) ==
        shown(read_history(kFolder / "history/session-parallel-tools.v197.jsonl"),
              {.user_messages = true}));
  write("");
  CHECK(read_history(file).empty());
  for (std::size_t size = 0; size < whole.size(); size += 997) {
    write(whole.substr(0, size));
    for (const claude::Output& output : read_history(file)) {
      if (const auto* turn = std::get_if<Turn>(&output)) CHECK(!turn->turn_id.empty());
    }
  }
  claude::HistoryReader missing(folder.path / "missing.jsonl", {});
  CHECK(missing.open().error().code == ErrorCode::SessionNotFound);
}

TEST_CASE("an answer after retries hangs from a side branch and is not lost") {
  TemporaryFolder folder;
  const fs::path file = folder.path / "session.jsonl";
  const auto user = [](std::string_view uuid, std::string_view parent, std::string_view text) {
    return fmt::format(
        R"({{"type":"user","uuid":"{}","parentUuid":{},"timestamp":"2026-01-01T00:00:00.000Z",)"
        R"("message":{{"role":"user","content":"{}"}}}})"
        "\n",
        uuid, parent.empty() ? "null" : fmt::format("\"{}\"", parent), text);
  };
  const auto answer = [](std::string_view uuid, std::string_view parent, std::string_view text) {
    return fmt::format(
        R"({{"type":"assistant","uuid":"{}","parentUuid":"{}","timestamp":"2026-01-01T00:00:01.000Z",)"
        R"("message":{{"id":"m-{}","model":"m","stop_reason":"end_turn",)"
        R"("content":[{{"type":"text","text":"{}"}}]}}}})"
        "\n",
        uuid, parent, uuid, text);
  };
  const std::string retry =
      R"({"type":"system","subtype":"api_error","uuid":"r1","parentUuid":"u1","error":{"status":429},)"
      R"("retryAttempt":1,"maxRetries":10})"
      "\n";
  // u1 was answered by a1; the next prompt hangs from the note of the retry. u3 was taken back.
  std::ofstream(file) << user("u1", "", "one") << answer("a1", "u1", "first") << retry
                      << user("u3", "r1", "taken back") << answer("a3", "u3", "lost")
                      << user("u2", "r1", "two") << answer("a2", "u2", "second");
  const auto lines = shown(read_history(file), {.user_messages = true});
  CHECK(lines ==
        std::vector<std::string>{"complete user one", "complete agent first",
                                 "complete system The model's API answered 429; retry 1 of 10.",
                                 "complete user two", "complete agent second",
                                 "turn_complete completed 0", "turn_complete completed 0"});
}

TEST_CASE("discovery lists the sessions of a directory with titles and times") {
  TemporaryFolder folder;
  const fs::path project = folder.path / "my project";
  fs::create_directories(project);
  const std::string real = fs::canonical(project).string();
  CHECK(claude::slug_of("/home/dev/a.b_ü😀") == "-home-dev-a-b----");
  const fs::path sessions = folder.path / "config/projects" / claude::slug_of(real);
  fs::create_directories(sessions);
  const auto line = [&](std::string_view cwd, std::string_view text, std::string_view time) {
    return fmt::format(
        R"({{"type":"user","uuid":"u","parentUuid":null,"cwd":"{}","timestamp":"{}",)"
        R"("message":{{"role":"user","content":"{}"}}}})"
        "\n",
        cwd, time, text);
  };
  std::ofstream(sessions / "old.jsonl")
      << line(real, "Fix   the\\nbuild", "2026-01-01T00:00:00.000Z");
  std::ofstream(sessions / "named.jsonl")
      << line(real, "hello", "2026-01-02T00:00:00.000Z")
      << R"({"type":"custom-title","customTitle":"My own name"})" << "\n";
  std::ofstream(sessions / "elsewhere.jsonl")
      << line("/some/other/dir", "not here", "2026-01-03T00:00:00.000Z");
  std::ofstream(sessions / "agent-1.jsonl") << line(real, "sub", "2026-01-03T00:00:00.000Z");
  std::ofstream(sessions / "empty.jsonl") << R"({"type":"mode","mode":"normal"})" << "\n";

  const auto found = claude::discover_sessions(folder.path / "config", real);
  REQUIRE(found.size() == 2);
  CHECK(found[0].cli_session_id == "named");
  CHECK(found[0].title == "My own name");
  CHECK(found[1].cli_session_id == "old");
  CHECK(found[1].title == "Fix the build");
  CHECK(to_iso(found[1].created_at) == "2026-01-01T00:00:00.000Z");
  CHECK(claude::find_session_file(folder.path / "config", "old") == sessions / "old.jsonl");
  CHECK(claude::find_session_file(folder.path / "config", "../old").empty());
  CHECK(claude::title_from("one two three four five six seven eight nine ten eleven twelve") ==
        "one two three four five six seven eight nine ten...");
  CHECK(claude::config_dir({{"HOME", "/h"}}) == fs::path("/h/.claude"));
  CHECK(claude::config_dir({{"HOME", "/h"}, {"CLAUDE_CONFIG_DIR", "/c"}}) == fs::path("/c"));
}
