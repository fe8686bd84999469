#include "providers/acp/login.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

namespace lb::acp {

namespace fs = std::filesystem;

namespace {

/// Methods that take a key from the environment without naming it.
struct KnownMethod {
  std::string_view id;
  std::array<std::string_view, 2> vars;  // Any of them is enough.
};
constexpr auto kKnownMethods = std::to_array<KnownMethod>({
    {"api-key", {"OPENAI_API_KEY", "CODEX_API_KEY"}},
    {"gemini-api-key", {"GEMINI_API_KEY", "GOOGLE_API_KEY"}},
});

/// A configuration is a few kilobytes.
constexpr std::size_t kConfigBytesMax = 256U << 10U;

bool there(const fs::path& file) {
  std::error_code why;
  return fs::exists(file, why) && !why;
}

std::string beginning_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(kConfigBytesMax, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  return text;
}

bool is_set(const Environment& environment, std::string_view name) {
  return std::ranges::any_of(environment, [&](const auto& variable) {
    return variable.first == name && !variable.second.empty();
  });
}

}  // namespace

Error error_from(const RpcError& error) {
  std::string text = error_text(error.message, error.data);
  switch (error.kind) {
    case RpcError::Kind::Timeout:
      return {ErrorCode::Timeout, std::move(text)};
    case RpcError::Kind::ProcessEnded:
      return {ErrorCode::ProcessCrash, std::move(text)};
    case RpcError::Kind::NotSent:
      return {ErrorCode::Busy, std::move(text)};
    case RpcError::Kind::Cancelled:
      return {ErrorCode::Cancelled, std::move(text)};
    case RpcError::Kind::Answered:
      break;
  }
  if (error.code == rpc_code::kResourceNotFound ||
      text.find("no rollout found") != std::string::npos ||
      text.find("Invalid session identifier") != std::string::npos ||
      text.find("ession not found") != std::string::npos) {
    return {ErrorCode::SessionNotFound, std::move(text)};
  }
  if (error.code == rpc_code::kMethodNotFound) return {ErrorCode::NotSupported, std::move(text)};
  if (error.code == rpc_code::kInvalidParams) return {ErrorCode::InvalidRequest, std::move(text)};
  return {ErrorCode::ProtocolError, std::move(text)};
}

std::optional<std::string> unattended_login(const AgentAbilities& abilities,
                                            const Environment& environment) {
  for (const auto& method : abilities.auth_methods) {
    if (method.interactive) continue;
    if (!method.vars.empty() && std::ranges::all_of(method.vars, [&](const std::string& name) {
          return is_set(environment, name);
        })) {
      return method.id;
    }
    const auto known = std::ranges::find(kKnownMethods, method.id, &KnownMethod::id);
    if (method.vars.empty() && known != kKnownMethods.end() &&
        std::ranges::any_of(known->vars,
                            [&](std::string_view name) { return is_set(environment, name); })) {
      return method.id;
    }
  }
  return std::nullopt;
}

Error login_needed(const AgentSpec& agent, const AgentAbilities& abilities) {
  const std::string said = fmt::format("{} is not logged in. ", agent.name);
  if (!agent.login_hint.empty()) return {ErrorCode::AgentUnavailable, said + agent.login_hint};
  // Nobody knows how: its program and what it offers are the best that can be said.
  std::string ways;
  for (const auto& method : abilities.auth_methods) {
    if (!method.name.empty()) ways += fmt::format("{}{}", ways.empty() ? "" : ", ", method.name);
  }
  return {ErrorCode::AgentUnavailable,
          fmt::format("{}Log in with `{}` in a terminal, then try again.{}{}{}", said,
                      agent.argv.empty() ? agent.cli_type : agent.argv.front(),
                      ways.empty() ? "" : " (It offers: ", ways, ways.empty() ? "" : ".)")};
}

std::optional<LoginState> login_on_disk(std::string_view kind, const Environment& environment) {
  const fs::path home = fs::path(variable(environment, "HOME"));
  if (kind == "codex") {
    if (is_set(environment, "OPENAI_API_KEY") || is_set(environment, "CODEX_API_KEY")) return {};
    const std::string_view chosen = variable(environment, "CODEX_HOME");
    const fs::path own = chosen.empty() ? home / ".codex" : fs::path(chosen);
    if (there(own / "auth.json")) return LoginState::Ok;
    // Another provider of models may need none, and the login may be in the system's keyring.
    const std::string config = beginning_of(own / "config.toml");
    const bool says = config.contains("model_provider") || config.contains("credentials_store");
    return says ? std::nullopt : std::optional(LoginState::Needed);
  }
  if (kind == "gemini") {
    for (const std::string_view name : {"GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT",
                                        "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"}) {
      if (is_set(environment, name)) return {};
    }
    if (there(home / ".gemini/oauth_creds.json")) return LoginState::Ok;
    // Who has set it up may keep a key elsewhere; who never ran it has not.
    const bool used = there(home / ".gemini/settings.json") || there(home / ".gemini/.env");
    return used ? std::nullopt : std::optional(LoginState::Needed);
  }
  return {};
}

bool is_login_error(const RpcError& error) {
  if (error.kind != RpcError::Kind::Answered) return false;
  if (error.code == rpc_code::kAuthenticationRequired) return true;
  return error_text(error.message, error.data).find("401 Unauthorized") != std::string::npos;
}

}  // namespace lb::acp
