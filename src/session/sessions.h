/// Sessions: all projects and conversations, as the server sees them.
///
/// The one door: HTTP, WebSocket and the command line ask here and say nothing to a provider or a
/// store themselves. A command answers accepted or refused; what happened comes back through the
/// session's timeline (open a Reader) and through ServiceEvents. SessionService is the one that has
/// its sessions on this machine.
///
/// Lives on the io thread; every function is called on it and every coroutine resumes on it.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "model/answers.h"
#include "model/requests.h"
#include "model/server_message.h"
#include "session/audit_trail.h"
#include "session/live/history.h"
#include "session/live/reader.h"
#include "session/terminals/terminal_reader.h"

namespace lb {

namespace asio = boost::asio;
struct StoreState;

/// What the service tells everyone, as it happens. Called on the io thread; must not block. The
/// functions may be left as they are.
class ServiceEvents {
 public:
  ServiceEvents() = default;
  ServiceEvents(const ServiceEvents&) = delete;
  ServiceEvents& operator=(const ServiceEvents&) = delete;
  virtual ~ServiceEvents() = default;
  virtual void project_added(const Project&) {}
  virtual void project_removed(const ProjectId&) {}
  virtual void session_created(const SessionCreatedMessage&) {}
  /// Of every session, whenever anything in its SessionInfo changes (also for newly discovered
  /// ones).
  virtual void session_info(const SessionInfo&) {}
  virtual void session_facts(const SessionId&, const SessionFacts&) {}
  /// The approvals of one session that wait for the user, with its title, whenever they change:
  /// empty when none is left. `Sessions::inbox` has all of them.
  virtual void session_inbox(const SessionId&, const std::string&, const std::vector<Item>&) {}
  /// The sessions that are left in a project when one was deleted.
  virtual void session_list(const SessionListMessage&) {}
  virtual void agent_status(const AgentStatusMessage&) {}
  virtual void settings_changed(const SettingsMessage&) {}
  virtual void workspace(const Workspace&) {}
  virtual void comment(const Comment&) {}
  virtual void comment_removed(const CommentRemovedMessage&) {}
  virtual void terminal(const Terminal&) {}
  virtual void terminal_removed(const TerminalRemovedMessage&) {}
  /// Something went wrong that no request is waiting for.
  virtual void failed(const ErrorMessage&) {}
  virtual void store_state(const StoreState&) {}
};

struct OpenOptions {
  SessionId session_id;
  std::optional<Revision> since;
  std::optional<std::string> epoch;  // Of the store the cursor comes from.
  std::optional<std::uint64_t> tail;
  bool appends = false;
  /// False (SSE): never a history; what is missing comes through the reader, from the beginning
  /// when the cursor is of no use.
  bool with_history = true;
};

struct Opened {
  /// The whole conversation (or its tail) when there was no usable cursor. The reader goes on after
  /// it.
  std::optional<History> history;
  /// A cursor was given and is of no use: above the session's revision, of another store, or of
  /// growing text that a crash took.
  bool reset = false;
  /// The session's revision now: the catch-up is over when reader->cursor() reaches it.
  Revision rev = 0;
  std::unique_ptr<Reader> reader;
};

struct AttachmentData {
  std::string mime_type;
  std::string bytes;
};

/// Who asks: the page on its WebSocket (`browser`), or a program over HTTP (`api`).
struct Caller {
  std::string via;
  AuditBy by = {};           // Whose credential it is.
  std::string address = {};  // Where the connection comes from.
  bool terminals = true;     // May have a shell.
};

class SessionService;

/// What a row of the table (commands/table.cpp) binds: it decodes the fields, has the command done
/// by the sessions of this machine, and encodes the answer as one JSON object.
struct SessionCommand {
  using Handler = asio::awaitable<Result<std::string>> (*)(SessionService& service,
                                                           const json::value& fields,
                                                           const Caller& caller);
  std::string_view name;
  Handler handler = nullptr;
};

class Sessions {
 public:
  Sessions() = default;
  Sessions(const Sessions&) = delete;
  Sessions& operator=(const Sessions&) = delete;
  virtual ~Sessions() = default;

  /// One listener; it outlives the sessions or is taken away with nullptr.
  virtual void set_events(ServiceEvents* events) = 0;
  /// What runs here, since when, and over which store.
  [[nodiscard]] virtual InfoBody info() const = 0;

  /// Does what a client asked for. The answer is one JSON object. `fields` is read before this
  /// returns.
  virtual asio::awaitable<Result<std::string>> run(const SessionCommand& command,
                                                   const json::value& fields, Caller caller) = 0;

  /// Who decided what; the server adds what it knows of logins.
  [[nodiscard]] virtual AuditTrail& audit_trail() = 0;

  // --- What a new connection is told ----------------------------------------------------------
  [[nodiscard]] virtual std::vector<Project> projects() const = 0;  // In the order added.
  [[nodiscard]] virtual SettingsMessage settings() const = 0;
  /// The last status of every agent.
  [[nodiscard]] virtual std::vector<AgentStatusMessage> agent_statuses() const = 0;
  /// Every session that is not idle or is unread.
  [[nodiscard]] virtual std::vector<SessionInfo> glance() const = 0;
  /// All approvals that wait for the user, oldest first.
  [[nodiscard]] virtual std::vector<InboxItem> inbox() const = 0;

  // --- Reading ------------------------------------------------------------------------------
  /// Brings in a session that was made outside, which may take as long as its agent does. Reading
  /// it is quick afterwards.
  virtual asio::awaitable<Result<void>> prepare(SessionId session) = 0;
  virtual asio::awaitable<Result<Opened>> open(OpenOptions options) = 0;
  /// The newest `count` entries before position `before`.
  virtual asio::awaitable<Result<History>> page(SessionPageRequest request) = 0;
  virtual asio::awaitable<Result<std::string>> output(SessionId session, ItemId item) = 0;
  /// One file's difference, unified.
  virtual asio::awaitable<Result<std::string>> diff(SessionDiffRequest request) = 0;
  /// One file below the folder that a session works in.
  virtual asio::awaitable<Result<AttachmentData>> file(SessionFileRequest request) = 0;
  virtual asio::awaitable<Result<std::string>> export_session(SessionId session,
                                                              ExportFormat format) = 0;
  [[nodiscard]] virtual Result<SessionStatus> status(const SessionId& session) const = 0;

  // --- Terminals ----------------------------------------------------------------------------
  /// A window on one.
  virtual Result<std::unique_ptr<TerminalReader>> open_terminal(
      const TerminalSocketRequest& request) = 0;

  // --- Attachments --------------------------------------------------------------------------
  /// The new attachment's id. Images and UTF-8 text: `UnsupportedMediaType` else.
  virtual asio::awaitable<Result<std::string>> add_attachment(SessionId session,
                                                              AttachmentData data) = 0;
  virtual asio::awaitable<Result<AttachmentData>> attachment(SessionId session,
                                                             std::string attachment_id) = 0;
};

}  // namespace lb
