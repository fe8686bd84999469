/// Narrator: the verbs with which a conversation is played: say, think, plan, use a tool, ask.
///
/// A conversation is a coroutine that uses these in order and knows nothing of JSON. When the user
/// cancels, whatever verb is being waited for throws TurnCancelled, which ends the conversation at
/// once. Everything said is also recorded for session/load.
///
/// Lives as long as its turn, on the agent's thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "demo/demo_session.h"
#include "process/json_rpc_peer.h"

namespace lb::demo {

/// Thrown by the verbs, caught where the turn was started.
struct TurnCancelled {};

struct PlanEntry {
  std::string_view content;
  std::string_view status = "pending";  // pending, in_progress, completed
};

struct ToolStart {
  std::string_view kind;  // read, search, execute, edit …
  std::string title;
  json::value raw_input;
  std::string path;  // Shown as its location when not empty.
};

struct Edit {
  std::string path;
  std::optional<std::string> old_text;  // Nothing: a new file.
  std::string new_text;
};

enum class Decision { Once, Always, Rejected };

class Narrator : public std::enable_shared_from_this<Narrator> {
 public:
  struct Setting {
    double pace = 1;
    bool live_terminal = false;  // The client shows terminal output as it comes.
  };
  Narrator(const asio::any_io_executor& executor, JsonRpcPeer& peer, Session& session,
           Setting setting);

  // --- Speaking ---------------------------------------------------------------------------------
  /// Streams markdown a few words at a time, as one message.
  asio::awaitable<void> say(std::string text);
  asio::awaitable<void> think(std::string text);
  void plan(std::vector<PlanEntry> entries);

  // --- Tools ------------------------------------------------------------------------------------
  /// Announces a tool call and returns its id.
  std::string begin_tool(ToolStart tool);
  /// Ends a tool that has its whole output at once.
  void end_tool(const std::string& id, std::string_view output, bool failed = false);
  /// Plays a command: each piece of output appears after a short while.
  asio::awaitable<void> run_command(std::string command, std::vector<std::string> output,
                                    int exit_code);
  /// Announces an edit and asks, unless the mode or an earlier answer allows it.
  asio::awaitable<Decision> propose_edit(std::string id, std::string title, Edit edit);
  void end_edit(const std::string& id, const Edit& edit, bool done);

  // --- Below them -------------------------------------------------------------------------------
  asio::awaitable<void> pause(std::chrono::microseconds time);
  /// The same without the pace: load and faults mean what they say.
  asio::awaitable<void> wait(std::chrono::microseconds time);
  /// Sends one update and records it.
  void update(json::object update);
  /// Sends one update that is not worth recording.
  void send(json::object update);
  void usage();

  void cancel();
  [[nodiscard]] bool cancelled() const { return cancelled_; }
  void ignore_cancel() { ignores_cancel_ = true; }
  [[nodiscard]] Session& session() { return session_; }
  [[nodiscard]] JsonRpcPeer& peer() { return peer_; }
  [[nodiscard]] std::string new_id(std::string_view prefix);

 private:
  asio::awaitable<void> stream(std::string_view kind, std::string text);
  asio::awaitable<Decision> ask(json::object tool_call);
  void throw_if_cancelled() const;

  JsonRpcPeer& peer_;
  Session& session_;
  Setting setting_;
  asio::steady_timer wake_;
  bool cancelled_ = false;
  bool ignores_cancel_ = false;
  std::size_t ids_ = 0;
};

}  // namespace lb::demo
