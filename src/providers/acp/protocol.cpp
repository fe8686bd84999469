#include "providers/acp/protocol.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <cmath>

namespace lb::acp {
namespace {

/// The first of `keys` that is a non-empty string.
template <std::size_t N>
std::string_view first_string(const json::object& object,
                              const std::array<std::string_view, N>& keys) {
  for (const std::string_view key : keys) {
    if (const std::string_view text = string_at(object, key); !text.empty()) return text;
  }
  return {};
}

constexpr std::string_view kAttachedUri = "attachment:///";

/// A block of content as text that a person can read.
std::string block_text(const json::object& block) {
  const std::string_view type = string_at(block, "type");
  if (type.empty() || type == "text") return std::string(string_at(block, "text"));
  if (type == "resource_link") {
    const std::string_view name = string_at(block, "name");
    const std::string_view uri = string_at(block, "uri");
    return fmt::format("[{}]({})", name.empty() ? uri : name, uri);
  }
  if (type == "resource") {
    const json::object* resource = object_at(block, "resource");
    if (resource == nullptr) return {};
    const std::string_view uri = string_at(*resource, "uri");
    // What we attached to a prompt comes back when the agent tells its history.
    if (uri.starts_with(kAttachedUri)) {
      return fmt::format("[Attached: {}]", uri.substr(kAttachedUri.size()));
    }
    const std::string_view text = string_at(*resource, "text");
    return std::string(text.empty() ? uri : text);
  }
  if (type == "image" || type == "audio") {
    return fmt::format("[{}: {}]", type, string_at(block, "mimeType"));
  }
  return {};
}

/// The inside of a text that is one fenced code block and nothing else; any other text unchanged.
std::string_view out_of_fence(std::string_view text) {
  std::string_view trimmed = text;
  while (trimmed.ends_with('\n')) trimmed.remove_suffix(1);
  const std::size_t ticks = trimmed.find_first_not_of('`');
  if (ticks == std::string_view::npos || ticks < 3) return text;
  const std::string_view fence = trimmed.substr(0, ticks);
  const std::size_t begin = trimmed.find('\n');
  const std::size_t end = trimmed.rfind(fence);
  if (begin == std::string_view::npos || end <= begin || end + ticks != trimmed.size()) return text;
  const std::string_view inside = trimmed.substr(begin + 1, end - begin - 1);
  // A second fence of the same kind inside: these are several blocks, leave them alone.
  if (inside.find(fence) != std::string_view::npos) return text;
  return inside;
}

std::optional<std::string> raw_output_text(const json::value& raw) {
  if (const json::string* text = raw.if_string()) return std::string(std::string_view(*text));
  const json::object* object = raw.if_object();
  if (object == nullptr) return std::nullopt;
  static constexpr std::array<std::string_view, 6> kKeys = {
      "formatted_output", "aggregated_output", "output", "stdout", "stderr", "error"};
  const std::string_view text = first_string(*object, kKeys);
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

std::optional<std::int64_t> integer_at(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  boost::system::error_code why;
  const auto number = value->to_number<std::int64_t>(why);
  if (why) return std::nullopt;
  return number;
}

std::uint64_t count_at(const json::object& object, std::string_view key) {
  const auto number = integer_at(object, key);
  return number && *number > 0 ? static_cast<std::uint64_t>(*number) : 0;
}

void read_content(const json::object& tool, ToolFields& fields) {
  const json::value* content = tool.if_contains("content");
  if (content == nullptr) return;
  std::vector<Diff> diffs;
  std::string text;
  const auto add = [&](const json::value& value) {
    const json::object* entry = value.if_object();
    if (entry == nullptr) return;
    const std::string_view type = string_at(*entry, "type");
    if (type == "diff") {
      Diff diff;
      diff.path = string_at(*entry, "path");
      diff.new_text = string_at(*entry, "newText");
      if (const json::value* old = entry->if_contains("oldText"); old != nullptr) {
        if (old->is_string()) diff.old_text = std::string(string_at(*entry, "oldText"));
      }
      diffs.push_back(std::move(diff));
    } else if (type != "terminal") {
      const json::object* block = object_at(*entry, "content");
      const std::string more = block_text(block != nullptr ? *block : *entry);
      if (!text.empty() && !more.empty()) text += '\n';
      text += out_of_fence(more);
    }
  };
  if (const json::array* entries = content->if_array()) {
    for (const json::value& entry : *entries) add(entry);
  } else {
    add(*content);
  }
  if (!text.empty()) fields.content_text = std::move(text);
  if (!diffs.empty()) fields.diffs = std::move(diffs);
}

void read_locations(const json::object& tool, ToolFields& fields) {
  const json::array* entries = array_at(tool, "locations");
  if (entries == nullptr || entries->empty()) return;
  auto& locations = fields.locations.emplace();
  for (const json::value& value : *entries) {
    const json::object* entry = value.if_object();
    if (entry == nullptr) continue;
    locations.push_back({std::string(string_at(*entry, "path")), integer_at(*entry, "line")});
  }
}

void read_meta(const json::object& meta, ToolFields& fields) {
  for (const std::string_view key : {"terminal_output_delta", "terminal_output"}) {
    if (const json::object* output = object_at(meta, key)) {
      fields.terminal_delta = string_at(*output, "data");
      if (!fields.terminal_delta.empty()) break;
    }
  }
  if (const json::object* exit = object_at(meta, "terminal_exit")) {
    if (const auto code = integer_at(*exit, "exit_code")) fields.exit_code = code;
  }
  if (const json::object* claude = object_at(meta, "claudeCode"); fields.name.empty() && claude) {
    fields.name = string_at(*claude, "toolName");
  }
}

std::optional<ToolStatus> tool_status(std::string_view status) {
  if (status == "pending") return ToolStatus::Pending;
  if (status == "in_progress") return ToolStatus::InProgress;
  if (status == "completed") return ToolStatus::Completed;
  if (status == "failed" || status == "error") return ToolStatus::Failed;
  return std::nullopt;
}

std::optional<std::string> description_of(const json::object& object) {
  const std::string_view text = string_at(object, "description");
  if (text.empty()) return std::nullopt;
  return std::string(text);
}

/// A list of `{<id_key>, name, description}`; options may be grouped one level deep.
void read_choices(const json::array& from, std::string_view id_key, std::vector<Choice>& into) {
  for (const json::value& value : from) {
    const json::object* entry = value.if_object();
    if (entry == nullptr) continue;
    if (const json::array* group = array_at(*entry, "options")) {
      read_choices(*group, id_key, into);
      continue;
    }
    const std::string id(string_at(*entry, id_key));
    const std::string name(string_at(*entry, "name"));
    if (!id.empty()) into.push_back({id, name.empty() ? id : name, description_of(*entry)});
  }
}

/// Replaces a list and its current value by what `from` says; keeps what it does not say.
struct ChoiceKeys {
  std::string_view list;
  std::string_view id;
  std::string_view current;
};
void read_choice(const json::object& from, const ChoiceKeys& keys, SharedList<Choice>& list,
                 std::optional<std::string>& current) {
  if (const json::array* entries = array_at(from, keys.list)) {
    std::vector<Choice> choices;
    read_choices(*entries, keys.id, choices);
    list = std::move(choices);
  }
  if (const std::string_view id = string_at(from, keys.current); !id.empty()) {
    current = std::string(id);
  }
}

}  // namespace

std::string_view update_kind(const json::object& update) {
  const std::string_view kind = string_at(update, "sessionUpdate");
  return kind.empty() ? string_at(update, "type") : kind;
}

std::string chunk_text(const json::object& update) {
  const json::value* content = update.if_contains("content");
  if (content == nullptr) return std::string(string_at(update, "text"));
  if (const json::object* block = content->if_object()) return block_text(*block);
  if (const json::string* text = content->if_string()) return std::string(std::string_view(*text));
  std::string text;
  if (const json::array* blocks = content->if_array()) {
    for (const json::value& block : *blocks) {
      if (block.is_object()) text += block_text(block.get_object());
    }
  }
  return text;
}

bool is_injected(std::string_view user_text) {
  for (const std::string_view mark :
       {"<session_context>", "<environment_context>", "<user_instructions>",
        "<permissions instructions>", "# AGENTS.md instructions", "[Function Response:"}) {
    if (user_text.starts_with(mark)) return true;
  }
  return false;
}

ToolFields read_tool(const json::object& tool) {
  ToolFields fields;
  fields.call_id =
      first_string(tool, std::array<std::string_view, 3>{"toolCallId", "callId", "tool_call_id"});
  fields.name = first_string(tool, std::array<std::string_view, 2>{"name", "toolName"});
  fields.title = string_at(tool, "title");
  fields.kind = string_at(tool, "kind");
  fields.switches_mode = fields.kind == "switch_mode";
  fields.status = tool_status(string_at(tool, "status"));
  for (const std::string_view key : {"rawInput", "arguments", "toolArguments"}) {
    const json::object* input = object_at(tool, key);
    if (input != nullptr && !input->empty()) {
      fields.raw_input = input;
      break;
    }
  }
  read_content(tool, fields);
  read_locations(tool, fields);
  if (const json::value* raw = tool.if_contains("rawOutput")) {
    fields.raw_text = raw_output_text(*raw);
    if (const json::object* output = raw->if_object()) {
      fields.exit_code = integer_at(*output, "exit_code");
      if (!fields.exit_code) fields.exit_code = integer_at(*output, "exitCode");
    }
  }
  if (const json::object* meta = object_at(tool, "_meta")) read_meta(*meta, fields);
  return fields;
}

ToolKind tool_kind(std::string_view kind) {
  return enum_from<ToolKind>(kind).value_or(ToolKind::Other);
}

std::vector<ApprovalOption> read_options(const json::object& permission) {
  std::vector<ApprovalOption> options;
  const json::array* entries = array_at(permission, "options");
  if (entries == nullptr) return options;
  for (const json::value& value : *entries) {
    const json::object* entry = value.if_object();
    if (entry == nullptr) continue;
    ApprovalOption option;
    option.option_id = string_at(*entry, "optionId");
    option.name = string_at(*entry, "name");
    if (option.name.empty()) option.name = option.option_id;
    // A kind that we do not know must not look like a yes.
    option.kind = enum_from<OptionKind>(string_at(*entry, "kind")).value_or(OptionKind::RejectOnce);
    options.push_back(std::move(option));
  }
  return options;
}

std::vector<PlanEntry> read_plan(const json::object& update) {
  std::vector<PlanEntry> plan;
  const json::array* entries = array_at(update, "entries");
  if (entries == nullptr) return plan;
  for (const json::value& value : *entries) {
    const json::object* entry = value.if_object();
    if (entry == nullptr) continue;
    PlanEntry step;
    step.content = string_at(*entry, "content");
    step.status = enum_from<PlanStatus>(string_at(*entry, "status")).value_or(PlanStatus::Pending);
    if (const std::string_view priority = string_at(*entry, "priority"); !priority.empty()) {
      step.priority = std::string(priority);
    }
    plan.push_back(std::move(step));
  }
  return plan;
}

std::vector<Command> read_commands(const json::object& update) {
  std::vector<Command> commands;
  const json::array* entries = array_at(update, "availableCommands");
  if (entries == nullptr) return commands;
  for (const json::value& value : *entries) {
    const json::object* entry = value.if_object();
    if (entry == nullptr || string_at(*entry, "name").empty()) continue;
    Command command;
    command.name = string_at(*entry, "name");
    if (command.name.starts_with('/')) command.name.erase(0, 1);
    command.description = string_at(*entry, "description");
    if (const json::object* input = object_at(*entry, "input")) {
      if (const std::string_view hint = string_at(*input, "hint"); !hint.empty()) {
        command.hint = std::string(hint);
      }
    }
    commands.push_back(std::move(command));
  }
  return commands;
}

void read_facts(const json::object& from, SessionFacts& facts, ConfigIds& ids) {
  if (const json::object* modes = object_at(from, "modes")) {
    ids.set_mode = true;
    read_choice(*modes, {"availableModes", "id", "currentModeId"}, facts.modes, facts.mode);
  }
  if (const json::object* models = object_at(from, "models"); models != nullptr) {
    read_choice(*models, {"availableModels", "modelId", "currentModelId"}, facts.models,
                facts.model);
  }
  const json::array* options = array_at(from, "configOptions");
  if (options == nullptr) return;
  for (const json::value& value : *options) {
    const json::object* option = value.if_object();
    if (option == nullptr) continue;
    const std::string_view id = string_at(*option, "id");
    const std::string_view category = string_at(*option, "category");
    if (category == "mode" || (category.empty() && id == "mode")) {
      ids.mode = id;
      read_choice(*option, {"options", "value", "currentValue"}, facts.modes, facts.mode);
    } else if (category == "model" || (category.empty() && id == "model")) {
      ids.model = id;
      read_choice(*option, {"options", "value", "currentValue"}, facts.models, facts.model);
    } else if (category == "thought_level") {
      ids.thinking = id;
      read_choice(*option, {"options", "value", "currentValue"}, facts.thinking_levels,
                  facts.thinking);
    }
  }
}

void read_context(const json::object& update, SessionFacts& facts) {
  if (const std::uint64_t size = count_at(update, "size"); size > 0) {
    facts.context = ContextUse{count_at(update, "used"), size};
  }
  if (const json::object* cost = object_at(update, "cost")) {
    if (string_at(*cost, "currency") == "USD") facts.cost_usd = number_at(*cost, "amount");
  }
}

PromptResult read_prompt_result(const json::object& result) {
  PromptResult read;
  read.stop_reason = string_at(result, "stopReason");
  if (const json::object* usage = object_at(result, "usage")) {
    auto& use = read.usage.emplace();
    use.input_tokens = count_at(*usage, "inputTokens");
    use.output_tokens = count_at(*usage, "outputTokens");
    if (const auto n = count_at(*usage, "cachedReadTokens")) use.cache_read_input_tokens = n;
    if (const auto n = count_at(*usage, "cachedWriteTokens")) use.cache_creation_input_tokens = n;
  }
  const json::object* meta = object_at(result, "_meta");
  const json::object* quota = meta != nullptr ? object_at(*meta, "quota") : nullptr;
  if (quota == nullptr) return read;
  if (const json::object* tokens = object_at(*quota, "token_count"); tokens && !read.usage) {
    read.usage = Usage{.input_tokens = count_at(*tokens, "input_tokens"),
                       .output_tokens = count_at(*tokens, "output_tokens"),
                       .cache_read_input_tokens = {},
                       .cache_creation_input_tokens = {}};
  }
  if (const json::array* models = array_at(*quota, "model_usage"); models && !models->empty()) {
    if (const json::object* model = models->front().if_object()) {
      read.model = string_at(*model, "model");
    }
  }
  return read;
}

std::string error_text(std::string_view message, const json::value& data) {
  static constexpr std::array<std::string_view, 3> kKeys = {"message", "details", "detail"};
  std::string_view more;
  if (const json::object* object = data.if_object()) more = first_string(*object, kKeys);
  if (const json::string* string = data.if_string()) more = *string;
  if (more.empty()) return plain_error(std::string(message));
  // "Internal error" says nothing; what is in `data` does.
  const bool says_nothing = message.empty() || message == "Internal error";
  return plain_error(says_nothing ? std::string(more) : fmt::format("{}: {}", message, more));
}

std::string plain_error(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (text.starts_with('{')) {
    if (const auto parsed = parse_json(text); parsed && parsed->is_object()) {
      const json::object* inner = object_at(parsed->get_object(), "error");
      const std::string_view message =
          string_at(inner != nullptr ? *inner : parsed->get_object(), "message");
      if (!message.empty()) text = std::string(message);
    }
  }
  return text.empty() ? "The agent reported an error without saying which." : text;
}

json::object attached_resource(std::string_view name, std::string_view text) {
  std::string uri(kAttachedUri);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~';
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return {{"type", "resource"},
          {"resource", {{"uri", uri}, {"mimeType", "text/plain"}, {"text", text}}}};
}

AgentAbilities read_abilities(const json::object& result) {
  AgentAbilities abilities;
  abilities.told = true;
  if (const json::object* info = object_at(result, "agentInfo")) {
    abilities.name = string_at(*info, "name");
    abilities.version = string_at(*info, "version");
  }
  if (const json::object* can = object_at(result, "agentCapabilities")) {
    abilities.load = bool_at(*can, "loadSession");
    if (const json::object* prompt = object_at(*can, "promptCapabilities")) {
      abilities.images = bool_at(*prompt, "image");
      abilities.resources = bool_at(*prompt, "embeddedContext");
    }
    if (const json::object* session = object_at(*can, "sessionCapabilities")) {
      const auto offers = [&](std::string_view name) {
        const json::value* value = session->if_contains(name);
        return value != nullptr && (value->is_object() || (value->is_bool() && value->get_bool()));
      };
      abilities.resume = offers("resume");
      abilities.close = offers("close");
      abilities.fork = offers("fork");
      abilities.list = offers("list");
    }
  }
  const json::array* methods = array_at(result, "authMethods");
  if (methods == nullptr) return abilities;
  for (const json::value& value : *methods) {
    const json::object* entry = value.if_object();
    if (entry == nullptr) continue;
    AgentAbilities::AuthMethod method;
    method.id = string_at(*entry, "id");
    method.name = string_at(*entry, "name");
    method.interactive = string_at(*entry, "type") == "terminal";
    if (const json::array* vars = array_at(*entry, "vars")) {
      for (const json::value& var : *vars) {
        if (var.is_string()) method.vars.emplace_back(std::string_view(var.get_string()));
        if (var.is_object()) method.vars.emplace_back(string_at(var.get_object(), "name"));
      }
    }
    abilities.auth_methods.push_back(std::move(method));
  }
  return abilities;
}

}  // namespace lb::acp
