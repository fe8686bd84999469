#include "providers/claude/translate/tool_shape.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "base/utf8.h"
#include "providers/claude/protocol.h"

namespace lb::claude {
namespace {

/// A title is one line on a small screen.
constexpr std::size_t kTitleBytesMax = 160;

struct Known {
  std::string_view name;
  ToolKind kind;
  std::string_view subject;  // The argument that says what it is about.
};
constexpr std::array kKnown = {
    Known{"Read", ToolKind::Read, "file_path"},
    Known{"NotebookRead", ToolKind::Read, "notebook_path"},
    Known{"Write", ToolKind::Edit, "file_path"},
    Known{"Edit", ToolKind::Edit, "file_path"},
    Known{"MultiEdit", ToolKind::Edit, "file_path"},
    Known{"NotebookEdit", ToolKind::Edit, "notebook_path"},
    Known{"Bash", ToolKind::Execute, "command"},
    Known{"BashOutput", ToolKind::Execute, "bash_id"},
    Known{"KillShell", ToolKind::Execute, "shell_id"},
    Known{"Grep", ToolKind::Search, "pattern"},
    Known{"Glob", ToolKind::Search, "pattern"},
    Known{"LS", ToolKind::Search, "path"},
    Known{"ToolSearch", ToolKind::Search, "query"},
    Known{"WebFetch", ToolKind::Fetch, "url"},
    Known{"WebSearch", ToolKind::Fetch, "query"},
    Known{"Agent", ToolKind::Other, "description"},
    Known{"Task", ToolKind::Other, "description"},
    Known{"TodoWrite", ToolKind::Think, ""},
    Known{"TaskCreate", ToolKind::Think, "subject"},
    Known{"TaskUpdate", ToolKind::Think, "taskId"},
    Known{"ExitPlanMode", ToolKind::Think, ""},
    Known{"Skill", ToolKind::Other, "skill"},
};

const Known* known_tool(std::string_view name) {
  for (const Known& known : kKnown) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

std::string title_of(std::string_view subject) {
  const std::string_view line = subject.substr(0, subject.find('\n'));
  std::string title(utf8_prefix(line, kTitleBytesMax));
  if (title.size() < subject.size()) title += "…";
  return title;
}

void add_edit(ToolCall& tool, std::string_view path, const json::object& edit) {
  tool.diffs.push_back({std::string(path), std::string(string_at(edit, "old_string")),
                        std::string(string_at(edit, "new_string"))});
}

/// Diffs from the arguments, for results that come without structure (those of subagents).
void diffs_from_arguments(ToolCall& tool) {
  const auto parsed = parse_json(tool.tool_arguments.str());
  if (!parsed || !parsed->is_object()) return;
  const json::object& arguments = parsed->get_object();
  const std::string_view path = string_at(arguments, "file_path");
  if (path.empty()) return;
  if (tool.tool_name == "Edit") add_edit(tool, path, arguments);
  if (tool.tool_name == "Write") {
    tool.diffs.push_back({std::string(path), {}, std::string(string_at(arguments, "content"))});
  }
  if (const json::array* edits = array_at(arguments, "edits"); edits != nullptr) {
    for (const json::value& edit : *edits) {
      if (edit.is_object()) add_edit(tool, path, edit.get_object());
    }
  }
}

void edit_result(ToolCall& tool, const json::object* structured) {
  if (structured == nullptr || string_at(*structured, "filePath").empty()) {
    return diffs_from_arguments(tool);
  }
  const std::string path(string_at(*structured, "filePath"));
  const json::value* original = structured->if_contains("originalFile");
  if (structured->contains("oldString")) {
    tool.diffs.push_back({path, std::string(string_at(*structured, "oldString")),
                          std::string(string_at(*structured, "newString"))});
  } else if (structured->contains("content")) {
    Diff diff{path, {}, std::string(string_at(*structured, "content"))};
    if (original != nullptr && original->is_string()) diff.old_text = original->get_string();
    tool.diffs.push_back(std::move(diff));
  } else {
    diffs_from_arguments(tool);
  }
}

/// A failed command says "Exit code 3" first; one that did not fail ended with 0.
void command_result(ToolCall& tool, const json::object* structured) {
  const std::string_view output = tool.tool_output ? tool.tool_output->view() : "";
  constexpr std::string_view kExit = "Exit code ";
  if (tool.tool_output_is_error.value_or(false)) {
    if (!output.starts_with(kExit)) return;
    std::int64_t code = 0;
    const std::string_view digits = output.substr(kExit.size());
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), code);
    if (read.ec == std::errc()) tool.exit_code = code;
    return;
  }
  const bool ran = structured != nullptr && structured->contains("stdout");
  // grep's 1 is no failure for the CLI; then it says how it understood the code, not which.
  if (ran && !bool_at(*structured, "interrupted") && !structured->contains("backgroundTaskId") &&
      string_at(*structured, "returnCodeInterpretation").empty()) {
    tool.exit_code = 0;
  }
}

}  // namespace

void shape_call(ToolCall& tool, const json::object& arguments) {
  const Known* known = known_tool(tool.tool_name);
  if (known == nullptr) return;
  tool.kind = known->kind;
  const std::string_view subject = string_at(arguments, known->subject);
  if (!subject.empty()) tool.title = title_of(subject);
  if (known->kind != ToolKind::Read && known->kind != ToolKind::Edit) return;
  if (subject.empty()) return;
  Location location{std::string(subject), {}};
  if (const double line = number_at(arguments, "offset"); line >= 1 && line < 1e9) {
    location.line = static_cast<std::int64_t>(line);
  }
  tool.locations = {std::move(location)};
}

void shape_result(ToolCall& tool, const json::value* structured) {
  const json::object* object = structured != nullptr ? structured->if_object() : nullptr;
  if (tool.tool_name == "Bash") return command_result(tool, object);
  if (tool.kind == ToolKind::Edit && !tool.tool_output_is_error.value_or(false)) {
    edit_result(tool, object);
  }
}

std::string output_text(const json::object& result) {
  const json::array* blocks = array_at(result, "content");
  if (blocks == nullptr) return std::string(string_at(result, "content"));
  std::string text;
  bool first = true;
  for (const json::value& value : *blocks) {
    const json::object* block = value.if_object();
    if (block == nullptr) continue;
    if (!std::exchange(first, false)) text += '\n';
    const std::string_view type = string_at(*block, "type");
    if (type == "text") {
      text += string_at(*block, "text");
    } else if (type == "image") {
      text += image_label(*block);
    } else {
      text += fmt::format("[{}]", type);
    }
  }
  return text;
}

}  // namespace lb::claude
