#include "server/websocket/client.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

#include "base/clock.h"
#include "base/limits.h"
#include "base/metrics.h"
#include "base/version.h"
#include "server/websocket/gathered_socket.h"

namespace lb {
namespace {

constexpr unsigned char kText = 1;
constexpr unsigned char kPing = 9;

Piece text_piece(std::shared_ptr<const std::string> message) {
  const std::string_view body = *message;
  return {websocket_head(kText, body.size()), std::move(message), body, {}};
}

/// What waits, by session.
std::vector<SessionInboxMessage> inboxes_of(std::vector<InboxItem> items) {
  std::map<SessionId, SessionInboxMessage> by_session;
  for (InboxItem& one : items) {
    SessionInboxMessage& inbox = by_session[one.session_id];
    inbox.session_id = one.session_id;
    inbox.title = std::move(one.title);
    inbox.items.push_back(std::move(one.item));
  }
  std::vector<SessionInboxMessage> out;
  for (auto& [session, inbox] : by_session) out.push_back(std::move(inbox));
  return out;
}

}  // namespace

Client::Client(std::shared_ptr<Outbox> outbox, Hub& hub, Sessions& sessions, Whose whose)
    : outbox_(std::move(outbox)),
      hub_(hub),
      sessions_(sessions),
      whose_(std::move(whose)),
      room_(outbox_->socket().get_executor()),
      windows_(outbox_->socket().get_executor()),
      ping_at_(now_ms()),
      heard_at_(ping_at_) {
  room_.expires_at(asio::steady_timer::time_point::max());
}

Client::~Client() = default;

void Client::start() {
  const std::weak_ptr<Client> weak = weak_from_this();
  outbox_->on_room([weak] {
    const auto self = weak.lock();
    if (!self) return;
    self->room_.cancel();
    self->hub_.mark(self);
  });
  seen_ = hub_.notices().head();
  send(encode_message(HelloMessage{std::string(kVersion), kWireVersion, sessions_.info().epoch,
                                   Limits{.message_bytes = limits::kBodyBytesMax,
                                          .prompt_bytes = limits::kPromptBytesMax,
                                          .image_bytes = limits::kAttachmentBytesMax,
                                          .text_bytes = limits::kTextBytesMax}}));
  send(encode_message(sessions_.settings()));
  send(encode_message(ProjectListMessage{sessions_.projects()}));
  for (const AgentStatusMessage& status : sessions_.agent_statuses()) send(encode_message(status));
  for (const SessionInfo& info : sessions_.glance()) {
    send(encode_message(SessionInfoMessage{info}));
  }
  for (const SessionInboxMessage& inbox : inboxes_of(sessions_.inbox())) {
    send(encode_message(inbox));
  }
  hub_.add(shared_from_this());
}

void Client::heard() {
  heard_at_ = now_ms();
}

void Client::refuse(const LargeMessage& message) {
  fail({ErrorCode::TooLarge,
        fmt::format("This message is too large: it has {} bytes, and a message may have {}.",
                    message.bytes(), limits::kBodyBytesMax)},
       message.request_id());
}

void Client::receive(std::string_view text) {
  ++requests_;
  handle_request(shared_from_this(), text);
}

void Client::request_done() {
  --requests_;
  room_.cancel();
}

void Client::pong() {
  heard();
  awaiting_pong_ = false;
}

bool Client::unread() const {
  return outbox_->bytes() > limits::kControlBytesMax;
}

asio::awaitable<bool> Client::wait_for_room() {
  while (is_open() && (requests_ >= limits::kRequestsInFlightMax || unread())) {
    co_await room_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  co_return !outbox_->dead();
}

asio::awaitable<AsyncMutex::Guard> Client::window_turn() {
  auto turn = co_await windows_.lock();
  while (is_open() && unread()) {
    co_await room_.async_wait(asio::as_tuple(asio::use_awaitable));
  }
  co_return turn;
}

void Client::gone() {
  over_ = true;
  ready_.clear();
  followed_.clear();
  outbox_->on_room({});
  outbox_->close();
  room_.cancel();
  hub_.remove(shared_from_this());
}

void Client::send(std::string message) {
  if (over_) return;
  outbox_->push(text_piece(std::make_shared<const std::string>(std::move(message))));
  hub_.mark(shared_from_this());
}

void Client::answer(std::string_view type, std::string_view fields,
                    const std::optional<std::string>& request_id) {
  std::string message = R"({"type":")" + std::string(type) + '"';
  if (fields.size() > 2) message.append(",").append(fields.substr(1, fields.size() - 2));
  hub_.notices().skip(message + '}', this);
  if (request_id) {
    message += ",\"requestId\":";
    append_quoted(message, *request_id);
  }
  send(message + '}');
}

void Client::fail(const Error& error, const std::optional<std::string>& request_id,
                  std::optional<SessionId> session) {
  ErrorMessage message{std::string(name_of(error.code)), error.message, std::move(session)};
  if (!error.project_id.empty()) message.project_id = error.project_id;
  std::string text = encode_message(std::move(message), request_id);
  if (!error.members.empty()) text.insert(text.size() - 1, "," + error.members);
  send(std::move(text));
}

void Client::send_window(std::string_view type, const History& history,
                         const std::optional<std::string>& request_id) {
  if (over_) return;
  // The payloads are shared with everyone else, so the message is put together from pieces.
  std::string begin = R"({"type":")" + std::string(type) + R"(","sessionId":)";
  append_quoted(begin, history.session_id.str());
  begin += R"(,"entries":[)";
  std::string end = "]";
  if (type == SessionHistoryMessage::kType) end += ",\"rev\":" + std::to_string(history.rev);
  if (history.before) end += ",\"before\":" + std::to_string(*history.before);
  if (request_id) {
    end += ",\"requestId\":";
    append_quoted(end, *request_id);
  }
  end += '}';

  std::vector<Piece> pieces;
  const auto own = [&](std::string text) {
    auto owner = std::make_shared<const std::string>(std::move(text));
    const std::string_view body = *owner;
    pieces.push_back({"", std::move(owner), body, {}});
  };
  const auto list = [&](const std::vector<FramePtr>& frames) {
    for (std::size_t i = 0; i < frames.size(); ++i) {
      const std::string_view comma = i + 1 < frames.size() ? "," : "";
      pieces.push_back({"", frames[i], frames[i]->payload(), comma});
    }
  };
  own(std::move(begin));
  list(history.items);
  own(R"(],"turns":[)");
  list(history.turns);
  own(std::move(end));

  std::size_t total = 0;
  for (const Piece& piece : pieces) total += piece.size();
  pieces.front().head = websocket_head(kText, total);
  for (Piece& piece : pieces) outbox_->push(std::move(piece));
  hub_.mark(shared_from_this());
}

std::uint64_t Client::begin_open(const SessionId& session) {
  unfollow(session);
  followed_[session].open = ++opens_;
  return opens_;
}

bool Client::is_current(const SessionId& session, std::uint64_t open) const {
  const auto at = followed_.find(session);
  return !over_ && at != followed_.end() && at->second.open == open;
}

void Client::follow(const SessionId& session, Opened opened,
                    std::optional<std::string> request_id) {
  const auto at = followed_.find(session);
  assert(at != followed_.end());
  Followed& followed = at->second;
  if (opened.history) {
    send_window(SessionHistoryMessage::kType, *opened.history, request_id);
  } else {
    followed.confirm_at = opened.rev;
    followed.request_id = std::move(request_id);
  }
  followed.reader = std::move(opened.reader);
  // Only a reader that lives calls back, and it goes with its place among the followed.
  followed.reader->on_ready([weak = weak_from_this(), at] {
    if (const auto self = weak.lock()) self->ready(at);
  });
  ready(at);
}

void Client::ready(Follows::iterator followed) {
  if (!std::exchange(followed->second.is_ready, true)) ready_.push_back(followed);
  hub_.mark(shared_from_this());
}

void Client::unfollow(const SessionId& session) {
  const auto at = followed_.find(session);
  if (at == followed_.end()) return;
  std::erase(ready_, at);
  followed_.erase(at);
}

void Client::confirm(Followed& followed) {
  if (!followed.confirm_at || followed.reader->cursor() < *followed.confirm_at) return;
  const OkMessage ok{*std::exchange(followed.confirm_at, std::nullopt)};
  send(encode_message(ok, std::exchange(followed.request_id, std::nullopt)));
}

void Client::fill_from(Follows::iterator at) {
  static Counter& frames_out = counter("lb_frames_out_total", "Frames handed to readers.");
  auto& [session, followed] = *at;
  followed.is_ready = false;  // Before asking: it may say so again meanwhile.
  if (!followed.reader) return;
  const std::vector<FramePtr> frames = followed.reader->next(limits::kPumpBytesMax);
  for (const FramePtr& frame : frames) {
    outbox_->push({websocket_head(kText, frame->json.size()),
                   frame,
                   frame->json,
                   {},
                   followed.reader->live() ? frame->arrived_us : 0});
  }
  frames_out.add(frames.size());
  confirm(followed);
  if (!frames.empty()) {
    ready(at);  // Until it answers nothing; then it will tell.
  } else if (followed.reader->ended()) {
    fail(*followed.reader->ended(), followed.request_id, session);
    followed.reader.reset();
  }
}

bool Client::fill() {
  for (NoticeBoard::Message& notice : hub_.notices().take(seen_, this, limits::kPumpBytesMax)) {
    outbox_->push(text_piece(std::move(notice)));
  }
  for (std::size_t left = ready_.size(); left > 0; --left) {
    if (outbox_->bytes() >= limits::kPumpBytesMax) break;
    const auto next = ready_.front();
    ready_.pop_front();
    fill_from(next);
  }
  return !outbox_->empty();
}

void Client::pump() {
  send_batches();
  if (!unread()) room_.cancel();
}

void Client::send_batches() {
  if (over_) {
    outbox_->flush();
    return;
  }
  if (send_in_batches(*outbox_, [this] { return fill(); })) hub_.mark(shared_from_this());
}

void Client::ping() {
  ping_at_ = now_ms();
  awaiting_pong_ = true;
  outbox_->push({websocket_head(kPing, 0), nullptr, {}, {}});
  hub_.mark(shared_from_this());
}

void Client::tick(MonoMs now) {
  if (over_) {
    if (now - ended_at_ > to_ms(limits::kCloseTimeout)) outbox_->close();
    return;
  }
  if (outbox_->stalled(now)) return end(CloseCode::NoProgress, "no progress");
  // As long as bytes move the other side is there; its pong may be behind a long history.
  const MonoMs moved = std::max({ping_at_, heard_at_, outbox_->last_progress()});
  if (awaiting_pong_ && now - moved > to_ms(limits::kPongTimeout)) return outbox_->close();
  if (!awaiting_pong_ && now - ping_at_ > to_ms(limits::kPingInterval)) ping();
}

void Client::end(CloseCode code, std::string_view reason) {
  if (over_) return;
  outbox_->drop_unsent();
  outbox_->push({websocket_close(code, reason), nullptr, {}, {}});
  outbox_->seal();
  over_ = true;
  ended_at_ = now_ms();
  ready_.clear();
  followed_.clear();
  outbox_->flush();
  room_.cancel();
}

}  // namespace lb
