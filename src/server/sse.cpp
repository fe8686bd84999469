#include "server/sse.h"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/clock.h"
#include "base/limits.h"
#include "base/metrics.h"
#include "server/http/http_message.h"
#include "server/outbox.h"

namespace lb {
namespace {

class SseStream final : public Stream, public std::enable_shared_from_this<SseStream> {
 public:
  SseStream(std::shared_ptr<Outbox> outbox, Hub& hub, std::string grant)
      : outbox_(std::move(outbox)),
        hub_(hub),
        grant_(std::move(grant)),
        ping_at_(SystemClock().mono()) {}

  void start(const SessionId& session, Opened opened, std::string head) {
    reader_ = std::move(opened.reader);
    const std::weak_ptr<SseStream> weak = weak_from_this();
    const auto wake = [weak] {
      if (const auto self = weak.lock()) self->hub_.mark(self);
    };
    outbox_->on_room(wake);
    reader_->on_ready(wake);
    if (opened.reset) {
      head += "event: session:reset\ndata: {\"sessionId\":\"" + session.str() + "\"}\n\n";
    }
    outbox_->push({std::move(head), nullptr, {}, {}});
    hub_.add(shared_from_this());
    hub_.mark(shared_from_this());
  }

  void pump() override {
    if (send_in_batches(*outbox_, [this] { return fill(); })) hub_.mark(shared_from_this());
  }

  void tick(MonoMs now) override {
    if (outbox_->stalled(now)) return outbox_->close();
    if (now - ping_at_ < to_ms(limits::kSsePingInterval)) return;
    ping_at_ = now;
    if (!outbox_->empty()) return;
    outbox_->push({": ping\n\n", nullptr, {}, {}});
    hub_.mark(shared_from_this());
  }

  void end(CloseCode, std::string_view) override {
    reader_.reset();
    outbox_->drop_unsent();
    outbox_->when_empty([outbox = std::weak_ptr(outbox_)] {
      if (const auto last = outbox.lock()) last->close();
    });
    outbox_->flush();
  }

  void gone() {
    reader_.reset();
    outbox_->on_room({});
    outbox_->close();
    hub_.remove(shared_from_this());
  }

  [[nodiscard]] const std::string& grant() const override { return grant_; }

 private:
  /// Puts one batch into the empty outbox; false when there is nothing to send.
  bool fill() {
    if (!reader_) return false;
    const std::vector<FramePtr> frames = reader_->next(limits::kPumpBytesMax);
    for (const FramePtr& frame : frames) push(frame);
    if (frames.empty() && reader_->ended()) end(CloseCode::Normal, "");
    return !frames.empty();
  }

  void push(const FramePtr& frame) {
    static Counter& frames_out = counter("lb_frames_out_total", "Frames handed to readers.");
    frames_out.add();
    std::string head = "id: " + std::to_string(frame->rev) + "\nevent: ";
    head.append(frame->type()).append("\ndata: ");
    outbox_->push(
        {std::move(head), frame, frame->json, "\n\n", reader_->live() ? frame->arrived_us : 0});
  }

  std::shared_ptr<Outbox> outbox_;
  Hub& hub_;
  std::string grant_;
  std::unique_ptr<Reader> reader_;
  MonoMs ping_at_;
};

class SseTask final : public SocketTask {
 public:
  SseTask(SessionId session, Opened opened, Hub& hub, std::string grant)
      : session_(std::move(session)),
        opened_(std::move(opened)),
        hub_(hub),
        grant_(std::move(grant)) {}

  asio::awaitable<void> run(asio::ip::tcp::socket socket) override {
    const auto outbox = std::make_shared<Outbox>(std::move(socket));
    const auto stream = std::make_shared<SseStream>(outbox, hub_, grant_);
    HttpResponse response;
    response.content_type = "text/event-stream; charset=utf-8";
    response.fields.emplace_back("X-Accel-Buffering", "no");
    // Only to leave the length out: an event stream ends when the connection does.
    response.takeover = std::shared_ptr<SocketTask>(std::shared_ptr<void>(), this);
    stream->start(session_, std::move(opened_), response_head(response, false));
    if (hub_.stopping()) stream->end(CloseCode::GoingAway, "");
    // Nothing is expected from the client but its end.
    std::array<char, 256> ignored{};
    for (;;) {
      const auto [error, got] = co_await outbox->socket().async_read_some(
          asio::buffer(ignored), asio::as_tuple(asio::use_awaitable));
      if (error) break;
    }
    stream->gone();
  }

 private:
  SessionId session_;
  Opened opened_;
  Hub& hub_;
  std::string grant_;
};

}  // namespace

std::shared_ptr<SocketTask> make_sse_task(SessionId session, Opened opened, Hub& hub,
                                          std::string grant) {
  return std::make_shared<SseTask>(std::move(session), std::move(opened), hub, std::move(grant));
}

}  // namespace lb
