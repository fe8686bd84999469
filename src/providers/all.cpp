#include "providers/all.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "providers/acp/codex_sessions.h"
#include "providers/claude/provider.h"
#include "providers/events/provider.h"

namespace lb {
namespace {

/// A built-in agent: its configuration, and what only we know of it.
struct BuiltIn {
  AgentConfig config;
  std::string install_hint;
  std::string login_hint;
  std::vector<std::string> asking_modes;
};

std::vector<BuiltIn> built_ins() {
  std::vector<BuiltIn> agents;
  agents.push_back({{.cli_type = "claude-code",
                     .name = "Claude Code",
                     .protocol = "claude",
                     .command = "claude",
                     .args = {},
                     .env = {},
                     .path = {}},
                    "",
                    "",
                    {}});
  agents.push_back({{.cli_type = "codex",
                     .name = "Codex",
                     .protocol = "acp",
                     .command = "codex-acp",
                     .args = {},
                     .env = {},
                     .path = {}},
                    "Install it with: npm install -g @zed-industries/codex-acp",
                    "Run `codex login` in a terminal, or set OPENAI_API_KEY, then try again.",
                    // The npm adapter's default lets a model judge in the user's place.
                    {"workspace-write", "auto"}});
  agents.push_back({{.cli_type = "gemini",
                     .name = "Gemini",
                     .protocol = "acp",
                     .command = "gemini",
                     .args = {"--acp"},
                     .env = {},
                     .path = {}},
                    "Install it with: npm install -g @google/gemini-cli",
                    "Run `gemini` in a terminal and log in, or set GEMINI_API_KEY, then try again.",
                    {}});
  agents.push_back({{.cli_type = "opencode",
                     .name = "OpenCode",
                     .protocol = "acp",
                     .command = "opencode",
                     .args = {"acp"},
                     .env = {},
                     .path = {}},
                    "Install it with: npm install -g opencode-ai",
                    "Run `opencode auth login` in a terminal, then try again.",
                    {}});
  agents.push_back({{.cli_type = "demo",
                     .name = "Demo",
                     .protocol = "acp",
                     .command = "/proc/self/exe",
                     .args = {"demo-agent"},
                     .env = {},
                     .path = {}},
                    "It is part of Liminal Builder: install that again.",
                    "",
                    {}});
  return agents;
}

std::string variable(const std::vector<std::pair<std::string, std::string>>& own,
                     const char* name) {
  for (const auto& [key, value] : own) {
    if (key == name) return value;
  }
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before threads start.
  return value != nullptr ? value : "";
}

std::string codex_home(const AgentConfig& config) {
  const std::string home = variable(config.env, "CODEX_HOME");
  return !home.empty() ? home : variable(config.env, "HOME") + "/.codex";
}

std::vector<std::string> argv_of(const AgentConfig& config) {
  std::vector<std::string> argv = {config.command};
  argv.insert(argv.end(), config.args.begin(), config.args.end());
  return argv;
}

acp::AgentSpec acp_spec(const BuiltIn& agent) {
  const AgentConfig& config = agent.config;
  acp::AgentSpec spec;
  spec.cli_type = config.cli_type;
  spec.name = config.name;
  spec.argv = argv_of(config);
  spec.env = config.env;
  spec.path = config.path;
  spec.install_hint = agent.install_hint;
  spec.login_hint = agent.login_hint;
  spec.asking_modes = agent.asking_modes;
  if (config.cli_type == "codex") {
    const auto sessions = std::make_shared<acp::CodexSessions>(codex_home(config));
    spec.discover = [sessions](const std::string& project) { return sessions->find(project); };
  }
  return spec;
}

ClaudeConfig claude_config(const AgentConfig& agent) {
  ClaudeConfig config;
  config.cli_type = agent.cli_type;
  config.name = agent.name;
  config.command = agent.command;
  config.args = agent.args;
  config.env = agent.env;
  config.path_prefix = agent.path;
  config.allow_bypass = agent.allow_bypass.value_or(false);
  if (agent.idle_minutes) config.idle_end = std::chrono::minutes(*agent.idle_minutes);
  return config;
}

/// The built-in agent with what the configuration says put over it.
Result<BuiltIn> configured(const std::vector<BuiltIn>& known, const AgentConfig& config) {
  const auto base = std::ranges::find(known, config.cli_type,
                                      [](const BuiltIn& agent) { return agent.config.cli_type; });
  BuiltIn agent = base != known.end() ? *base : BuiltIn{};
  agent.config.cli_type = config.cli_type;
  if (!config.name.empty()) agent.config.name = config.name;
  if (agent.config.name.empty()) agent.config.name = config.cli_type;
  if (!config.protocol.empty()) agent.config.protocol = config.protocol;
  if (agent.config.protocol.empty()) agent.config.protocol = "acp";
  if (!config.command.empty()) {
    agent.config.command = config.command;
    agent.config.args.clear();
    agent.install_hint = fmt::format("The configuration names \"{}\".", config.command);
  }
  if (!config.args.empty()) agent.config.args = config.args;
  agent.config.env = config.env;
  agent.config.path = config.path;
  agent.config.allow_bypass = config.allow_bypass;
  agent.config.idle_minutes = config.idle_minutes;
  if (agent.config.protocol != "claude" && (config.allow_bypass || config.idle_minutes)) {
    return fail(
        ErrorCode::InvalidRequest,
        fmt::format("agents.{}: {}: only for an agent with protocol = \"claude\"", config.cli_type,
                    config.allow_bypass ? "allow_bypass" : "idle_minutes"));
  }
  if (!is_wire_id(config.cli_type)) {
    return fail(ErrorCode::InvalidRequest,
                fmt::format("agents.{}: a name consists of letters, digits, '.', '_', ':' and '-'",
                            config.cli_type));
  }
  if (agent.config.command.empty()) {
    return fail(ErrorCode::InvalidRequest,
                fmt::format("agents.{}: command: missing", config.cli_type));
  }
  return agent;
}

Result<std::unique_ptr<Provider>> make_provider(const BuiltIn& agent, const AgentDeps& deps) {
  const std::string& protocol = agent.config.protocol;
  if (protocol == "acp") return std::make_unique<acp::AcpProvider>(acp_spec(agent), deps);
  if (protocol == "events") {
    const AgentConfig& config = agent.config;
    return std::make_unique<events::EventsProvider>(
        events::AgentSpec{config.cli_type, config.name, argv_of(config), config.env, config.path,
                          agent.install_hint},
        events::ProviderDeps{deps.executor, deps.blocking, deps.launcher, deps.clock, deps.timers});
  }
  if (protocol == "claude") {
    return make_claude_provider(claude_config(agent.config), {.io = deps.executor,
                                                              .blocking = deps.blocking,
                                                              .launcher = deps.launcher,
                                                              .clock = deps.clock});
  }
  return fail(ErrorCode::InvalidRequest,
              fmt::format("agents.{}: protocol: \"{}\" is not known; use acp, claude or events",
                          agent.config.cli_type, protocol));
}

/// The built-in agents and those of the configuration, each once.
Result<std::vector<BuiltIn>> all_agents(const std::vector<AgentConfig>& agents) {
  std::vector<BuiltIn> all = built_ins();
  for (const AgentConfig& config : agents) {
    auto agent = configured(all, config);
    if (!agent) return std::unexpected(agent.error());
    const auto same = std::ranges::find(all, config.cli_type,
                                        [](const BuiltIn& known) { return known.config.cli_type; });
    if (same == all.end()) {
      all.push_back(std::move(*agent));
    } else {
      *same = std::move(*agent);
    }
  }
  return all;
}

}  // namespace

Result<void> add_all_providers(ProviderRegistry& registry, const std::vector<AgentConfig>& agents,
                               const AgentDeps& deps) {
  const auto all = all_agents(agents);
  if (!all) return std::unexpected(all.error());
  for (const BuiltIn& agent : *all) {
    auto provider = make_provider(agent, deps);
    if (!provider) return std::unexpected(provider.error());
    registry.add(std::move(*provider));
    registry.name(agent.config.cli_type, agent.config.name);
  }
  return {};
}

void add_all_names(ProviderRegistry& registry, const std::vector<AgentConfig>& agents) {
  const auto all = all_agents(agents);
  if (!all) return;
  for (const BuiltIn& agent : *all) registry.name(agent.config.cli_type, agent.config.name);
}

}  // namespace lb
