#include "providers/acp/asked_text.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace lb::acp {
namespace {

bool is_shell(std::string_view program) {
  const auto slash = program.rfind('/');
  if (slash != std::string_view::npos) program.remove_prefix(slash + 1);
  return program == "sh" || program == "bash" || program == "dash" || program == "zsh";
}

bool is_plain_word(std::string_view word) {
  constexpr std::string_view kSigns = "_@%+=:,./-";
  return !word.empty() && std::ranges::all_of(word, [&](unsigned char byte) {
    return std::isalnum(byte) != 0 || byte >= 0x80 || kSigns.contains(static_cast<char>(byte));
  });
}

std::string quoted(std::string_view word) {
  if (is_plain_word(word)) return std::string(word);
  std::string text = "'";
  for (const char byte : word) text += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
  return text + "'";
}

std::string_view word_at(const json::array& words, std::size_t index) {
  return words[index].is_string() ? std::string_view(words[index].get_string()) : "";
}

/// Takes whole lines out of a text, with the end of line that joined them to the rest.
void take_lines(std::string& text, std::size_t from, std::size_t to) {
  if (to < text.size()) {
    ++to;
  } else if (from > 0) {
    --from;
  }
  text.erase(from, to - from);
}

bool begins_line(std::string_view text, std::size_t at) {
  return at == 0 || text[at - 1] == '\n';
}
bool ends_line(std::string_view text, std::size_t at) {
  return at == text.size() || text[at] == '\n';
}

}  // namespace

std::string command_of(const json::object& raw_input) {
  for (const std::string_view key : {"command", "cmd"}) {
    if (const std::string_view command = string_at(raw_input, key); !command.empty()) {
      return std::string(command);
    }
  }
  const json::array* words = array_at(raw_input, "command");
  if (words == nullptr) return {};
  if (words->size() == 3 && is_shell(word_at(*words, 0)) &&
      (word_at(*words, 1) == "-c" || word_at(*words, 1) == "-lc")) {
    return std::string(word_at(*words, 2));
  }
  std::string command;
  for (std::size_t i = 0; i < words->size(); ++i) {
    if (i > 0) command += ' ';
    command += quoted(word_at(*words, i));
  }
  return command;
}

std::string without_choices(std::string text, const json::object& raw_input) {
  constexpr std::string_view kDecisions = "Available Decisions: ";
  if (const json::array* decisions = array_at(raw_input, "available_decisions")) {
    // One line each, at the very end: anything else is the agent's own word and stays.
    const auto at = text.rfind(kDecisions);
    const auto lines = at == std::string::npos
                           ? 0
                           : 1 + std::ranges::count(std::string_view(text).substr(at), '\n');
    if (at != std::string::npos && begins_line(text, at) &&
        static_cast<std::size_t>(lines) == decisions->size()) {
      take_lines(text, at, text.size());
    }
  }
  if (const json::array* amendment = array_at(raw_input, "proposed_execpolicy_amendment")) {
    std::string said = "Proposed Amendment: ";
    for (std::size_t i = 0; i < amendment->size(); ++i) {
      if (i > 0) said += '\n';
      said += word_at(*amendment, i);
    }
    const auto at = text.find(said);
    if (at != std::string::npos && begins_line(text, at) && ends_line(text, at + said.size())) {
      take_lines(text, at, at + said.size());
    }
  }
  return text;
}

}  // namespace lb::acp
