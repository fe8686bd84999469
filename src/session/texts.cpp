#include "session/texts.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/limits.h"
#include "base/utf8.h"

namespace lb {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n\f\v";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

/// The first `count` code points.
std::string_view code_points(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count) at += decode_utf8(text, at).bytes;
  return text.substr(0, at);
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

/// A fence longer than any run of backticks inside.
std::string fence_for(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return std::string(longest + 1, '`');
}

void add_block(std::string& out, std::string_view text) {
  const std::string fence = fence_for(text);
  out += fmt::format("{}\n{}{}{}\n\n", fence, text, text.ends_with('\n') ? "" : "\n", fence);
}

}  // namespace

std::string title_from_prompt(std::string_view prompt) {
  constexpr std::size_t kTitleMax = 50;
  constexpr std::size_t kEarliestCut = 20;
  std::string text(trimmed(prompt));
  std::ranges::replace_if(text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  const std::string_view head = code_points(text, kTitleMax);
  if (head.size() == text.size()) return text;
  const std::size_t space = head.rfind(' ');
  const bool cut =
      space != std::string_view::npos && space > code_points(text, kEarliestCut).size();
  return std::string(cut ? head.substr(0, space) : head) + "...";
}

std::optional<std::string> cut_tool_output(Item& item) {
  auto* tool = std::get_if<ToolCall>(&item.body);
  if (tool == nullptr || !tool->tool_output) return std::nullopt;
  const std::size_t size = tool->tool_output->size();
  if (size <= limits::kToolOutputInlineMax) return std::nullopt;
  std::string whole = tool->tool_output->str();
  constexpr std::size_t kSide = limits::kToolOutputInlineMax / 2 - 64;
  const std::string_view head = utf8_prefix(whole, kSide);
  const std::string_view tail = utf8_suffix(whole, kSide);
  tool->output_bytes = size;
  tool->tool_output = Text(
      fmt::format("{}\n… {} bytes left out …\n{}", head, size - head.size() - tail.size(), tail));
  return whole;
}

std::string snippet(std::string_view text, const std::vector<std::string>& words) {
  constexpr std::size_t kBefore = 60;
  constexpr std::size_t kLength = 200;
  std::size_t at = 0;
  for (const std::string& word : words) {
    const auto found = std::ranges::search(text, word, {}, lower);
    if (!found.empty()) {
      at = static_cast<std::size_t>(found.begin() - text.begin());
      break;
    }
  }
  const std::size_t lead = utf8_suffix(text.substr(0, at), kBefore).size();
  const std::size_t begin = at - lead;
  std::string out(utf8_prefix(text.substr(begin), kLength));
  const bool cut = begin + out.size() < text.size();
  std::ranges::replace_if(out, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
  return (begin > 0 ? "…" : "") + out + (cut ? "…" : "");
}

std::string to_markdown(const std::string& title, const std::vector<Item>& items) {
  std::string out = fmt::format("# {}\n\n", title);
  for (const Item& item : items) {
    if (const auto* message = std::get_if<Message>(&item.body)) {
      if (message->origin == Origin::User) out += "## You\n\n";
      if (message->origin == Origin::System) out += "*System:* ";
      out += message->content.str() + "\n\n";
    } else if (const auto* thinking = std::get_if<Thinking>(&item.body)) {
      out += "<details><summary>Thinking</summary>\n\n" + thinking->content.str() +
             "\n\n</details>\n\n";
    } else if (const auto* tool = std::get_if<ToolCall>(&item.body)) {
      out += fmt::format("**{}**\n\n", tool->title.value_or(tool->tool_name));
      if (!tool->tool_arguments.empty()) add_block(out, tool->tool_arguments.str());
      if (tool->tool_output) add_block(out, tool->tool_output->view());
    } else if (const auto* approval = std::get_if<Approval>(&item.body)) {
      out += fmt::format("*{}: {}*\n\n", approval->title, wire_name(approval->state));
    } else if (const auto* plan = std::get_if<Plan>(&item.body)) {
      for (const PlanEntry& entry : plan->entries) {
        out += fmt::format("- [{}] {}\n", entry.status == PlanStatus::Completed ? "x" : " ",
                           entry.content);
      }
      out += "\n";
    }
  }
  return out;
}

}  // namespace lb
