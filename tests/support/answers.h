/// Answering an approval without a Session: what it does between a provider and its sink.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <utility>

#include "providers/provider.h"

namespace lb::test {

/// Prepares and writes an answer.
inline asio::awaitable<Result<void>> give_answer(Provider& provider, SessionId session,
                                                 Answer answer) {
  auto prepared = provider.prepare_answer(session, answer);
  if (!prepared) co_return std::unexpected(std::move(prepared.error()));
  co_return co_await prepared->write();
}

/// The final form that the session layer publishes then.
inline Item as_answered(Item item, const Answer& answer, Timestamp now) {
  auto& approval = std::get<Approval>(item.body);
  approval.state = ApprovalState::Answered;
  approval.answer = ApprovalAnswer{answer.option_id, answer.message, answer.answers};
  approval.answered_at = now;
  if (!answer.answered_by.empty()) approval.answered_by = answer.answered_by;
  item.status = ItemStatus::Complete;
  item.source_timestamp = item.emitted_at = now;
  item.ended_at = now;
  return item;
}

}  // namespace lb::test
