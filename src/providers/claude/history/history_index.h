/// HistoryIndex: which lines of a session's file are its conversation.
///
/// The file is a tree, not a log: every line names its parent, and side branches are both
/// abandoned attempts and things that happened (the other results of parallel calls, an answer that
/// came after a retry). The walk from the newest line to the root finds the prompts that count;
/// everything that hangs from them, up to a prompt that does not count, belongs to them.
/// A broken line costs itself and nothing else. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/id.h"
#include "providers/claude/history/records.h"

namespace lb::claude {

struct IndexedLine {
  std::string uuid;
  std::string parent;
  std::string logical_parent;  // Of a compaction boundary: where the conversation goes on.
  std::uint64_t offset = 0;
  std::size_t length = 0;
  LineKind kind = LineKind::Other;
  std::optional<Timestamp> time;
  bool included = false;
  bool attachment = false;  // Context that the CLI added.
};

/// The id that our timeline gives to the turn that this line begins.
TurnId turn_of(const IndexedLine& line);
/// Where what came after a turn begins. `at`, when the turn ended, decides where the record does
/// not know it (slash commands get other ids there); without it that is the end.
std::size_t first_after(const std::vector<IndexedLine>& lines, const TurnId& turn,
                        const std::optional<Timestamp>& at);

class HistoryIndex {
 public:
  /// One line of the file, in order.
  void add(const json::object& record, std::uint64_t offset, std::size_t length);
  /// After the last line: decides which ones count. In the order of the file.
  [[nodiscard]] std::vector<IndexedLine> conversation() &&;
  /// The same with what only the agent sees.
  [[nodiscard]] std::vector<IndexedLine> included() &&;

  [[nodiscard]] const std::string& cwd() const { return cwd_; }

 private:
  [[nodiscard]] std::optional<std::size_t> leaf() const;
  void walk(std::size_t leaf);

  std::vector<IndexedLine> lines_;
  std::unordered_map<std::string, std::size_t> by_uuid_;
  std::string leaf_uuid_;
  bool grew_after_leaf_ = false;
  std::string cwd_;
};

}  // namespace lb::claude
