/// Clock: where time comes from, so that tests can move it.
#pragma once

#include <chrono>

#include "base/time.h"

namespace lb {

class Clock {
 public:
  Clock() = default;
  Clock(const Clock&) = delete;
  Clock& operator=(const Clock&) = delete;
  virtual ~Clock() = default;
  [[nodiscard]] virtual Timestamp wall() const = 0;
  [[nodiscard]] virtual MonoMs mono() const = 0;
};

/// The system's clocks. Stateless; safe from any thread.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] Timestamp wall() const override {
    using namespace std::chrono;
    return {duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count()};
  }
  [[nodiscard]] MonoMs mono() const override {
    using namespace std::chrono;
    return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
  }
};

/// A clock that stands still until told otherwise.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp wall = {1'700'000'000'000}) : wall_(wall) {}
  [[nodiscard]] Timestamp wall() const override { return wall_; }
  [[nodiscard]] MonoMs mono() const override { return mono_; }
  void advance(MonoMs ms) {
    wall_.ms += ms;
    mono_ += ms;
  }

 private:
  Timestamp wall_;
  MonoMs mono_ = 0;
};

}  // namespace lb
