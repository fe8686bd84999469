/// Hub: all streams to clients, and the moment at which they are written.
///
/// A stream that has something to send marks itself; once per turn of the loop all marked streams
/// are pumped, so everything that happened in that turn leaves in one write per client. The hub
/// also turns the news of the Sessions into notices on the NoticeBoard, ends the streams of a
/// revoked credential, and once a second lets each stream look after its time limits.
///
/// Lives on the io thread, owned by the server, outlives the streams.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "server/notice_board.h"
#include "session/sessions.h"

namespace lb {

/// Why a stream ends, as WebSocket close codes; SSE just ends.
enum class CloseCode : std::uint16_t {
  Normal = 1000,
  GoingAway = 1001,
  Policy = 1008,
  TooLarge = 1009,
  CredentialEnded = 4401,
  NoProgress = 4408,
};

class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  virtual ~Stream() = default;

  /// Sends what there is, as far as the socket takes it.
  virtual void pump() = 0;
  virtual void tick(MonoMs now) = 0;
  virtual void end(CloseCode code, std::string_view reason) = 0;
  [[nodiscard]] virtual const std::string& grant() const = 0;
  /// The notices this stream has seen; nothing when it does not read the board.
  [[nodiscard]] virtual std::optional<NoticeBoard::Number> seen() const { return std::nullopt; }

 private:
  friend class Hub;
  bool marked_ = false;
};

class Hub final : public ServiceEvents {
 public:
  explicit Hub(asio::any_io_executor io);
  ~Hub() override;

  void add(std::shared_ptr<Stream> stream);
  void remove(const std::shared_ptr<Stream>& stream);
  /// Pumps the stream at the end of this turn of the loop.
  void mark(std::shared_ptr<Stream> stream);

  [[nodiscard]] NoticeBoard& notices() { return notices_; }

  void end_grant(const std::string& grant);
  /// Tells everyone that the server stops; no stream is added any more.
  void stop();
  [[nodiscard]] bool stopping() const { return stopping_; }

  void project_added(const Project& project) override;
  void project_removed(const ProjectId& project) override;
  void session_created(const SessionCreatedMessage& created) override;
  void session_info(const SessionInfo& info) override;
  void session_facts(const SessionId& session, const SessionFacts& facts) override;
  void session_inbox(const SessionId& session, const std::string& title,
                     const std::vector<Item>& items) override;
  void session_list(const SessionListMessage& left) override;
  void agent_status(const AgentStatusMessage& status) override;
  void settings_changed(const SettingsMessage& settings) override;
  void workspace(const Workspace& workspace) override;
  void comment(const Comment& comment) override;
  void comment_removed(const CommentRemovedMessage& removed) override;
  void terminal(const Terminal& terminal) override;
  void terminal_removed(const TerminalRemovedMessage& removed) override;
  void failed(const ErrorMessage& error) override;
  void store_state(const StoreState& state) override;

 private:
  void post(const std::string& key, std::string message);
  void flush_soon();
  void flush();
  void tick();
  void next_tick();

  asio::any_io_executor io_;
  asio::steady_timer timer_;
  NoticeBoard notices_;
  std::set<std::shared_ptr<Stream>> streams_;
  std::vector<std::shared_ptr<Stream>> marked_;
  std::vector<std::shared_ptr<Stream>> flushing_;
  bool flush_posted_ = false;
  std::uint64_t gathering_since_us_ = 0;
  std::uint64_t lines_seen_ = 0;
  bool stopping_ = false;
  std::uint64_t errors_ = 0;
};

/// One message of the server as text.
template <class Body>
std::string encode_message(Body body, std::optional<std::string> request_id = std::nullopt) {
  return encode(ServerMessage{std::move(body), std::move(request_id)});
}

}  // namespace lb
