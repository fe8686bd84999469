// A copy of a conversation with the real Claude Code that ends before one of its turns.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>

#include "tests/e2e/claude/claude_world.h"

namespace lb::test {
namespace {

using Lines = std::vector<std::string>;

std::string bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void add_said(Lines& all, const std::string& role, std::string_view text) {
  if (role == "system" || text.starts_with("<system-reminder>")) return;
  all.push_back(role + ": " + std::string(text));
}

/// What the model was last asked with: the words of the conversation, without what the CLI adds.
Lines last_asked(const ClaudeWorld& world) {
  std::ifstream log(world.model_log());
  Lines said;
  for (std::string line; std::getline(log, line);) {
    const auto value = parse_json(line);
    if (!value || !value->is_object()) continue;
    const json::object* body = object_at(value->get_object(), "body");
    const json::array* messages = body != nullptr ? array_at(*body, "messages") : nullptr;
    if (messages == nullptr) continue;
    said.clear();
    for (const json::value& one : *messages) {
      const json::object& message = one.as_object();
      const std::string role(string_at(message, "role"));
      if (const auto* content = array_at(message, "content")) {
        for (const json::value& block : *content) {
          const json::object& part = block.as_object();
          const std::string_view type = string_at(part, "type");
          if (type == "text") add_said(said, role, string_at(part, "text"));
          if (type == "tool_use") said.push_back("call: " + std::string(string_at(part, "name")));
          if (type == "tool_result") said.emplace_back("result");
        }
      } else {
        add_said(said, role, string_at(message, "content"));
      }
    }
  }
  return said;
}

/// A conversation that is forked again and again.
struct Forks : ClaudeWorld {
  Forks() { begin(); }

  void say_all(const std::vector<std::pair<std::string, std::string>>& prompts) {
    for (const auto& [name, text] : prompts) {
      CHECK_MESSAGE(say(text).status == TurnStatus::Completed, name);
      ids.push_back(last);
      numbers[name] = ids.size() - 1;
      ended.push_back(*heard->turns.back().ended_at);
    }
    from_file();  // The CLI has written it.
  }
  [[nodiscard]] ForkPoint before(const std::string& name) const {
    const std::size_t at = numbers.at(name);
    ForkPoint point;
    point.turn = TurnId(ids[at]);
    if (at > 0) point.last_kept = TurnId(ids[at - 1]);
    if (at > 0) point.last_kept_at = ended[at - 1];
    return point;
  }
  Result<ProviderSession> fork(const ForkPoint& point, const std::string& directory) {
    copy = SessionId(make_uuid());
    listen(copy);
    CreateSessionOptions options;
    options.session_id = copy;
    options.project_dir = directory;
    return run(io, provider->fork_session(kSession, options, point), std::chrono::seconds(60));
  }
  /// What the model hears with the first prompt of a copy, which is not among it.
  Lines heard_before(const ForkPoint& point) {
    const std::string original = bytes_of(file());
    const auto forked = fork(point, project());
    REQUIRE_MESSAGE(forked.has_value(), (forked ? "" : forked.error().message));
    Lines asked = go_on();
    CHECK(bytes_of(file()) == original);
    REQUIRE(run(io, provider->kill_session(copy)).has_value());
    return asked;
  }
  Lines heard_before(const std::string& name) { return heard_before(before(name)); }
  Lines go_on() {
    CHECK(turn(copy, make_uuid(), "[[scenario:echo]] another way").status == TurnStatus::Completed);
    Lines asked = last_asked(*this);
    REQUIRE_FALSE(asked.empty());
    CHECK(asked.back() == "user: [[scenario:echo]] another way");
    asked.pop_back();
    return asked;
  }
  [[nodiscard]] fs::path file() const {
    for (const auto& folder : fs::directory_iterator(root / "home/.claude/projects")) {
      const fs::path found = folder.path() / (session.cli_session_id + ".jsonl");
      if (fs::exists(found)) return found;
    }
    return {};
  }

  SessionId copy;
  Lines ids;
  std::map<std::string, std::size_t> numbers;
  std::vector<Timestamp> ended;
};

const Lines kOne = {"user: [[scenario:echo]] one", "assistant: You said: one"};
const Lines kTwo = {"user: [[scenario:tool]] two", "assistant: I will read the file.", "call: Read",
                    "result", "assistant: The file contains a greeting."};

Lines together(Lines first, const Lines& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

bool mentions(const Lines& lines, std::string_view text) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.contains(text); });
}

}  // namespace

TEST_CASE("claude: a fork before a turn remembers exactly the turns before it") {
  Forks forks;
  forks.say_all({{"one", "[[scenario:echo]] one"},
                 {"two", "[[scenario:tool]] two"},
                 {"three", "[[scenario:echo]] three"}});
  REQUIRE(forks.provider->can_fork_before(kSession));
  CHECK(forks.heard_before("three") == together(kOne, kTwo));
  CHECK(forks.heard_before("two") == kOne);
  CHECK(forks.heard_before("one").empty());
  // Under another id in the CLI's record the turn is found by what was before it, by id or time.
  ForkPoint other = forks.before("three");
  other.turn = TurnId(make_uuid());
  CHECK(forks.heard_before(other) == together(kOne, kTwo));
  other.last_kept = TurnId(make_uuid());
  CHECK(forks.heard_before(other) == together(kOne, kTwo));
  // The original goes on as if nothing had been.
  CHECK(forks.say("[[scenario:echo]] four").status == TurnStatus::Completed);
  CHECK(mentions(last_asked(forks), "three"));
}

TEST_CASE("claude: a fork before a turn is in its own folder, and there after a restart") {
  Forks forks;
  forks.say_all({{"one", "[[scenario:echo]] one"}, {"two", "[[scenario:tool]] two"}});
  const fs::path worktree = forks.root / "worktree";
  fs::create_directories(worktree);
  World::write(worktree / "hello.txt", "hello from the worktree\n");
  const auto forked = forks.fork(forks.before("two"), worktree.string());
  REQUIRE_MESSAGE(forked.has_value(), (forked ? "" : forked.error().message));
  // Nothing was said in it yet.
  forks.restart();
  Heard& heard = forks.listen(forks.copy);
  LoadSessionOptions options;
  options.cli_session_id = forked->cli_session_id;
  options.project_dir = worktree.string();
  options.last_known_turn = TurnId(forks.ids.at(0));
  const auto loaded =
      run(forks.io, forks.provider->load_session(forks.copy, options), std::chrono::seconds(60));
  REQUIRE_MESSAGE(loaded.has_value(), (loaded ? "" : loaded.error().message));
  CHECK(heard.items.empty());  // There is nothing that our timeline lacks.
  CHECK(forks.go_on() == kOne);
  // What lies in its folder it reads without asking.
  const std::string turn = make_uuid();
  const std::string read = fmt::format(R"([[scenario:calls]] [[call:Read {{"file_path":"{}"}}]])",
                                       (worktree / "hello.txt").string());
  CHECK(forks.turn(forks.copy, turn, read).status == TurnStatus::Completed);
  const auto calls = heard.all<ToolCall>(turn);
  REQUIRE(calls.size() == 1);
  CHECK(std::get<ToolCall>(calls[0].body).tool_output->view().contains("from the worktree"));
}

TEST_CASE("claude: a fork goes back behind commands and compactions") {
  Forks forks;
  forks.say_all({{"one", "[[scenario:echo]] one"},
                 {"two", "[[scenario:tool]] two"},
                 {"three", "[[scenario:parallel-tools]] three"},
                 {"compact", "/compact"},
                 {"four", "[[scenario:echo]] four"},
                 {"context", "/context"},
                 {"five", "[[scenario:echo]] five"}});
  const Lines whole = forks.heard_before("compact");
  CHECK(Lines(whole.begin(), whole.begin() + 7) == together(kOne, kTwo));
  CHECK(whole.at(7) == "user: [[scenario:parallel-tools]] three");
  CHECK(std::ranges::count(whole, "result") == 4);
  CHECK(whole.back() == "assistant: All three finished.");
  CHECK_FALSE(mentions(whole, "compact"));

  CHECK(forks.heard_before("three") == together(kOne, kTwo));

  const Lines summary = forks.heard_before("four");
  CHECK(mentions(summary, "being continued from a previous conversation"));
  CHECK_FALSE(mentions(summary, "user: [[scenario:echo]]"));

  for (const auto* name : {"context", "five"}) {
    INFO(name);
    const Lines later = forks.heard_before(name);
    CHECK(mentions(later, "being continued from a previous conversation"));
    CHECK(mentions(later, "You said: four"));
    CHECK_FALSE(mentions(later, "five"));
    CHECK(mentions(later, "/context") == (std::string_view(name) == "five"));
  }
}

TEST_CASE("claude: behind a /clear there is nothing to go back to, which is said") {
  Forks forks;
  forks.say_all({{"one", "[[scenario:echo]] one"}, {"two", "[[scenario:echo]] two"}});
  CHECK(forks.say("/clear").status == TurnStatus::Completed);
  REQUIRE(forks.until([&] { return !forks.heard->cli_id.empty(); }));
  forks.session.cli_session_id = forks.heard->cli_id;
  forks.numbers["clear"] = forks.ids.size();
  forks.ids.push_back(forks.last);
  forks.ended.push_back(*forks.heard->turns.back().ended_at);
  forks.say_all({{"three", "[[scenario:echo]] three"}, {"four", "[[scenario:echo]] four"}});
  CHECK(forks.heard_before("three").empty());
  const Lines later = forks.heard_before("four");
  CHECK(later.back() == "assistant: You said: three");
  CHECK_FALSE(mentions(later, "one"));
  for (const auto* name : {"two", "clear"}) {
    INFO(name);
    const auto refused = forks.fork(forks.before(name), forks.project());
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == ErrorCode::NotSupported);
    CHECK(refused.error().message.contains("/clear"));
  }
}

}  // namespace lb::test
