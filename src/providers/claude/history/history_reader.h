/// HistoryReader: a session's file becomes the conversation it was, in pieces.
///
/// The lines that count are fed to the same translator that reads the live stream, so history and
/// live look alike. A turn's id is the uuid of its prompt, which for prompts of ours is the id the
/// turn had live: reading from `after` on adds only what is new, and reading twice adds nothing.
///
/// Reads the disk: used on a worker thread, one caller at a time.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "providers/claude/history/history_index.h"
#include "providers/claude/process/other_writers.h"
#include "providers/claude/translate/translator.h"

namespace lb::claude {

struct HistoryOptions {
  SessionId session;
  std::string provider_id = "claude-code";
  std::optional<TurnId> after;
  /// When `after` ended; decides what is new when the CLI's record does not know that turn (slash
  /// commands get other ids there).
  std::optional<Timestamp> after_time;
  /// Leaves a last turn out that has no end yet: someone is still writing it.
  bool leave_unfinished = false;
};

/// What the file tells of the turn that is being read.
struct TurnReading {
  Moment last;
  std::string last_stop;
  std::string error_text;
  std::map<std::string, Usage> usage;  // By message id.
  std::set<std::string> open_calls;
  bool command = false;
  bool answered = false;
  bool interrupted = false;
  std::string error_kind;
};

class HistoryReader {
 public:
  HistoryReader(std::filesystem::path file, HistoryOptions options);

  /// Reads the whole file once. `SessionNotFound` when it is not there.
  Result<void> open();
  /// About `bytes_max` bytes of the file further; false when everything has been read.
  bool next(std::size_t bytes_max, std::vector<Output>& outputs);

  [[nodiscard]] const FileMark& mark() const { return mark_; }
  [[nodiscard]] const std::string& directory() const { return directory_; }

 private:
  [[nodiscard]] std::optional<json::value> load(const IndexedLine& line);
  void drop_unfinished();
  void feed(json::object& record, const IndexedLine& line, const IndexedLine* following);
  void begin(const IndexedLine& line, const json::object& record, Moment at);
  void end();
  void assistant(json::object& record, const IndexedLine* following, Moment at);
  void tool_result(const json::object& record, Moment at);
  void output(const json::object& record, Moment at);
  void subagents_of(const json::object& record, int depth);
  void subagent(const std::string& call_id, const std::filesystem::path& file, int depth);
  void find_subagents();
  TurnEnd outcome() const;

  std::filesystem::path path_;
  HistoryOptions options_;
  std::ifstream file_;
  FileMark mark_;
  std::string directory_;
  std::vector<IndexedLine> lines_;
  std::size_t at_ = 0;
  Translator translator_;
  std::optional<TurnReading> turn_;
  std::optional<json::object> boundary_;  // Of a compaction that its command will follow.
  std::map<std::string, std::filesystem::path> subagents_;  // Call id → file.
  std::uint64_t queued_ = 0;
};

}  // namespace lb::claude
