/// DormantSession: all that is kept in memory of a session that is suspended.
///
/// There is a Session while it is used: a turn, a reader, a question, a request. Then that goes,
/// and what the lists show and what it needs to go on is here; the conversation is in the store.
/// Resuming reads nothing: the numbers of the timeline are here, so that an agent which speaks
/// unasked is heard at once. Owned by the SessionService, shared with the Session while there is
/// one. Lives on the io thread.
#pragma once

#include <memory>
#include <unordered_map>

#include "model/session.h"
#include "providers/session_sink.h"
#include "store/records.h"

namespace lb {

class Session;
class SessionHost;

/// Where a timeline goes on.
struct TimelineNumbers {
  Revision head = 0;
  std::uint64_t next_pos = 1;
  Revision first = 0;   // Where this life of the server began to number.
  Revision found = 0;   // The newest that an earlier life left open and stored.
  bool active = false;  // Revisions above `head` are reserved in the store.
};

/// How an agent reaches a session: straight while there is a Session, else the host resumes it.
class AgentLine final : public SessionSink {
 public:
  AgentLine(std::weak_ptr<SessionHost> host, SessionId id)
      : host_(std::move(host)), id_(std::move(id)) {}
  /// The Session that there is now; none: it is suspended.
  void connect(std::weak_ptr<Session> session) { session_ = std::move(session); }

  void item(Upsert item) override;
  void turn(Turn turn) override;
  void report(SessionReport report) override;

 private:
  [[nodiscard]] std::shared_ptr<Session> resumed() const;

  std::weak_ptr<SessionHost> host_;
  std::weak_ptr<Session> session_;
  SessionId id_;
};

/// What an import that the server did not live to finish left open, and its place. It is not cut
/// off as a turn of ours is: the next import brings the rest of it.
struct CutImport {
  std::unordered_map<ItemId, std::uint64_t> items;
  std::unordered_map<TurnId, std::uint64_t> turns;
  [[nodiscard]] bool empty() const { return items.empty() && turns.empty(); }
};

/// What is known of a session's work on the files; found out again after a restart.
struct SessionWork {
  std::string branch;  // Of its workspace.
  std::optional<ChangeCount> changes;
  std::vector<SessionId> overlaps;
  std::string reviewed;  // The tree that the user was done with.
  friend bool operator==(const SessionWork&, const SessionWork&) = default;
};

struct DormantSession {
  explicit DormantSession(SessionRecord from);

  SessionRecord record;  // Without the facts.
  SessionFacts facts;
  SessionWork work;
  TimelineNumbers numbers;                // As of when it was suspended.
  std::shared_ptr<AgentLine> line;        // Null: the provider knows nobody who listens.
  std::unique_ptr<CutImport> cut_import;  // Until the history is there.
  bool warned_agent_forgot = false;  // The user knows that the agent does not have this any more.
};

struct DiscoveredSession;
/// The record with what discovery found: the agent's name for a session made outside counts until
/// the user names it. The same record where that is nothing new.
SessionRecord with_discovered(SessionRecord record, const DiscoveredSession& found);

class Provider;
/// What the lists show of a session that is suspended.
SessionInfo info_of(const DormantSession& kept, const Provider* provider);
/// Whether the user should go through what it changed: it rests, and he was not done with that.
bool needs_review(const SessionInfo& info, const SessionWork& work);

}  // namespace lb
