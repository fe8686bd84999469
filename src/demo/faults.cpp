#include "demo/faults.h"

#include <fmt/format.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <sstream>

namespace lb::demo {
namespace {

using namespace std::chrono_literals;

std::optional<std::uint64_t> number_from(std::string_view digits) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

struct Arguments {
  std::vector<std::string> words;

  /// The number after `key=`, or `otherwise`.
  [[nodiscard]] std::uint64_t named(std::string_view key, std::uint64_t otherwise) const {
    for (const std::string_view word : words) {
      if (!word.starts_with(key) || !word.substr(key.size()).starts_with('=')) continue;
      return number_from(word.substr(key.size() + 1)).value_or(otherwise);
    }
    return otherwise;
  }
  /// The same, where the number may also stand alone.
  [[nodiscard]] std::uint64_t number(std::string_view key, std::uint64_t otherwise) const {
    for (const std::string_view word : words) {
      if (const auto value = number_from(word)) return *value;
    }
    return named(key, otherwise);
  }
};

Arguments arguments_of(const std::string& prompt) {
  std::istringstream words(prompt);
  std::string word;
  words >> word;  // The command itself.
  Arguments arguments;
  while (words >> word) arguments.words.push_back(word);
  return arguments;
}

std::uint64_t monotonic_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

Result<void> write_raw(Narrator& narrator, std::string line) {
  return narrator.peer().process().write_line(std::move(line));
}

/// Everything of an update but the text, so that a chunk costs little to make.
std::pair<std::string, std::string> chunk_frame(Narrator& narrator, const std::string& message) {
  std::string frame;
  append_json(
      frame,
      json::object{
          {"jsonrpc", "2.0"},
          {"method", "session/update"},
          {"params",
           json::object{{"sessionId", narrator.session().id},
                        {"update", json::object{{"sessionUpdate", "agent_message_chunk"},
                                                {"messageId", message},
                                                {"content", json::object{{"type", "text"},
                                                                         {"text", "@"}}}}}}}});
  const std::size_t at = frame.rfind('@');
  return {frame.substr(0, at), frame.substr(at + 1)};
}

/// `bytes` of text: a stamp, then words.
std::string stamped(std::size_t bytes) {
  static constexpr std::string_view kFill = "lorem ipsum dolor sit amet ";
  std::string text = fmt::format("@{} ", monotonic_ns());
  while (text.size() < bytes) text += kFill.substr(0, bytes - text.size());
  return text;
}

asio::awaitable<Ending> load(Scene scene) {
  Narrator& narrator = *scene.narrator;
  const Arguments arguments = arguments_of(scene.prompt);
  const std::uint64_t chunks = arguments.named("chunks", 1000);
  const std::size_t bytes = arguments.named("bytes", 40);
  const auto every = std::chrono::microseconds(arguments.named("every_us", 1000));
  const auto [before, after] = chunk_frame(narrator, narrator.new_id("message"));
  auto begin = std::chrono::steady_clock::now();
  // Sessions that were asked together would otherwise speak within the same microseconds for ever.
  const std::size_t phase = std::hash<std::string>{}(before);  // It names the session.
  if (arguments.named("apart", 0) != 0 && every > 0us)
    begin += std::chrono::microseconds(phase % static_cast<std::size_t>(every.count()));
  for (std::uint64_t i = 0; i < chunks; ++i) {
    // By the clock, not by pauses: a late chunk does not delay those behind it.
    const auto due = begin + every * i;
    const auto now = std::chrono::steady_clock::now();
    if (due > now) {
      co_await narrator.wait(std::chrono::duration_cast<std::chrono::microseconds>(due - now));
    } else if (i % 64 == 0) {
      co_await narrator.wait(0us);
    }
    std::string line = before;
    if (!write_raw(narrator, std::move(line.append(stamped(bytes)).append(after)))) break;
  }
  co_return Ending{};
}

asio::awaitable<Ending> slow(Scene scene) {
  const std::uint64_t seconds = arguments_of(scene.prompt).number("seconds", 20);
  co_await scene.narrator->wait(std::chrono::seconds(seconds));
  co_await scene.narrator->say(fmt::format("That took {} seconds.\n", seconds));
  co_return Ending{};
}

asio::awaitable<Ending> tools(Scene scene) {
  Narrator& narrator = *scene.narrator;
  const std::uint64_t count = arguments_of(scene.prompt).number("count", 10);
  for (std::uint64_t i = 1; i <= count; ++i) {
    const std::string id = narrator.begin_tool(
        {"other", fmt::format("Tool {} of {}", i, count), json::object{{"number", i}}, ""});
    co_await narrator.wait(0us);
    narrator.end_tool(id, fmt::format("result {}", i));
  }
  co_await narrator.say(fmt::format("{} tools were used.\n", count));
  co_return Ending{};
}

asio::awaitable<Ending> approve(Scene scene) {
  Narrator& narrator = *scene.narrator;
  const std::uint64_t count = arguments_of(scene.prompt).number("count", 2);
  std::size_t allowed = 0;
  for (std::uint64_t i = 1; i <= count; ++i) {
    const Edit edit{fmt::format("{}/file-{}.txt", scene.scratch, i), std::nullopt, "demo\n"};
    const std::string id = narrator.new_id("call");
    const Decision decision =
        co_await narrator.propose_edit(id, fmt::format("Write file-{}.txt", i), edit);
    narrator.end_edit(id, edit, decision != Decision::Rejected);
    allowed += decision != Decision::Rejected ? 1 : 0;
  }
  co_await narrator.say(fmt::format("{} of {} were allowed.\n", allowed, count));
  co_return Ending{};
}

asio::awaitable<Ending> crash(Scene scene) {
  co_await scene.narrator->say("I am about to crash, as you asked. ");
  ::signal(SIGSEGV, SIG_DFL);
  ::raise(SIGSEGV);
  co_return Ending{};
}

asio::awaitable<Ending> leave(Scene scene) {
  const auto code = static_cast<int>(arguments_of(scene.prompt).number("code", 1));
  co_await scene.narrator->say("I leave in the middle of this sen");
  const std::string why = fmt::format("demo agent: told to exit with code {}\n", code);
  static_cast<void>(!::write(STDERR_FILENO, why.data(), why.size()));
  std::_Exit(code);
}

asio::awaitable<Ending> hang(Scene scene) {
  co_await scene.narrator->say("From now on you hear nothing from me. ");
  for (;;) ::pause();  // The whole agent: it does not even read.
}

asio::awaitable<Ending> error(Scene scene) {
  co_await scene.narrator->say("This will not end well. ");
  Ending ending;
  ending.error.emplace();
  ending.error->code = rpc_code::kInternalError;
  ending.error->message = "Internal error";
  ending.error->data = json::object{{"message", "the demo was told to fail"}};
  co_return ending;
}

asio::awaitable<Ending> refuse(Scene scene) {
  co_await scene.narrator->say("I would rather not.\n");
  co_return Ending{"refusal", std::nullopt};
}

asio::awaitable<Ending> max_tokens(Scene scene) {
  co_await scene.narrator->say("This answer is cut off because it is too lo");
  co_return Ending{"max_tokens", std::nullopt};
}

asio::awaitable<Ending> ignore_cancel(Scene scene) {
  Narrator& narrator = *scene.narrator;
  narrator.ignore_cancel();
  const auto seconds = std::chrono::seconds(arguments_of(scene.prompt).number("seconds", 30));
  const auto end = std::chrono::steady_clock::now() + seconds;
  while (std::chrono::steady_clock::now() < end) {
    co_await narrator.say("You cannot stop me. ");
    co_await narrator.wait(100ms);
  }
  co_return Ending{};
}

asio::awaitable<Ending> garbage(Scene scene) {
  Narrator& narrator = *scene.narrator;
  co_await narrator.say("Before the noise. ");
  const std::array<std::string, 10> lines = {
      "Debugger listening on ws://127.0.0.1:9229",
      "{\"jsonrpc\":\"2.0\",\"method\":",
      "[]",
      "42",
      std::string("nul \0 byte", 10),
      "\xff\xfe not utf-8 \xc0\xaf",
      R"({"jsonrpc":"2.0","id":"ghost","result":{}})",
      R"({"jsonrpc":"2.0","method":"$/unknown","params":{}})",
      R"({"jsonrpc":"2.0","id":"u-1","method":"unknown/request","params":{}})",
      R"({"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"nobody","update":{}}})"};
  for (const std::string& line : lines) {
    if (!write_raw(narrator, line)) break;
    co_await narrator.wait(1ms);
  }
  std::string deep = R"({"jsonrpc":"2.0","method":"x","params":)";
  for (int i = 0; i < 100'000; ++i) deep += '[';
  static_cast<void>(write_raw(narrator, deep));
  narrator.send({{"sessionUpdate", "no_such_kind"}, {"content", 7}});
  co_await narrator.say("After the noise.\n");
  co_return Ending{};
}

asio::awaitable<Ending> huge_line(Scene scene) {
  Narrator& narrator = *scene.narrator;
  const std::size_t bytes = arguments_of(scene.prompt).number("mb", 40) << 20U;
  const auto [before, after] = chunk_frame(narrator, narrator.new_id("message"));
  static_cast<void>(write_raw(narrator, before + std::string(bytes, 'h') + after));
  co_await narrator.say("That was one line.\n");
  co_return Ending{};
}

asio::awaitable<Ending> stderr_flood(Scene scene) {
  const std::size_t lines = arguments_of(scene.prompt).number("mb", 16) << 10U;
  const std::string line = std::string(1023, 'e') + "\n";
  for (std::size_t i = 0; i < lines; ++i) {
    if (::write(STDERR_FILENO, line.data(), line.size()) < 0) break;
    if (i % 1024 == 0) co_await scene.narrator->wait(0us);
  }
  co_await scene.narrator->say("That went to stderr.\n");
  co_return Ending{};
}

[[noreturn]] void stay() {
  for (;;) ::pause();
}

/// A child of the named kind that stays until it is killed.
void fork_child(std::string_view kind) {
  if (::fork() != 0) return;
  if (kind == "setsid") ::setsid();
  if (kind == "double") {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
  }
  if (kind == "term-ignoring") {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT}) ::signal(signal, SIG_IGN);
  }
  stay();
}

asio::awaitable<Ending> fork_children(Scene scene) {
  Arguments arguments = arguments_of(scene.prompt);
  if (arguments.words.empty()) arguments.words = {"plain", "setsid", "double", "term-ignoring"};
  for (const std::string& kind : arguments.words) fork_child(kind);
  co_await scene.narrator->say(fmt::format("{} children stay.\n", arguments.words.size()));
  co_return Ending{};
}

using Fault = asio::awaitable<Ending> (*)(Scene);
constexpr std::array<std::pair<std::string_view, Fault>, 15> kFaults = {{
    {"/load", load},
    {"/slow", slow},
    {"/tools", tools},
    {"/approve", approve},
    {"/crash", crash},
    {"/exit", leave},
    {"/hang", hang},
    {"/error", error},
    {"/refuse", refuse},
    {"/max-tokens", max_tokens},
    {"/ignore-cancel", ignore_cancel},
    {"/garbage", garbage},
    {"/huge-line", huge_line},
    {"/stderr-flood", stderr_flood},
    {"/fork", fork_children},
}};

Fault find_fault(std::string_view prompt) {
  const std::string_view name = prompt.substr(0, prompt.find_first_of(" \n"));
  for (const auto& [known, fault] : kFaults) {
    if (known == name) return fault;
  }
  return nullptr;
}

}  // namespace

bool is_fault(std::string_view prompt) {
  return find_fault(prompt) != nullptr;
}

asio::awaitable<Ending> play_fault(Scene scene) {
  const Fault fault = find_fault(scene.prompt);
  return fault(std::move(scene));
}

}  // namespace lb::demo
