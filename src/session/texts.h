/// Small pure decisions about text: titles, cut tool outputs, search snippets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/item.h"

namespace lb {

inline constexpr std::string_view kUntitled = "New Session";

/// Nothing but white space.
bool is_blank(std::string_view text);

/// A session's title from its first prompt: the text up to 50 characters, else cut at the last
/// space beyond the 20th, with three dots.
std::string title_from_prompt(std::string_view prompt);

/// How an exported conversation is called, as a `Content-Disposition` says it: safe in every file
/// system and on every command line; in ASCII, and beside that in the letters of the title.
std::string export_disposition(std::string_view title, std::string_view ending);

/// Shortens a tool output above limits::kToolOutputInlineMax to head and tail, with its size in
/// `output_bytes`; returns the whole, which is stored beside the item. Nothing for other items.
std::optional<std::string> cut_tool_output(Item& item);

/// A line of `text` around the first word that was searched for.
std::string snippet(std::string_view text, const std::vector<std::string>& words);

}  // namespace lb
