#include "session/turns/recovery.h"

#include <unordered_set>
#include <utility>

#include "base/result.h"
#include "session/turns/prompt_forms.h"

namespace lb {
namespace {

constexpr std::string_view kRestarted = "The server was restarted while this was running.";
constexpr std::string_view kMayHaveHadIt =
    "The server stopped while this answer was on its way; the agent may have had it.";

Item cut_off(Item item, Timestamp now) {
  cut_short(item, now);
  if (const auto* approval = std::get_if<Approval>(&item.body)) {
    if (approval->answer) {
      item.error_code = name_of(ErrorCode::ServerRestarted);
      item.error_message = kMayHaveHadIt;
    }
  } else {
    item.status = ItemStatus::Error;
    item.error_code = name_of(ErrorCode::ServerRestarted);
    item.error_message = kRestarted;
  }
  return item;
}

Turn cut_off(Turn turn, Timestamp now) {
  turn.type = TurnType::Error;
  turn.status.reset();
  turn.content.reset();
  turn.attachments.clear();
  turn.held = false;
  turn.error_code = name_of(ErrorCode::ServerRestarted);
  turn.error_message = kRestarted;
  turn.ended_at = now;
  return turn;
}

/// The turn that an entry is, or is part of.
std::string turn_id_of(const StoredEntry& entry) {
  if (entry.kind == EntryKind::Turn) return entry.id;
  const auto item = decode_text<Item>(entry.payload);
  return item ? item->turn_id.str() : std::string();
}

void set_aside(CutImport& import, const StoredEntry& entry) {
  if (entry.kind == EntryKind::Item) {
    import.items[ItemId(entry.id)] = entry.pos;
  } else {
    import.turns[TurnId(entry.id)] = entry.pos;
  }
}

void recover_turn(Recovery& plan, Turn turn, const PromptRecord* prompt, Timestamp now) {
  if (prompt != nullptr) turn.client_message_id = client_message_id(prompt->key);
  // Not settled: it was on its way to the agent, which may have it.
  if (turn.type != TurnType::Queued || prompt == nullptr || !prompt->settled) {
    plan.turn_failed = true;
    plan.forms.emplace_back(cut_off(std::move(turn), now));
    return;
  }
  UserPrompt queued = from_record(*prompt);
  queued.queued_at = turn.queued_at;
  turn.attachments = queued.attachments;  // Stores of earlier versions have them here only.
  plan.queued.push_back(std::move(queued));
  turn.held = true;
  plan.forms.emplace_back(std::move(turn));
}

}  // namespace

Recovery plan_recovery(const SessionRecord& session, const Unfinished& left,
                       const PromptsByTurn& prompts, Timestamp now) {
  Recovery plan;
  std::unordered_set<std::string> open_turns;
  for (const StoredEntry& entry : left.entries) {
    plan.found = std::max(plan.found, entry.rev);
    if (!session.imported && !prompts.contains(turn_id_of(entry))) {
      set_aside(plan.cut_import, entry);
    } else if (entry.kind == EntryKind::Item) {
      if (auto item = decode_text<Item>(entry.payload)) {
        plan.forms.emplace_back(cut_off(std::move(*item), now));
      }
    } else if (auto turn = decode_text<Turn>(entry.payload)) {
      const auto prompt = prompts.find(entry.id);
      open_turns.insert(entry.id);
      recover_turn(plan, std::move(*turn), prompt == prompts.end() ? nullptr : &prompt->second,
                   now);
    }
  }
  for (const PromptRecord& prompt : left.prompts) {
    const UserPrompt said = from_record(prompt);
    plan.forms.emplace_back(user_item(said, session.id, now));
    if (!open_turns.contains(said.turn.str())) {
      plan.turn_failed = true;
      plan.forms.emplace_back(cut_off(turn_of(said, session.id, TurnType::Error), now));
    }
    plan.settled.push_back(to_record(said, PromptFate::Settled));
  }
  return plan;
}

}  // namespace lb
