#include "server/hub.h"

#include <algorithm>
#include <boost/asio/post.hpp>

#include "base/arrival.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "store/store.h"

namespace lb {
namespace {

/// While agents are being read, what they say gathers for this long and leaves in one write: each
/// write wakes a reader, which on a small machine stands in the way of the next line.
constexpr std::uint64_t kGatherUs = 60;

}  // namespace

Hub::Hub(asio::any_io_executor io) : io_(io), timer_(io) {
  next_tick();
}

Hub::~Hub() = default;

void Hub::add(std::shared_ptr<Stream> stream) {
  streams_.insert(std::move(stream));
  gauge("lb_streams", "Open WebSockets and event streams.")
      .set(static_cast<std::int64_t>(streams_.size()));
}

void Hub::remove(const std::shared_ptr<Stream>& stream) {
  streams_.erase(stream);
  gauge("lb_streams", "Open WebSockets and event streams.")
      .set(static_cast<std::int64_t>(streams_.size()));
}

void Hub::mark(std::shared_ptr<Stream> stream) {
  if (stream->marked_) return;
  stream->marked_ = true;
  marked_.push_back(std::move(stream));
  if (flush_posted_) return;
  flush_posted_ = true;
  gathering_since_us_ = Arrival::now_us();
  flush_soon();
}

void Hub::flush_soon() {
  lines_seen_ = Arrival::lines();
  asio::post(io_, [this] { flush(); });
}

void Hub::flush() {
  const bool more_comes = Arrival::lines() != lines_seen_;
  if (more_comes && Arrival::now_us() - gathering_since_us_ < kGatherUs) return flush_soon();
  flush_posted_ = false;
  flushing_.swap(marked_);
  for (const auto& stream : flushing_) {
    stream->marked_ = false;
    stream->pump();
  }
  flushing_.clear();
}

void Hub::next_tick() {
  timer_.expires_after(std::chrono::seconds(1));
  timer_.async_wait([this](boost::system::error_code error) {
    if (!error) tick();
  });
}

void Hub::tick() {
  const MonoMs now = SystemClock().mono();
  // A copy, because a stream that ends takes itself out.
  const std::vector<std::shared_ptr<Stream>> all(streams_.begin(), streams_.end());
  NoticeBoard::Number seen_by_all = notices_.head();
  for (const auto& stream : all) {
    stream->tick(now);
    if (const auto seen = stream->seen()) seen_by_all = std::min(seen_by_all, *seen);
  }
  notices_.forget_up_to(seen_by_all);
  next_tick();
}

void Hub::end_grant(const std::string& grant) {
  const std::vector<std::shared_ptr<Stream>> all(streams_.begin(), streams_.end());
  for (const auto& stream : all) {
    if (stream->grant() == grant) stream->end(CloseCode::CredentialEnded, "credential ended");
  }
}

void Hub::stop() {
  stopping_ = true;
  const std::vector<std::shared_ptr<Stream>> all(streams_.begin(), streams_.end());
  for (const auto& stream : all) stream->end(CloseCode::GoingAway, "server stopping");
}

void Hub::post(const std::string& key, std::string message) {
  if (streams_.empty()) return;  // Whoever comes later is told the state of then.
  notices_.post(key, std::move(message));
  for (const auto& stream : streams_) {
    if (stream->seen()) mark(stream);
  }
}

void Hub::project_added(const Project& project) {
  post("project:" + project.project_id.str(), encode_message(ProjectAddedMessage{project}));
}

void Hub::project_removed(const ProjectId& project) {
  post("project:" + project.str(), encode_message(ProjectRemovedMessage{project}));
}

void Hub::session_created(const SessionCreatedMessage& created) {
  post("created:" + created.session_id.str(), encode_message(created));
}

void Hub::session_info(const SessionInfo& info) {
  post("info:" + info.session_id.str(), encode_message(SessionInfoMessage{info}));
}

void Hub::session_facts(const SessionId& session, const SessionFacts& facts) {
  post("facts:" + session.str(), encode_message(SessionFactsMessage{session, facts}));
}

void Hub::session_inbox(const SessionId& session, const std::string& title,
                        const std::vector<Item>& items) {
  post("inbox:" + session.str(), encode_message(SessionInboxMessage{session, title, items}));
}

void Hub::agent_status(const AgentStatusMessage& status) {
  post("agent:" + status.cli_type, encode_message(status));
}

void Hub::settings_changed(const SettingsMessage& settings) {
  post("settings", encode_message(settings));
}

void Hub::workspace(const Workspace& workspace) {
  post("workspace:" + workspace.workspace_id.str(), encode_message(WorkspaceMessage{workspace}));
}

void Hub::comment(const Comment& comment) {
  post("comment:" + comment.comment_id.str(), encode_message(CommentMessage{comment}));
}

void Hub::comment_removed(const CommentRemovedMessage& removed) {
  post("comment:" + removed.comment_id.str(), encode_message(removed));
}

void Hub::terminal(const Terminal& terminal) {
  post("terminal:" + terminal.terminal_id.str(), encode_message(TerminalMessage{terminal}));
}

void Hub::terminal_removed(const TerminalRemovedMessage& removed) {
  post("terminal:" + removed.terminal_id.str(), encode_message(removed));
}

void Hub::failed(const ErrorMessage& error) {
  post("error:" + std::to_string(++errors_), encode_message(error));
}

void Hub::store_state(const StoreState& state) {
  if (state.kind == StoreState::Kind::Ready) {
    log_info("store.ready");
    return;
  }
  log_error("store.trouble", {{"why", state.message}});
  failed({std::string(name_of(ErrorCode::StoreFull)), state.message, std::nullopt});
}

void Hub::session_list(const SessionListMessage& left) {
  post("list:" + left.project_id.str(), encode_message(left));
}

}  // namespace lb
