/// A recorded session of Claude Code, played into a Translator as if it happened now.
///
/// The format of the recordings: one JSON object per line, {"t": ms since the start, "dir":
/// "in|out|err|note", "msg": {…}}. `in` is what the recorder wrote to the CLI, `out` what it said.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "providers/claude/translate/translator.h"
#include "tests/support/answers.h"

namespace lb::test {

namespace fs = std::filesystem;

struct RecordedLine {
  double t = 0;
  std::string dir;
  json::value msg;
};

inline std::vector<RecordedLine> read_transcript(const fs::path& path) {
  std::vector<RecordedLine> lines;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);) {
    auto value = parse_json(text);
    if (!value || !value->is_object()) continue;
    const json::object& object = value->get_object();
    RecordedLine line;
    line.t = number_at(object, "t");
    line.dir = string_at(object, "dir");
    if (const json::value* msg = object.if_contains("msg")) line.msg = *msg;
    if (line.dir == "note") line.msg = *value;
    lines.push_back(std::move(line));
  }
  return lines;
}

inline std::vector<fs::path> transcripts(const fs::path& folder) {
  std::vector<fs::path> all;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".jsonl") all.push_back(entry.path());
  }
  std::ranges::sort(all);
  return all;
}

/// Plays lines; turns of ours are T1, T2 … unless the recorded prompt has a uuid.
class TranscriptPlayer {
 public:
  explicit TranscriptPlayer(claude::TranslatorOptions options, std::string prefix = "T")
      : translator_(std::move(options)), prefix_(std::move(prefix)) {}

  void play(const RecordedLine& line) {
    now_ = {{1'700'000'000'000 + static_cast<std::int64_t>(line.t)}, static_cast<MonoMs>(line.t)};
    // What waits is shown in between, as the session's timer would.
    while (const auto due = translator_.deadline()) {
      if (*due > now_.mono) break;
      translator_.tick({{1'700'000'000'000 + *due}, *due});
    }
    const json::object* record = line.msg.if_object();
    if (record == nullptr) return;
    if (line.dir == "in") wrote(*record);
    if (line.dir == "out") said(*record);
    if (line.dir == "note" && object_at(*record, "exit") != nullptr) end();
    collect();
  }

  /// The process ends, if it has not yet.
  void end() {
    if (std::exchange(ended_, true)) return;
    claude::TurnEnd end;
    end.type = TurnType::Error;
    end.error_code = "PROCESS_CRASH";
    end.error_message = "The agent ended.";
    translator_.process_ended(std::move(end), now_);
    collect();
  }

  [[nodiscard]] const std::vector<claude::Output>& outputs() const { return outputs_; }
  [[nodiscard]] claude::Translator& translator() { return translator_; }
  [[nodiscard]] const std::vector<TurnId>& prompts() const { return prompts_; }

 private:
  void wrote(const json::object& record) {
    const std::string_view type = string_at(record, "type");
    if (type == "user") {
      const std::string_view uuid = string_at(record, "uuid");
      prompts_.emplace_back(uuid.empty() ? prefix_ + std::to_string(prompts_.size() + 1)
                                         : std::string(uuid));
      translator_.prompt(prompts_.back());
    }
    const json::object* request = object_at(record, "request");
    if (request != nullptr && string_at(*request, "subtype") == "interrupt") {
      if (translator_.turn_open()) translator_.interrupted();
    }
    const json::object* response = object_at(record, "response");
    if (type == "control_response" && response != nullptr) answered(*response);
  }

  void answered(const json::object& response) {
    const auto item = asked_.find(std::string(string_at(response, "request_id")));
    if (item == asked_.end()) return;
    const json::object* payload = object_at(response, "response");
    const json::object empty;
    if (payload == nullptr) payload = &empty;
    Answer answer;
    answer.item_id = item->second;
    const bool allow = string_at(*payload, "behavior") == "allow";
    answer.option_id = !allow ? (bool_at(*payload, "interrupt") ? "reject-and-stop" : "reject")
                       : payload->contains("updatedPermissions") ? "allow-always-0"
                                                                 : "allow";
    if (!translator_.answering(answer)) return;
    translator_.answered(answer.item_id);
    collect();
    // As the session layer does.
    for (auto output = outputs_.rbegin(); output != outputs_.rend(); ++output) {
      const auto* asked = std::get_if<Upsert>(&*output);
      if (asked == nullptr || asked->item_id != answer.item_id) continue;
      outputs_.emplace_back(as_answered(*asked, answer, now_.wall));
      break;
    }
  }

  void said(const json::object& record) {
    const std::string_view type = string_at(record, "type");
    if (type == "control_response") {
      const json::object* response = object_at(record, "response");
      const json::object* inner = response != nullptr ? object_at(*response, "response") : nullptr;
      if (inner != nullptr && inner->contains("commands")) translator_.initialized(*inner);
      return;
    }
    translator_.line(record, now_);
    if (type != "control_request") return;
    collect();
    for (auto output = outputs_.rbegin(); output != outputs_.rend(); ++output) {
      const auto* upsert = std::get_if<Upsert>(&*output);
      if (upsert == nullptr || !std::holds_alternative<Approval>(upsert->body)) continue;
      asked_[std::string(string_at(record, "request_id"))] = upsert->item_id;
      break;
    }
  }

  void collect() {
    for (claude::Output& output : translator_.take()) outputs_.push_back(std::move(output));
  }

  claude::Translator translator_;
  std::string prefix_;
  claude::Moment now_{{1'700'000'000'000}, 0};
  std::vector<claude::Output> outputs_;
  std::vector<TurnId> prompts_;
  std::map<std::string, ItemId> asked_;
  bool ended_ = false;
};

inline std::string shorten(std::string_view text, std::size_t most = 100) {
  std::string line;
  append_quoted(line, text.substr(0, most));
  if (text.size() > most) line += "…" + std::to_string(text.size());
  return line;
}

/// Outputs as lines that a person can review: one per form, texts shortened, ids made stable.
class OutputPrinter {
 public:
  std::string print(const std::vector<claude::Output>& outputs) {
    for (const claude::Output& output : outputs) {
      std::visit([this](const auto& value) { line(value); }, output);
    }
    return std::move(text_);
  }

 private:
  std::string stable(std::string id) {
    const std::string turn = id.substr(0, id.find(':'));
    if (turn.size() != 36) return id;
    auto [known, added] = turns_.try_emplace(turn, "A" + std::to_string(turns_.size() + 1));
    return known->second + id.substr(turn.size());
  }
  void line(const claude::TurnBound& bound) { text_ += "bound " + stable(bound.turn.str()) + "\n"; }
  void line(const CliIdentity&) { text_ += "identity\n"; }
  void line(const Steered& what) {
    text_ += "steered " + stable(what.prompt.str()) +
             (what.into ? " into " + stable(what.into->str()) : " refused") + "\n";
  }
  void line(const SessionFacts& facts) {
    std::string now = "facts mode=" + facts.mode.value_or("-") +
                      " model=" + facts.model.value_or("-") +
                      " models=" + std::to_string(facts.models.size()) +
                      " commands=" + std::to_string(facts.commands.size());
    if (facts.context) {
      now += " context=" + std::to_string(facts.context->used) + "/" +
             std::to_string(facts.context->size);
    }
    if (now != facts_) text_ += now + "\n";
    facts_ = now;
  }
  void line(const Turn& turn) {
    text_ += std::string(wire_name(turn.type)) + " " + stable(turn.turn_id.str());
    if (turn.status) text_ += " " + std::string(wire_name(*turn.status));
    if (turn.origin == TurnOrigin::Agent) text_ += " by-agent";
    if (turn.model_id) text_ += " " + *turn.model_id;
    if (turn.finish_reason) text_ += " " + *turn.finish_reason;
    if (turn.usage) {
      text_ += " tokens=" + std::to_string(turn.usage->input_tokens) + "+" +
               std::to_string(turn.usage->output_tokens);
    }
    if (turn.cost_usd) text_ += fmt::format(" cost={:.6f}", *turn.cost_usd);
    if (turn.error_code) text_ += " " + *turn.error_code + " " + shorten(*turn.error_message);
    text_ += "\n";
  }
  void line(const Upsert& item) {
    // Growing text: how often it was shown depends on time alone, so a row of updates is one line.
    const GrowingText growing = growing_text(item);
    if (item.status == ItemStatus::Update && growing.field == "content") {
      const std::string row = "  " + stable(item.item_id.str()) + " update …\n";
      if (!text_.ends_with(row)) text_ += row;
      return;
    }
    text_ += "  " + stable(item.item_id.str()) + " " + std::string(wire_name(item.status));
    if (item.parent_call_id) text_ += " in=" + *item.parent_call_id;
    std::visit([this](const auto& body) { detail(body); }, item.body);
    if (item.error_code) text_ += " error=" + *item.error_code;
    text_ += "\n";
  }
  void detail(const Message& message) {
    text_ += " " + std::string(wire_name(message.origin)) + " " + shorten(message.content.view());
  }
  void detail(const Thinking& thinking) {
    text_ += " thinking " + shorten(thinking.content.view());
  }
  void detail(const ToolCall& tool) {
    text_ += " " + tool.tool_name + " " + tool.call_id + " " + shorten(tool.tool_arguments.str());
    if (tool.tool_output) text_ += " -> " + shorten(tool.tool_output->view());
    if (tool.tool_output_is_error.value_or(false)) text_ += " failed";
    if (tool.exit_code) text_ += " exit=" + std::to_string(*tool.exit_code);
    for (const Diff& diff : tool.diffs) {
      text_ += " diff " + diff.path + " " + shorten(diff.old_text.value_or("(new)"), 40) + "=>" +
               shorten(diff.new_text, 40);
    }
  }
  void detail(const Approval& approval) {
    text_ += " approval " + std::string(wire_name(approval.kind)) + " " +
             std::string(wire_name(approval.state)) + " " + shorten(approval.title);
    for (const ApprovalOption& option : approval.options) {
      text_ += " [" + option.option_id + "] " + option.name;
    }
    if (approval.answer && approval.answer->option_id) text_ += " = " + *approval.answer->option_id;
  }
  void detail(const Plan& plan) {
    text_ += " plan";
    for (const PlanEntry& entry : plan.entries) {
      text_ += " [" + std::string(wire_name(entry.status)) + "] " + entry.content;
    }
  }

  std::string text_;
  std::string facts_;
  std::map<std::string, std::string> turns_;
};

}  // namespace lb::test
