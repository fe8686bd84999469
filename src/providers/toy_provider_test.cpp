// A protocol of its own, whole: what "a folder and one line" takes. The toy agent gets a prompt as
// one line and answers with lines; a line with a single dot ends the turn.
#include <doctest/doctest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "providers/all.h"
#include "providers/program_info.h"
#include "tests/support/recording_sink.h"
#include "tests/support/run.h"
#include "tests/support/scripted_process.h"

namespace lb::toy {
namespace {

class ToySession final : public AgentSession, public std::enable_shared_from_this<ToySession> {
 public:
  ToySession(SessionId session, const std::string& agent, std::shared_ptr<AgentProcess> process)
      : AgentSession(std::move(session), agent), process_(std::move(process)) {}

  [[nodiscard]] bool alive() const override { return process_->alive(); }
  asio::awaitable<Result<void>> send(Prompt prompt) override {
    if (auto sent = process_->write_line(prompt.content); !sent) co_return sent;
    turn_.session_id = id();
    turn_.turn_id = prompt.turn_id;
    turn_.type = TurnType::Started;
    tell(turn_);
    co_return Result<void>{};
  }
  asio::awaitable<Result<void>> cancel() override { co_return process_->write_line("stop"); }
  asio::awaitable<void> kill() override {
    process_->kill();
    co_await process_->exited();
  }
  asio::awaitable<void> shutdown() override { co_await kill(); }
  void hold(bool) override {}

  static asio::awaitable<void> read(std::shared_ptr<ToySession> self) {
    while (const auto line = co_await self->process_->next_line()) self->on_line(line->text);
  }

 private:
  void on_line(const std::string& line) {
    if (line == ".") {
      turn_.type = TurnType::Complete;
      turn_.status = TurnStatus::Completed;
      return tell(turn_);
    }
    Item item;
    item.session_id = id();
    item.turn_id = turn_.turn_id;
    item.item_id = ItemId(turn_.turn_id.str() + ":" + std::to_string(++lines_));
    item.status = ItemStatus::Complete;
    item.body = Message{.content = Text(line), .origin = Origin::Agent, .attachments = {}};
    tell(std::move(item));
  }

  std::shared_ptr<AgentProcess> process_;
  Turn turn_;
  int lines_ = 0;
};

class ToyProvider final : public ProviderOf<ToySession> {
 public:
  ToyProvider(AgentSpec spec, const ProviderDeps& deps)
      : ProviderOf(spec.cli_type, spec.name, deps), spec_(std::move(spec)) {}

  asio::awaitable<Result<ProviderSession>> create_session(CreateSessionOptions options) override {
    auto process = deps().launcher.launch(
        {.argv = spec_.argv, .cwd = options.project_dir, .env = spec_.environment()});
    if (!process) co_return std::unexpected(process.error());
    const auto session = std::make_shared<ToySession>(options.session_id, name(), *process);
    keep(session);
    asio::co_spawn(deps().executor, ToySession::read(session), asio::detached);
    co_return ProviderSession{options.session_id, spec_.cli_type, options.session_id.str()};
  }
  asio::awaitable<Result<ProviderSession>> load_session(SessionId session,
                                                        LoadSessionOptions options) override {
    CreateSessionOptions anew;
    anew.session_id = std::move(session);
    anew.project_dir = std::move(options.project_dir);
    co_return co_await create_session(std::move(anew));
  }
  asio::awaitable<Result<void>> import_history(SessionId, LoadSessionOptions) override {
    co_return Result<void>{};
  }
  asio::awaitable<AgentInfo> inspect() override { return inspect_agent(spec_, deps().blocking); }

 private:
  AgentSpec spec_;
};

std::unique_ptr<Provider> make_provider(AgentSpec spec, const ProviderDeps& deps) {
  return std::make_unique<ToyProvider>(std::move(spec), deps);
}

struct Fixture {
  Fixture() {
    auto known = protocols();
    known.push_back({"toy", make_provider});  // The one line.
    AgentConfig config;
    config.cli_type = "parrot";
    config.protocol = "toy";
    config.command = "parrot";
    const auto added = add_all_providers(
        registry, {config}, {io.get_executor(), io.get_executor(), launcher, clock, timers}, known);
    REQUIRE_MESSAGE(added.has_value(), (added ? "" : added.error().message));
    provider = *registry.resolve("parrot");
    provider->attach(session,
                     test::sink({.item = [this](const Upsert& item) { items.push_back(item); },
                                 .turn = [this](const Turn& turn) { turns.push_back(turn); },
                                 .report = {}}));
  }
  ~Fixture() {
    test::run(io, provider->shutdown());
    test::run_ready(io);
  }
  Result<ProviderSession> create() {
    CreateSessionOptions options;
    options.session_id = session;
    options.project_dir = "/home/dev/project";
    return test::run(io, provider->create_session(options));
  }

  asio::io_context io;
  test::ScriptedLauncher launcher{io.get_executor()};
  SystemClock clock;
  SystemTimers timers{io.get_executor()};
  ProviderRegistry registry;
  SessionId session{"s1"};
  Provider* provider = nullptr;
  std::vector<Upsert> items;
  std::vector<Turn> turns;
};

TEST_CASE("a new protocol is a session, a provider and one line in the table") {
  Fixture f;
  REQUIRE(f.create().has_value());
  CHECK(f.provider->is_alive(f.session));
  const auto sent =
      test::run(f.io, f.provider->send_message(f.session, {TurnId("t1"), "hello", {}}));
  REQUIRE(sent.has_value());
  CHECK(sent->turn_id == TurnId("t1"));
  const auto agent = f.launcher.agents().back();
  CHECK(agent->heard() == std::vector<std::string>{"hello"});
  agent->says("hello yourself");
  agent->says(".");
  REQUIRE(test::run_until(f.io, [&] { return f.turns.size() == 2; }));
  CHECK(f.turns.back().status == TurnStatus::Completed);
  REQUIRE(f.items.size() == 1);
  CHECK(std::get<Message>(f.items.front().body).content.view() == "hello yourself");
}

TEST_CASE("what a protocol does not say of itself, the base says for it") {
  Fixture f;
  REQUIRE(f.create().has_value());
  SUBCASE("a session that nobody loaded is not found") {
    const auto sent =
        test::run(f.io, f.provider->send_message(SessionId("other"), {TurnId("t"), "x", {}}));
    REQUIRE_FALSE(sent.has_value());
    CHECK(sent.error().code == ErrorCode::SessionNotFound);
  }
  SUBCASE("what it cannot do is refused by name") {
    const auto set = test::run(f.io, f.provider->set_mode(f.session, "plan"));
    REQUIRE_FALSE(set.has_value());
    CHECK(set.error().message == "parrot cannot switch its mode in a running session.");
  }
  SUBCASE("it cannot be confined until it says that it passes that on") {
    CHECK_FALSE(f.provider->can_confine());
    for (const char* cli : {"claude-code", "codex", "demo"}) {
      CHECK((*f.registry.resolve(cli))->can_confine());
    }
  }
  SUBCASE("a killed session is gone with its process") {
    REQUIRE(test::run(f.io, f.provider->kill_session(f.session)).has_value());
    CHECK_FALSE(f.provider->is_alive(f.session));
    CHECK(f.launcher.agents().back()->killed());
  }
  SUBCASE("nobody hears a forgotten session, also while its process still talks") {
    f.provider->forget(f.session);
    f.launcher.agents().back()->says("anyone?");
    test::run_ready(f.io);
    CHECK(f.items.empty());
  }
}

}  // namespace
}  // namespace lb::toy
