/// Translator: what Claude Code writes, in our words.
///
/// One line (parsed) in; upserts, turns, facts and the CLI's id out. All quirks of the CLI are
/// here and nowhere else; the history reader feeds the same code, so a conversation read from the
/// CLI's file looks as it did live. The rules that hold it together:
///   - a turn begins with `system/init` and ends with `result`; `message_stop` ends nothing;
///   - text is shown from the stream and settled by the `assistant` line; what no such line
///     confirmed, or what was cut, ends as cancelled;
///   - a tool call is final with its result only;
///   - lines belong to a subagent by their parent call, and live in the turn of that call;
///   - lines with type `user` are never the user's words.
/// Pure: time is an input, outputs are collected and taken. Owned by a session (io thread) or by a
/// history reader (any one thread).
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "model/session.h"
#include "providers/claude/protocol.h"
#include "providers/claude/translate/facts.h"
#include "providers/claude/translate/open_items.h"
#include "providers/claude/translate/plan_keeper.h"
#include "providers/provider.h"

namespace lb::claude {

/// A prompt of ours was taken up by the CLI: its turn runs.
struct TurnBound {
  TurnId turn;
};
using Output = std::variant<Upsert, Turn, SessionFacts, CliIdentity, TurnBound, Steered>;

struct TranslatorOptions {
  SessionId session;
  std::string provider_id = "claude-code";
  std::string agent = "Claude Code";  // For people.
  std::string command = "claude";     // What they run in a terminal.
  BatcherOptions batching = {};
  OpenItems::Forms forms = OpenItems::Forms::Every;
  bool bypass_allowed = false;
};

/// How a turn ends, whoever says so: a `result`, the end of the process, or a history file.
struct TurnEnd {
  TurnType type = TurnType::Complete;
  std::optional<TurnStatus> status;
  std::optional<std::string> finish_reason;
  std::optional<Usage> usage;
  std::optional<double> cost_usd;
  std::string error_code;
  std::string error_message;
};

class Translator {
 public:
  explicit Translator(TranslatorOptions options);

  /// One line of the CLI. Lines about our own control requests are the session's business.
  void line(const json::object& record, Moment at);
  /// The answer to `initialize`: commands and models.
  void initialized(const json::object& response);

  /// A prompt was written; the next `init` takes it up.
  void prompt(TurnId turn);
  /// It was not, after all.
  void retract(const TurnId& turn);
  /// A prompt was written while a turn runs: that one takes it up, or the next `init` does.
  void steer(TurnId turn);
  /// Such a prompt is still with the CLI.
  [[nodiscard]] bool steering() const { return !steers_.empty(); }
  /// We asked for an interrupt: the turn will end as cancelled.
  void interrupted() { interrupted_ = true; }

  void tick(Moment at) { items_.tick(at); }
  [[nodiscard]] std::optional<MonoMs> deadline() const { return items_.deadline(); }

  /// The process is gone: whatever is open ends, also what works in the background. `end` is the
  /// end of the turn that was open.
  void process_ended(TurnEnd end, Moment at);

  // --- Approvals (approvals.cpp) ----------------------------------------------------------------
  struct AnswerLine {
    std::string line;              // The control_response to write.
    bool carries_message = false;  // The user's words are in it.
  };
  /// What to write for the user's decision. Nothing has changed yet.
  [[nodiscard]] Result<AnswerLine> prepare(const Answer& answer);
  /// The answer is being written: until `answered` or `unanswered` nothing ends the question. False
  /// when it is no longer asked.
  bool answering(const Answer& answer);
  /// The CLI has it. The final form is the session layer's to publish.
  void answered(const ItemId& item);
  /// The CLI did not take it: asked again, or over if its reason went away meanwhile.
  void unanswered(const ItemId& item, Moment at);
  /// The main thread's open questions expire; returns the refusals to write.
  std::vector<std::string> refuse_open(Moment at);

  // --- Turns from elsewhere (the history reader) ------------------------------------------------
  void begin_turn(TurnId turn, TurnOrigin origin, Moment at);
  void end_turn(TurnEnd end, Moment at);
  /// A line of the system in the conversation: retries, compaction, local output.
  void note(std::string text, Moment at);
  /// The user's words in the open turn; the item is `<turn>:<name>`.
  void user_message(std::string_view name, std::string text, Moment at);

  [[nodiscard]] bool turn_open() const { return turn_.has_value(); }
  [[nodiscard]] const TurnId* turn_id() const { return turn_ ? &turn_->turn.turn_id : nullptr; }
  /// True while a subagent works in the background.
  [[nodiscard]] bool in_background() const;
  [[nodiscard]] const FactKeeper& facts() const { return facts_; }
  [[nodiscard]] FactKeeper& facts() { return facts_; }
  /// Says the facts again if they changed.
  void publish_facts();

  /// Everything that happened since the last call, in order.
  [[nodiscard]] std::vector<Output> take() { return std::exchange(outputs_, {}); }

 private:
  enum class BlockKind { Text, Thinking, Tool };
  struct Block {
    BlockKind kind = BlockKind::Text;
    std::int64_t index = 0;
    ItemId item;
    std::string call_id;
    std::string json;      // Arguments as they stream in.
    bool stopped = false;  // content_block_stop was seen.
    bool matched = false;  // The assistant line was seen.
    bool ended = false;
  };
  /// One answer of the model: message_start … message_stop, or just its assistant lines.
  struct Speech {
    TurnId turn;
    std::uint64_t ordinal = 0;
    std::optional<std::string> parent;
    bool streamed = false;
    bool stopped_well = false;  // A stop reason was given: nothing of it was cut.
    std::vector<Block> blocks;
  };
  struct Call {
    TurnId turn;
    ItemId item;
    std::string name;
    std::optional<std::string> parent;
    bool done = false;
    bool background = false;  // An agent that goes on after its call has a result.
  };
  struct OpenTurn {
    Turn turn;
    std::vector<TurnId> merged;   // Prompts that the CLI took into this turn.
    std::vector<TurnId> unbound;  // Whose senders do not know yet that they run.
    std::string error_text;       // Of the last synthetic error.
    std::string error_kind;
    std::optional<std::string> stop_reason;
    std::optional<TurnEnd> suspended;  // Ended by a result that was not for our prompt.
    std::optional<ItemId> retry_note;
  };
  struct Numbers {
    std::uint64_t message = 0;
    std::uint64_t note = 0;
    std::uint64_t approval = 0;
    std::uint64_t tool = 0;
  };
  struct Asked {
    std::string request_id;
    ItemId item;
    std::string call_id;
    std::optional<std::string> parent;
    json::value input;
    std::vector<json::value> suggestions;
    std::optional<OpenItems::Entry> answering = {};  // Its item, while an answer is written.
    bool over = false;                               // It ended meanwhile.
  };

  // translator.cpp
  void user_line(const json::object& record, Moment at);
  void emit_turn(const Turn& turn);

  // translator_blocks.cpp
  void stream_event(const json::object& record, Moment at);
  void message_start(const json::object& message, std::optional<std::string> parent, Moment at);
  void block_start(Speech& speech, const json::object& event, Moment at);
  void block_delta(Speech& speech, const json::object& event, Moment at);
  void block_stop(Speech& speech, std::int64_t index, Moment at);
  void message_delta(Speech& speech, const json::object& event, Moment at);
  void assistant(const json::object& record, Moment at);
  void synthetic(const json::object& record, Moment at);
  void assistant_block(Speech& speech, const json::object& block, const json::object& record,
                       Moment at);
  Block& match(Speech& speech, BlockKind kind, const json::object& block, Moment at);
  Block& add_block(Speech& speech, BlockKind kind, std::int64_t index, Moment at);
  Speech& new_speech(std::string id, std::optional<std::string> parent, Moment at);
  void settle(Speech& speech, ItemStatus status, Moment at);
  enum class Instead { Nothing, AnotherMessage };
  void void_stream(const std::optional<std::string>& parent, Instead instead, Moment at);
  void take_back(Speech& speech, Moment at);
  static Block* block_at(Speech& speech, std::int64_t index);

  // translator_tools.cpp
  void open_call(Speech& speech, Block& block, const json::object& use, Moment at);
  void whole_arguments(const Block& block, const json::object& input, Moment at);
  void tool_result(const json::object& block, const json::object& record, Moment at);
  void unknown_result(const std::string& call_id, const json::object& block,
                      const json::object& record, Moment at);
  void after_result(const std::string& call_id, const ToolCall& tool, const json::value* structured,
                    Moment at);
  void show_plan(Moment at);

  // translator_turns.cpp
  void init(const json::object& record, Moment at);
  void result(const json::object& record, Moment at);
  TurnEnd outcome(const json::object& record) const;
  void ensure_turn(Moment at);
  void take_prompt(const std::vector<TurnId>& taken, Moment at);
  void start_turn(TurnId turn, TurnOrigin origin, Moment at);
  void announce();
  void state_changed(std::string_view state, Moment at);
  void lifecycle(const json::object& record);
  void steered(const TurnId& prompt, Result<TurnId> into);
  void forget_past_turns();

  // translator_system.cpp
  void system_line(const json::object& record, Moment at);
  void retry(const json::object& record, Moment at);
  void end_retry_note(Moment at);
  void compacted(const json::object& record, Moment at);
  void task_line(std::string_view subtype, const json::object& record, Moment at);
  void task_over(const std::string& call_id, Moment at);
  void close(const std::function<bool(const OpenItems::Entry&)>& which, const Ending& tool_ending,
             Moment at);
  [[nodiscard]] bool is_background(const std::optional<std::string>& parent) const;
  [[nodiscard]] TurnId turn_of(const std::optional<std::string>& parent, Moment at);
  Numbers& numbers(const TurnId& turn) { return numbers_[turn]; }

  // approvals.cpp
  void ask(const std::string& request_id, const json::object& request, Moment at);
  void withdraw(std::string_view request_id, Moment at);
  void expire(const std::function<bool(const Asked&)>& which, Moment at);
  Asked* asked_for(const ItemId& item);

  TranslatorOptions options_;
  std::vector<Output> outputs_;
  OpenItems items_;
  FactKeeper facts_;
  PlanKeeper plan_;
  std::string cli_session_;
  std::optional<OpenTurn> turn_;
  std::deque<TurnId> pending_;
  std::vector<TurnId> steers_;  // Those of them that were written in the middle of a turn.
  bool lifecycles_ = false;     // The CLI says when it takes a prompt up.
  std::optional<TurnId> last_turn_;
  std::unordered_map<std::string, Speech> speeches_;    // By message id.
  std::map<std::string, std::string> streaming_;        // Parent call (or "") → message id.
  std::unordered_map<std::string, Call> calls_;         // By the CLI's call id.
  std::unordered_map<std::string, std::string> tasks_;  // Task id → call id.
  std::map<TurnId, Numbers> numbers_;
  std::deque<Asked> asked_;
  std::map<ItemId, bool> answered_;  // Approvals that have ended: asked once, answered once.
  bool interrupted_ = false;
};

}  // namespace lb::claude
