/// Turn: from a user message to the agent's end of work, in its newest form.
///
/// The four types are the life of a turn; a reader that fell behind may see an end without its
/// start. A failed turn is turn_error; turn_complete means completed or cancelled, never an error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.h"
#include "model/attachment.h"
#include "model/workspace.h"

namespace lb {

enum class TurnType { Queued, Started, Complete, Error };
template <>
struct EnumNames<TurnType> {
  static constexpr std::array<std::string_view, 4> names = {"turn_queued", "turn_started",
                                                            "turn_complete", "turn_error"};
};

enum class TurnStatus { Completed, Cancelled };
template <>
struct EnumNames<TurnStatus> {
  static constexpr std::array<std::string_view, 2> names = {"completed", "cancelled"};
};

/// Who began the turn: the user, or the agent by itself (a background task that finished).
enum class TurnOrigin { User, Agent };
template <>
struct EnumNames<TurnOrigin> {
  static constexpr std::array<std::string_view, 2> names = {"user", "agent"};
};

struct Usage {
  static constexpr std::string_view kName = "Usage";
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::optional<std::uint64_t> cache_read_input_tokens;
  std::optional<std::uint64_t> cache_creation_input_tokens;
  friend bool operator==(const Usage&, const Usage&) = default;
};
template <class Fields>
void describe(Fields& field, Usage& usage) {
  field("inputTokens", usage.input_tokens);
  field("outputTokens", usage.output_tokens);
  field.optional("cacheReadInputTokens", usage.cache_read_input_tokens);
  field.optional("cacheCreationInputTokens", usage.cache_creation_input_tokens);
}

struct Turn {
  static constexpr std::string_view kName = "Turn";
  TurnType type = TurnType::Started;
  std::optional<TurnStatus> status;  // Only with turn_complete.
  TurnId turn_id;
  SessionId session_id;
  std::uint64_t rev = 0;
  std::uint64_t pos = 0;
  TurnOrigin origin = TurnOrigin::User;
  std::optional<std::string> client_message_id;  // Of the message that began it.
  std::optional<Text> content;                   // The prompt, while it is queued.
  std::vector<Attachment> attachments;           // What goes with it, while it is queued.
  bool held = false;  // Queued, and waiting for the user to release the queue.
  std::optional<std::uint64_t>
      place;  // In the queue, where the user gave it one; else it is `pos`.
  std::optional<std::string> model_id;
  std::optional<std::string> provider_id;
  std::optional<Timestamp> queued_at;
  std::optional<Timestamp> started_at;
  std::optional<Timestamp> ended_at;
  std::optional<std::uint64_t> waited_ms;         // Between start and end, for the user's answers.
  std::optional<CheckpointState> checkpoint;      // Whether it can be rewound.
  std::optional<std::string> checkpoint_problem;  // Why it cannot.
  std::optional<std::string> finish_reason;
  std::optional<Usage> usage;
  std::optional<double> cost_usd;
  std::optional<std::string> error_code;
  std::optional<std::string> error_message;
  friend bool operator==(const Turn&, const Turn&) = default;
};
template <class Fields>
void describe(Fields& field, Turn& turn) {
  field("type", turn.type);
  field.optional("status", turn.status);
  field("turnId", turn.turn_id);
  field("sessionId", turn.session_id);
  field("rev", turn.rev);
  field("pos", turn.pos);
  field("origin", turn.origin);
  field.optional("clientMessageId", turn.client_message_id);
  field.optional("content", turn.content);
  field.optional("attachments", turn.attachments);
  field.flag("held", turn.held);
  field.optional("place", turn.place);
  field.optional("modelId", turn.model_id);
  field.optional("providerId", turn.provider_id);
  field.optional("queuedAt", turn.queued_at);
  field.optional("startedAt", turn.started_at);
  field.optional("endedAt", turn.ended_at);
  field.optional("waitedMs", turn.waited_ms);
  field.optional("checkpoint", turn.checkpoint);
  field.optional("checkpointProblem", turn.checkpoint_problem);
  field.optional("finishReason", turn.finish_reason);
  field.optional("usage", turn.usage);
  field.optional("costUsd", turn.cost_usd);
  field.optional("errorCode", turn.error_code);
  field.optional("errorMessage", turn.error_message);
  require(field, turn.type != TurnType::Error || turn.error_code.has_value(), "errorCode",
          "missing in a turn_error");
  require(field, (turn.type == TurnType::Complete) == turn.status.has_value(), "status",
          "belongs to turn_complete, and only there");
}
extern template void describe(Encoder&, Turn&);  // Compiled once, in codecs.cpp.
extern template void describe(Decoder&, Turn&);

/// What orders the queue.
inline std::uint64_t place_in_queue(const Turn& turn) {
  return turn.place.value_or(turn.pos);
}

inline bool is_final(const Turn& turn) {
  return turn.type == TurnType::Complete || turn.type == TurnType::Error;
}

}  // namespace lb
