/// Translator: one session's ACP traffic → items, turns and facts in our words.
///
/// It owns the quirks of every agent that we know: text without ids, tools that are asked about
/// before they are announced, tools that never end, failures that look like answers, text that is
/// sent again after a broken stream. The same code reads live traffic and the replay of
/// session/load.
///
/// Promises: every upsert carries the whole item; a final item never changes again; when a turn
/// ends, all of its items are final first. Growing text is appended to one lb::Text, so an
/// emission costs what is new. Pure: time comes in, outputs go out. One per session, on the io
/// thread.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "process/json_rpc_peer.h"
#include "providers/acp/protocol.h"
#include "providers/acp/tool_item.h"
#include "providers/provider.h"

namespace lb::acp {

using Output = std::variant<Upsert, Turn, SessionFacts, SessionTitle>;
using Outputs = std::vector<Output>;

enum class TextKind { Agent, Thought, User, Note };

/// A text item that still grows.
struct OpenText {
  TextKind kind = TextKind::Agent;
  Item item;
  std::string message_id;
  bool at_border = false;  // A model call ended: text without an id is a new message.
  /// After a broken stream the text comes again: how much of it has been seen again.
  std::optional<std::size_t> again;
  bool shown = false;
};

/// An item that is replaced as a whole while it is open.
struct OpenItem {
  Item item;
  bool shown = false;
};

class Translator {
 public:
  /// `provider_id` is the CLI type, as turns and thoughts carry it.
  Translator(SessionId session, std::string provider_id);

  // --- Turns --------------------------------------------------------------------------------
  Outputs start_turn(TurnId turn, Timestamp now);
  /// The response to session/prompt.
  Outputs end_turn(const json::object& result, Timestamp now);
  /// The error response to session/prompt.
  Outputs end_turn_with_error(const RpcError& error, Timestamp now);
  Outputs end_turn_with_error(const Error& why, Timestamp now);
  /// The turn cannot go on: the process died, nobody answers. Nothing when no turn runs.
  Outputs fail_turn(const Error& why, Timestamp now);
  /// The user asked to cancel the running turn; how it ends is then his doing.
  void cancel_requested() { cancel_requested_ = true; }
  /// Ends a turn that no prompt of ours began; called when the agent has gone quiet.
  Outputs settle(Timestamp now);

  [[nodiscard]] bool turn_open() const { return turn_ != nullptr; }
  /// A turn without a prompt of ours: the agent began it, or history that comes late.
  [[nodiscard]] bool unprompted_turn_open() const { return turn_ && !prompted_; }
  /// True while the agent has a reason to be silent: a tool runs or the user is asked.
  [[nodiscard]] bool silence_is_normal() const;

  // --- What the agent says ------------------------------------------------------------------
  /// `params.update` of session/update.
  Outputs update(const json::object& update, Timestamp now);
  struct Asked {
    ItemId item_id;  // Empty when the request makes no sense and must be refused.
    Outputs outputs;
  };
  /// `params` of session/request_permission.
  Asked permission(const json::object& params, Timestamp now);
  /// A remark of ours in the running turn; it replaces the last one.
  Outputs note(std::string text, Timestamp now);
  /// A result that may name modes, models or options.
  Outputs session_result(const json::object& result);
  /// The mode or model that the user chose and the agent accepted.
  Outputs chose_mode(std::string mode);
  Outputs chose_model(std::string model);
  Outputs chose_thinking(std::string level);

  // --- What the user says -------------------------------------------------------------------
  /// An approval that is being answered, out of here without a word; null when it is not pending.
  /// `asked_again` brings it back, `withdrawn` ends it.
  [[nodiscard]] std::unique_ptr<Item> take_approval(const ItemId& item);
  void asked_again(std::unique_ptr<Item> approval);
  /// The agent no longer wants an answer.
  Outputs withdrawn(const ItemId& item, Timestamp now);
  Outputs withdrawn(std::unique_ptr<Item> approval, Timestamp now);
  /// The approval while it is pending, else null.
  [[nodiscard]] const Approval* pending_approval(const ItemId& item) const;

  // --- Replay -------------------------------------------------------------------------------
  /// Until the next prompt, updates are history: user chunks begin turns. Turn ids follow from
  /// `cli_session_id`, so that the same history always gets the same ids.
  void begin_replay(std::string cli_session_id);
  /// The agent says that this was all. Some go on nevertheless; that is history too.
  Outputs end_replay(Timestamp now) { return settle(now); }

  [[nodiscard]] const SessionFacts& facts() const { return facts_; }
  [[nodiscard]] const ConfigIds& config_ids() const { return config_ids_; }

 private:
  enum class End { Completed, Cancelled, Failed };

  Item new_item(ItemBody body, Timestamp now);
  void emit(Outputs& out, Item& item, bool& shown, Timestamp now);
  void emit_final(Outputs& out, Item item, ItemStatus status, Timestamp now);

  bool ensure_turn(Outputs& out, Timestamp now);
  void begin_turn(Outputs& out, Turn turn);
  void finish(Outputs& out, End end, Timestamp now);
  void close_items(Outputs& out, End end, Timestamp now);

  void on_chunk(Outputs& out, TextKind kind, const json::object& update, Timestamp now);
  void on_text(Outputs& out, TextKind kind, std::string_view message_id, std::string_view text,
               Timestamp now);
  bool on_text_again(Outputs& out, std::string_view message_id, std::string_view text,
                     Timestamp now);
  void on_user_chunk(Outputs& out, const json::object& update, Timestamp now);
  void on_tool(Outputs& out, const json::object& update, bool announced, Timestamp now);
  void on_plan(Outputs& out, const json::object& update, Timestamp now);
  void on_session_info(Outputs& out, const json::object& update, Timestamp now);
  void on_note(Outputs& out, std::string text, Timestamp now);
  void on_facts(Outputs& out, std::string_view kind, const json::object& update);

  void open_text(TextKind kind, std::string_view message_id, Timestamp now);
  void close_text(Outputs& out, ItemStatus status, Timestamp now);
  void close_note(Outputs& out, Timestamp now);
  OpenTool* find_tool(Outputs& out, std::string_view call_id, Timestamp now);
  void close_tool(Outputs& out, OpenTool& tool, ItemStatus status, Timestamp now);
  void settle_tool(Outputs& out, std::string_view except, Timestamp now);

  SessionId session_id_;
  std::string provider_id_;
  SessionFacts facts_;
  ConfigIds config_ids_;

  // What only a running turn has is apart: most sessions have none.
  std::unique_ptr<Turn> turn_;
  std::size_t next_index_ = 0;
  std::size_t turns_made_ = 0;
  bool prompted_ = false;  // The running turn is the answer to a prompt of ours.
  bool cancel_requested_ = false;
  bool last_was_cancelled_ = false;
  bool replaying_ = false;
  std::string replay_of_;

  bool model_failed_ = false;  // The agent says so while it pretends to answer.
  std::string failure_text_;

  std::unique_ptr<OpenText> text_;
  std::unique_ptr<OpenItem> note_;  // What the agent says of its own troubles; replaced as it goes.
  std::unique_ptr<OpenItem> plan_;
  std::map<std::string, OpenTool, std::less<>> tools_;  // Open ones, by the agent's id.
  std::set<std::string, std::less<>> closed_tools_;     // Of this turn and the one before it.
  std::string settling_tool_;  // Announced as finished; its output may follow directly.
  std::map<std::string, Item, std::less<>> approvals_;  // Pending ones, by item id.
};

}  // namespace lb::acp
