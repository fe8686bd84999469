/// Words of Claude Code's stream-json protocol that more than one file here needs.
///
/// One JSON object per line in both directions. What the lines mean, and where the two versions
/// seen differ, is written beside the code that reads them; this file only names things.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/time.h"

namespace lb::claude {

/// When something arrived: wall time for the record, monotonic time for the batcher.
struct Moment {
  Timestamp wall;
  MonoMs mono = 0;
};

/// The model name of texts that the CLI wrote itself: API errors and output of local commands.
inline constexpr std::string_view kSyntheticModel = "<synthetic>";
/// What a synthetic text says when there is nothing to say.
inline constexpr std::string_view kNoContent = "(no content)";
/// Written into a history file when a killed session is resumed; never an answer to anyone.
inline constexpr std::string_view kNoResponse = "No response requested.";
/// The structured result of a call that the user stopped (interrupt, or reject and stop).
inline constexpr std::string_view kRejectedResult = "User rejected tool use";
/// How the CLI marks an interrupt in the conversation; "… for tool use]" exists too.
inline constexpr std::string_view kInterruptedPrefix = "[Request interrupted by user";

/// `object[key]` under its wire or its history name (`tool_use_result`, `toolUseResult`).
inline const json::value* either(const json::object& object, std::string_view wire,
                                 std::string_view history) {
  if (const json::value* value = object.if_contains(wire)) return value;
  return object.if_contains(history);
}

/// The content blocks of a message; null when its content is a plain string or missing.
inline const json::array* content_of(const json::object& record) {
  const json::object* message = object_at(record, "message");
  return message != nullptr ? array_at(*message, "content") : nullptr;
}

/// The text of a message: its string content, or its text blocks joined by a blank line, with
/// images and attached texts by their labels.
std::string text_of(const json::object& record);

/// `[Image: image/png]`: what stands for an image in a text.
std::string image_label(const json::object& block);

/// An attached text as the CLI gets it, in a block of its own. In a text `[Attached: NAME]` stands
/// for it.
std::string attached_text(std::string_view name, std::string_view text);

/// What stands between `<tag>` and `</tag>`, or nothing.
std::optional<std::string_view> tagged(std::string_view text, std::string_view tag);

/// What to tell who is not logged in. `said` is the CLI's own text, whose advice (/login) is for a
/// terminal.
std::string login_text(std::string_view agent, std::string_view command, std::string_view said);
/// What to do about it: one sentence for who sits at a terminal.
std::string login_remedy(std::string_view command);
/// The code of a turn that the model's API refused for another reason than the login.
inline constexpr std::string_view kApiError = "API_ERROR";
/// The code of a turn that failed for want of a login.
inline constexpr std::string_view kAuthenticationFailed = "AUTHENTICATION_FAILED";

}  // namespace lb::claude
