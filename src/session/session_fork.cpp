// The conversation that a fork begins with: a copy of the final entries of another session.

#include <map>
#include <utility>

#include "session/session.h"

namespace lb {

asio::awaitable<Result<void>> Session::copy_history(std::shared_ptr<Session> from) {
  const auto self = shared_from_this();
  auto history = co_await from->live_->window(UINT64_MAX, UINT64_MAX);
  if (!history) co_return std::unexpected(std::move(history.error()));
  std::map<std::uint64_t, FramePtr> in_order;
  for (auto* list : {&history->items, &history->turns}) {
    for (FramePtr& frame : *list) in_order.emplace(frame->pos, std::move(frame));
  }
  for (const auto& [pos, frame] : in_order) {
    if (frame->kind == FrameKind::Turn) {
      auto turn = decode_text<Turn>(frame->payload());
      if (!turn || !is_final(*turn)) continue;
      turn->session_id = id();
      turn->pos = 0;
      live_->put(std::move(*turn));
    } else {
      auto item = decode_text<Item>(frame->payload());
      if (!item || !is_final(item->status)) continue;
      if (auto copied = co_await copy_attached(from->id(), *item); !copied) co_return copied;
      item->session_id = id();
      item->pos = 0;
      live_->put(std::move(*item));
    }
  }
  co_return Result<void>{};
}

/// What an item only refers to: attached images (under ids of their own) and long tool outputs.
asio::awaitable<Result<void>> Session::copy_attached(SessionId from, Item& item) {
  const auto self = shared_from_this();
  Store& store = host_.deps().store;
  if (auto* message = std::get_if<Message>(&item.body)) {
    for (Attachment& attachment : message->attachments) {
      auto found = co_await store.read_attachment(from, attachment.attachment_id);
      if (!found) co_return std::unexpected(std::move(found.error()));
      if (!found->has_value()) continue;
      AttachmentRecord copy = std::move(**found);
      copy.id = attachment.attachment_id = make_uuid();
      copy.session = id();
      WriteBatch batch;
      batch.attachments.push_back(std::move(copy));
      if (auto stored = co_await store.commit(std::move(batch)); !stored) co_return stored;
    }
  } else if (const auto* tool = std::get_if<ToolCall>(&item.body); tool && tool->output_bytes) {
    auto output = co_await store.read_output(from, item.item_id.str());
    if (!output) co_return std::unexpected(std::move(output.error()));
    if (output->has_value()) live_->put_output({item.item_id.str(), std::move(**output)});
  }
  co_return Result<void>{};
}

}  // namespace lb
