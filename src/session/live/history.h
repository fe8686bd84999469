/// History: a window of a conversation, or its changes, as frames that were encoded before.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/id.h"
#include "timeline/frame.h"

namespace lb {

/// Items and turns apart; the payload() of a frame is the JSON of one Item or Turn.
struct History {
  SessionId session_id;
  std::vector<FramePtr> items;
  std::vector<FramePtr> turns;
  Revision rev = 0;
  std::optional<std::uint64_t> before;  // Where older entries begin, when there are any.
};

/// The same for a client, which keeps it under the store's epoch.
struct Window {
  History history;
  std::string epoch;
};

}  // namespace lb
