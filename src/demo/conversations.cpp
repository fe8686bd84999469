#include "demo/conversations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/utf8.h"
#include "demo/conversation_texts.h"

namespace lb::demo {
namespace {

using namespace std::chrono_literals;

constexpr std::array kCommands = {
    Command{"tour", "Show what this can do, in two minutes", ""},
    Command{"edit", "Fix a bug in a file, asking first", ""},
    Command{"run", "Run a command with live output", ""},
    Command{"plan", "Make a plan and follow it", ""},
    Command{"markdown", "Show how answers are drawn: tables, code, lists", ""},
    Command{"think", "Think aloud before answering", "a question"},
    Command{"load", "Stream chunks for measurements", "chunks=N bytes=B every_us=T"},
    Command{"help", "What else this demo understands", ""},
};

struct Words {
  std::string_view conversation;
  std::array<std::string_view, 8> words;
};
/// The first row with a matching word wins.
constexpr std::array kWords = {
    Words{"help", {"help", "what can you", "commands"}},
    Words{"tour", {"tour", "demo", "show me", "what is this"}},
    Words{"edit", {"edit", "fix", "bug", "change", "write", "refactor", "implement", "add "}},
    Words{"run", {"run", "test", "build", "compile", "execute", "install"}},
    Words{"plan", {"plan", "steps", "roadmap", "todo"}},
    Words{"markdown", {"table", "markdown", "format", "list", "code", "document"}},
    Words{"think", {"think", "why", "how", "explain", "reason"}},
    Words{"hello", {"hello", "hallo", "hey", "good morning", "thank", "hi"}},
};

/// True when `word` begins at a word border of `text`; both in lower case.
bool contains_word(std::string_view text, std::string_view word) {
  if (word.empty()) return false;
  for (std::size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const bool begins = at == 0 || std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0;
    const std::size_t end = at + word.size();
    const bool ends = word.size() > 2 || end == text.size() ||
                      std::isalnum(static_cast<unsigned char>(text[end])) == 0;
    if (begins && ends) return true;
  }
  return false;
}

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string greet_path(const Scene& scene) {
  return scene.scratch + "/greet.py";
}

/// The file of the tour as it was in the beginning.
void put_broken_file(const Scene& scene) {
  std::ofstream(greet_path(scene), std::ios::trunc) << kGreetBroken;
}

asio::awaitable<void> read_file(Scene scene) {
  Narrator& narrator = *scene.narrator;
  const std::string path = greet_path(scene);
  const std::string id =
      narrator.begin_tool({"read", "Read greet.py", json::object{{"path", path}}, path});
  co_await narrator.pause(400ms);
  narrator.end_tool(id, read_text(path));
}

asio::awaitable<void> search_file(Scene scene) {
  Narrator& narrator = *scene.narrator;
  const std::string id = narrator.begin_tool(
      {"search", "Search for \"range(\"", json::object{{"pattern", "range("}}, ""});
  co_await narrator.pause(350ms);
  std::istringstream lines(read_text(greet_path(scene)));
  std::string found;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.find("range(") != line.npos) found += fmt::format("greet.py:{}: {}\n", number, line);
  }
  narrator.end_tool(id, found.empty() ? "no matches" : found);
}

/// Proposes the fix; true when it was made.
asio::awaitable<bool> fix_file(Scene scene) {
  Narrator& narrator = *scene.narrator;
  const Edit edit{greet_path(scene), read_text(greet_path(scene)), std::string(kGreetFixed)};
  const std::string id = narrator.new_id("call");
  const Decision decision = co_await narrator.propose_edit(id, "Edit greet.py", edit);
  const bool allowed = decision != Decision::Rejected;
  bool written = false;
  if (allowed) {
    co_await narrator.pause(250ms);
    written = static_cast<bool>(std::ofstream(edit.path, std::ios::trunc) << edit.new_text);
  }
  narrator.end_edit(id, edit, written);
  if (!allowed) co_await narrator.say(std::string(kEditRefused));
  co_return written;
}

asio::awaitable<void> edit(Scene scene) {
  Narrator& narrator = *scene.narrator;
  put_broken_file(scene);
  co_await narrator.think(std::string(kEditThought));
  co_await narrator.say(fmt::format(kEditIntro, scene.scratch));
  co_await read_file(scene);
  co_await search_file(scene);
  const bool fixed = co_await fix_file(scene);
  if (!fixed) co_return;
  co_await narrator.run_command("python3 greet.py",
                                {"Hello, Ada!\n", "Hello, Grace!\n", "Hello, Linus!\n"}, 0);
  co_await narrator.say(std::string(kEditDone));
}

asio::awaitable<void> run(Scene scene) {
  Narrator& narrator = *scene.narrator;
  co_await narrator.say(std::string(kRunIntro));
  std::vector<std::string> failing(kTestsFailing.begin(), kTestsFailing.end());
  co_await narrator.run_command("make test", failing, 2);
  co_await narrator.think(std::string(kRunThought));
  co_await narrator.say(std::string(kRunBetween));
  std::vector<std::string> passing(kTestsPassing.begin(), kTestsPassing.end());
  co_await narrator.run_command("make test", passing, 0);
  co_await narrator.say(std::string(kRunDone));
}

asio::awaitable<void> plan(Scene scene) {
  Narrator& narrator = *scene.narrator;
  std::vector<PlanEntry> entries(kPlanSteps.begin(), kPlanSteps.end());
  co_await narrator.say(std::string(kPlanIntro));
  narrator.plan(entries);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    entries[i].status = "in_progress";
    narrator.plan(entries);
    co_await narrator.pause(900ms);
    entries[i].status = "completed";
    narrator.plan(entries);
  }
  co_await narrator.say(std::string(kPlanDone));
}

asio::awaitable<void> markdown(Scene scene) {
  co_await scene.narrator->say(std::string(kMarkdown));
}

asio::awaitable<void> think(Scene scene) {
  co_await scene.narrator->think(std::string(kThought));
  co_await scene.narrator->say(std::string(kThoughtAnswer));
}

asio::awaitable<void> hello(Scene scene) {
  co_await scene.narrator->say(std::string(kHello));
}

asio::awaitable<void> help(Scene scene) {
  co_await scene.narrator->say(std::string(kHelp));
}

asio::awaitable<void> tour(Scene scene) {
  Narrator& narrator = *scene.narrator;
  put_broken_file(scene);
  co_await narrator.think(std::string(kTourThought));
  co_await narrator.say(std::string(kTourIntro));
  std::vector<PlanEntry> entries = {{"Look at the file", "in_progress"},
                                    {"Run it and watch the output"},
                                    {"Fix what is wrong, if you allow it"},
                                    {"Say what you can try next"}};
  const auto next_step = [&](std::size_t done) {
    entries[done].status = "completed";
    if (done + 1 < entries.size()) entries[done + 1].status = "in_progress";
    narrator.plan(entries);
  };
  narrator.plan(entries);
  co_await read_file(scene);
  co_await search_file(scene);
  next_step(0);
  co_await narrator.run_command("python3 greet.py", {"Hello, Grace!\n", "Hello, Linus!\n"}, 0);
  next_step(1);
  co_await narrator.say(fmt::format(kTourFound, scene.scratch));
  const bool fixed = co_await fix_file(scene);
  if (fixed) {
    co_await narrator.run_command("python3 greet.py",
                                  {"Hello, Ada!\n", "Hello, Grace!\n", "Hello, Linus!\n"}, 0);
  }
  next_step(2);
  co_await narrator.say(std::string(kTourEnd));
  next_step(3);
}

/// Anything else: honest, and useful as far as a script can be.
asio::awaitable<void> chat(Scene scene) {
  std::string quoted = "> ";
  for (const char c : utf8_prefix(scene.prompt, 400)) {
    quoted += c;
    if (c == '\n') quoted += "> ";
  }
  if (scene.prompt.size() > 400) quoted += " …";
  co_await scene.narrator->say(fmt::format(kChat, quoted));
}

using Conversation = asio::awaitable<void> (*)(Scene);
constexpr std::array<std::pair<std::string_view, Conversation>, 9> kConversations = {{
    {"tour", tour},
    {"edit", edit},
    {"run", run},
    {"plan", plan},
    {"markdown", markdown},
    {"think", think},
    {"hello", hello},
    {"help", help},
    {"chat", chat},
}};

}  // namespace

std::span<const Command> commands() {
  return kCommands;
}

std::string_view choose(std::string_view prompt, bool first_turn) {
  if (prompt.starts_with('/')) {
    const std::string_view name = prompt.substr(1, prompt.find_first_of(" \n") - 1);
    for (const auto& [known, conversation] : kConversations) {
      if (name == known) return known;
    }
    return "chat";
  }
  std::string lower(prompt);
  std::ranges::transform(lower, lower.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const Words& row : kWords) {
    for (const std::string_view word : row.words) {
      if (contains_word(lower, word)) return row.conversation;
    }
  }
  return first_turn ? "tour" : "chat";
}

asio::awaitable<void> play(Scene scene) {
  Narrator& narrator = *scene.narrator;
  if (!scene.attachments.empty()) {
    co_await narrator.say(fmt::format(kAttachments, scene.attachments));
  }
  std::string_view name = choose(scene.prompt, narrator.session().turns <= 1);
  // In plan mode nothing is touched.
  const bool touches = name == "edit" || name == "run" || name == "tour";
  if (narrator.session().mode == "plan" && touches) name = "plan";
  for (const auto& [known, conversation] : kConversations) {
    if (known == name) co_return co_await conversation(scene);
  }
}

}  // namespace lb::demo
