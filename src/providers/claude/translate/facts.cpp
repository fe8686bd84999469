#include "providers/claude/translate/facts.h"

#include <algorithm>

#include "providers/claude/process/launch.h"

namespace lb::claude {
namespace {

std::uint64_t count_at(const json::object& object, std::string_view key) {
  const double number = number_at(object, key);
  // Above 2^53 a double is not a count any more.
  return number > 0 && number < 9e15 ? static_cast<std::uint64_t>(number) : 0;
}

std::uint64_t context_of(const Usage& usage) {
  return usage.input_tokens + usage.output_tokens + usage.cache_read_input_tokens.value_or(0) +
         usage.cache_creation_input_tokens.value_or(0);
}

Choice choice(std::string id, std::string name, std::string description) {
  return {std::move(id), std::move(name),
          description.empty() ? std::nullopt : std::optional(std::move(description))};
}

/// What an effort is called on screen; one we do not know yet goes by its own name.
std::string effort_name(const std::string& effort) {
  if (effort == "low") return "Low effort";
  if (effort == "medium") return "Medium effort";
  if (effort == "high") return "High effort";
  if (effort == "xhigh") return "Extra high effort";
  if (effort == "max") return "Maximum effort";
  return effort;
}

std::vector<std::string> efforts_of(const json::object& model) {
  std::vector<std::string> efforts;
  const json::array* levels = array_at(model, "supportedEffortLevels");
  if (levels == nullptr) return efforts;
  for (const json::value& level : *levels) {
    // Only what --effort takes as well: a session is resumed with it.
    if (level.is_string() && is_effort(level.get_string()))
      efforts.emplace_back(level.get_string());
  }
  return efforts;
}

std::string window_name(std::string_view window) {
  if (window == "five_hour") return "5 hours";
  if (window == "seven_day") return "7 days";
  if (window == "seven_day_opus") return "7 days, Opus";
  if (window == "seven_day_sonnet") return "7 days, Sonnet";
  if (window == "overage") return "Extra usage";
  std::string name(window);
  std::ranges::replace(name, '_', ' ');
  return name;
}

AccountLimit limit_of(std::string_view window, const json::object& told) {
  AccountLimit limit;
  limit.window = window;
  limit.name = window_name(window);
  limit.reached = string_at(told, "status") == "rejected";
  limit.used = std::clamp(number_at(told, "utilization"), limit.reached ? 1.0 : 0.0, 1.0);
  if (const double seconds = number_at(told, "resetsAt"); seconds > 0 && seconds < 1e11) {
    limit.resets_at = Timestamp{static_cast<std::int64_t>(seconds * 1000)};
  }
  return limit;
}

void add(std::optional<Usage>& sum, const Usage& more) {
  if (!sum) sum.emplace();
  const auto plus = [](std::optional<std::uint64_t>& to, const std::optional<std::uint64_t>& from) {
    if (from) to = to.value_or(0) + *from;
  };
  sum->input_tokens += more.input_tokens;
  sum->output_tokens += more.output_tokens;
  plus(sum->cache_read_input_tokens, more.cache_read_input_tokens);
  plus(sum->cache_creation_input_tokens, more.cache_creation_input_tokens);
}

}  // namespace

std::optional<Usage> usage_of(const json::object* usage) {
  if (usage == nullptr) return std::nullopt;
  Usage result;
  result.input_tokens = count_at(*usage, "input_tokens");
  result.output_tokens = count_at(*usage, "output_tokens");
  if (usage->contains("cache_read_input_tokens")) {
    result.cache_read_input_tokens = count_at(*usage, "cache_read_input_tokens");
  }
  if (usage->contains("cache_creation_input_tokens")) {
    result.cache_creation_input_tokens = count_at(*usage, "cache_creation_input_tokens");
  }
  return result;
}

FactKeeper::FactKeeper(bool bypass_allowed) {
  std::vector<Choice> modes = {
      choice("default", "Ask first", "Asks before it changes anything"),
      choice("acceptEdits", "Accept edits", "Edits files without asking; asks for commands"),
      choice("plan", "Plan", "Reads and plans; changes nothing"),
  };
  if (bypass_allowed) {
    modes.push_back(choice("bypassPermissions", "Never ask", "Runs everything unasked"));
  }
  facts_.modes = std::move(modes);
  facts_.steers = true;
}

bool FactKeeper::offers_mode(std::string_view mode) const {
  return std::ranges::any_of(facts_.modes, [&](const Choice& c) { return c.id == mode; });
}

void FactKeeper::initialized(const json::object& response) {
  if (const json::array* models = array_at(response, "models")) {
    std::vector<Choice> choices;
    resolved_.clear();
    efforts_.clear();
    for (const json::value& value : *models) {
      const json::object* model = value.if_object();
      if (model == nullptr || string_at(*model, "value").empty()) continue;
      const std::string id(string_at(*model, "value"));
      const std::string_view name = string_at(*model, "displayName");
      choices.push_back(choice(id, name.empty() ? id : std::string(name),
                               std::string(string_at(*model, "description"))));
      resolved_.emplace_back(id, string_at(*model, "resolvedModel"));
      efforts_.emplace_back(id, efforts_of(*model));
    }
    facts_.models = std::move(choices);
    offer_thinking();
  }
  if (const json::array* commands = array_at(response, "commands")) {
    std::vector<Command> offered;
    for (const json::value& value : *commands) {
      const json::object* command = value.if_object();
      if (command == nullptr || string_at(*command, "name").empty()) continue;
      const std::string_view hint = string_at(*command, "argumentHint");
      offered.push_back({std::string(string_at(*command, "name")),
                         std::string(string_at(*command, "description")),
                         hint.empty() ? std::nullopt : std::optional<std::string>(hint)});
    }
    facts_.commands = std::move(offered);
    commands_known_ = !facts_.commands.empty();
  }
}

void FactKeeper::init(const json::object& record) {
  set_mode(string_at(record, "permissionMode"));
  model_name_ = string_at(record, "model");
  set_model(model_name_);
  const json::array* commands = array_at(record, "slash_commands");
  if (commands == nullptr || commands_known_) return;
  std::vector<Command> offered;
  for (const json::value& name : *commands) {
    if (name.is_string()) offered.push_back({std::string(name.get_string()), "", {}});
  }
  facts_.commands = std::move(offered);
}

void FactKeeper::set_mode(std::string_view mode) {
  if (!mode.empty()) facts_.mode = std::string(mode);
}

std::string FactKeeper::choice_for(std::string_view model) const {
  for (const Choice& known : facts_.models) {
    if (known.id == model) return known.id;
  }
  // The present choice stays when it means this model; several choices may.
  for (const auto& [id, name] : resolved_) {
    if (name == model && facts_.model == id) return id;
  }
  for (const auto& [id, name] : resolved_) {
    if (name == model) return id;
  }
  return std::string(model);
}

void FactKeeper::set_model(std::string_view model) {
  if (!model.empty()) facts_.model = choice_for(model);
  offer_thinking();
}

/// Newer models take an effort and ignore a budget of tokens; older ones the other way round.
void FactKeeper::offer_thinking() {
  const std::string model = facts_.model.value_or("default");
  const auto known = std::ranges::find(efforts_, model, [](const auto& one) { return one.first; });
  std::vector<Choice> levels = {choice("default", "Default thinking", "As the model decides")};
  if (known != efforts_.end() && !known->second.empty()) {
    for (const std::string& effort : known->second) {
      levels.push_back(choice(effort, effort_name(effort), ""));
    }
  } else {
    levels.push_back(choice("off", "No thinking", ""));
    levels.push_back(choice("4000", "Think", "Up to 4,000 tokens"));
    levels.push_back(choice("10000", "Think hard", "Up to 10,000 tokens"));
    levels.push_back(choice("31999", "Think hardest", "Up to 31,999 tokens"));
  }
  facts_.thinking_levels = std::move(levels);
}

bool FactKeeper::offers_thinking(std::string_view level) const {
  return std::ranges::any_of(facts_.thinking_levels,
                             [&](const Choice& c) { return c.id == level; });
}

void FactKeeper::answer_usage(const json::object& object) {
  const auto usage = usage_of(&object);
  if (!usage || context_of(*usage) == 0) return;
  if (!facts_.context) facts_.context.emplace();
  facts_.context->used = context_of(*usage);
}

void FactKeeper::limits(const json::object& record) {
  const json::object* info = object_at(record, "rate_limit_info");
  if (info == nullptr) return;
  std::vector<AccountLimit> told;
  if (const json::object* windows = object_at(*info, "unifiedWindows")) {
    for (const auto& member : *windows) {
      const json::object* window = member.value().if_object();
      if (window != nullptr) told.push_back(limit_of(member.key(), *window));
    }
  } else if (const auto type = string_at(*info, "rateLimitType"); !type.empty()) {
    told.push_back(limit_of(type, *info));
  }
  if (!told.empty()) facts_.limits = std::move(told);
}

void FactKeeper::spent(const SessionFacts& before) {
  facts_.usage = before.usage;
  facts_.cost_usd = before.cost_usd;
}

/// The window of the session's model. Others that were used, for subagents or before a switch, may
/// have another.
void FactKeeper::note_context_size(const json::object& record) {
  const json::object* models = object_at(record, "modelUsage");
  if (models == nullptr) return;
  std::uint64_t size = 0;
  if (const json::object* own = object_at(*models, model_name_)) {
    size = count_at(*own, "contextWindow");
  }
  for (const auto& member : *models) {
    if (size > 0) break;
    if (const json::object* any = member.value().if_object())
      size = count_at(*any, "contextWindow");
  }
  if (size == 0) return;
  if (!facts_.context) facts_.context.emplace();
  facts_.context->size = size;
}

std::optional<double> FactKeeper::result(const json::object& record,
                                         const std::optional<Usage>& usage) {
  if (usage) add(facts_.usage, *usage);
  note_context_size(record);
  const json::value* total = record.if_contains("total_cost_usd");
  if (total == nullptr || !total->is_number()) return std::nullopt;
  const double now = number_at(record, "total_cost_usd");
  double cost = now >= process_cost_ ? now - process_cost_ : now;
  process_cost_ = now;
  if (const json::object* used = object_at(record, "model_usage_since_last_result")) {
    cost = 0;
    for (const auto& member : *used) {
      if (const json::object* model = member.value().if_object())
        cost += number_at(*model, "costUSD");
    }
  }
  facts_.cost_usd = facts_.cost_usd.value_or(0) + cost;
  return cost;
}

}  // namespace lb::claude
