/// SessionService: the sessions of this machine.
///
/// The store and the providers outlive the service. `start` before anything else, `stop` at the
/// end; lives on the io thread.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "providers/registry.h"
#include "session/projects/project_files.h"
#include "session/projects/projects.h"
#include "session/review/review.h"
#include "session/service/warm_starts.h"
#include "session/session.h"
#include "session/sessions.h"
#include "session/terminals/terminals.h"
#include "session/workspaces/checkpoints.h"
#include "session/workspaces/radar.h"
#include "session/workspaces/workspaces.h"
#include "store/store.h"

namespace lb {

struct AddedProject {
  Project project;
  bool existed = false;  // The same real directory was there already: PROJECT_EXISTS.
};

/// A file that the user wants to see in an editor.
struct EditorWish {
  std::string path;
  std::string folder;  // Where its session works.
  std::uint64_t line = 1;
};
/// Starts the editor of the configuration, and blocks until it is known whether that went well.
using OpenInEditor = std::function<Result<void>(const EditorWish&)>;

struct ReviewPlace;  // service_review.cpp

struct ServiceDeps {
  asio::any_io_executor io;
  Store& store;
  ProviderRegistry& providers;
  const Clock& clock;
  bool warm_start = true;  // Agents may be started before a session needs them.
  std::chrono::milliseconds warm_life = limits::kWarmLife;
  std::chrono::milliseconds suspend_every = limits::kSuspendEvery;
  std::chrono::milliseconds outside_every = limits::kOutsideEvery;
  std::string keep_dir = {};  // Where our git directories are; empty: no checkpoints, no worktrees.
  bool checkpoints = true;    // The files are kept before and after every turn.
  std::chrono::milliseconds checkpoint_wait = limits::kCheckpointWait;
  std::string worktrees = {};  // Where worktrees are made.
  Launcher* launcher = nullptr;
  bool terminals = true;  // `terminal` of the configuration.
  git::Git git = git::Git::of_the_user();
  OpenInEditor editor = {};  // Empty: none is configured.
};

class SessionService final : public Sessions, private SessionHost {
 public:
  explicit SessionService(ServiceDeps deps);
  ~SessionService() override;

  void set_events(ServiceEvents* events) override;

  /// Reads what the store holds, ends what a crash left open, and begins to look for sessions made
  /// outside.
  asio::awaitable<Result<void>> start();
  /// No session can be confined here, and why.
  void cannot_confine(std::string why) { confine_problem_ = std::move(why); }
  /// No new turns, agents stopped, everything stored.
  asio::awaitable<void> stop();

  asio::awaitable<Result<std::string>> run(const SessionCommand& command, const json::value& fields,
                                           Caller caller) override;
  /// A session, awake, for what it does itself.
  [[nodiscard]] Result<std::shared_ptr<Session>> find(const SessionId& session);

  // --- Projects -----------------------------------------------------------------------------
  [[nodiscard]] std::vector<Project> projects() const override;
  asio::awaitable<Result<AddedProject>> add_project(std::string path);
  asio::awaitable<Result<ProjectRemovedMessage>> remove_project(ProjectRemoveRequest request);
  /// Paths relative to the project, best match first.
  asio::awaitable<Result<FilesBody>> files(ProjectFilesRequest request);
  /// Directories whose path begins so, for adding a project.
  asio::awaitable<DirectoriesBody> directories(DirectoriesRequest request);

  // --- Settings -----------------------------------------------------------------------------
  [[nodiscard]] SettingsMessage settings() const override { return {settings_}; }
  asio::awaitable<Result<SettingsMessage>> change_settings(SettingsChangeRequest request);

  // --- Audit ----------------------------------------------------------------------------------
  [[nodiscard]] AuditTrail& audit_trail() override { return audit_trail_; }
  /// Newest first.
  asio::awaitable<Result<AuditMessage>> audit(AuditRequest request) {
    return audit_trail_.read(request);
  }

  // --- Agents -------------------------------------------------------------------------------
  asio::awaitable<std::vector<AgentInfo>> agents();
  [[nodiscard]] std::vector<AgentStatusMessage> agent_statuses() const override;
  asio::awaitable<Result<void>> reconnect(SessionReconnectRequest request);
  /// The user is about to make a session: starts the agent ahead. False where that is switched
  /// off, or there is nothing to start.
  Result<bool> warm(const AgentWarmRequest& request);

  // --- Sessions -----------------------------------------------------------------------------
  asio::awaitable<Result<SessionCreatedMessage>> create(SessionCreateRequest request);
  asio::awaitable<Result<SessionInfo>> load(SessionId session);
  /// Newest first.
  [[nodiscard]] Result<std::vector<SessionInfo>> list(const SessionListRequest& request);
  [[nodiscard]] Result<SessionStatus> status(const SessionId& session) const override;
  [[nodiscard]] std::vector<SessionInfo> glance() const override;
  asio::awaitable<Result<void>> remove(SessionId session);  // session:delete
  asio::awaitable<Result<SessionCreatedMessage>> fork(SessionForkRequest request);

  // --- Workspaces ---------------------------------------------------------------------------
  asio::awaitable<Result<ProjectGit>> project_git(ProjectGitRequest request);
  asio::awaitable<Result<WorkspacesBody>> workspaces(WorkspaceListRequest request);
  asio::awaitable<Result<LandBody>> land(WorkspaceLandRequest request);
  asio::awaitable<Result<PushBody>> push(WorkspacePushRequest request);
  asio::awaitable<Result<void>> run_setup(WorkspaceSetupRequest request);
  asio::awaitable<Result<void>> remove_workspace(WorkspaceRemoveRequest request);
  asio::awaitable<Result<WorkspaceMessage>> restore_workspace(WorkspaceRestoreRequest request);
  asio::awaitable<Result<RewindBody>> rewind(SessionRewindRequest request);
  asio::awaitable<Result<RewindBody>> undo_rewind(SessionRewindUndoRequest request);
  asio::awaitable<Result<OverlapsBody>> overlaps(SessionOverlapsRequest request);

  // --- Changes and comments -----------------------------------------------------------------
  asio::awaitable<Result<ChangesBody>> changes(SessionChangesRequest request);
  asio::awaitable<Result<std::string>> diff(SessionDiffRequest request) override;
  asio::awaitable<Result<AttachmentData>> file(SessionFileRequest request) override;
  asio::awaitable<Result<CommitBody>> commit(SessionCommitRequest request);
  asio::awaitable<Result<DiscardBody>> discard(SessionDiscardRequest request);
  asio::awaitable<Result<void>> open_in_editor(SessionEditorRequest request);
  asio::awaitable<Result<void>> mark_viewed(SessionViewedRequest request);
  asio::awaitable<Result<void>> mark_reviewed(SessionReviewedRequest request);
  asio::awaitable<Result<CommentsBody>> comments(SessionCommentsRequest request);
  asio::awaitable<Result<CommentMessage>> add_comment(SessionCommentRequest request);
  asio::awaitable<Result<CommentMessage>> edit_comment(CommentEditRequest request);
  asio::awaitable<Result<CommentMessage>> resolve_comment(CommentResolveRequest request);
  asio::awaitable<Result<CommentRemovedMessage>> delete_comment(CommentDeleteRequest request);
  asio::awaitable<Result<ReviewSentBody>> send_review(ReviewSendRequest request);
  /// Decides an approval; comments on a plan go along.
  asio::awaitable<Result<void>> answer(SessionAnswerRequest request, Caller caller);

  // --- Terminals ----------------------------------------------------------------------------
  Result<TerminalsBody> list_terminals(const TerminalListRequest& request);
  asio::awaitable<Result<TerminalMessage>> create_terminal(TerminalCreateRequest request,
                                                           Caller caller);
  Result<TerminalMessage> rename_terminal(TerminalRenameRequest request);
  asio::awaitable<Result<TerminalRemovedMessage>> close_terminal(TerminalCloseRequest request,
                                                                 Caller caller);
  Result<std::unique_ptr<TerminalReader>> open_terminal(
      const TerminalSocketRequest& request) override;
  asio::awaitable<Result<PortsBody>> ports(PortsRequest request);

  // --- Reading ------------------------------------------------------------------------------
  asio::awaitable<Result<void>> prepare(SessionId session) override;
  asio::awaitable<Result<Opened>> open(OpenOptions options) override;
  asio::awaitable<Result<History>> page(SessionPageRequest request) override;
  /// The newest `count` entries.
  asio::awaitable<Result<History>> tail(SessionId session, std::uint64_t count);
  /// Everything changed after `since`, newest form, in revision order.
  asio::awaitable<Result<History>> timeline(SessionId session, Revision since);
  /// One of the three, as a client asks for it.
  asio::awaitable<Result<Window>> window(SessionTimelineRequest request);
  asio::awaitable<Result<std::string>> output(SessionId session, ItemId item) override;
  asio::awaitable<Result<std::string>> export_session(SessionId session,
                                                      ExportFormat format) override;
  asio::awaitable<Result<std::vector<SearchResult>>> search(SearchRequest request);
  [[nodiscard]] std::vector<InboxItem> inbox() const override;

  // --- Attachments --------------------------------------------------------------------------
  asio::awaitable<Result<std::string>> add_attachment(SessionId session,
                                                      AttachmentData data) override;
  asio::awaitable<Result<AttachmentData>> attachment(SessionId session,
                                                     std::string attachment_id) override;

  /// Sessions that are in use; of the others only their DormantSession is in
  /// memory.
  [[nodiscard]] std::size_t awake() const { return awake_; }
  [[nodiscard]] InfoBody info() const override;

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
  Result<Workplace> workplace(const SessionRecord& record) override;
  asio::awaitable<Result<std::optional<Checkpointed>>> before_turn(SessionId session,
                                                                   TurnId turn) override;
  void after_turn(const SessionId& session, const TurnId& turn) override;
  void info_changed(const SessionInfo& info) override;
  void facts_changed(const SessionId& session, const SessionFacts& facts) override;
  void inbox_changed(const SessionRecord& record, const std::vector<Item>& items) override;
  void cli_id_changed(Session& session) override;
  std::shared_ptr<Session> resumed(const SessionId& session) override;
  std::weak_ptr<SessionHost> weak() override { return self_; }
  void remember_cli_id(const SessionRecord& record);
  void hide_left_cli_id(SessionRecord record, const std::string& cli_id);
  [[nodiscard]] bool stopping() const override { return stopping_; }

  asio::awaitable<Result<std::map<std::string, std::string>>> texts_in(
      SessionId session, std::vector<std::string> attachments);
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
  void load_settings(std::string_view stored);
  asio::awaitable<Result<ProjectRecord>> project_for(SessionCreateRequest request);
  asio::awaitable<Result<SessionPtr>> readable(SessionId session);
  asio::awaitable<Result<std::shared_ptr<TimelineSource>>> source_of(SessionId session);
  asio::awaitable<void> discover(ProjectRecord project);
  void discover_soon(const ProjectRecord& project);
  void discover_now(const ProjectRecord& project);
  void watch_outside();
  asio::awaitable<void> look_outside();
  asio::awaitable<Result<void>> folder_there(const ProjectRecord& project);
  void note_missing(const ProjectRecord& project, bool missing);
  struct DiscoveryPlace {
    ProjectRecord project;
    WorkspaceId workspace;  // Empty: the project's folder.
    std::string folder;
  };
  [[nodiscard]] std::vector<DiscoveryPlace> places_of(const ProjectRecord& project) const;
  void take_discovered(const DiscoveryPlace& place, Provider& provider,
                       std::vector<DiscoveredSession> found);
  [[nodiscard]] std::vector<std::string> others_at(const Provider& provider) const;
  SessionRecord new_record(const ProjectRecord& project, std::string cli_type) const;
  asio::awaitable<void> reconnect_now(Provider* provider);

  // Comments (service_comments.cpp)
  /// What the user has seen of an answer, and which of his comments are about lines that are gone.
  asio::awaitable<void> look_at_comments(SessionId session, std::string folder,
                                         ChangesBody& changes);
  asio::awaitable<Result<void>> note_left_comments(SessionId session, Review::ShelfPtr shelf);
  asio::awaitable<Result<void>> reviewed_is(SessionId session, std::string oid);

  // Terminals (service_terminals.cpp)
  Terminals::Events terminal_events();
  void note_terminal(AuditKind kind, const Terminal& terminal, Caller caller,
                     std::optional<std::string> why = std::nullopt);
  /// With everything else of a session.
  asio::awaitable<void> close_terminals_of(SessionId session, std::string why);

  // Workspaces (service_workspaces.cpp, service_rewind.cpp)
  WorkspaceEvents workspace_events();
  [[nodiscard]] Radar::Place radar_place(const SessionRecord& record);
  void files_changed(const Checkpoints::Ended& ended);
  void work_is(const SessionId& session, SessionWork work);
  void watch_files();
  asio::awaitable<void> look_at_files();
  asio::awaitable<void> look_again(std::vector<SessionId> sessions);
  void look_again_soon(std::vector<SessionId> sessions);
  [[nodiscard]] std::string title_for(const WorkspaceId& workspace) const;
  asio::awaitable<Result<void>> start_setup(WorkspaceId workspace, SessionId session,
                                            std::string confirmed);
  static asio::awaitable<void> set_up(SessionService* self, SessionPtr session,
                                      WorkspaceId workspace, SetupRun run);
  asio::awaitable<std::vector<std::string>> paths_of_turn(SessionPtr session, TurnId turn,
                                                          std::string root);
  asio::awaitable<Result<git::RewindPlan>> plan_rewind(CheckpointRow row, SessionPtr session);
  asio::awaitable<Result<RewindBody>> apply_rewind(SessionId session, std::string folder,
                                                   git::RewindPlan plan, RewindBody body);
  asio::awaitable<Result<RewindBody>> rewind_files(SessionId session, std::string folder,
                                                   git::RewindPlan plan, bool dry_run);
  asio::awaitable<void> finish_rewinds(std::vector<RewindRow> open);

  // Changes (service_review.cpp)
  Result<ReviewPlace> review_place(const SessionId& session);
  asio::awaitable<Result<ReviewPlace>> review_place_with_turns(SessionId session);

  ServiceDeps deps_;
  AuditTrail audit_trail_;
  ServiceEvents* events_;
  ServiceEvents nobody_;
  Timestamp started_at_;
  bool stopping_ = false;
  Settings settings_;
  Projects projects_;
  std::map<SessionId, Slot> sessions_;
  std::unordered_set<SessionId> hidden_;  // Deleted here, as discovery would name them.
  std::size_t awake_ = 0;
  asio::steady_timer suspend_timer_;
  bool suspend_timed_ = false;
  std::map<std::string, SessionId> by_cli_id_;  // "type:id" → ours.
  std::map<std::string, AgentStatusMessage> statuses_;
  std::map<ProjectId, MonoMs> discovered_at_;
  struct Outside {
    std::optional<std::int64_t> mark;
    int looks = 0;  // Still to be made.
  };
  std::map<ProjectId, Outside> outside_;
  asio::steady_timer outside_timer_;
  ProjectFiles files_;
  WarmStarts warm_;
  std::optional<std::string> confine_problem_;
  asio::thread_pool blocking_;
  asio::thread_pool git_pool_;  // Long calls of git: nobody else waits for them.
  asio::thread_pool snapshot_pool_;
  Folders folders_;
  Checkpoints checkpoints_;
  Radar radar_;
  Workspaces workspaces_;
  Terminals terminals_;
  asio::steady_timer radar_timer_;
  bool radar_timed_ = false;
  std::map<SessionId, MonoMs> radar_due_;
  Review review_;
  std::size_t editors_ = 0;                                          // That are being started.
  std::shared_ptr<SessionHost> self_{&host(), [](SessionHost*) {}};  // For `weak`.
};

}  // namespace lb
