#include "process/guarded_process.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "tests/faults/stage.h"

namespace lb::test {
namespace {

using namespace std::chrono_literals;

std::vector<std::string> texts(const std::vector<Line>& lines) {
  std::vector<std::string> out;
  for (const Line& line : lines) out.push_back(line.text);
  return out;
}

std::filesystem::path scratch() {
  auto folder = std::filesystem::temp_directory_path() / ("lb-faults-" + new_mark());
  std::filesystem::create_directories(folder);
  return folder;
}

TEST_CASE("a child hears, answers and ends with the end of its input") {
  Stage stage;
  auto agent = stage.launch({"echo"});
  CHECK(agent->alive());
  CHECK(agent->write_line("one").has_value());
  CHECK(agent->write_line("zwei \xE2\x82\xAC").has_value());
  CHECK(stage.run(agent->flushed()).has_value());
  CHECK(stage.run(Stage::one_line(agent)) == "one");
  CHECK(stage.run(Stage::one_line(agent)) == "zwei \xE2\x82\xAC");
  agent->close_stdin();
  CHECK(agent->write_line("late").error().code == ErrorCode::ProcessCrash);
  CHECK(stage.run(agent->exited()) == ExitStatus{.code = 0, .signal = {}});
  CHECK(!agent->alive());
  CHECK(stage.run(Stage::one_line(agent)) == "(end)");
}

TEST_CASE("F2: how a child ended is known, and what it said last is kept") {
  Stage stage;
  CHECK(stage.run(stage.launch({"exit", "0"})->exited()) == ExitStatus{.code = 0, .signal = {}});
  CHECK(stage.run(stage.launch({"exit", "42"})->exited()) == ExitStatus{.code = 42, .signal = {}});

  auto agent = stage.launch({"partial"});
  CHECK(stage.run(agent->exited()) == ExitStatus{.code = {}, .signal = SIGSEGV});
  CHECK(agent->stderr_tail() == "why it ended");
  const auto lines = stage.run(Stage::all_lines(agent));
  CHECK(texts(lines) == std::vector<std::string>{"whole", "half"});
  CHECK(lines.back().partial);
  CHECK(!stage.run(agent->flushed()).has_value());
}

TEST_CASE("F1: a program that is not there or cannot run is named") {
  Stage stage;
  const auto folder = scratch();
  const auto launch = [&](const std::string& program) {
    auto options = agent_options(stage.mark, {});
    options.argv = {program};
    return stage.launcher.launch(options);
  };
  CHECK(launch("no-such-agent").error().code == ErrorCode::AgentUnavailable);
  CHECK(launch("no-such-agent").error().message.find("no-such-agent") != std::string::npos);
  CHECK(launch((folder / "absent").string()).error().code == ErrorCode::AgentUnavailable);
  std::ofstream(folder / "plain") << "text";
  CHECK(launch((folder / "plain").string()).error().code == ErrorCode::AgentUnavailable);
  std::ofstream(folder / "empty").close();
  ::chmod((folder / "empty").c_str(), 0755);
  CHECK(launch((folder / "empty").string()).error().code == ErrorCode::AgentUnavailable);
  std::ofstream(folder / "script") << "#!/no/such/interpreter -x\n";
  ::chmod((folder / "script").c_str(), 0755);
  CHECK(launch((folder / "script").string()).error().message.find("/no/such/interpreter") !=
        std::string::npos);
  CHECK(launch("").error().code == ErrorCode::InvalidRequest);

  // What only exec can know comes back as an end with a reason.
  std::ofstream(folder / "strange") << "\x7f" << "ELF but no more";
  ::chmod((folder / "strange").c_str(), 0755);
  auto strange = launch((folder / "strange").string());
  REQUIRE(strange.has_value());
  CHECK(stage.run((*strange)->exited()) == ExitStatus{.code = 127, .signal = {}});
  CHECK((*strange)->stderr_tail().find("Exec format error") != std::string::npos);

  auto nowhere = agent_options(stage.mark, {"echo"});
  nowhere.cwd = (folder / "gone").string();
  CHECK(stage.launcher.launch(nowhere).error().code == ErrorCode::ProjectPathInvalid);
  std::filesystem::remove_all(folder);
}

TEST_CASE("S22: arguments arrive as they are, and a NUL is refused") {
  Stage stage;
  const std::vector<std::string> nasty = {
      "--dangerously-skip-permissions", ";id", "$(id)", "", "-p", "*", "\xE2\x80\x93x"};
  std::vector<std::string> part = {"dump"};
  part.insert(part.end(), nasty.begin(), nasty.end());
  std::vector<std::string> got;
  for (const Line& line : stage.run(Stage::all_lines(stage.launch(part)))) {
    if (line.text.starts_with("arg ")) got.push_back(line.text.substr(4));
  }
  CHECK(got == nasty);
  auto options = agent_options(stage.mark, {"dump", std::string("a\0b", 3)});
  CHECK(stage.launcher.launch(options).error().code == ErrorCode::InvalidRequest);
}

TEST_CASE("S23: a prompt of 10 MB arrives by stdin, byte for byte") {
  Stage stage;
  auto agent = stage.launch({"measure"});
  CHECK(agent->write_line(std::string(10'000'000, 'p')).has_value());
  CHECK(stage.run(Stage::one_line(agent)) == "10000000 same");
}

TEST_CASE("S24: a child has three descriptors, default signals, its own session and its own env") {
  const int decoy = ::open("/dev/null", O_RDONLY);  // On purpose without O_CLOEXEC.
  ::setenv("LIMINAL_BUILDER_TOKEN", "secret", 1);
  sigset_t before;
  sigset_t some;
  sigemptyset(&some);
  sigaddset(&some, SIGUSR1);
  ::sigprocmask(SIG_BLOCK, &some, &before);
  {
    Stage stage;
    auto options = agent_options(stage.mark, {"dump"});
    options.cwd = "/usr";
    auto agent = stage.launcher.launch(options);
    REQUIRE(agent.has_value());
    const auto lines = texts(stage.run(Stage::all_lines(*agent)));
    const auto with = [&](std::string_view word) {
      std::vector<std::string> found;
      for (const auto& line : lines) {
        if (line.starts_with(word)) found.push_back(line);
      }
      return found;
    };
    CHECK(with("fd ") == std::vector<std::string>{"fd 0", "fd 1", "fd 2"});
    CHECK(with("masked ").empty());
#if !__has_feature(address_sanitizer)  // Which brings its own handlers and limits.
    CHECK(with("handled ").empty());
    CHECK(with("core ") == std::vector<std::string>{"core 0"});
#endif
    CHECK(with("env LIMINAL_BUILDER").empty());
    CHECK(with("env LB_FAULT_MARK").size() == 1);
    CHECK(with("cwd ") == std::vector<std::string>{"cwd /usr"});
    CHECK(with("leads ") == std::vector<std::string>{"leads session"});
  }
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  ::unsetenv("LIMINAL_BUILDER_TOKEN");
  ::close(decoy);
}

TEST_CASE("F4, F5: killing a child ends everything it started, also what forks while it dies") {
  Stage stage;
  for (const char* part : {"family", "forking"}) {
    INFO(part);
    auto agent = stage.launch({part});
    CHECK(stage.run(Stage::one_line(agent)) == "ready");
    CHECK(stage.until([&] { return marked(stage.mark).size() >= 4; }));
    agent->kill();
    CHECK(stage.run(agent->exited()) == ExitStatus{.code = {}, .signal = SIGKILL});
    CHECK(marked(stage.mark).empty());  // Not soon: when the end is told, it is over.
  }
}

TEST_CASE("F5: what a child leaves behind ends with it, and does not keep its pipes open") {
  Stage stage;
  auto agent = stage.launch({"leaver"});
  CHECK(texts(stage.run(Stage::all_lines(agent), 30s)) == std::vector<std::string>{"left"});
  CHECK(stage.run(agent->exited()) == ExitStatus{.code = 3, .signal = {}});
  CHECK(marked(stage.mark).empty());
}

TEST_CASE("SIGTERM reaches the child; a stubborn one is killed in the end") {
  Stage stage;
  auto polite = stage.launch({"deaf"});
  CHECK(stage.run(Stage::one_line(polite)) == "ready");
  polite->terminate();
  CHECK(stage.run(polite->exited()) == ExitStatus{.code = {}, .signal = SIGTERM});

  auto stubborn = stage.launch({"stubborn"});
  CHECK(stage.run(Stage::one_line(stubborn)) == "ready");
  CHECK(stage.run(stop_gracefully(stubborn)) == ExitStatus{.code = {}, .signal = SIGKILL});
}

TEST_CASE("letting go of a child ends it, and so does the end of the io_context") {
  const std::string mark = new_mark();
  {
    Stage stage;
    stage.mark = mark;
    auto dropped = stage.launch({"family"});
    CHECK(stage.run(Stage::one_line(dropped)) == "ready");
    dropped.reset();
    stage.io.restart();
    stage.io.run();  // Ends, because nothing is left to wait for.
    CHECK(marked(mark).empty());
  }
  {
    asio::io_context io;
    GuardedLauncher launcher(io.get_executor());
    auto agent = launcher.launch(agent_options(mark, {"family"}));
    REQUIRE(agent.has_value());
    const auto deadline = std::chrono::steady_clock::now() + 60s;
    bool grown = false;  // Seen once is enough: a process between two forks does not stay.
    while (!grown && std::chrono::steady_clock::now() < deadline) {
      grown = marked(mark).size() >= 5;
      io.poll();
    }
    CHECK(grown);
    agent->reset();
  }
  CHECK(marked(mark).empty());
}

TEST_CASE("F8: a killed guardian is noticed, its children are swept, the end is told") {
  Stage stage;
  auto agent = stage.launch({"family"});
  auto other = stage.launch({"echo"});
  CHECK(stage.run(Stage::one_line(agent)) == "ready");
  CHECK(other->write_line("here").has_value());
  // Its answer says that it runs: between fork and exec an agent has its guardian's name.
  CHECK(stage.run(Stage::one_line(other)) == "here");
  // The guardian of `agent` is the one with the most to guard: kill the older one.
  const auto guardians = marked_named(stage.mark, "lb-guardian");
  REQUIRE(guardians.size() == 2);
  ::kill(*std::ranges::min_element(guardians), SIGKILL);
  CHECK(stage.run(agent->exited()) == ExitStatus{});
  CHECK(stage.run(Stage::one_line(agent)) == "(end)");
  CHECK(marked(stage.mark).size() == 2);  // The other agent and its guardian.
  CHECK(other->write_line("still here").has_value());
  CHECK(stage.run(Stage::one_line(other)) == "still here");
}

// The sanitizers need descriptors for their own checks and report their lack as a finding.
#if !__has_feature(address_sanitizer)
TEST_CASE("F7: without descriptors a launch is refused, and nothing leaks") {
  Stage stage;
  const auto used = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                         std::filesystem::directory_iterator());
  };
  const auto before = used();
  rlimit old{};
  ::getrlimit(RLIMIT_NOFILE, &old);
  for (rlim_t spare = 0; spare < 12; ++spare) {
    rlimit tight = old;
    tight.rlim_cur = static_cast<rlim_t>(before) + spare;
    ::setrlimit(RLIMIT_NOFILE, &tight);
    auto agent = stage.launcher.launch(agent_options(stage.mark, {"exit", "0"}));
    ::setrlimit(RLIMIT_NOFILE, &old);
    if (agent) {
      stage.run((*agent)->exited());
    } else {
      CHECK(agent.error().code == ErrorCode::Busy);
    }
  }
  stage.io.restart();
  stage.io.run();
  CHECK(used() == before);
}
#endif

}  // namespace
}  // namespace lb::test
