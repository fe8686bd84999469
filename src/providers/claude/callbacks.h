/// Who listens to the sessions of Claude Code: set before a session exists, kept when its process
/// is gone. Owned by the provider, whose sessions know it weakly. Lives on the io thread.
#pragma once

#include <map>
#include <memory>

#include "providers/provider.h"

namespace lb::claude {

struct Callbacks {
  UpsertCallback upsert;
  TurnCallback turn;
  ReportCallback report;
};
using CallbackMap = std::map<SessionId, Callbacks>;

/// Calls one callback of a session, if the provider still knows it.
template <class Member, class Value>
void call(const std::weak_ptr<CallbackMap>& map, const SessionId& session, Member member,
          const Value& value) {
  const auto callbacks = map.lock();
  if (!callbacks) return;
  const auto found = callbacks->find(session);
  if (found == callbacks->end()) return;
  const auto callback = found->second.*member;  // It may drop itself while it runs.
  if (callback) callback(value);
}

}  // namespace lb::claude
