#include "app/options.h"

#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

#include "base/limits.h"
#include "base/version.h"

namespace lb {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread.
  return value == nullptr ? "" : value;
}

std::filesystem::path home() {
  if (std::string path = environment("HOME"); !path.empty()) return path;
  const passwd* entry = ::getpwuid(::getuid());  // NOLINT(concurrency-mt-unsafe)
  return entry == nullptr ? "/" : entry->pw_dir;
}

std::filesystem::path xdg(const char* variable, const char* below_home) {
  const std::filesystem::path base = environment(variable);
  // The specification: a relative path is to be ignored.
  return (base.is_absolute() ? base : home() / below_home) / "liminal-builder";
}

/// Where worktrees go: outside of the data directory, which confined agents do not see.
std::filesystem::path worktrees_from(const std::optional<std::string>& given) {
  if (!given || given->empty()) return home() / ".liminal-builder" / "worktrees";
  if (given->starts_with("~/")) return home() / given->substr(2);
  return std::filesystem::absolute(*given);
}

/// The flags as they were given; which of them were, `count` of the option tells.
struct Flags {
  Options options;
  std::string config;
  std::string data_dir;
  std::string log_level = "info";
  std::string log_format = "text";
  std::string external_origin;
  std::string ui_root;
  bool no_open = false;
  bool licenses = false;

  CLI::Option* host = nullptr;
  CLI::Option* port = nullptr;
  CLI::Option* data_dir_given = nullptr;
  CLI::Option* config_given = nullptr;
  CLI::Option* log_level_given = nullptr;
  CLI::Option* log_format_given = nullptr;
  CLI::Option* external_given = nullptr;
  CLI::Option* proxies_given = nullptr;
};

const std::vector<std::string> kLevels = {"debug", "info", "warn", "error", "off"};
const std::vector<std::string> kFormats = {"text", "json"};

void add_flags(CLI::App& app, Flags& flags) {
  Options& options = flags.options;
  flags.host = app.add_option("--host", options.host, "Address to listen on")
                   ->envname("LIMINAL_BUILDER_HOST")
                   ->capture_default_str();
  flags.port = app.add_option("--port", options.port, "Port to listen on; 0 picks a free one")
                   ->envname("LIMINAL_BUILDER_PORT")
                   ->check(CLI::Range(0, 65535))
                   ->capture_default_str();
  flags.data_dir_given = app.add_option("--data-dir", flags.data_dir, "Where everything is kept")
                             ->envname("LIMINAL_BUILDER_DATA_DIR");
  flags.config_given = app.add_option("--config", flags.config, "The configuration file")
                           ->envname("LIMINAL_BUILDER_CONFIG");
  app.add_flag("--no-open", flags.no_open, "Do not open a browser");
  flags.log_level_given =
      app.add_option("--log-level", flags.log_level, "debug, info, warn, error or off")
          ->envname("LIMINAL_BUILDER_LOG_LEVEL")
          ->check(CLI::IsMember(kLevels));
  flags.log_format_given = app.add_option("--log-format", flags.log_format, "text or json")
                               ->envname("LIMINAL_BUILDER_LOG_FORMAT")
                               ->check(CLI::IsMember(kFormats));
  flags.external_given = app.add_option("--external-origin", flags.external_origin,
                                        "https://NAME of the proxy in front");
  flags.proxies_given = app.add_option("--trusted-proxy", options.trusted_proxies,
                                       "Addresses (CIDR) the proxy connects from");
  app.add_option("--ui-root", flags.ui_root, "Serve the page from this directory (development)");
  app.add_flag("--licenses", flags.licenses, "Print the licences of everything inside");
}

/// The options of `serve` are those of the program: its help says them too.
void add_serve(CLI::App& app) {
  CLI::App* serve =
      app.add_subcommand("serve", "Start the server (what happens without a command)");
  serve->set_help_flag();  // That of the program answers.
  serve->footer([&app] {
    const CLI::Formatter writer;
    return writer.make_groups(&app, CLI::AppFormatMode::Normal);
  });
}

template <class T>
void take(const CLI::Option* given, T& value, const std::optional<T>& from_file) {
  if (given->count() == 0 && from_file) value = *from_file;
}

/// What the file says, where neither a flag nor the environment does.
void merge(Flags& flags, FileConfig file) {
  Options& options = flags.options;
  take(flags.host, options.host, file.host);
  take(flags.port, options.port, file.port);
  take(flags.data_dir_given, flags.data_dir, file.data_dir);
  take(flags.log_level_given, flags.log_level, file.log_level);
  take(flags.log_format_given, flags.log_format, file.log_format);
  take(flags.external_given, flags.external_origin, file.external_origin);
  take(flags.proxies_given, options.trusted_proxies, file.trusted_proxies);
  options.open_browser = !flags.no_open && file.open_browser.value_or(true);
  options.warm_start = file.warm_start.value_or(true);
  options.checkpoints = file.checkpoints.value_or(true);
  if (file.checkpoint_wait_ms) {
    options.checkpoint_wait = std::chrono::milliseconds(*file.checkpoint_wait_ms);
  }
  options.terminal = file.terminal.value_or(true);
  options.terminal_token = file.terminal_token.value_or(true);
  options.worktrees = worktrees_from(file.worktrees);
  options.path = std::move(file.path);
  options.editor = std::move(file.editor);
  options.agents = std::move(file.agents);
  for (AgentConfig& agent : options.agents) {
    agent.path.insert(agent.path.end(), options.path.begin(), options.path.end());
  }
}

Result<void> read_file(Flags& flags) {
  const bool asked = flags.config_given->count() > 0;
  const std::filesystem::path file =
      asked ? std::filesystem::path(flags.config) : default_config_file();
  std::ifstream in(file);
  if (!in) {
    if (asked) return fail(ErrorCode::InvalidRequest, "cannot read " + file.string());
    merge(flags, {});
    return {};
  }
  const std::string text(std::istreambuf_iterator<char>(in), {});
  auto config = parse_config(text, file.string());
  if (!config) return std::unexpected(config.error());
  flags.options.config = file;
  merge(flags, std::move(*config));
  return {};
}

Result<void> finish(Flags& flags) {
  if (auto read = read_file(flags); !read) return read;
  Options& options = flags.options;
  const auto level = std::ranges::find(kLevels, flags.log_level);
  const auto format = std::ranges::find(kFormats, flags.log_format);
  if (level == kLevels.end() || format == kFormats.end()) {
    return fail(ErrorCode::InvalidRequest, "log_level or log_format in the configuration is wrong");
  }
  options.log_level = static_cast<LogLevel>(level - kLevels.begin());
  options.log_format = static_cast<LogFormat>(format - kFormats.begin());
  options.data_dir =
      flags.data_dir.empty() ? default_data_dir() : std::filesystem::absolute(flags.data_dir);
  if (!flags.external_origin.empty()) {
    while (flags.external_origin.ends_with('/')) flags.external_origin.pop_back();
    options.external_origin = flags.external_origin;
  }
  if (!flags.ui_root.empty()) options.ui_root = std::filesystem::absolute(flags.ui_root);
  if (std::string token = environment("LIMINAL_BUILDER_TOKEN"); !token.empty()) {
    if (token.size() < limits::kTokenCharsMin) {
      return fail(ErrorCode::InvalidRequest,
                  "LIMINAL_BUILDER_TOKEN must have at least 32 characters");
    }
    options.token = std::move(token);
    // Not for the agents, and not for anyone who reads our environment.
    ::unsetenv("LIMINAL_BUILDER_TOKEN");  // NOLINT(concurrency-mt-unsafe)
  }
  return {};
}

}  // namespace

std::filesystem::path default_data_dir() {
  return xdg("XDG_DATA_HOME", ".local/share");
}

std::filesystem::path default_config_file() {
  return xdg("XDG_CONFIG_HOME", ".config") / "config.toml";
}

Parsed parse_options(int argc, char** argv) {
  CLI::App app("Liminal Builder: all your coding agents in one browser window", "liminal-builder");
  app.set_version_flag("--version", "liminal-builder " + std::string(kVersion));
  app.footer(
      "Without a command the server starts. `liminal-builder demo-agent` is an agent for a\n"
      "first look; documentation and the API are in README.md.");
  Flags flags;
  add_flags(app, flags);
  app.fallthrough();
  app.require_subcommand(0, 1);
  add_serve(app);
  CLI::App* open =
      app.add_subcommand("open", "Print and open a fresh address of the running server");
  CLI::App* doctor = app.add_subcommand("doctor", "Look at everything and say what to do about it");
  CLI::App* expo = app.add_subcommand("export", "Print a conversation");
  for (CLI::App* command : {open, doctor, expo}) {
    command->footer("It takes --data-dir and --config too: give them as the server has them.");
  }
  expo->add_option("session", flags.options.export_session,
                   "The session's id: \"Copy session id\" in its menu")
      ->required();
  expo->add_option("--format", flags.options.export_format, "md or json")
      ->check(CLI::IsMember(std::vector<std::string>{"md", "json"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return {app.exit(error) == 0 ? 0 : 2, {}};
  }
  if (auto finished = finish(flags); !finished) {
    std::cerr << "liminal-builder: " << finished.error().message << "\n";
    return {1, {}};
  }
  Options& options = flags.options;
  if (open->parsed()) options.action = Action::Open;
  if (doctor->parsed()) options.action = Action::Doctor;
  if (expo->parsed()) options.action = Action::Export;
  if (flags.licenses) options.action = Action::Licenses;
  return {std::nullopt, std::move(options)};
}

}  // namespace lb
