/// PromptQueue: what the user said while a turn ran, in order.
///
/// It flows (the next one starts when nothing else runs) or is held until the user releases it:
/// after a cancel, a failed turn or a restart. An empty queue is never held. Pure; the Session
/// stores what happens to it and shows it.
#pragma once

#include <deque>
#include <vector>

#include "session/turns/delivery.h"

namespace lb {

class PromptQueue {
 public:
  [[nodiscard]] bool empty() const { return prompts_.empty(); }
  [[nodiscard]] std::size_t size() const { return prompts_.size(); }
  [[nodiscard]] bool held() const { return flow_ == Flow::Held; }
  [[nodiscard]] const std::deque<PromptPtr>& prompts() const { return prompts_; }
  [[nodiscard]] PromptPtr find(const TurnId& turn) const;

  void push(PromptPtr prompt);
  /// The next one, when it may go; else null.
  PromptPtr take();
  /// Another text for one that waits; what it is now, or null when it is not here.
  PromptPtr edit(const TurnId& turn, std::string content);
  /// The one that was removed; null when it is not here.
  PromptPtr remove(const TurnId& turn);
  /// All that wait, in another order; false, and nothing changes, when `turns` are not exactly
  /// those.
  bool reorder(const std::vector<TurnId>& turns);

  /// True when it flowed before, and something waits.
  bool hold();
  /// True when it was held.
  bool release();

 private:
  enum class Flow { Flowing, Held };

  std::deque<PromptPtr> prompts_;
  Flow flow_ = Flow::Flowing;
};

}  // namespace lb
