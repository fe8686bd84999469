/// The audit trail and the logins, as the wire shows them: who decided what, and from where.
///
/// `by` is an object so that something else than a login can decide one day.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/codec.h"
#include "base/id.h"
#include "model/approval.h"

namespace lb {

enum class AuditKind {
  CodeAsked,       // A launch code was given out.
  CodeRefused,     // A code that somebody showed did not let them in.
  CommandRefused,  // Somebody on the control socket was not answered.
  Login,           // A code was used.
  LoginEnded,
  LoginUnknown,  // DATA_DIR/grants has one that this server did not issue.
  Answered,      // An approval was decided.
  AnswerLost,    // The agent did not take that answer; the approval is open again.
  TerminalOpened,
  TerminalClosed,
};
template <>
struct EnumNames<AuditKind> {
  static constexpr std::array<std::string_view, 10> names = {
      "code_asked",    "code_refused", "command_refused", "login",           "login_ended",
      "login_unknown", "answered",     "answer_lost",     "terminal_opened", "terminal_closed"};
};

enum class AuditActor {
  Login,     // Whoever has this bearer.
  Token,     // Whoever has LIMINAL_BUILDER_TOKEN.
  Terminal,  // A command of the user on this machine.
  Server,
  Unknown,
};
template <>
struct EnumNames<AuditActor> {
  static constexpr std::array<std::string_view, 5> names = {"login", "token", "terminal", "server",
                                                            "unknown"};
};

struct AuditBy {
  static constexpr std::string_view kName = "AuditBy";
  AuditActor kind = AuditActor::Unknown;
  std::optional<std::string> id = {};  // Of a login.
  std::optional<std::string> name = {};
  friend bool operator==(const AuditBy&, const AuditBy&) = default;
};
template <class Fields>
void describe(Fields& field, AuditBy& by) {
  field("kind", by.kind);
  field.optional("id", by.id);
  field.optional("name", by.name);
}

struct AuditEntry {
  static constexpr std::string_view kName = "AuditEntry";
  std::uint64_t id = 0;  // Rises; the store gives it.
  Timestamp at;
  AuditKind kind = AuditKind::CodeAsked;
  AuditBy by;
  std::optional<std::string> address = {};   // As the connection came: a proxy's, behind one.
  std::optional<std::string> via = {};       // browser, api
  std::optional<std::string> why = {};       // For people.
  std::optional<std::uint64_t> times = {};   // With what came too quickly to be listed.
  std::optional<std::string> login_id = {};  // Which login began or ended.
  std::optional<std::string> login_name = {};
  std::optional<SessionId> session_id = {};
  std::optional<std::string> session_title = {};
  std::optional<ItemId> item_id = {};
  std::optional<std::string> title = {};  // What was asked.
  std::optional<std::string> answer = {};
  std::optional<OptionKind> option_kind = {};
  friend bool operator==(const AuditEntry&, const AuditEntry&) = default;
};
template <class Fields>
void describe(Fields& field, AuditEntry& entry) {
  field("id", entry.id);
  field("at", entry.at);
  field("kind", entry.kind);
  field("by", entry.by);
  field.optional("address", entry.address);
  field.optional("via", entry.via);
  field.optional("why", entry.why);
  field.optional("times", entry.times);
  field.optional("loginId", entry.login_id);
  field.optional("loginName", entry.login_name);
  field.optional("sessionId", entry.session_id);
  field.optional("sessionTitle", entry.session_title);
  field.optional("itemId", entry.item_id);
  field.optional("title", entry.title);
  field.optional("answer", entry.answer);
  field.optional("optionKind", entry.option_kind);
}

struct AuditMessage {
  static constexpr std::string_view kName = "AuditMessage";
  static constexpr std::string_view kType = "audit";
  std::vector<AuditEntry> entries;      // Newest first.
  std::optional<std::uint64_t> before;  // Ask with it for older ones; absent: there are none.
  friend bool operator==(const AuditMessage&, const AuditMessage&) = default;
};
template <class Fields>
void describe(Fields& field, AuditMessage& message) {
  field("entries", message.entries);
  field.optional("before", message.before);
}

struct AuditRequest {
  static constexpr std::string_view kName = "AuditRequest";
  std::optional<std::uint64_t> before;
  std::optional<std::uint64_t> limit;
};
template <class Fields>
void describe(Fields& field, AuditRequest& request) {
  field.optional("before", request.before);
  field.optional("limit", request.limit);
}

enum class LoginOrigin {
  Issued,   // By this server, in exchange for a launch code.
  Before,   // By a version that kept no records.
  Token,    // LIMINAL_BUILDER_TOKEN.
  Unknown,  // Somebody else wrote it into DATA_DIR/grants: it lets nobody in.
};
template <>
struct EnumNames<LoginOrigin> {
  static constexpr std::array<std::string_view, 4> names = {"issued", "before", "token", "unknown"};
};

struct Login {
  static constexpr std::string_view kName = "Login";
  std::string login_id;  // Tells nothing of the bearer.
  std::string name;      // Of the browser or program that used the code.
  LoginOrigin origin = LoginOrigin::Issued;
  std::optional<std::string> address = {};  // It came from when it logged in.
  std::optional<Timestamp> issued_at = {};
  std::optional<Timestamp> last_seen_at = {};  // Since the server started.
  std::optional<bool> current = {};            // Whoever asks.
  friend bool operator==(const Login&, const Login&) = default;
};
template <class Fields>
void describe(Fields& field, Login& login) {
  field("loginId", login.login_id);
  field("name", login.name);
  field("origin", login.origin);
  field.optional("address", login.address);
  field.optional("issuedAt", login.issued_at);
  field.optional("lastSeenAt", login.last_seen_at);
  field.optional("current", login.current);
}

struct LoginsBody {
  static constexpr std::string_view kName = "LoginsBody";
  std::vector<Login> logins;  // Oldest first.
};
template <class Fields>
void describe(Fields& field, LoginsBody& body) {
  field("logins", body.logins);
}

struct LoginEndRequest {
  static constexpr std::string_view kName = "LoginEndRequest";
  std::string login_id;
};
template <class Fields>
void describe(Fields& field, LoginEndRequest& request) {
  field("loginId", request.login_id);
}

}  // namespace lb
