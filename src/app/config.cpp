#include <toml++/toml.h>

#include <algorithm>

#include "app/options.h"
#include "base/limits.h"

namespace lb {
namespace {

/// Reads keys of one table and remembers the first thing that is wrong.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string where)
      : table_(table), where_(std::move(where)) {}

  template <class T>
  void value(std::string_view key, std::optional<T>& out) {
    known_.emplace_back(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) return;
    const auto read = node->value_exact<T>();
    if (read) {
      out = *read;
    } else {
      wrong(key, std::is_same_v<T, bool> ? "expected true or false" : "expected a string");
    }
  }
  template <class T>
  void number(std::string_view key, std::int64_t most, std::optional<T>& out) {
    known_.emplace_back(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) return;
    const auto read = node->value_exact<std::int64_t>();
    if (read && *read >= 0 && *read <= most) {
      out = static_cast<T>(*read);
    } else {
      wrong(key, "expected a number from 0 to " + std::to_string(most));
    }
  }
  void strings(std::string_view key, std::vector<std::string>& out) {
    known_.emplace_back(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) return;
    const toml::array* array = node->as_array();
    if (array == nullptr) return wrong(key, "expected a list of strings");
    for (const toml::node& element : *array) {
      const auto text = element.value_exact<std::string>();
      if (!text) return wrong(key, "expected a list of strings");
      out.push_back(*text);
    }
  }
  void pairs(std::string_view key, std::vector<std::pair<std::string, std::string>>& out) {
    known_.emplace_back(key);
    const toml::node* node = table_.get(key);
    if (node == nullptr) return;
    const toml::table* inner = node->as_table();
    if (inner == nullptr) return wrong(key, "expected a table of strings");
    for (const auto& [name, entry] : *inner) {
      const auto text = entry.value_exact<std::string>();
      if (!text) return wrong(key, "expected a table of strings");
      out.emplace_back(std::string(name.str()), *text);
    }
  }
  void ignore(std::string_view key) { known_.emplace_back(key); }

  /// The first problem: a wrong value, or a key nobody knows.
  Result<void> finish() const {
    if (problem_) return fail(ErrorCode::InvalidRequest, *problem_);
    for (const auto& [key, node] : table_) {
      if (std::ranges::find(known_, key.str()) == known_.end()) {
        return fail(ErrorCode::InvalidRequest,
                    where_ + ": unknown key `" + std::string(key.str()) + "`");
      }
    }
    return {};
  }

 private:
  void wrong(std::string_view key, std::string_view what) {
    if (!problem_) problem_ = where_ + ": `" + std::string(key) + "`: " + std::string(what);
  }
  const toml::table& table_;
  std::string where_;
  std::vector<std::string> known_;
  std::optional<std::string> problem_;
};

/// `[agents.NAME]`; with Zed's keys under `[agent_servers.NAME]` it always speaks ACP.
Result<AgentConfig> read_agent(const std::string& name, const toml::table& table,
                               const std::string& where, bool is_zed) {
  AgentConfig agent;
  agent.cli_type = name;
  if (!is_wire_id(name)) return fail(ErrorCode::InvalidRequest, where + ": not a valid name");
  TableReader reader(table, where);
  std::optional<std::string> label;
  std::optional<std::string> protocol;
  std::optional<std::string> command;
  reader.value("name", label);
  reader.value("protocol", protocol);
  reader.value("command", command);
  reader.strings("args", agent.args);
  reader.pairs("env", agent.env);
  reader.strings("path", agent.path);
  reader.value("confine", agent.confine);
  if (!is_zed) {
    reader.value("allow_bypass", agent.allow_bypass);
    reader.number("idle_minutes", limits::kIdleMinutesMax, agent.idle_minutes);
  }
  if (is_zed) {
    for (const std::string_view key :
         {"type", "default_mode", "default_model", "favorite_models"}) {
      reader.ignore(key);
    }
  }
  if (auto read = reader.finish(); !read) return std::unexpected(read.error());
  agent.name = label.value_or("");
  agent.protocol = is_zed ? "acp" : protocol.value_or("");
  agent.command = command.value_or("");
  if (!agent.protocol.empty() && agent.protocol != "acp" && agent.protocol != "claude" &&
      agent.protocol != "events") {
    return fail(ErrorCode::InvalidRequest, where + ": `protocol`: acp, claude or events");
  }
  return agent;
}

Result<void> read_agents(const toml::table& table, std::string_view key, const std::string& file,
                         std::vector<AgentConfig>& out) {
  const toml::node* node = table.get(key);
  if (node == nullptr) return {};
  const toml::table* agents = node->as_table();
  if (agents == nullptr) {
    return fail(ErrorCode::InvalidRequest, file + ": `" + std::string(key) + "`: expected tables");
  }
  for (const auto& [name, entry] : *agents) {
    const std::string where = file + ": [" + std::string(key) + "." + std::string(name.str()) + "]";
    const toml::table* agent = entry.as_table();
    if (agent == nullptr) return fail(ErrorCode::InvalidRequest, where + ": expected a table");
    auto read = read_agent(std::string(name.str()), *agent, where, key == "agent_servers");
    if (!read) return std::unexpected(read.error());
    out.push_back(std::move(*read));
  }
  return {};
}

/// `editor`: a program, and words of which one says which file.
Result<void> check_editor(const std::vector<std::string>& words, const std::string& file) {
  if (words.empty()) return {};
  const bool named = std::ranges::any_of(words.begin() + 1, words.end(),
                                         [](const auto& word) { return word.contains("{path}"); });
  if (!words.front().empty() && !words.front().contains('{') && named) return {};
  return fail(ErrorCode::InvalidRequest,
              file + ": `editor`: expected a program and its arguments, one of them with {path}");
}

}  // namespace

Result<FileConfig> parse_config(std::string_view text, const std::string& name) {
  toml::table table;
  try {
    table = toml::parse(text, name);
  } catch (const toml::parse_error& error) {
    return fail(ErrorCode::InvalidRequest, name + ":" + std::to_string(error.source().begin.line) +
                                               ": " + std::string(error.description()));
  }
  FileConfig config;
  TableReader reader(table, name);
  reader.value("host", config.host);
  reader.number("port", 65535, config.port);
  reader.value("data_dir", config.data_dir);
  reader.value("open", config.open_browser);
  reader.value("warm_start", config.warm_start);
  reader.value("worktrees", config.worktrees);
  reader.value("checkpoints", config.checkpoints);
  reader.number("checkpoint_wait_ms", std::chrono::milliseconds(limits::kCheckpointMax).count(),
                config.checkpoint_wait_ms);
  reader.value("terminal", config.terminal);
  reader.value("terminal_token", config.terminal_token);
  reader.value("log_level", config.log_level);
  reader.value("log_format", config.log_format);
  reader.value("external_origin", config.external_origin);
  if (table.contains("trusted_proxy")) config.trusted_proxies.emplace();
  std::vector<std::string> proxies;
  reader.strings("trusted_proxy", proxies);
  if (config.trusted_proxies) config.trusted_proxies = proxies;
  reader.strings("path", config.path);
  reader.strings("editor", config.editor);
  reader.ignore("agents");
  reader.ignore("agent_servers");
  if (auto read = reader.finish(); !read) return std::unexpected(read.error());
  if (auto good = check_editor(config.editor, name); !good) return std::unexpected(good.error());
  for (const std::string_view key : {"agents", "agent_servers"}) {
    if (auto read = read_agents(table, key, name, config.agents); !read) {
      return std::unexpected(read.error());
    }
  }
  return config;
}

}  // namespace lb
