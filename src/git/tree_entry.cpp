#include "git/tree_entry.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace lb::git {
namespace {

std::uint32_t mode_of(std::string_view digits) {
  std::uint32_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value, 8);
  return value;
}

/// The text up to a border, which is then gone with it.
std::string_view take_word(std::string_view& text, char border) {
  const std::size_t end = std::min(text.find(border), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

bool is_id(std::string_view text) {
  return (text.size() == 40 || text.size() == 64) && std::ranges::all_of(text, [](char one) {
           return (one >= '0' && one <= '9') || (one >= 'a' && one <= 'f');
         });
}

Result<void> check_ids(std::initializer_list<std::string_view> ids) {
  for (const std::string_view id : ids) {
    if (!is_id(id)) return fail(ErrorCode::InvalidRequest, fmt::format("\"{}\" is no tree", id));
  }
  return {};
}

/// `:100644 100755 OLD NEW M`, a path, and for a renamed file (`R86`) another.
std::optional<RawEntry> read_raw(const std::vector<std::string>& parts, std::size_t& at) {
  if (at + 1 >= parts.size() || !parts[at].starts_with(':')) return std::nullopt;
  std::string_view text = parts[at];
  text.remove_prefix(1);
  RawEntry entry;
  entry.from.mode = mode_of(take_word(text, ' '));
  entry.to.mode = mode_of(take_word(text, ' '));
  entry.from.id = take_word(text, ' ');
  entry.to.id = take_word(text, ' ');
  const bool renamed = text.starts_with('R');
  if (text.empty() || (renamed && at + 2 >= parts.size())) return std::nullopt;
  if (renamed) entry.old_path = parts[++at];
  entry.path = parts[++at];
  ++at;
  return entry;
}

ListedFile read_listed(std::string_view line) {
  ListedFile listed;
  listed.file.mode = mode_of(take_word(line, ' '));
  take_word(line, ' ');
  listed.file.id = take_word(line, '\t');
  listed.path = line;
  return listed;
}

}  // namespace lb::git
