/// SessionService: everything a browser or a program can ask of projects and sessions.
///
/// The one door to the sessions: HTTP, WebSocket and the command line call these functions and say
/// nothing to a provider or a store themselves. A command answers accepted or refused; what
/// happened comes back through the session's timeline (open a Reader) and through ServiceEvents.
///
/// Lives on the io thread; every function is called on it and every coroutine resumes on it. The
/// store and the providers outlive the service. `start` before anything else, `stop` at the end.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "base/result.h"
#include "model/client_message.h"
#include "model/server_message.h"
#include "providers/registry.h"
#include "session/live/history.h"
#include "session/live/reader.h"
#include "session/projects/project_files.h"
#include "session/projects/projects.h"
#include "session/service/warm_starts.h"
#include "session/session.h"
#include "store/store.h"

namespace lb {

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
  /// empty when none is left. `SessionService::inbox` has all of them.
  virtual void session_inbox(const SessionId&, const std::string&, const std::vector<Item>&) {}
  virtual void agent_status(const AgentStatusMessage&) {}
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
  /// A cursor was given and is of no use: above the session's revision, or of another store.
  bool reset = false;
  /// The session's revision now: the catch-up is over when reader->cursor() reaches it.
  Revision rev = 0;
  std::unique_ptr<Reader> reader;
};

struct AddedProject {
  Project project;
  bool existed = false;  // The same real directory was there already: PROJECT_EXISTS.
};

struct AttachmentData {
  std::string mime_type;
  std::string bytes;
};

struct SearchRequest {
  std::string text;
  std::optional<ProjectId> project_id;
  std::optional<std::string> cli_type;
  std::size_t limit = 50;
};

struct SearchResult {
  static constexpr std::string_view kName = "SearchResult";
  SessionId session_id;
  ItemId item_id;
  TurnId turn_id;
  std::string type;
  std::string title;  // Of the session.
  std::string cli_type;
  ProjectId project_id;
  std::string snippet;
  Timestamp at;
};
template <class Fields>
void describe(Fields& field, SearchResult& result) {
  field("sessionId", result.session_id);
  field("itemId", result.item_id);
  field("turnId", result.turn_id);
  field("type", result.type);
  field("title", result.title);
  field("cliType", result.cli_type);
  field("projectId", result.project_id);
  field("snippet", result.snippet);
  field("at", result.at);
}

/// Something that waits for the user.
struct InboxItem {
  static constexpr std::string_view kName = "InboxItem";
  SessionId session_id;
  std::string title;
  Item item;  // An approval.
};
template <class Fields>
void describe(Fields& field, InboxItem& entry) {
  field("sessionId", entry.session_id);
  field("title", entry.title);
  field("item", entry.item);
}

enum class ExportFormat { Markdown, Json };

struct ServiceDeps {
  asio::any_io_executor io;
  Store& store;
  ProviderRegistry& providers;
  const Clock& clock;
  bool warm_start = true;  // Agents may be started before a session needs them.
  std::chrono::milliseconds warm_life = limits::kWarmLife;
  std::chrono::milliseconds suspend_every = limits::kSuspendEvery;
};

class SessionService final : private SessionHost {
 public:
  explicit SessionService(ServiceDeps deps);
  ~SessionService() override;

  /// One listener; it outlives the service or is taken away with nullptr.
  void set_events(ServiceEvents* events);

  /// Reads what the store holds, ends what a crash left open, and begins to look for sessions made
  /// outside.
  asio::awaitable<Result<void>> start();
  /// No new turns, agents stopped, everything stored.
  asio::awaitable<void> stop();

  // --- Projects -----------------------------------------------------------------------------
  [[nodiscard]] std::vector<Project> projects() const;  // In the order added.
  asio::awaitable<Result<AddedProject>> add_project(std::string path);
  asio::awaitable<Result<void>> remove_project(ProjectId project);
  /// Paths relative to the project, best match first.
  asio::awaitable<Result<std::vector<std::string>>> files(ProjectId project, std::string query,
                                                          std::size_t limit);
  /// Directories whose path begins with `prefix`, for adding a project.
  asio::awaitable<std::vector<std::string>> directories(std::string prefix);

  // --- Agents -------------------------------------------------------------------------------
  asio::awaitable<std::vector<AgentInfo>> agents();
  /// The last status of every agent, for a new connection.
  [[nodiscard]] std::vector<AgentStatusMessage> agent_statuses() const;
  asio::awaitable<Result<void>> reconnect(std::string cli_type);
  /// The user is about to make a session: starts the agent ahead. False where that is switched
  /// off, or there is nothing to start.
  Result<bool> warm(const std::string& cli_type, const ProjectId& project);

  // --- Sessions -----------------------------------------------------------------------------
  asio::awaitable<Result<SessionCreatedMessage>> create(SessionCreateRequest request);
  asio::awaitable<Result<SessionInfo>> load(SessionId session);
  /// `ProjectIdRequired` for an empty id. Newest first.
  [[nodiscard]] Result<std::vector<SessionInfo>> list(const SessionListRequest& request);
  [[nodiscard]] Result<SessionStatus> status(const SessionId& session) const;
  /// Every session that is not idle or is unread: what a new connection is told.
  [[nodiscard]] std::vector<SessionInfo> glance() const;

  asio::awaitable<Result<SessionSentMessage>> send(SessionSendRequest request);
  asio::awaitable<Result<void>> queue(SessionQueueRequest request);
  asio::awaitable<Result<void>> cancel(SessionCancelRequest request);
  asio::awaitable<Result<void>> answer(SessionAnswerRequest request, std::string answered_by);
  asio::awaitable<Result<void>> kill(SessionId session);
  asio::awaitable<Result<void>> rename(SessionRenameRequest request);
  asio::awaitable<Result<void>> archive(SessionArchiveRequest request);
  asio::awaitable<Result<void>> remove(SessionId session);  // …/delete
  asio::awaitable<Result<void>> set_mode(SessionModeRequest request);
  asio::awaitable<Result<void>> set_model(SessionModelRequest request);
  asio::awaitable<Result<void>> set_thinking(SessionThinkingRequest request);
  asio::awaitable<Result<void>> mark_read(SessionId session);
  asio::awaitable<Result<SessionCreatedMessage>> fork(SessionId session);

  // --- Reading ------------------------------------------------------------------------------
  /// Brings in a session that was made outside, which may take as long as its agent does. Reading
  /// it is quick afterwards.
  asio::awaitable<Result<void>> prepare(SessionId session);
  asio::awaitable<Result<Opened>> open(OpenOptions options);
  /// The newest `count` entries before position `before`.
  asio::awaitable<Result<History>> page(SessionPageRequest request);
  /// The newest `count` entries.
  asio::awaitable<Result<History>> tail(SessionId session, std::uint64_t count);
  /// Everything changed after `since`, newest form, in revision order.
  asio::awaitable<Result<History>> timeline(SessionId session, Revision since);
  asio::awaitable<Result<std::string>> output(SessionId session, ItemId item);
  asio::awaitable<Result<std::string>> export_session(SessionId session, ExportFormat format);
  asio::awaitable<Result<std::vector<SearchResult>>> search(SearchRequest request);
  [[nodiscard]] std::vector<InboxItem> inbox() const;

  // --- Attachments --------------------------------------------------------------------------
  /// The new attachment's id. Images only: `UnsupportedMediaType` else.
  asio::awaitable<Result<std::string>> add_attachment(SessionId session, AttachmentData data);
  asio::awaitable<Result<AttachmentData>> attachment(SessionId session, std::string attachment_id);

  /// Sessions that are in use; of the others only their cards are in memory.
  [[nodiscard]] std::size_t awake() const { return awake_; }
  [[nodiscard]] Timestamp started_at() const { return started_at_; }
  [[nodiscard]] Store& store() const { return deps_.store; }

 private:
  using SessionPtr = std::shared_ptr<Session>;
  using DormantPtr = std::shared_ptr<DormantSession>;
  struct Slot {
    DormantPtr kept;
    SessionPtr session;  // Null: it is suspended.
    bool idle = false;   // When it was last looked at, and nobody asked for it since.
  };
  SessionHost& host() { return *this; }

  // SessionHost
  LiveTimelineDeps deps() override { return {deps_.io, deps_.store, deps_.clock}; }
  std::string project_dir(const ProjectId& project) override;
  void info_changed(const SessionInfo& info) override;
  void facts_changed(const SessionId& session, const SessionFacts& facts) override;
  void inbox_changed(const SessionRecord& record, const std::vector<Item>& items) override;
  void cli_id_changed(Session& session) override;
  std::shared_ptr<Session> resumed(const SessionId& session) override;
  std::weak_ptr<SessionHost> weak() override { return self_; }
  void remember_cli_id(const SessionRecord& record);
  void hide_left_cli_id(SessionRecord record, const std::string& cli_id);
  [[nodiscard]] bool stopping() const override { return stopping_; }

  [[nodiscard]] Result<SessionPtr> find(const SessionId& session);
  [[nodiscard]] bool owns(const SessionRecord& record) const;
  [[nodiscard]] const Slot* slot_of(const SessionId& session) const;
  [[nodiscard]] SessionInfo info_at(const Slot& slot) const;
  void add(DormantPtr kept, SessionPtr session);
  SessionPtr resume(Slot& slot);
  void suspend_soon();
  void suspend_idle();
  void awake_is(std::size_t count);
  /// Leaves nothing of a deleted session but what keeps discovery from bringing it back.
  void drop(const SessionId& session);
  void hide_from_discovery(const SessionRecord& record);
  asio::awaitable<void> save_exact_numbers();
  [[nodiscard]] Provider* provider_of(const std::string& cli_type) const;
  void store_state_changed(const StoreState& state);
  asio::awaitable<Result<ProjectRecord>> project_for(SessionCreateRequest request);
  asio::awaitable<Result<SessionPtr>> readable(SessionId session);
  asio::awaitable<Result<std::shared_ptr<TimelineSource>>> source_of(SessionId session);
  asio::awaitable<void> discover(ProjectRecord project);
  void discover_soon(const ProjectRecord& project);
  void note_missing(const ProjectRecord& project, bool missing);
  void take_discovered(const ProjectRecord& project, Provider& provider,
                       std::vector<DiscoveredSession> found);
  [[nodiscard]] std::vector<std::string> others_at(const Provider& provider) const;
  SessionRecord new_record(const ProjectRecord& project, std::string cli_type) const;
  asio::awaitable<void> reconnect_now(Provider* provider);

  ServiceDeps deps_;
  ServiceEvents* events_;
  ServiceEvents nobody_;
  Timestamp started_at_;
  bool stopping_ = false;
  Projects projects_;
  std::map<SessionId, Slot> sessions_;
  std::unordered_set<SessionId> hidden_;  // Deleted here, as discovery would name them.
  std::size_t awake_ = 0;
  asio::steady_timer suspend_timer_;
  bool suspend_timed_ = false;
  std::map<std::string, SessionId> by_cli_id_;  // "type:id" → ours.
  std::map<std::string, AgentStatusMessage> statuses_;
  std::map<ProjectId, MonoMs> discovered_at_;
  ProjectFiles files_;
  WarmStarts warm_;
  asio::thread_pool blocking_;
  std::shared_ptr<SessionHost> self_{&host(), [](SessionHost*) {}};  // For `weak`.
};

}  // namespace lb
