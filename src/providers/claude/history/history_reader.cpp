#include "providers/claude/history/history_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"

namespace lb::claude {

namespace fs = std::filesystem;

namespace {

TranslatorOptions translator_options(const HistoryOptions& options) {
  TranslatorOptions result;
  result.session = options.session;
  result.provider_id = options.provider_id;
  result.forms = OpenItems::Forms::FinalOnly;
  return result;
}

Moment moment_of(const json::object& record, Moment otherwise) {
  const auto time = time_of(record);
  return time ? Moment{*time, 0} : otherwise;
}

const json::object* message_of(const json::object& record) {
  return object_at(record, "message");
}

std::string message_id(const json::object& record) {
  const json::object* message = message_of(record);
  return message != nullptr ? std::string(string_at(*message, "id")) : std::string();
}

/// Calls `each` with every whole line of a file, its offset and its length.
template <class Each>
void for_lines(std::ifstream& file, std::uint64_t size, Each each) {
  std::string text;
  std::uint64_t offset = 0;
  while (offset < size && std::getline(file, text)) {
    if (text.size() <= limits::kLineBytesMax) each(text, offset);
    offset += text.size() + 1;
  }
}

}  // namespace

HistoryReader::HistoryReader(fs::path file, HistoryOptions options)
    : path_(std::move(file)),
      options_(std::move(options)),
      translator_(translator_options(options_)) {}

Result<void> HistoryReader::open() {
  file_.open(path_, std::ios::binary);
  if (path_.empty() || !file_) {
    return fail(ErrorCode::SessionNotFound, "Claude Code has no record of this session.");
  }
  mark_ = mark_of(path_);
  HistoryIndex index;
  JsonReader reader;
  for_lines(file_, mark_.size, [&](const std::string& text, std::uint64_t offset) {
    const auto record = reader.parse(text);
    if (record && (*record)->is_object()) index.add((*record)->get_object(), offset, text.size());
  });
  file_.clear();
  directory_ = index.cwd();
  lines_ = std::move(index).conversation();
  find_subagents();
  if (options_.leave_unfinished) drop_unfinished();
  at_ = options_.after ? first_after(lines_, *options_.after, options_.after_time) : 0;
  return {};
}

void HistoryReader::drop_unfinished() {
  auto last = std::find_if(lines_.rbegin(), lines_.rend(),
                           [](const IndexedLine& line) { return begins_turn(line.kind); });
  if (last == lines_.rend() || last->kind == LineKind::Command) return;
  const IndexedLine& newest = lines_.back();
  if (newest.kind == LineKind::Interrupt) return;
  if (newest.kind == LineKind::Assistant) {
    const auto record = load(newest);
    const json::object* message = record ? message_of(record->get_object()) : nullptr;
    const std::string_view stop = message != nullptr ? string_at(*message, "stop_reason") : "";
    if (!stop.empty() && stop != "tool_use") return;
  }
  lines_.erase(last.base() - 1, lines_.end());
}

std::optional<json::value> HistoryReader::load(const IndexedLine& line) {
  std::string text(line.length, '\0');
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(line.offset));
  file_.read(text.data(), static_cast<std::streamsize>(text.size()));
  auto value = parse_json(text);
  if (!value || !value->is_object()) return std::nullopt;
  return std::move(*value);
}

bool HistoryReader::next(std::size_t bytes_max, std::vector<Output>& outputs) {
  std::size_t read = 0;
  while (at_ < lines_.size() && read < bytes_max) {
    const IndexedLine& line = lines_[at_];
    const IndexedLine* following = at_ + 1 < lines_.size() ? &lines_[at_ + 1] : nullptr;
    if (auto record = load(line)) feed(record->get_object(), line, following);
    read += line.length;
    ++at_;
  }
  const bool more = at_ < lines_.size();
  if (!more) end();
  for (Output& output : translator_.take()) {
    if (std::holds_alternative<SessionFacts>(output)) continue;  // The live process knows better.
    outputs.push_back(std::move(output));
  }
  return more;
}

void HistoryReader::feed(json::object& record, const IndexedLine& line,
                         const IndexedLine* following) {
  const Moment at = moment_of(record, turn_ ? turn_->last : Moment{});
  if (begins_turn(line.kind)) return begin(line, record, at);
  if (line.kind == LineKind::Boundary) {
    const json::object* metadata = object_at(record, "compactMetadata");
    const bool manual = metadata != nullptr && string_at(*metadata, "trigger") == "manual";
    // The record of a /compact stands before its command, which is where it belongs.
    if (manual && following != nullptr && following->kind == LineKind::Command) {
      boundary_ = std::move(record);
      return;
    }
  }
  if (!turn_) {
    // A conversation that begins in its middle: its beginning is lost.
    IndexedLine lost;
    lost.uuid = line.uuid;
    lost.kind = LineKind::TaskNote;
    begin(lost, record, at);
  }
  turn_->last = at;
  switch (line.kind) {
    case LineKind::Assistant:
      return assistant(record, following, at);
    case LineKind::ToolResult:
      return tool_result(record, at);
    case LineKind::Output:
      return output(record, at);
    case LineKind::Interrupt:
      turn_->interrupted = true;
      return translator_.line(record, at);
    case LineKind::QueuedPrompt:
      return translator_.user_message(fmt::format("queued:{}", ++queued_),
                                      words_of(record, line.kind), at);
    default:
      return translator_.line(record, at);
  }
}

void HistoryReader::begin(const IndexedLine& line, const json::object& record, Moment at) {
  end();
  turn_.emplace();
  turn_->last = at;
  turn_->command = line.kind == LineKind::Command;
  const bool agent = line.kind == LineKind::TaskNote;
  const TurnId turn = turn_of(line);
  translator_.begin_turn(turn, agent ? TurnOrigin::Agent : TurnOrigin::User, at);
  if (!agent) translator_.user_message("user", words_of(record, line.kind), at);
  if (boundary_) {
    translator_.line(*boundary_, at);
    boundary_.reset();
  }
}

void HistoryReader::assistant(json::object& record, const IndexedLine* following, Moment at) {
  const json::object* message = message_of(record);
  if (message == nullptr) return;
  const std::string id(string_at(*message, "id"));
  const bool synthetic = string_at(*message, "model") == kSyntheticModel;
  const std::string stop(string_at(*message, "stop_reason"));
  turn_->answered = true;
  if (synthetic) {
    if (bool_at(record, "isApiErrorMessage")) {
      turn_->error_text = text_of(record);
      turn_->error_kind = string_at(record, "error");
    }
    return translator_.line(record, at);
  }
  turn_->error_text.clear();
  turn_->last_stop = stop;
  if (const auto usage = usage_of(object_at(*message, "usage"))) turn_->usage[id] = *usage;
  if (const json::array* blocks = array_at(*message, "content")) {
    for (const json::value& block : *blocks) {
      if (block.is_object() && string_at(block.get_object(), "type").ends_with("tool_use")) {
        turn_->open_calls.insert(std::string(string_at(block.get_object(), "id")));
      }
    }
  }
  // Without a stop reason the message was cut, and its last block is the one that was.
  bool last = true;
  if (stop.empty() && following != nullptr && following->kind == LineKind::Assistant) {
    const auto next = load(*following);
    last = !next || message_id(next->get_object()) != id;
  }
  if (bool_at(record, "isAbortedMidStream") || (stop.empty() && last)) record["aborted"] = true;
  translator_.line(record, at);
  subagents_of(record, 0);
}

void HistoryReader::tool_result(const json::object& record, Moment at) {
  if (const json::array* blocks = content_of(record)) {
    for (const json::value& block : *blocks) {
      if (block.is_object()) {
        turn_->open_calls.erase(std::string(string_at(block.get_object(), "tool_use_id")));
      }
    }
  }
  translator_.line(record, at);
}

/// What a local command printed. A compaction says so in a note of its own already.
void HistoryReader::output(const json::object& record, Moment at) {
  const std::string text = words_of(record, LineKind::Output);
  if (!turn_->command || text.empty() || text.starts_with("Compacted")) return;
  turn_->answered = true;
  translator_.note(text, at);
}

TurnEnd HistoryReader::outcome() const {
  TurnEnd end;
  end.status = TurnStatus::Completed;
  Usage sum;
  for (const auto& [id, usage] : turn_->usage) {
    sum.input_tokens += usage.input_tokens;
    sum.output_tokens += usage.output_tokens;
    if (usage.cache_read_input_tokens) {
      sum.cache_read_input_tokens =
          sum.cache_read_input_tokens.value_or(0) + *usage.cache_read_input_tokens;
    }
    if (usage.cache_creation_input_tokens) {
      sum.cache_creation_input_tokens =
          sum.cache_creation_input_tokens.value_or(0) + *usage.cache_creation_input_tokens;
    }
  }
  if (!turn_->usage.empty()) end.usage = sum;
  if (!turn_->last_stop.empty()) end.finish_reason = turn_->last_stop;
  if (turn_->command) return end;
  if (turn_->interrupted || !turn_->answered) {
    end.status = TurnStatus::Cancelled;
    end.finish_reason = turn_->interrupted ? "aborted" : "unanswered";
  } else if (!turn_->error_text.empty()) {
    end.type = TurnType::Error;
    end.status.reset();
    const bool login = turn_->error_kind == "authentication_failed";
    const TranslatorOptions names;
    end.error_code = login ? kAuthenticationFailed : "API_ERROR";
    end.error_message =
        login ? login_text(names.agent, names.command, turn_->error_text) : turn_->error_text;
  } else if (!turn_->open_calls.empty() || turn_->last_stop.empty() ||
             turn_->last_stop == "tool_use") {
    end.type = TurnType::Error;
    end.status.reset();
    end.error_code = name_of(ErrorCode::ProcessCrash);
    end.error_message = "The agent ended before this turn did.";
  }
  return end;
}

void HistoryReader::end() {
  if (!turn_) return;
  translator_.end_turn(outcome(), turn_->last);
  turn_.reset();
}

// --- Subagents --------------------------------------------------------------------------------

void HistoryReader::find_subagents() {
  std::error_code why;
  const fs::path folder = path_.parent_path() / path_.stem() / "subagents";
  for (const auto& entry : fs::directory_iterator(folder, why)) {
    const std::string name = entry.path().filename().string();
    if (!name.ends_with(".meta.json")) continue;
    std::ifstream meta(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(meta), {}};
    const auto parsed = parse_json(text);
    if (!parsed || !parsed->is_object()) continue;
    const std::string call(string_at(parsed->get_object(), "toolUseId"));
    const std::string stem = name.substr(0, name.size() - std::string_view(".meta.json").size());
    if (!call.empty()) subagents_[call] = folder / (stem + ".jsonl");
  }
}

void HistoryReader::subagents_of(const json::object& record, int depth) {
  const json::array* blocks = content_of(record);
  if (blocks == nullptr || depth > limits::kClaudeSubagentDepthMax) return;
  for (const json::value& block : *blocks) {
    if (!block.is_object()) continue;
    const std::string call(string_at(block.get_object(), "id"));
    const auto found = subagents_.find(call);
    if (found != subagents_.end()) subagent(call, found->second, depth);
  }
}

/// A subagent's own file, in order: everything in it happened.
void HistoryReader::subagent(const std::string& call_id, const fs::path& file, int depth) {
  std::ifstream lines(file, std::ios::binary);
  const FileMark size = mark_of(file);
  subagents_.erase(call_id);  // Once, also if a file names itself as its own subagent.
  for_lines(lines, size.size, [&](const std::string& text, std::uint64_t) {
    auto value = parse_json(text);
    if (!value || !value->is_object()) return;
    json::object& record = value->get_object();
    const LineKind kind = kind_of(record);
    if (kind != LineKind::Assistant && kind != LineKind::ToolResult) return;
    record["parent_tool_use_id"] = call_id;
    translator_.line(record, moment_of(record, turn_->last));
    if (kind == LineKind::Assistant) subagents_of(record, depth + 1);
  });
}

}  // namespace lb::claude
