/// Arrival: when the bytes that are being handled were read from a child. With it the time from
/// there to a reader's socket can be told (`lb_delivery_seconds`) without handing a time through
/// every layer between.
///
///     the process, as it hands out a line:   Arrival::read(us);
///     whoever handles that line:             const Arrival::Scope handling(Arrival::take());
///     the timeline's owner:                  Arrival::us()  // of that line; else the time is now
///
/// The values belong to the thread: everything between is one handler of the io thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>

namespace lb {

class Arrival {
 public:
  /// Microseconds of the clock that never goes back.
  static std::uint64_t now_us() {
    using namespace std::chrono;
    return static_cast<std::uint64_t>(
        duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count());
  }
  static void read(std::uint64_t us) {
    handed_out_ = us;
    ++lines_;
  }
  /// Lines handed out so far: when it did not change, nobody spoke in between.
  static std::uint64_t lines() { return lines_; }
  /// Of the line just handed out; to be asked before anything else is awaited.
  static std::uint64_t take() { return std::exchange(handed_out_, 0); }
  static std::uint64_t us() { return handling_ != 0 ? handling_ : now_us(); }

  class Scope {
   public:
    explicit Scope(std::uint64_t us) : before_(std::exchange(handling_, us)) {}
    ~Scope() { handling_ = before_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    std::uint64_t before_;
  };

 private:
  // Members, whatever clang-tidy takes a thread_local for.
  // NOLINTBEGIN(readability-identifier-naming)
  static inline thread_local std::uint64_t handed_out_ = 0;
  static inline thread_local std::uint64_t handling_ = 0;
  static inline thread_local std::uint64_t lines_ = 0;
  // NOLINTEND(readability-identifier-naming)
};

}  // namespace lb
