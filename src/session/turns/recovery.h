/// Recovery: what becomes of everything that a crash left open in one session.
///
/// A turn that ran is reported once, as an error, and never run again; text keeps what was said of
/// it; an approval expires, and where its answer was on its way it says that the agent may have had
/// it; what was queued waits for the user. What an import was about to bring is not ended: the next
/// import goes on with it. Pure.
#pragma once

#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "model/item.h"
#include "model/turn.h"
#include "session/dormant_session.h"
#include "session/turns/delivery.h"
#include "store/records.h"

namespace lb {

struct Recovery {
  std::vector<std::variant<Item, Turn>> forms;  // For the timeline, in this order.
  std::vector<UserPrompt> queued;               // Held.
  std::vector<PromptRecord> settled;            // Prompts of which the forms now tell.
  CutImport cut_import;
  Revision found = 0;        // The newest of what was open.
  bool turn_failed = false;  // The user has not seen it yet.
};

/// The prompts of the turns that are left open, by turn.
using PromptsByTurn = std::unordered_map<std::string, PromptRecord>;

Recovery plan_recovery(const SessionRecord& session, const Unfinished& left,
                       const PromptsByTurn& prompts, Timestamp now);

}  // namespace lb
