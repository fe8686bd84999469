/// Options: what the user wants, from defaults < configuration file < environment < flags.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/log.h"
#include "base/result.h"
#include "providers/all.h"

namespace lb {

enum class Action { Serve, Open, Doctor, Export, Licenses };

struct Options {
  Action action = Action::Serve;
  std::string host = "127.0.0.1";
  std::uint16_t port = 4750;
  std::filesystem::path data_dir;
  std::filesystem::path config;  // Where it was read from; empty: there is none.
  bool open_browser = true;
  LogLevel log_level = LogLevel::Info;
  LogFormat log_format = LogFormat::Text;
  std::optional<std::string> external_origin;
  std::vector<std::string> trusted_proxies;
  std::optional<std::filesystem::path> ui_root;
  std::optional<std::string> token;
  std::vector<std::string> path;  // Put before PATH when agents are looked for.
  std::vector<AgentConfig> agents;
  bool warm_start = true;           // Agents may be started before a session needs them.
  std::filesystem::path worktrees;  // Where worktrees of sessions are made.
  bool checkpoints = true;          // Files are kept before and after every turn.
  std::chrono::milliseconds checkpoint_wait = limits::kCheckpointWait;
  std::vector<std::string> editor;  // What opens a file for the user; empty: nothing.
  bool terminal = true;             // The user may have shells in the browser.
  bool terminal_token = true;       // Whoever has LIMINAL_BUILDER_TOKEN may, too.

  std::string export_session;
  std::string export_format = "md";
};

/// What the configuration file says; everything may be absent.
struct FileConfig {
  std::optional<std::string> host;
  std::optional<std::uint16_t> port;
  std::optional<std::string> data_dir;
  std::optional<bool> open_browser;
  std::optional<bool> warm_start;
  std::optional<std::string> worktrees;
  std::optional<bool> checkpoints;
  std::optional<std::uint32_t> checkpoint_wait_ms;
  std::optional<bool> terminal;
  std::optional<bool> terminal_token;
  std::optional<std::string> log_level;
  std::optional<std::string> log_format;
  std::optional<std::string> external_origin;
  std::optional<std::vector<std::string>> trusted_proxies;
  std::vector<std::string> path;
  std::vector<std::string> editor;
  std::vector<AgentConfig> agents;
};

/// Reads TOML. The error names the file, the line or the key, and what is wrong.
Result<FileConfig> parse_config(std::string_view text, const std::string& name);

/// The options, or the exit code when there is nothing more to do (help, version, usage errors:
/// said on stdout or stderr already).
struct Parsed {
  std::optional<int> exit_code;
  Options options;
};
Parsed parse_options(int argc, char** argv);

/// `$XDG_…_HOME/liminal-builder`, or the place below the home directory.
std::filesystem::path default_data_dir();
std::filesystem::path default_config_file();

}  // namespace lb
