#include "providers/registry.h"

#include <doctest/doctest.h>

#include <boost/asio/io_context.hpp>
#include <type_traits>

#include "base/clock.h"
#include "providers/all.h"
#include "tests/support/scripted_process.h"

namespace lb {
namespace {

/// Every lifecycle operation of the epic, by its exact shape.
template <class P>
concept HasLifecycle = requires(P& provider, const SessionId& id) {
  {
    provider.create_session(CreateSessionOptions{})
  } -> std::same_as<asio::awaitable<Result<ProviderSession>>>;
  {
    provider.load_session(id, LoadSessionOptions{})
  } -> std::same_as<asio::awaitable<Result<ProviderSession>>>;
  { provider.send_message(id, Prompt{}) } -> std::same_as<asio::awaitable<Result<SendResult>>>;
  { provider.cancel_turn(id) } -> std::same_as<asio::awaitable<Result<void>>>;
  { provider.kill_session(id) } -> std::same_as<asio::awaitable<Result<void>>>;
  { provider.is_alive(id) } -> std::same_as<bool>;
  provider.attach(id, std::shared_ptr<SessionSink>{});
};

TEST_CASE("TC-2.1a: the interface defines all lifecycle methods") {
  static_assert(HasLifecycle<Provider>);
  static_assert(std::is_abstract_v<Provider>);
  CHECK(std::has_virtual_destructor_v<Provider>);
}

struct Fixture {
  Result<void> add(std::vector<AgentConfig> agents) {
    return add_all_providers(registry, agents,
                             {io.get_executor(), io.get_executor(), launcher, clock, timers});
  }
  asio::io_context io;
  test::ScriptedLauncher launcher{io.get_executor()};
  SystemClock clock;
  SystemTimers timers{io.get_executor()};
  ProviderRegistry registry;
};

TEST_CASE("TC-2.2a: the registry resolves by CLI type, always the same instance") {
  Fixture f;
  REQUIRE(f.add({}).has_value());
  for (const auto* type : {"codex", "gemini", "opencode", "demo"}) {
    const auto provider = f.registry.resolve(type);
    REQUIRE(provider.has_value());
    CHECK((*provider)->cli_type() == type);
    CHECK(*f.registry.resolve(type) == *provider);
  }
}

TEST_CASE("TC-2.2b: the registry answers an unknown CLI type with UNSUPPORTED_CLI_TYPE") {
  Fixture f;
  REQUIRE(f.add({}).has_value());
  const auto provider = f.registry.resolve("nonsense");
  REQUIRE_FALSE(provider.has_value());
  CHECK(name_of(provider.error().code) == "UNSUPPORTED_CLI_TYPE");
  CHECK(provider.error().message.find("codex") != std::string::npos);
}

TEST_CASE("agents: the configuration adds agents and overrides built-in ones") {
  Fixture f;
  AgentConfig mine;
  mine.cli_type = "my-agent";
  mine.command = "my-agent";
  mine.args = {"--acp"};
  AgentConfig codex;
  codex.cli_type = "codex";
  codex.command = "/opt/codex-acp";
  REQUIRE(f.add({mine, codex}).has_value());
  CHECK(f.registry.resolve("my-agent").has_value());
  const auto count = std::ranges::count_if(
      f.registry.all(), [](const auto& provider) { return provider->cli_type() == "codex"; });
  CHECK(count == 1);
}

TEST_CASE("agents: a second Codex over the same home is known as one, however it is started") {
  const std::vector<std::pair<std::string, std::vector<std::string>>> ways = {
      {"/opt/bin/codex-acp", {}},
      {"npx", {"-y", "@agentclientprotocol/codex-acp@1.2.3"}},
      {"node", {"/opt/node_modules/@agentclientprotocol/codex-acp/dist/index.js"}}};
  for (const auto& [command, args] : ways) {
    CAPTURE(command);
    Fixture f;
    AgentConfig second;
    second.cli_type = "codex-js";
    second.command = command;
    second.args = args;
    second.env = {{"CODEX_HOME", "/home/dev/codex"}};
    AgentConfig first;
    first.cli_type = "codex";
    first.env = second.env;
    REQUIRE(f.add({first, second}).has_value());
    CHECK((*f.registry.resolve("codex-js"))->records() == "/home/dev/codex");
    CHECK((*f.registry.resolve("codex"))->records() == "/home/dev/codex");
    CHECK(f.registry.name_of("codex-js") == "codex-js");
  }
  Fixture f;
  AgentConfig other;
  other.cli_type = "mine";
  other.command = "my-agent";
  other.args = {"--with", "/home/dev/codex-acp/x"};  // Says nothing of what it is.
  REQUIRE(f.add({other}).has_value());
  CHECK((*f.registry.resolve("mine"))->records().empty());
}

TEST_CASE("agents: a configuration that makes no sense is refused with the reason") {
  AgentConfig agent;
  agent.cli_type = "x";
  CHECK(Fixture().add({agent}).error().message == "agents.x: command: missing");
  agent.command = "x";
  agent.protocol = "telepathy";
  CHECK(Fixture().add({agent}).error().message.starts_with("agents.x: protocol:"));
  agent.protocol = "acp";
  agent.allow_bypass = true;
  CHECK(Fixture().add({agent}).error().message ==
        "agents.x: allow_bypass: only for an agent with protocol = \"claude\"");
  agent.allow_bypass.reset();
  agent.idle_minutes = 5;
  CHECK(Fixture().add({agent}).error().message.starts_with("agents.x: idle_minutes: only for"));
  agent.protocol = "claude";
  CHECK(Fixture().add({agent}).has_value());
  agent.idle_minutes.reset();
  agent.protocol = "acp";
  agent.cli_type = "not an id";
  CHECK_FALSE(Fixture().add({agent}).has_value());
}

}  // namespace
}  // namespace lb
