#include "providers/claude/history/history_index.h"

#include <algorithm>

namespace lb::claude {

TurnId turn_of(const IndexedLine& line) {
  return TurnId(is_wire_id(line.uuid) ? line.uuid : uuid_from(line.uuid));
}

std::size_t first_after(const std::vector<IndexedLine>& lines, const TurnId& turn,
                        const std::optional<Timestamp>& at) {
  const auto known = std::ranges::find(lines, turn, turn_of);
  if (known == lines.end() && !at) return lines.size();
  auto line = known == lines.end() ? lines.begin() : known + 1;
  for (; line != lines.end(); ++line) {
    if (!begins_turn(line->kind)) continue;
    if (known != lines.end() || (line->time && *line->time > *at)) break;
  }
  return static_cast<std::size_t>(line - lines.begin());
}

void HistoryIndex::add(const json::object& record, std::uint64_t offset, std::size_t length) {
  if (string_at(record, "type") == "last-prompt") {
    leaf_uuid_ = string_at(record, "leafUuid");
    grew_after_leaf_ = false;
    return;
  }
  const std::string uuid(string_at(record, "uuid"));
  if (uuid.empty() || bool_at(record, "isSidechain")) return;
  if (cwd_.empty()) cwd_ = string_at(record, "cwd");
  // Compaction writes lines it keeps a second time; the first has its place in the conversation.
  if (!by_uuid_.try_emplace(uuid, lines_.size()).second) return;
  IndexedLine line;
  line.uuid = uuid;
  line.parent = string_at(record, "parentUuid");
  line.logical_parent = string_at(record, "logicalParentUuid");
  line.offset = offset;
  line.length = length;
  line.kind = kind_of(record);
  line.time = time_of(record);
  line.attachment = string_at(record, "type") == "attachment";
  lines_.push_back(std::move(line));
  grew_after_leaf_ = true;
}

/// The newest line; the CLI's own word counts when nothing came after it.
std::optional<std::size_t> HistoryIndex::leaf() const {
  if (lines_.empty()) return std::nullopt;
  const auto named = by_uuid_.find(leaf_uuid_);
  if (!grew_after_leaf_ && named != by_uuid_.end()) return named->second;
  return lines_.size() - 1;
}

void HistoryIndex::walk(std::size_t leaf) {
  std::size_t at = leaf;
  while (!lines_[at].included) {
    IndexedLine& line = lines_[at];
    line.included = true;
    const std::string& next =
        line.parent.empty() && line.kind == LineKind::Boundary ? line.logical_parent : line.parent;
    if (next.empty()) return;
    const auto found = by_uuid_.find(next);
    if (found != by_uuid_.end()) {
      at = found->second;
    } else if (at > 0) {
      --at;  // The parent is lost: what stands before is the best guess.
    } else {
      return;
    }
  }
}

std::vector<IndexedLine> HistoryIndex::included() && {
  if (const auto newest = leaf()) walk(*newest);
  for (IndexedLine& line : lines_) {
    if (line.included || begins_turn(line.kind)) continue;
    const std::string& parent =
        line.kind == LineKind::Boundary && line.parent.empty() ? line.logical_parent : line.parent;
    const auto found = by_uuid_.find(parent);
    line.included = found != by_uuid_.end() && lines_[found->second].included;
  }
  std::erase_if(lines_, [](const IndexedLine& line) { return !line.included; });
  return std::move(lines_);
}

std::vector<IndexedLine> HistoryIndex::conversation() && {
  auto lines = std::move(*this).included();
  std::erase_if(lines, [](const IndexedLine& line) { return line.kind == LineKind::Other; });
  return lines;
}

}  // namespace lb::claude
