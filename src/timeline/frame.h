/// Frame: one change of a session, encoded once and shared by everyone who reads it.
///
/// The text is the whole message of docs/wire.md (`session:upsert`, `session:turn` or
/// `session:append`): a WebSocket sends it as it is, SSE behind `data: `, and the store and a
/// history take the payload inside it. Immutable, so any thread may hold one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace lb {

using Revision = std::uint64_t;

enum class FrameKind { Upsert, Turn, Append };

struct Frame {
  FrameKind kind = FrameKind::Upsert;
  Revision rev = 0;
  std::uint64_t pos = 0;
  std::string json;
  std::size_t payload_begin = 0;  // Of the payload in `json`; an append has none.
  std::size_t payload_size = 0;
  /// When the oldest change in it was read from the agent, in µs of the steady clock; of a whole
  /// form, its last change. 0: it is not new, it comes from the store.
  std::uint64_t arrived_us = 0;

  [[nodiscard]] std::string_view payload() const {
    return std::string_view(json).substr(payload_begin, payload_size);
  }
  /// The message type: also the event name over SSE.
  [[nodiscard]] std::string_view type() const {
    constexpr std::string_view kTypes[] = {"session:upsert", "session:turn", "session:append"};
    return kTypes[static_cast<std::size_t>(kind)];
  }
};

using FramePtr = std::shared_ptr<const Frame>;

/// How every frame begins, up to and with its revision; the object is still open.
void append_frame_head(Frame& frame, std::string_view session_id);

/// The frame of a form that is already encoded (it comes back from the store).
FramePtr frame_from_payload(FrameKind kind, std::string_view session_id, Revision rev,
                            std::uint64_t pos, std::string_view payload);

/// The payloads as the elements of a JSON array, without its brackets.
void append_payloads(std::string& out, const std::vector<FramePtr>& frames);

}  // namespace lb
