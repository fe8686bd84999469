/// ManualTimers: timers that fire when a test moves the time.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "providers/timers.h"

namespace lb::test {

class ManualTimers final : public Timers {
 public:
  [[nodiscard]] Handle after(std::chrono::milliseconds delay,
                             std::function<void()> callback) override {
    auto entry = std::make_shared<Entry>(clock_.mono() + delay.count(), std::move(callback));
    entries_.push_back(entry);
    return entry;
  }
  /// Moves the time and fires what is due, in order; also what that sets in turn.
  void advance(std::chrono::milliseconds by) {
    const MonoMs until = clock_.mono() + by.count();
    while (const auto next = first_due(until)) {
      clock_.advance(next->at - clock_.mono());
      const auto callback = std::exchange(next->callback, nullptr);
      callback();
    }
    clock_.advance(until - clock_.mono());
  }
  /// How long until the next one fires; nothing when none is set.
  [[nodiscard]] std::optional<std::chrono::milliseconds> next_in() {
    const auto next = first_due(std::numeric_limits<MonoMs>::max());
    if (!next) return std::nullopt;
    return std::chrono::milliseconds(next->at - clock_.mono());
  }
  [[nodiscard]] const Clock& clock() const { return clock_; }

 private:
  struct Entry {
    Entry(MonoMs when, std::function<void()> what) : at(when), callback(std::move(what)) {}
    MonoMs at;
    std::function<void()> callback;
  };
  std::shared_ptr<Entry> first_due(MonoMs until) {
    std::shared_ptr<Entry> first;
    std::erase_if(entries_, [](const auto& entry) { return entry.expired(); });
    for (const auto& weak : entries_) {
      const auto entry = weak.lock();
      if (!entry->callback || entry->at > until) continue;
      if (!first || entry->at < first->at) first = entry;
    }
    return first;
  }

  ManualClock clock_;
  std::vector<std::weak_ptr<Entry>> entries_;
};

}  // namespace lb::test
