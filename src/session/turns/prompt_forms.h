/// A prompt in its forms: as the store keeps it, as the user's message, and as its turn. Pure.
#pragma once

#include <optional>
#include <string>

#include "model/item.h"
#include "model/requests.h"
#include "model/turn.h"
#include "session/turns/delivery.h"
#include "store/records.h"

namespace lb {

/// Unsettled: nothing in the timeline says yet what becomes of it, and the agent may have it.
enum class PromptFate { Unsettled, Settled };

PromptRecord to_record(const UserPrompt& prompt, PromptFate fate);
UserPrompt from_record(const PromptRecord& record);

/// The user's message, final.
Item user_item(const UserPrompt& prompt, const SessionId& session, Timestamp now);
/// Its turn, without times but when it was queued.
Turn turn_of(const UserPrompt& prompt, const SessionId& session, TurnType type);

/// What was attached, as the message shows it.
Attachment attachment_of(AttachmentRef ref, const AttachmentRecord& record);
/// What a prompt says, or what is attached to one that says nothing.
std::string words_of(const UserPrompt& prompt);

/// The id that the user's client gave a message, as its item and its turn carry it.
std::optional<std::string> client_message_id(const std::string& key);

}  // namespace lb
