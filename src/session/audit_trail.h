/// AuditTrail: who decided what and from where, in the store.
///
/// A line is written in order with everything else: an answer's line is on the disk before the
/// agent hears of it. It keeps what this server issued as logins, too, so that one which somebody
/// else made is told apart. Lives on the io thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "model/audit.h"
#include "store/store.h"

namespace lb {

class AuditTrail {
 public:
  AuditTrail(Store& store, const Clock& clock) : store_(store), clock_(clock) {}

  /// Something that the user did, or the server for them.
  void note(AuditEntry entry);
  /// Something that somebody without a credential caused: however many there are, they cost little.
  void note_stranger(AuditEntry entry);

  /// A login that is about to be given out: durable together with its line.
  asio::awaitable<Result<void>> issue(std::string hash, const Login& login, AuditEntry entry);
  /// This login is no more.
  void forget(std::string hash);
  /// What an older version had issued is taken over; what is no longer good is forgotten.
  asio::awaitable<Result<void>> take_over(std::vector<LoginRow> found,
                                          std::vector<std::string> gone);
  asio::awaitable<Result<Logins>> logins() { return store_.read_logins(); }

  asio::awaitable<Result<AuditMessage>> read(AuditRequest request);

 private:
  AuditRow row_of(AuditEntry entry, bool stranger) const;

  Store& store_;
  const Clock& clock_;
  struct Strangers {
    std::deque<MonoMs> noted;    // Of the last minute.
    std::uint64_t left_out = 0;  // Since.
  };
  std::map<AuditKind, Strangers> strangers_;
};

}  // namespace lb
