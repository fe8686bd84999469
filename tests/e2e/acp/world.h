/// World: a real agent in an empty home, a project, and the scripted model behind it.
///
/// Everything that it starts carries a marker; when the world ends, nothing of it may be left.
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>  // mkdtemp
#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "process/guarded_process.h"
#include "providers/all.h"
#include "tests/faults/marked.h"
#include "tests/support/answers.h"
#include "tests/support/recording_sink.h"
#include "tests/support/run.h"

namespace lb::test {

namespace fs = std::filesystem;

/// The path in an environment variable of script/setup; a test without it fails and says how.
inline std::string required_cli(const char* variable) {
  const char* value = std::getenv(variable);
  REQUIRE_MESSAGE(
      value != nullptr,
      variable << " is not set. Run: script/setup && eval \"$(script/setup --print-clis)\"");
  return value != nullptr ? value : "";
}

/// What a session said, newest form of everything.
struct Heard {
  std::vector<std::string> order;  // Item ids as they appeared.
  std::map<std::string, Upsert> items;
  std::vector<Turn> turns;
  SessionFacts facts;
  std::string title;
  std::string cli_id;  // When it changed.
  std::vector<Steered> steered;

  [[nodiscard]] const Turn* last_turn() const { return turns.empty() ? nullptr : &turns.back(); }
  [[nodiscard]] bool ended(const std::string& turn) const {
    return !turns.empty() && turns.back().turn_id.str() == turn && is_final(turns.back());
  }
  /// All text of a kind of message in a turn.
  [[nodiscard]] std::string text(const std::string& turn) const {
    std::string all;
    for (const std::string& id : order) {
      const Upsert& item = items.at(id);
      const auto* message = std::get_if<Message>(&item.body);
      if (message != nullptr && item.turn_id.str() == turn && message->origin == Origin::Agent) {
        all += message->content.view();
      }
    }
    return all;
  }
  template <class Body>
  [[nodiscard]] std::vector<Upsert> all(const std::string& turn) const {
    std::vector<Upsert> found;
    for (const std::string& id : order) {
      const Upsert& item = items.at(id);
      if (item.turn_id.str() == turn && std::holds_alternative<Body>(item.body)) {
        found.push_back(item);
      }
    }
    return found;
  }
};

class World {
 public:
  World() {
    std::string pattern = (fs::temp_directory_path() / "lb-e2e-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    root = pattern;
    for (const auto* folder : {"home/tmp", "home/.codex", "project"}) {
      fs::create_directories(root / folder);
    }
    write(root / "project/hello.txt", "hello world\n");
    write(root / "project/second.txt", "second file\n");
  }
  ~World() {
    stop();
    if (model_) model_->kill();
    model_.reset();
    run_ready(io);
    CHECK(ms_until_gone(mark, std::chrono::seconds(3)) >= 0);
    std::error_code ignored;
    fs::remove_all(root, ignored);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  static void write(const fs::path& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  [[nodiscard]] std::string project() const { return (root / "project").string(); }
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> environment() const {
    return {{"HOME", (root / "home").string()},
            {"TMPDIR", (root / "home/tmp").string()},
            {std::string(kMarkVariable), mark}};
  }

  /// Starts the scripted model; its port.
  std::string start_model(const std::vector<std::string>& more = {}) {
    const std::string server = std::string(LB_SOURCE_DIR) + "/tests/support/model/server.mjs";
    std::vector<std::string> argv = {required_cli("LB_TEST_NODE"), server, "--port", "0",
                                     "--exit-with-stdin"};
    argv.insert(argv.end(), more.begin(), more.end());
    auto started = launcher.launch(
        {.argv = std::move(argv), .cwd = project(), .env = child_environment(environment(), {})});
    REQUIRE(started.has_value());
    model_ = *started;
    const auto line = run(io, first_line(model_));
    const auto value = parse_json(line);
    REQUIRE_MESSAGE((value && value->is_object()), line);
    return std::to_string(static_cast<int>(number_at(value->get_object(), "listening")));
  }

  /// (Re)makes the provider, as after a restart of the server.
  Provider& start(const AgentConfig& agent) {
    stop();
    registry_ = std::make_unique<ProviderRegistry>();
    const auto added = add_all_providers(
        *registry_, {agent}, {io.get_executor(), pool_.get_executor(), launcher, clock, timers});
    REQUIRE_MESSAGE(added.has_value(), (added ? "" : added.error().message));
    const auto resolved = registry_->resolve(agent.cli_type);
    REQUIRE(resolved.has_value());
    provider_ = *resolved;
    provider_->on_status([this](AgentStatus status, const std::optional<std::string>& message) {
      statuses.push_back(status);
      if (message) last_message = *message;
    });
    return *provider_;
  }
  void stop() {
    if (provider_ != nullptr) run(io, provider_->shutdown());
    provider_ = nullptr;
    registry_.reset();
  }

  Heard& listen(const SessionId& session) {
    Heard& heard = heard_[session];
    const auto item = [&heard](const Upsert& form) {
      const std::string id = form.item_id.str();
      if (!heard.items.contains(id)) heard.order.push_back(id);
      heard.items[id] = form;
    };
    const auto told = [&heard](const SessionReport& report) {
      if (const auto* facts = std::get_if<SessionFacts>(&report)) heard.facts = *facts;
      if (const auto* title = std::get_if<SessionTitle>(&report)) heard.title = title->title;
      if (const auto* what = std::get_if<Steered>(&report)) heard.steered.push_back(*what);
      if (const auto* cli = std::get_if<CliIdentity>(&report)) heard.cli_id = cli->cli_session_id;
    };
    const auto turn = [&heard](const Turn& form) { heard.turns.push_back(form); };
    provider_->attach(session, sink({.item = item, .turn = turn, .report = told}));
    return heard;
  }
  ProviderSession create(const SessionId& session) {
    CreateSessionOptions options;
    options.session_id = session;
    options.project_dir = project();
    options.confined = confined;
    auto created = run(io, provider_->create_session(options), std::chrono::seconds(60));
    REQUIRE_MESSAGE(created.has_value(), (created ? "" : created.error().message));
    return *created;
  }
  void send(const SessionId& session, const std::string& turn, const std::string& text) {
    Prompt prompt;
    prompt.turn_id = TurnId(turn);
    prompt.content = text;
    const auto sent = run(io, provider_->send_message(session, prompt), std::chrono::seconds(60));
    REQUIRE_MESSAGE(sent.has_value(), (sent ? "" : sent.error().message));
    CHECK(sent->turn_id.str() == turn);
  }
  /// Gives the agent an answer; the approval ends as the session layer would end it.
  void give(const SessionId& session, const Upsert& approval, const Answer& answer) {
    const auto given = run(io, give_answer(*provider_, session, answer));
    REQUIRE_MESSAGE(given.has_value(), (given ? "" : given.error().message));
    heard_[session].items[approval.item_id.str()] = as_answered(approval, answer, clock.wall());
  }
  bool until(const std::function<bool()>& done) {
    return run_until(io, done, std::chrono::seconds(60));
  }
  /// Sends and waits for the end of the turn.
  const Turn& turn(const SessionId& session, const std::string& id, const std::string& text) {
    send(session, id, text);
    REQUIRE(until([&] { return heard_[session].ended(id); }));
    return heard_[session].turns.back();
  }

  asio::io_context io;
  GuardedLauncher launcher{io.get_executor()};
  SystemClock clock;
  SystemTimers timers{io.get_executor()};
  std::string mark = new_mark();
  fs::path root;
  std::vector<AgentStatus> statuses;
  std::string last_message;
  /// Sessions are, from now on: with walls around a data directory beside the project.
  bool confined = false;
  void confine() {
    confined = true;
    write_in(root / "data/grants", "secret");
    launcher.build_walls([this] {
      return walls_for({.data_dir = (root / "data").string(), .config_file = {}, .program = {}},
                       child_environment(environment(), {}));
    });
  }
  static void write_in(const fs::path& path, const std::string& text) {
    fs::create_directories(path.parent_path());
    write(path, text);
  }

 private:
  static asio::awaitable<std::string> first_line(std::shared_ptr<AgentProcess> process) {
    const auto line = co_await process->next_line();
    co_return line ? line->text : process->stderr_tail();
  }

  asio::thread_pool pool_{1};
  std::shared_ptr<AgentProcess> model_;
  std::unique_ptr<ProviderRegistry> registry_;
  Provider* provider_ = nullptr;
  std::map<SessionId, Heard> heard_;
};

inline const SessionId kSession("session-1");

/// Confined sessions are tried as an ordinary user: tests/e2e/as_user.sh.
inline const bool kRoot = ::geteuid() == 0;

/// A World with one agent, whose `config` the test fills, and one session.
class AgentWorld : public World {
 public:
  void begin() {
    provider = &start(config);
    heard = &listen(kSession);
  }
  /// As after a restart of the server: a new provider, a new process.
  void restart() {
    begin();
    heard->order.clear();
    heard->items.clear();
    heard->turns.clear();
  }
  LoadSessionOptions load_options(const std::string& cli_session_id) const {
    LoadSessionOptions options;
    options.cli_session_id = cli_session_id;
    options.project_dir = project();
    options.confined = confined;
    return options;
  }
  /// The approval that waits, once there is one.
  Upsert approval(const std::string& turn) {
    REQUIRE(until([&] { return !heard->all<Approval>(turn).empty(); }));
    return heard->all<Approval>(turn).front();
  }
  void answer(const Upsert& item, OptionKind kind) {
    const auto& options = std::get<Approval>(item.body).options;
    const auto option = std::ranges::find(options, kind, &ApprovalOption::kind);
    REQUIRE(option != options.end());
    Answer answer;
    answer.item_id = item.item_id;
    answer.option_id = option->option_id;
    answer.answered_by = "test";
    give(kSession, item, answer);
  }

  AgentConfig config;
  Provider* provider = nullptr;
  Heard* heard = nullptr;
};

}  // namespace lb::test
