#include "providers/all.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>

#include "providers/acp/provider.h"
#include "providers/claude/provider.h"
#include "providers/events/provider.h"

namespace lb {

// A new protocol is a folder beside these and a line here.
std::vector<Protocol> protocols() {
  return {
      {"acp", acp::make_provider},
      {"claude", claude::make_provider, true},
      {"events", events::make_provider},
  };
}

namespace {

/// Whether a word of a command line names a program or its package: codex-acp, /opt/codex-acp,
/// @scope/codex-acp@1.2, …/codex-acp/dist/index.js
bool names(std::string_view word, std::string_view program) {
  while (!word.empty()) {
    const std::string_view part = word.substr(0, word.find('/'));
    if (part.substr(0, part.find('@', 1)) == program) return true;
    word.remove_prefix(std::min(part.size() + 1, word.size()));
  }
  return false;
}

AgentSpec built_in(std::string cli_type, std::string name, std::string protocol,
                   std::vector<std::string> argv) {
  AgentSpec spec;
  spec.kind = cli_type;
  spec.cli_type = std::move(cli_type);
  spec.name = std::move(name);
  spec.protocol = std::move(protocol);
  spec.argv = std::move(argv);
  return spec;
}

std::vector<AgentSpec> built_ins() {
  AgentSpec claude = built_in("claude-code", "Claude Code", "claude", {"claude"});
  AgentSpec codex = built_in("codex", "Codex", "acp", {"codex-acp"});
  codex.install_hint = "Install it with: npm install -g @zed-industries/codex-acp";
  // The npm adapter's default lets a model judge in the user's place.
  codex.asking_modes = {"workspace-write", "auto"};
  AgentSpec gemini = built_in("gemini", "Gemini", "acp", {"gemini", "--acp"});
  gemini.install_hint = "Install it with: npm install -g @google/gemini-cli";
  gemini.login_hint =
      "Run `gemini` in a terminal and log in, or set GEMINI_API_KEY, then try again.";
  AgentSpec opencode = built_in("opencode", "OpenCode", "acp", {"opencode", "acp"});
  opencode.install_hint = "Install it with: npm install -g opencode-ai";
  opencode.login_hint = "Run `opencode auth login` in a terminal, then try again.";
  AgentSpec demo = built_in("demo", "Demo", "acp", {"/proc/self/exe", "demo-agent"});
  demo.install_hint = "It is part of Liminal Builder: install that again.";
  return {claude, codex, gemini, opencode, demo};
}

std::unexpected<Error> refuse(const AgentConfig& config, std::string_view why) {
  return fail(ErrorCode::InvalidRequest, fmt::format("agents.{}: {}", config.cli_type, why));
}

/// The built-in agent that a configured one is: by its name, or by the program that it runs. A
/// second Codex asks, logs in and keeps its sessions as the first one does.
std::vector<AgentSpec>::const_iterator kind_of(const std::vector<AgentSpec>& known,
                                               const AgentConfig& config) {
  const auto named = std::ranges::find(known, config.cli_type, &AgentSpec::cli_type);
  if (named != known.end()) return named;
  const std::string program = std::filesystem::path(config.command).filename().string();
  const bool runs_script = program == "node" || program == "npx" || program == "bunx";
  return std::ranges::find_if(known, [&](const AgentSpec& agent) {
    const auto is = [&](const std::string& word) { return names(word, agent.command()); };
    return is(program) || (runs_script && std::ranges::any_of(config.args, is));
  });
}

/// One sentence that works for the program that is really configured.
std::string codex_login(const AgentSpec& codex) {
  const Environment environment = codex.environment();
  const auto home =
      std::ranges::find(codex.env, std::string("CODEX_HOME"), &Environment::value_type::first);
  // The adapters bring no `codex` onto the PATH.
  const bool there = find_program("codex", variable(environment, "PATH")).has_value();
  return fmt::format("Run `{}{}` in a terminal, or set OPENAI_API_KEY, then try again.",
                     home == codex.env.end() ? "" : fmt::format("CODEX_HOME={} ", home->second),
                     there ? "codex login" : "npx @openai/codex login");
}

/// The built-in agent with what the configuration says put over it.
Result<AgentSpec> configured(const std::vector<AgentSpec>& known, const AgentConfig& config) {
  const auto base = kind_of(known, config);
  AgentSpec agent = base != known.end() ? *base : AgentSpec{};
  if (agent.cli_type != config.cli_type) agent.name = config.cli_type;
  agent.cli_type = config.cli_type;
  if (!config.name.empty()) agent.name = config.name;
  if (!config.protocol.empty()) agent.protocol = config.protocol;
  if (agent.protocol.empty()) agent.protocol = "acp";
  if (!config.command.empty()) {
    agent.argv = {config.command};
    agent.install_hint = fmt::format("The configuration names \"{}\".", config.command);
  }
  if (!is_wire_id(config.cli_type)) {
    return refuse(config, "a name consists of letters, digits, '.', '_', ':' and '-'");
  }
  if (agent.argv.empty()) return refuse(config, "command: missing");
  if (!config.args.empty()) {
    agent.argv.resize(1);
    agent.argv.insert(agent.argv.end(), config.args.begin(), config.args.end());
  }
  agent.env = config.env;
  agent.path = config.path;
  agent.confine = config.confine.value_or(false);
  agent.allow_bypass = config.allow_bypass;
  agent.idle_minutes = config.idle_minutes;
  return agent;
}

/// The built-in agents and those of the configuration, each once.
Result<std::vector<AgentSpec>> all_agents(const std::vector<AgentConfig>& agents) {
  std::vector<AgentSpec> all = built_ins();
  for (const AgentConfig& config : agents) {
    auto agent = configured(all, config);
    if (!agent) return std::unexpected(agent.error());
    const auto same = std::ranges::find(all, config.cli_type, &AgentSpec::cli_type);
    if (same == all.end()) {
      all.push_back(std::move(*agent));
    } else {
      *same = std::move(*agent);
    }
  }
  return all;
}

std::string names_of(const std::vector<Protocol>& known) {
  std::vector<std::string_view> names;
  for (const Protocol& protocol : known) names.push_back(protocol.name);
  return fmt::format("{}", fmt::join(names, ", "));
}

Result<std::unique_ptr<Provider>> make_provider(const AgentSpec& agent, const ProviderDeps& deps,
                                                const std::vector<Protocol>& known) {
  const auto protocol = std::ranges::find(known, agent.protocol, &Protocol::name);
  if (protocol == known.end()) {
    return fail(ErrorCode::InvalidRequest,
                fmt::format("agents.{}: protocol: \"{}\" is not known; use one of {}",
                            agent.cli_type, agent.protocol, names_of(known)));
  }
  if (!protocol->takes_claude_settings && (agent.allow_bypass || agent.idle_minutes)) {
    return fail(ErrorCode::InvalidRequest,
                fmt::format("agents.{}: {}: only for an agent with protocol = \"claude\"",
                            agent.cli_type, agent.allow_bypass ? "allow_bypass" : "idle_minutes"));
  }
  AgentSpec spec = agent;
  if (spec.kind == "codex") spec.login_hint = codex_login(spec);
  return protocol->make(std::move(spec), deps);
}

}  // namespace

Result<void> add_all_providers(ProviderRegistry& registry, const std::vector<AgentConfig>& agents,
                               const ProviderDeps& deps, const std::vector<Protocol>& known) {
  const auto all = all_agents(agents);
  if (!all) return std::unexpected(all.error());
  for (const AgentSpec& agent : *all) {
    auto provider = make_provider(agent, deps, known);
    if (!provider) return std::unexpected(provider.error());
    registry.add(std::move(*provider));
    registry.name(agent.cli_type, agent.name);
    if (agent.confine) registry.confine(agent.cli_type);
  }
  return {};
}

void add_all_names(ProviderRegistry& registry, const std::vector<AgentConfig>& agents) {
  const auto all = all_agents(agents);
  if (!all) return;
  for (const AgentSpec& agent : *all) registry.name(agent.cli_type, agent.name);
}

}  // namespace lb
