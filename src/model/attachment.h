/// Attachment: what goes with a message of the user, as the message and its queued turn name it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/codec.h"

namespace lb {

/// An image or a text that goes with a message of the user. Its bytes are in the store.
struct Attachment {
  static constexpr std::string_view kName = "Attachment";
  static constexpr std::string_view kText = "text/plain";
  std::string attachment_id;
  std::optional<std::string> name;
  std::string mime_type;
  std::optional<std::uint64_t> bytes = std::nullopt;  // Of a text, in UTF-8.
  std::optional<std::uint64_t> lines = std::nullopt;  // Of a text.
  friend bool operator==(const Attachment&, const Attachment&) = default;
};
template <class Fields>
void describe(Fields& field, Attachment& attachment) {
  field("attachmentId", attachment.attachment_id);
  field.optional("name", attachment.name);
  field("mimeType", attachment.mime_type);
  field.optional("bytes", attachment.bytes);
  field.optional("lines", attachment.lines);
}

}  // namespace lb
