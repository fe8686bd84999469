// What only the user can decide: can_use_tool requests, questions and plans.
//
// The CLI waits for exactly one answer per request. A request ends by our answer, by the CLI
// (control_cancel_request), by a result of its call, with its turn or subagent, or with the
// process.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/utf8.h"
#include "providers/claude/translate/translator.h"

namespace lb::claude {
namespace {

constexpr std::string_view kAllow = "allow";
constexpr std::string_view kAlwaysPrefix = "allow-always-";
constexpr std::string_view kReject = "reject";
constexpr std::string_view kStop = "reject-and-stop";
/// What an answer covers is in its name: only what nobody could read is cut.
constexpr std::size_t kNameBytesMax = 2000;

std::string shortened(std::string_view text) {
  std::string result(utf8_prefix(text, kNameBytesMax));
  if (result.size() < text.size()) result += "…";
  return result;
}

std::string rules_text(const json::object& suggestion) {
  std::string text;
  const json::array* rules = array_at(suggestion, "rules");
  if (rules == nullptr) return text;
  for (const json::value& value : *rules) {
    const json::object* rule = value.if_object();
    if (rule == nullptr) continue;
    if (!text.empty()) text += ", ";
    text += string_at(*rule, "toolName");
    const std::string_view content = string_at(*rule, "ruleContent");
    if (!content.empty()) text += fmt::format("({})", content);
  }
  return text;
}

/// Where a rule will be kept, for a person.
std::string_view kept_in(const json::object& suggestion) {
  const std::string_view destination = string_at(suggestion, "destination");
  if (destination == "session") return "in this session";
  if (destination == "userSettings") return "everywhere";
  return "in this project";
}

std::string suggestion_name(const json::value& value) {
  const json::object* suggestion = value.if_object();
  if (suggestion == nullptr) return "Always allow";
  const std::string_view type = string_at(*suggestion, "type");
  if (type == "setMode") {
    const std::string_view mode = string_at(*suggestion, "mode");
    if (mode == "acceptEdits") return fmt::format("Allow all edits {}", kept_in(*suggestion));
    return fmt::format("Switch to mode {} {}", mode, kept_in(*suggestion));
  }
  if (type == "addDirectories") {
    std::string directories;
    if (const json::array* list = array_at(*suggestion, "directories")) {
      for (const json::value& directory : *list) {
        if (!directory.is_string()) continue;
        if (!directories.empty()) directories += ", ";
        directories += directory.get_string();
      }
    }
    return shortened(fmt::format("Always allow access to {}", directories));
  }
  const std::string rules = rules_text(*suggestion);
  return shortened(
      fmt::format("Always allow {} {}", rules.empty() ? "this" : rules, kept_in(*suggestion)));
}

std::vector<Question> questions_of(const json::object& input) {
  std::vector<Question> questions;
  const json::array* asked = array_at(input, "questions");
  if (asked == nullptr) return questions;
  for (const json::value& value : *asked) {
    const json::object* from = value.if_object();
    if (from == nullptr) continue;
    Question& question = questions.emplace_back();
    question.question = string_at(*from, "question");
    if (const auto header = string_at(*from, "header"); !header.empty()) {
      question.header = std::string(header);
    }
    question.multi_select = bool_at(*from, "multiSelect");
    const json::array* options = array_at(*from, "options");
    if (options == nullptr) continue;
    for (const json::value& option : *options) {
      if (!option.is_object()) continue;
      QuestionOption& choice = question.options.emplace_back();
      choice.label = string_at(option.get_object(), "label");
      if (const auto text = string_at(option.get_object(), "description"); !text.empty()) {
        choice.description = std::string(text);
      }
    }
  }
  return questions;
}

/// Exactly what will happen, as a person reads it.
std::string detail_of(std::string_view tool, const json::object& input) {
  if (const auto command = string_at(input, "command"); !command.empty()) {
    return std::string(command);
  }
  if (tool == "ExitPlanMode") return std::string(string_at(input, "plan"));
  std::string text;
  append_json(text, input);
  return text;
}

Approval approval_for(const json::object& request, const json::object& input,
                      const std::vector<json::value>& suggestions) {
  Approval approval;
  const std::string tool(string_at(request, "tool_name"));
  approval.tool_name = tool;
  approval.tool_arguments = RawObject(input);
  approval.questions = tool == "AskUserQuestion" ? questions_of(input) : std::vector<Question>();
  approval.kind = !approval.questions.empty() ? ApprovalKind::Question
                  : tool == "ExitPlanMode"    ? ApprovalKind::Plan
                                              : ApprovalKind::Tool;
  // A question is its own text; everything else about it is in the arguments.
  if (approval.kind != ApprovalKind::Question) approval.detail = detail_of(tool, input);
  const std::string_view shown = string_at(request, "display_name");
  const std::string_view about = string_at(request, "description");
  if (approval.kind == ApprovalKind::Question) {
    approval.title = approval.questions.front().question;
    approval.options = {{std::string(kReject), "Do not answer", OptionKind::RejectOnce},
                        {std::string(kStop), "Stop the turn", OptionKind::RejectOnce}};
    return approval;
  }
  const bool plan = approval.kind == ApprovalKind::Plan;
  approval.title = plan ? "Approve the plan?"
                        : fmt::format("{}{}{}", shown.empty() ? tool : std::string(shown),
                                      about.empty() ? "" : ": ", about);
  approval.options.push_back(
      {std::string(kAllow), plan ? "Approve the plan" : "Allow once", OptionKind::AllowOnce});
  for (std::size_t i = 0; i < suggestions.size(); ++i) {
    approval.options.push_back({fmt::format("{}{}", kAlwaysPrefix, i),
                                suggestion_name(suggestions[i]), OptionKind::AllowAlways});
  }
  approval.options.push_back(
      {std::string(kReject), plan ? "Keep planning" : "Reject", OptionKind::RejectOnce});
  approval.options.push_back({std::string(kStop), "Reject and stop", OptionKind::RejectOnce});
  return approval;
}

std::string response_line(std::string_view request_id, const json::object& payload) {
  json::object line{
      {"type", "control_response"},
      {"response", {{"subtype", "success"}, {"request_id", request_id}, {"response", payload}}}};
  std::string text;
  append_json(text, line);
  return text;
}

json::object denial(std::string_view message, bool stop) {
  json::object payload{{"behavior", "deny"}, {"message", message}};
  if (stop) payload["interrupt"] = true;
  return payload;
}

std::optional<std::size_t> always_index(std::string_view option) {
  if (!option.starts_with(kAlwaysPrefix)) return std::nullopt;
  option.remove_prefix(kAlwaysPrefix.size());
  std::size_t index = 0;
  const auto read = std::from_chars(option.data(), option.data() + option.size(), index);
  if (read.ec != std::errc() || read.ptr != option.data() + option.size()) return std::nullopt;
  return index;
}

}  // namespace

void Translator::ask(const std::string& request_id, const json::object& request, Moment at) {
  Asked asked;
  asked.request_id = request_id;
  asked.call_id = string_at(request, "tool_use_id");
  const json::object* input = object_at(request, "input");
  // Plain copies would live in the reader's memory, which the next line takes.
  asked.input = json::object();
  if (input != nullptr) asked.input = json::value(*input, json::storage_ptr());
  if (const json::array* suggestions = array_at(request, "permission_suggestions")) {
    for (const json::value& suggestion : *suggestions) {
      asked.suggestions.emplace_back(suggestion, json::storage_ptr());
    }
  }
  TurnId turn;
  if (const auto call = calls_.find(asked.call_id); call != calls_.end()) {
    turn = call->second.turn;
    asked.parent = call->second.parent;
  } else {
    const auto task = tasks_.find(std::string(string_at(request, "agent_id")));
    if (task != tasks_.end()) asked.parent = task->second;
    turn = turn_of(asked.parent, at);
  }
  asked.item = ItemId(fmt::format("{}:approval:{}", turn.str(), ++numbers(turn).approval));
  Approval approval = approval_for(request, asked.input.get_object(), asked.suggestions);
  if (!asked.call_id.empty()) approval.call_id = asked.call_id;
  items_.show(items_.open({turn, asked.item, asked.parent}, std::move(approval), at), at);
  asked_.push_back(std::move(asked));
}

Translator::Asked* Translator::asked_for(const ItemId& item) {
  const auto found = std::ranges::find(asked_, item, &Asked::item);
  return found == asked_.end() ? nullptr : &*found;
}

Result<Translator::AnswerLine> Translator::prepare(const Answer& answer) {
  const Asked* asked = asked_for(answer.item_id);
  if (asked == nullptr || asked->answering) {
    if (asked != nullptr || answered_.contains(answer.item_id)) {
      return no_longer_asked();
    }
    return fail(ErrorCode::ItemNotFound, "No such question is open in this session.");
  }
  const std::string_view option = answer.option_id ? std::string_view(*answer.option_id) : "";
  const OpenItems::Entry* entry = items_.find(asked->item);
  const auto& approval = std::get<Approval>(entry->item.body);
  if (auto valid = check_answer(approval, answer); !valid) {
    return std::unexpected(std::move(valid.error()));
  }
  json::object input = asked->input.get_object();
  if (answer.input) {
    auto changed = parse_json(answer.input->str());
    if (!changed) return std::unexpected(std::move(changed.error()).context("input"));
    input = changed->get_object();
  }
  AnswerLine prepared;
  json::object payload;
  if (answer.answers && approval.kind == ApprovalKind::Question) {
    json::object answers;
    for (const auto& [question, label] : *answer.answers) answers[question] = label;
    input["answers"] = std::move(answers);
    payload = {{"behavior", "allow"}, {"updatedInput", std::move(input)}};
  } else if (option == kAllow && approval.kind != ApprovalKind::Question) {
    payload = {{"behavior", "allow"}, {"updatedInput", std::move(input)}};
  } else if (const auto index = always_index(option); index && *index < asked->suggestions.size()) {
    payload = {{"behavior", "allow"}, {"updatedInput", std::move(input)}};
    payload["updatedPermissions"] = json::array{asked->suggestions[*index]};
  } else {
    prepared.carries_message = answer.message && !answer.message->empty();
    payload = denial(prepared.carries_message ? std::string_view(*answer.message)
                                              : "The user declined this action.",
                     option == kStop);
  }
  if (!asked->call_id.empty()) payload["toolUseID"] = asked->call_id;
  prepared.line = response_line(asked->request_id, payload);
  return prepared;
}

bool Translator::answering(const Answer& answer) {
  Asked* asked = asked_for(answer.item_id);
  if (asked == nullptr || asked->answering) return false;
  asked->answering = items_.take(answer.item_id);
  // The CLI may have ended the turn before we hear that it took the answer.
  if (answer.option_id == kStop && !is_background(asked->parent)) interrupted_ = true;
  return asked->answering.has_value();
}

void Translator::answered(const ItemId& item) {
  const auto found = std::ranges::find(asked_, item, &Asked::item);
  if (found == asked_.end()) return;
  asked_.erase(found);
  answered_[item] = true;
}

void Translator::unanswered(const ItemId& item, Moment at) {
  Asked* asked = asked_for(item);
  if (asked == nullptr || !asked->answering) return;
  items_.put_back(std::move(*std::exchange(asked->answering, std::nullopt)));
  if (asked->over) expire([&](const Asked& one) { return one.item == item; }, at);
}

std::vector<std::string> Translator::refuse_open(Moment at) {
  std::vector<std::string> lines;
  const auto main_thread = [&](const Asked& asked) { return !is_background(asked.parent); };
  for (const Asked& asked : asked_) {
    if (!main_thread(asked) || asked.answering) continue;
    lines.push_back(response_line(asked.request_id, denial("The user cancelled the turn.", true)));
  }
  expire(main_thread, at);
  return lines;
}

void Translator::withdraw(std::string_view request_id, Moment at) {
  expire([&](const Asked& asked) { return asked.request_id == request_id; }, at);
}

void Translator::expire(const std::function<bool(const Asked&)>& which, Moment at) {
  for (auto asked = asked_.begin(); asked != asked_.end();) {
    const bool ends = which(*asked);
    asked->over = asked->over || ends;
    if (!ends || asked->answering) {
      ++asked;
      continue;
    }
    if (OpenItems::Entry* entry = items_.find(asked->item)) {
      cut_short(entry->item, at.wall);
      items_.end(*entry, {ItemStatus::Cancelled, {}, {}}, at);
    }
    answered_[asked->item] = true;
    asked = asked_.erase(asked);
  }
}

}  // namespace lb::claude
