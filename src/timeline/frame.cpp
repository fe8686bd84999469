#include "timeline/frame.h"

#include "base/json.h"

namespace lb {

void append_frame_head(Frame& frame, std::string_view session_id) {
  std::string& out = frame.json;
  out += R"({"type":")";
  out += frame.type();
  out += R"(","sessionId":)";
  append_quoted(out, session_id);
  out += R"(,"rev":)";
  out += std::to_string(frame.rev);
}

// The five columns of a stored row.
// NOLINTNEXTLINE(readability-function-size)
FramePtr frame_from_payload(FrameKind kind, std::string_view session_id, Revision rev,
                            std::uint64_t pos, std::string_view payload) {
  auto frame = std::make_shared<Frame>();
  frame->kind = kind;
  frame->rev = rev;
  frame->pos = pos;
  std::string& out = frame->json;
  out.reserve(payload.size() + session_id.size() + 80);
  append_frame_head(*frame, session_id);
  out += R"(,"payload":)";
  frame->payload_begin = out.size();
  frame->payload_size = payload.size();
  out += payload;
  out += '}';
  return frame;
}

void append_payloads(std::string& out, const std::vector<FramePtr>& frames) {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (i > 0) out += ',';
    out += frames[i]->payload();
  }
}

}  // namespace lb
