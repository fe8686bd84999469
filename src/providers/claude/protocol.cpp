#include "providers/claude/protocol.h"

#include <fmt/format.h>

#include <algorithm>

namespace lb::claude {
namespace {

constexpr std::string_view kAttachedBegin = "<attached-text name=\"";

/// A text block as a person reads it.
std::string shown(std::string_view text) {
  if (!text.starts_with(kAttachedBegin)) return std::string(text);
  const std::string_view name = text.substr(kAttachedBegin.size());
  return fmt::format("[Attached: {}]", name.substr(0, name.find('"')));
}

}  // namespace

std::string attached_text(std::string_view name, std::string_view text) {
  std::string plain(name);
  std::ranges::replace_if(
      plain, [](char c) { return c == '"' || static_cast<unsigned char>(c) < ' '; }, '_');
  return fmt::format("{}{}\">\n{}{}</attached-text>", kAttachedBegin, plain, text,
                     text.ends_with('\n') ? "" : "\n");
}

std::string image_label(const json::object& block) {
  const json::object* source = object_at(block, "source");
  const std::string_view type =
      source != nullptr ? string_at(*source, "media_type") : std::string_view();
  return type.empty() ? "[Image]" : fmt::format("[Image: {}]", type);
}

std::string text_of(const json::object& record) {
  const json::object* message = object_at(record, "message");
  if (message == nullptr) return {};
  const json::array* blocks = array_at(*message, "content");
  if (blocks == nullptr) return std::string(string_at(*message, "content"));
  std::string text;
  for (const json::value& value : *blocks) {
    const json::object* block = value.if_object();
    if (block == nullptr) continue;
    const std::string_view type = string_at(*block, "type");
    if (type != "text" && type != "image") continue;
    if (!text.empty()) text += "\n\n";
    text += type == "text" ? shown(string_at(*block, "text")) : image_label(*block);
  }
  return text;
}

std::optional<std::string_view> tagged(std::string_view text, std::string_view tag) {
  const std::string open = fmt::format("<{}>", tag);
  const std::string close = fmt::format("</{}>", tag);
  const std::size_t from = text.find(open);
  if (from == std::string_view::npos) return std::nullopt;
  const std::size_t begin = from + open.size();
  const std::size_t end = text.find(close, begin);
  if (end == std::string_view::npos) return std::nullopt;
  return text.substr(begin, end - begin);
}

std::string login_text(std::string_view agent, std::string_view command, std::string_view said) {
  std::string reason(said);
  for (const std::string_view advice : {" · Please run /login", "Please run /login · "}) {
    if (const auto at = reason.find(advice); at != std::string::npos) {
      reason.erase(at, advice.size());
    }
  }
  while (reason.ends_with('.') || reason.ends_with('\n')) reason.pop_back();
  const bool plain = reason.empty() || reason.find("ot logged in") != std::string::npos;
  return fmt::format("{}{}{}. {}", agent,
                     plain ? " is not logged in" : " could not log in: ", plain ? "" : reason,
                     login_remedy(command));
}

std::string login_remedy(std::string_view command) {
  return fmt::format(
      "Run `{}` in a terminal and log in with /login, or set a valid ANTHROPIC_API_KEY for this "
      "agent; then try again.",
      command);
}

}  // namespace lb::claude
