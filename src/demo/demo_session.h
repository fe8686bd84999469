/// Session and Sessions: the demo agent's conversations and where they are kept.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace lb::demo {

class Narrator;

/// One conversation. `history` is what session/load replays: whole messages and finished tools.
struct Session {
  std::string id;
  std::string cwd;
  std::string title;
  std::string updated_at;
  std::string mode = "ask";
  std::string model = "demo-swift";
  bool always_allow = false;  // The user said so once for all edits of this session.
  std::size_t turns = 0;
  std::size_t tokens_used = 0;
  std::vector<json::object> history;
  std::size_t history_bytes = 0;
  std::shared_ptr<Narrator> narrator;  // While a turn runs.
};

/// All sessions this agent knows, and their files when there is a place for them. Owned by the
/// agent.
class Sessions {
 public:
  /// `folder` empty: nothing is kept beyond this process.
  explicit Sessions(std::string folder);
  ~Sessions();
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;

  std::shared_ptr<Session> create(std::string cwd);
  /// From memory or from its file; null when nobody knows it.
  std::shared_ptr<Session> find(const std::string& id);
  void close(const std::string& id) { open_.erase(id); }
  /// Adds one update to the history, within its bound; text of one message grows together.
  static void record(Session& session, const json::object& update);
  /// Writes the session's file anew.
  void save(const Session& session) const;
  /// What session/list shows, newest first; `cwd` empty: all.
  [[nodiscard]] json::array list(std::string_view cwd) const;
  /// A folder of its own for what the session edits: never the user's project.
  std::string scratch(const Session& session);

 private:
  [[nodiscard]] std::string file_of(std::string_view id) const;
  void prune() const;

  std::string folder_;
  std::string temporary_;  // Scratch of an agent without a folder; removed at the end.
  std::map<std::string, std::shared_ptr<Session>> open_;
};

}  // namespace lb::demo
