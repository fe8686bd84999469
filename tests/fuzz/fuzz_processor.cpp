// The batcher, the envelope processor and the timeline together: any sequence of events, in any
// order and at any time. Whatever comes, items that are final stay final, a turn ends once, and a
// reader with appends holds the same text as one without.

#include <cstdlib>
#include <map>
#include <string>
#include <string_view>

#include "base/utf8.h"
#include "stream/envelope_processor.h"
#include "timeline/timeline.h"

namespace {

using namespace lb;

/// Turns bytes into small choices.
class Choices {
 public:
  Choices(const unsigned char* data, std::size_t size) : data_(data), size_(size) {}
  [[nodiscard]] bool empty() const { return at_ >= size_; }
  unsigned pick(unsigned below) { return empty() ? 0 : data_[at_++] % below; }
  std::string text() {
    const std::size_t length = std::min<std::size_t>(pick(32), size_ - at_);
    std::string piece(reinterpret_cast<const char*>(data_) + at_, length);
    at_ += length;
    repair_utf8(piece);
    return piece;
  }

 private:
  const unsigned char* data_;
  std::size_t size_;
  std::size_t at_ = 0;
};

StreamPayload payload(Choices& choose) {
  const std::string id = "i" + std::to_string(choose.pick(4));
  const std::string call = "c" + std::to_string(choose.pick(4));
  switch (choose.pick(10)) {
    case 0:
      return {ResponseStart{"model", "provider"}};
    case 1:
      return {ItemStart{
          {id}, static_cast<StreamItemType>(choose.pick(4)), choose.text(), "tool", call}};
    case 2:
    case 3:
    case 4:
      return {ItemDelta{{id}, choose.text()}};
    case 5:
      return {ItemDone{{id}, {FinalMessage{choose.text(), Origin::Agent}}}};
    case 6:
      return {ItemDone{{id}, {FinalOutput{call, choose.text(), choose.pick(2) == 0}}}};
    case 7:
      return {ItemError{{id}, {"CODE", choose.text()}}};
    case 8:
      return {ItemCancelled{{id}, {}}};
    default:
      return {ResponseDone{static_cast<ResponseStatus>(choose.pick(3)), {}, {}, {}}};
  }
}

/// Applies frames as a client does; only the texts matter here.
void apply(std::map<std::string, std::string>& texts, const FramePtr& frame) {
  const auto message = parse_json(frame->json);
  if (!message) std::abort();
  const auto& object = message->as_object();
  if (frame->kind == FrameKind::Append) {
    std::string& text = texts[std::string(string_at(object, "itemId"))];
    if (utf16_length(text) != static_cast<std::size_t>(number_at(object, "from"))) std::abort();
    text += string_at(object, "text");
  } else if (frame->kind == FrameKind::Upsert) {
    const auto& item = *object_at(object, "payload");
    const bool tool = string_at(item, "type") == "tool_call";
    texts[std::string(string_at(item, "itemId"))] =
        string_at(item, tool ? "toolOutput" : "content");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  Choices choose(data, size);
  EnvelopeProcessor processor(
      {.gradient = {1, 2, 4}, .idle_ms = 100, .age_ms = choose.pick(2) * 20});
  Timeline timeline(SessionId("s"), {}, {.spans_max = 4});
  std::map<std::string, std::string> whole;
  std::map<std::string, std::string> appended;
  Revision whole_at = 0;
  Revision appended_at = 0;
  MonoMs mono = 0;
  int turn = 0;
  while (!choose.empty()) {
    mono += choose.pick(60);
    StreamEvent event;
    event.turn_id.text = "t" + std::to_string(turn);
    event.session_id.text = "s";
    event.payload = payload(choose);
    event.type = static_cast<StreamEventType>(event.payload.body.index());
    auto outputs = processor.tick({{mono}, mono});
    for (auto& output : processor.process(event, {{mono}, mono}))
      outputs.push_back(std::move(output));
    for (auto& output : outputs) {
      if (auto* upsert = std::get_if<Upsert>(&output)) {
        upsert->item_id = ItemId(event.turn_id.text + ":" + upsert->item_id.str());
        (void)timeline.put(*upsert);
      } else {
        const Turn& changed = std::get<Turn>(output);
        (void)timeline.put(changed);
        if (is_final(changed)) ++turn;
      }
    }
    if (choose.pick(3) == 0) timeline.durable_up_to(timeline.head());
    if (choose.pick(2) == 0) {
      const auto changes =
          timeline.changes_since(appended_at, ReadForm::Appends, 1 + choose.pick(255));
      for (const auto& frame : changes.frames) apply(appended, frame);
      appended_at = changes.rev;
    }
  }
  for (auto& output : processor.destroy({"END", "end"}, {{mono}, mono})) {
    if (auto* upsert = std::get_if<Upsert>(&output)) {
      upsert->item_id = ItemId("t" + std::to_string(turn) + ":" + upsert->item_id.str());
      (void)timeline.put(*upsert);
    }
  }
  timeline.durable_up_to(timeline.head());
  for (const auto& frame : timeline.changes_since(whole_at, ReadForm::Whole).frames)
    apply(whole, frame);
  for (const auto& frame : timeline.changes_since(appended_at, ReadForm::Appends).frames) {
    apply(appended, frame);
  }
  if (whole != appended) std::abort();
  return 0;
}
