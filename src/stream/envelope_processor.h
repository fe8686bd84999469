/// EnvelopeProcessor: canonical stream events in, upserts and turns out.
///
/// Every upsert carries the whole text so far; how often text is emitted is the Batcher's
/// business. A tool call is emitted when it is invoked and when its result is there, under the
/// item id of the invocation. What is still open when a turn ends is closed with it: complete
/// where the turn completed, cancelled or error where it did not, and never complete otherwise.
/// After the end of a turn everything is ignored until the next response_start.
///
/// Pure: time is an input, no I/O, no threads.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "model/item.h"
#include "model/stream_event.h"
#include "model/turn.h"
#include "stream/batcher.h"

namespace lb {

/// Both times of one moment.
struct Now {
  Timestamp wall;
  MonoMs mono = 0;
};

using StreamOutput = std::variant<Upsert, Turn>;

class EnvelopeProcessor {
 public:
  using Outputs = std::vector<StreamOutput>;

  explicit EnvelopeProcessor(BatcherOptions options = {}) : options_(std::move(options)) {}

  Outputs process(const StreamEvent& event, Now now);
  /// Call it at deadline(): emits text that has waited long enough.
  Outputs tick(Now now);
  [[nodiscard]] std::optional<MonoMs> deadline() const;
  /// The source is gone: everything open ends as an error with the text it has, and so does the
  /// turn. No text is lost, nothing is called complete.
  Outputs destroy(const StreamError& why, Now now);

 private:
  struct OpenText {
    Upsert upsert;
    Batcher batcher;
    bool shown = false;
  };
  struct OpenTool {
    Upsert upsert;
  };

  void handle(const ResponseStart& start, const StreamEvent& event, Now now);
  void handle(const ItemStart& start, const StreamEvent& event, Now now);
  void handle(const ItemDelta& delta, const StreamEvent& event, Now now);
  void handle(const ItemDone& done, const StreamEvent& event, Now now);
  void handle(const ItemError& error, const StreamEvent& event, Now now);
  void handle(const ItemCancelled& cancelled, const StreamEvent& event, Now now);
  void handle(const ResponseDone& done, const StreamEvent& event, Now now);
  void handle(const ResponseError& error, const StreamEvent& event, Now now);

  void finish_text(const ItemDone& done, const StreamEvent& event, Now now);
  void finish_call(const FinalCall& call, const ItemDone& done, const StreamEvent& event, Now now);
  void finish_output(const FinalOutput& output, const StreamEvent& event, Now now);

  [[nodiscard]] static Upsert new_upsert(const std::string& item_id, const StreamEvent& event);
  void show(OpenText& open, Now now);
  void emit_final(Upsert upsert, ItemStatus status, Now now);
  /// Closes every open item as the turn ended; `why` counts where that is an error.
  void close_items(ItemStatus status, const StreamError& why, Now now);
  void end_turn(const StreamEvent& event, Turn end);

  BatcherOptions options_;
  bool ended_ = false;
  std::optional<Turn> turn_;  // The open turn.
  std::string provider_id_;
  std::map<std::string, OpenText> texts_;  // by item id
  std::map<std::string, OpenTool> tools_;  // by call id
  std::set<std::string> cancelled_;        // item ids
  Outputs outputs_;
};

}  // namespace lb
