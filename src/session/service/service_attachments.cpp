// What is attached to prompts: images and texts, kept with their session.
#include <algorithm>
#include <array>

#include "base/id.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "session/service/session_service.h"

namespace lb {
namespace {

Result<void> check_text(const AttachmentData& data) {
  if (data.bytes.size() > limits::kTextBytesMax) {
    return fail(ErrorCode::TooLarge, "An attached text may have 5 MiB at most.");
  }
  if (is_valid_utf8(data.bytes)) return {};
  return fail(ErrorCode::UnsupportedMediaType, "An attached text must be UTF-8.");
}

Result<void> check_image(const AttachmentData& data) {
  constexpr std::array<std::string_view, 4> kImages = {"image/png", "image/jpeg", "image/gif",
                                                       "image/webp"};
  if (std::ranges::find(kImages, data.mime_type) == kImages.end()) {
    return fail(ErrorCode::UnsupportedMediaType,
                "Only images (PNG, JPEG, GIF, WebP) and plain text can be attached.");
  }
  if (data.bytes.size() <= limits::kAttachmentBytesMax) return {};
  return fail(ErrorCode::TooLarge, "An attached image may have 20 MiB at most.");
}

}  // namespace

asio::awaitable<Result<std::string>> SessionService::add_attachment(SessionId id,
                                                                    AttachmentData data) {
  const auto session = find(id);
  if (!session) co_return std::unexpected(session.error());
  if (data.bytes.empty()) co_return fail(ErrorCode::InvalidRequest, "The attachment is empty.");
  auto good = data.mime_type == Attachment::kText ? check_text(data) : check_image(data);
  if (!good) co_return std::unexpected(std::move(good.error()));
  AttachmentRecord record{make_uuid(), id, std::move(data.mime_type), std::move(data.bytes)};
  const std::string attachment = record.id;
  WriteBatch batch;
  batch.attachments.push_back(std::move(record));
  if (auto stored = co_await deps_.store.commit(std::move(batch)); !stored) {
    co_return std::unexpected(std::move(stored.error()));
  }
  co_return attachment;
}

asio::awaitable<Result<AttachmentData>> SessionService::attachment(SessionId id,
                                                                   std::string attachment_id) {
  const auto session = find(id);
  if (!session) co_return std::unexpected(session.error());
  auto found = co_await deps_.store.read_attachment(id, std::move(attachment_id));
  if (!found) co_return std::unexpected(std::move(found.error()));
  if (!found->has_value()) {
    co_return fail(ErrorCode::ItemNotFound, "There is no such attachment in this session.");
  }
  co_return AttachmentData{std::move((*found)->mime_type), std::move((*found)->bytes)};
}

/// Those that are still there, by their ids.
asio::awaitable<Result<std::map<std::string, std::string>>> SessionService::texts_in(
    SessionId id, std::vector<std::string> attachments) {
  std::map<std::string, std::string> texts;
  for (const std::string& attachment : attachments) {
    auto found = co_await deps_.store.read_attachment(id, attachment);
    if (!found) co_return std::unexpected(std::move(found.error()));
    if (found->has_value()) texts[attachment] = std::move((*found)->bytes);
  }
  co_return texts;
}

}  // namespace lb
