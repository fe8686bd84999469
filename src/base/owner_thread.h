/// OwnerThread: who uses an object first owns it, and nobody else may touch it.
///
/// In a debug build another thread that does ends the program, with a line that says so. In a
/// release it is nothing. For what lives on the io thread without a lock.
#pragma once

#ifndef NDEBUG
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#endif

namespace lb {

class OwnerThread {
 public:
#ifdef NDEBUG
  void check() {}
#else
  void check() {
    const std::thread::id me = std::this_thread::get_id();
    std::thread::id owner = owner_.load(std::memory_order_relaxed);
    if (owner == me) return;
    if (owner == std::thread::id() && owner_.compare_exchange_strong(owner, me)) return;
    std::fputs("A thread touches what another one owns.\n", stderr);
    std::abort();
  }

 private:
  std::atomic<std::thread::id> owner_;
#endif
};

}  // namespace lb
