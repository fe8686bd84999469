/// What the outside sees of projects, agents and sessions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.h"
#include "model/turn.h"

namespace lb {

struct Project {
  static constexpr std::string_view kName = "Project";
  ProjectId project_id;
  std::string path;  // Canonical: one entry per real directory.
  std::string name;
  Timestamp added_at;
  std::optional<bool> missing;  // True: the folder was not there when it was last looked for.
  friend bool operator==(const Project&, const Project&) = default;
};
template <class Fields>
void describe(Fields& field, Project& project) {
  field("projectId", project.project_id);
  field("path", project.path);
  field("name", project.name);
  field("addedAt", project.added_at);
  field.optional("missing", project.missing);
}

/// idle: not started; starting and connected: a process runs; disconnected: it ended and only the
/// user can bring it back; reconnecting: we are trying.
enum class AgentStatus { Idle, Starting, Connected, Disconnected, Reconnecting };
template <>
struct EnumNames<AgentStatus> {
  static constexpr std::array<std::string_view, 5> names = {"idle", "starting", "connected",
                                                            "disconnected", "reconnecting"};
};

/// A limit of the account behind an agent, as its CLI told it last.
struct AccountLimit {
  static constexpr std::string_view kName = "AccountLimit";
  std::string window;  // five_hour, seven_day …
  std::string name;    // For people.
  double used = 0;     // 1 is all of it.
  std::optional<Timestamp> resets_at;
  bool reached = false;  // Nothing more until then.
  friend bool operator==(const AccountLimit&, const AccountLimit&) = default;
};
template <class Fields>
void describe(Fields& field, AccountLimit& limit) {
  field("window", limit.window);
  field("name", limit.name);
  field("used", limit.used);
  field.optional("resetsAt", limit.resets_at);
  field.flag("reached", limit.reached);
}

/// Whether an agent has a login, as far as can be told without a message to its model.
enum class LoginState { Ok, Needed };
template <>
struct EnumNames<LoginState> {
  static constexpr std::array<std::string_view, 2> names = {"ok", "needed"};
};

struct AgentInfo {
  static constexpr std::string_view kName = "AgentInfo";
  std::string cli_type;
  std::string name;
  std::string protocol;  // acp, claude or events
  AgentStatus status = AgentStatus::Idle;
  bool installed = false;
  std::optional<std::string> version;
  std::optional<LoginState> login;  // Nothing: it is known when a message is sent.
  std::optional<std::string> problem;
  std::optional<std::string> remedy;  // What the user can do about the problem.
  std::optional<std::uint64_t> warm;  // Processes started ahead that no session uses yet.
  std::vector<AccountLimit> limits;   // Of its account, where it tells them.
  /// Whether its prompts may carry attached texts; absent while the agent has not said.
  std::optional<bool> takes_text = std::nullopt;
  /// Whether its sessions are confined where nobody says otherwise.
  std::optional<bool> confine = std::nullopt;
  std::optional<std::string> confine_problem = std::nullopt;  // Why none can be, on this system.
  friend bool operator==(const AgentInfo&, const AgentInfo&) = default;
};
template <class Fields>
void describe(Fields& field, AgentInfo& agent) {
  field("cliType", agent.cli_type);
  field("name", agent.name);
  field("protocol", agent.protocol);
  field("status", agent.status);
  field("installed", agent.installed);
  field.optional("version", agent.version);
  field.optional("login", agent.login);
  field.optional("problem", agent.problem);
  field.optional("remedy", agent.remedy);
  field.optional("warm", agent.warm);
  field.optional("limits", agent.limits);
  field.optional("takesText", agent.takes_text);
  field.optional("confine", agent.confine);
  field.optional("confineProblem", agent.confine_problem);
}
extern template void describe(Encoder&, AgentInfo&);  // Compiled once, in codecs.cpp.
extern template void describe(Decoder&, AgentInfo&);

enum class SessionState { Open, Loading, Dead };
template <>
struct EnumNames<SessionState> {
  static constexpr std::array<std::string_view, 3> names = {"open", "loading", "dead"};
};

/// What the user must see of a session at a glance.
enum class Activity { Idle, Working, NeedsApproval, Failed };
template <>
struct EnumNames<Activity> {
  static constexpr std::array<std::string_view, 4> names = {"idle", "working", "needs-approval",
                                                            "failed"};
};

struct SessionInfo {
  static constexpr std::string_view kName = "SessionInfo";
  SessionId session_id;
  std::string cli_type;
  ProjectId project_id;
  SessionState status = SessionState::Open;
  Activity activity = Activity::Idle;
  bool unread = false;
  std::string title;
  Timestamp created_at;
  Timestamp last_active_at;
  bool archived = false;
  bool discovered = false;  // Made outside Liminal Builder and not opened here yet.
  bool confined = false;    // Its agent runs behind walls.
  std::optional<WorkspaceId> workspace_id = {};  // Absent: it works in the project's folder.
  std::optional<std::string> branch = {};        // Of its workspace.
  std::optional<ChangeCount> changes = {};       // Against its base; absent: not known.
  std::vector<SessionId> overlaps = {};          // Sessions that change the same files.
  bool needs_review = false;  // It rests, and the user has not been through what it changed.
  friend bool operator==(const SessionInfo&, const SessionInfo&) = default;
};
template <class Fields>
void describe(Fields& field, SessionInfo& info) {
  field("sessionId", info.session_id);
  field("cliType", info.cli_type);
  field("projectId", info.project_id);
  field("status", info.status);
  field("activity", info.activity);
  field("unread", info.unread);
  field("title", info.title);
  field("createdAt", info.created_at);
  field("lastActiveAt", info.last_active_at);
  field("archived", info.archived);
  field("discovered", info.discovered);
  field("confined", info.confined);
  field.optional("workspaceId", info.workspace_id);
  field.optional("branch", info.branch);
  field.optional("changes", info.changes);
  field.optional("overlaps", info.overlaps);
  field.flag("needsReview", info.needs_review);
}
extern template void describe(Encoder&, SessionInfo&);  // Compiled once, in codecs.cpp.
extern template void describe(Decoder&, SessionInfo&);

/// Something the user may choose: a mode, a model or how much to think.
struct Choice {
  static constexpr std::string_view kName = "Choice";
  std::string id;
  std::string name;
  std::optional<std::string> description;
  friend bool operator==(const Choice&, const Choice&) = default;
};
template <class Fields>
void describe(Fields& field, Choice& choice) {
  field("id", choice.id);
  field("name", choice.name);
  field.optional("description", choice.description);
}

/// A slash command that the agent offers.
struct Command {
  static constexpr std::string_view kName = "Command";
  std::string name;  // Without the slash.
  std::string description;
  std::optional<std::string> hint;  // What may follow it.
  friend bool operator==(const Command&, const Command&) = default;
};
template <class Fields>
void describe(Fields& field, Command& command) {
  field("name", command.name);
  field("description", command.description);
  field.optional("hint", command.hint);
}

struct ContextUse {
  static constexpr std::string_view kName = "ContextUse";
  std::uint64_t used = 0;
  std::uint64_t size = 0;
  friend bool operator==(const ContextUse&, const ContextUse&) = default;
};
template <class Fields>
void describe(Fields& field, ContextUse& context) {
  field("used", context.used);
  field("size", context.size);
}

/// What the agent told of a session beside its conversation. Each report carries the whole of it.
struct SessionFacts {
  static constexpr std::string_view kName = "SessionFacts";
  SharedList<Choice> modes;
  std::optional<std::string> mode;
  SharedList<Choice> models;
  std::optional<std::string> model;
  SharedList<Choice> thinking_levels;
  std::optional<std::string> thinking;
  SharedList<Command> commands;
  std::optional<ContextUse> context;
  std::optional<Usage> usage;  // Of the whole session.
  std::optional<double> cost_usd;
  std::vector<AccountLimit> limits;  // Of the agent's account.
  bool steers = false;               // It takes messages in the middle of a turn.
  friend bool operator==(const SessionFacts&, const SessionFacts&) = default;
};
template <class Fields>
void describe(Fields& field, SessionFacts& facts) {
  field.optional("modes", facts.modes);
  field.optional("mode", facts.mode);
  field.optional("models", facts.models);
  field.optional("model", facts.model);
  field.optional("thinkingLevels", facts.thinking_levels);
  field.optional("thinking", facts.thinking);
  field.optional("commands", facts.commands);
  field.optional("context", facts.context);
  field.optional("usage", facts.usage);
  field.optional("costUsd", facts.cost_usd);
  field.optional("limits", facts.limits);
  field.flag("steers", facts.steers);
}
extern template void describe(Encoder&, SessionFacts&);  // Compiled once, in codecs.cpp.
extern template void describe(Decoder&, SessionFacts&);

/// The answer of `GET /api/session/:id/status`: everything known of one session.
struct SessionStatus {
  static constexpr std::string_view kName = "SessionStatus";
  SessionInfo info;
  bool is_alive = false;
  SessionState state = SessionState::Open;
  SessionFacts facts;
  friend bool operator==(const SessionStatus&, const SessionStatus&) = default;
};
template <class Fields>
void describe(Fields& field, SessionStatus& status) {
  describe(field, status.info);
  field("isAlive", status.is_alive);
  field("state", status.state);
  describe(field, status.facts);
}

}  // namespace lb
