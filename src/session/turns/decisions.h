/// Decisions: what the user's answers mean for the calls and turns that they were given in.
///
/// A call runs from when it was allowed, not from when it was asked for. One that the user refused
/// did not fail. And a turn that waits for the user does not work meanwhile. Of the turns that run;
/// `clear` when none does. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "model/item.h"

namespace lb {

class Decisions {
 public:
  /// Something waits for the user, or nothing does any more.
  void waits(bool for_user, Timestamp now);
  /// This approval is being answered.
  void decide(const Approval& approval, Timestamp now);
  /// It was not, after all.
  void take_back(const Approval& approval);

  /// What was decided on its call, put into an item.
  void apply(Item& item) const;
  /// How long the user was waited for; nothing when never.
  [[nodiscard]] std::optional<std::uint64_t> waited_ms(Timestamp now) const;
  void clear();

 private:
  struct Decided {
    Timestamp at;
    bool rejected = false;
  };
  std::unordered_map<std::string, Decided> calls_;  // By call id.
  std::optional<Timestamp> waits_since_;
  std::int64_t waited_ms_ = 0;
};

}  // namespace lb
