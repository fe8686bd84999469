#include "server/websocket/terminal_socket.h"

#include <algorithm>
#include <utility>

#include "base/awaitable.h"
#include "base/codec.h"
#include "base/limits.h"
#include "server/outbox.h"
#include "server/websocket/gathered_socket.h"

namespace lb {
namespace {

constexpr unsigned char kTextFrame = 1;
constexpr unsigned char kBinaryFrame = 2;
constexpr unsigned char kPingFrame = 9;

/// What a client says in text: the fields of all its messages.
struct TerminalWord {
  std::string type;
  std::optional<std::uint64_t> cols = {};
  std::optional<std::uint64_t> rows = {};
  std::optional<std::uint64_t> offset = {};
  std::optional<bool> looking = {};
};
template <class Fields>
void describe(Fields& field, TerminalWord& word) {
  field("type", word.type);
  field.optional("cols", word.cols);
  field.optional("rows", word.rows);
  field.optional("offset", word.offset);
  field.optional("looking", word.looking);
}

class TerminalSocket final : public Stream, public std::enable_shared_from_this<TerminalSocket> {
 public:
  TerminalSocket(std::shared_ptr<Outbox> outbox, Hub& hub, std::string grant,
                 std::unique_ptr<TerminalReader> reader)
      : outbox_(std::move(outbox)),
        hub_(hub),
        grant_(std::move(grant)),
        reader_(std::move(reader)),
        ping_at_(now_ms()),
        heard_at_(ping_at_) {}

  void start();
  void typed(std::string_view bytes);
  void told(std::string_view text);
  void heard() { heard_at_ = now_ms(); }
  void pong() {
    heard();
    awaiting_pong_ = false;
  }
  /// The read loop has ended.
  void socket_ended();
  [[nodiscard]] bool over() const { return over_; }
  [[nodiscard]] bool dead() const { return outbox_->dead(); }

  void pump() override;
  void tick(MonoMs now) override;
  void end(CloseCode code, std::string_view reason) override;
  [[nodiscard]] const std::string& grant() const override { return grant_; }

 private:
  bool fill();
  void push(TerminalFrame frame);
  Result<void> obey(const TerminalWord& word);

  std::shared_ptr<Outbox> outbox_;
  Hub& hub_;
  std::string grant_;
  std::unique_ptr<TerminalReader> reader_;
  bool over_ = false;
  MonoMs ended_at_ = 0;
  MonoMs ping_at_;
  MonoMs heard_at_;
  bool awaiting_pong_ = false;
};

void TerminalSocket::start() {
  const auto mark = [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->hub_.mark(self);
  };
  outbox_->on_room(mark);
  reader_->on_ready(mark);
  hub_.add(shared_from_this());
  mark();
}

void TerminalSocket::typed(std::string_view bytes) {
  auto taken = reader_->type(bytes);
  // What is typed into a shell that has ended is of no use, and no fault.
  if (!taken && taken.error().code == ErrorCode::Busy)
    end(CloseCode::Policy, taken.error().message);
}

void TerminalSocket::told(std::string_view text) {
  Result<void> done;
  auto parsed = parse_json(text, limits::kClientJsonDepthMax);
  auto word = parsed ? decode<TerminalWord>(*parsed) : std::unexpected(parsed.error());
  done = word ? obey(*word) : std::unexpected(word.error());
  if (!done) end(CloseCode::Policy, done.error().message);
}

Result<void> TerminalSocket::obey(const TerminalWord& word) {
  if (word.type == "ack" && word.offset) {
    reader_->acked(*word.offset);
    return {};
  }
  if (word.type == "look" && word.looking) {
    reader_->look(*word.looking);
    return {};
  }
  if (word.type == "resize" && word.cols && word.rows) {
    return reader_->resize(*word.cols, *word.rows);
  }
  return fail(ErrorCode::InvalidRequest, "resize, ack or look, with their fields");
}

void TerminalSocket::push(TerminalFrame frame) {
  if (!frame.text.empty()) {
    std::string message = websocket_head(kTextFrame, frame.text.size()) + frame.text;
    return outbox_->push({std::move(message), nullptr, {}, {}});
  }
  std::size_t total = frame.lead.size();
  for (const Scrollback::Piece& piece : frame.bytes) total += piece.bytes.size();
  outbox_->push({websocket_head(kBinaryFrame, total) + frame.lead, nullptr, {}, {}});
  for (Scrollback::Piece& piece : frame.bytes) {
    outbox_->push({{}, std::move(piece.owner), piece.bytes, {}});
  }
}

/// Puts one batch into the empty outbox; false when there is nothing to send.
bool TerminalSocket::fill() {
  while (outbox_->bytes() < limits::kPumpBytesMax) {
    auto frame = reader_->next();
    if (!frame) break;
    push(std::move(*frame));
  }
  return !outbox_->empty();
}

void TerminalSocket::pump() {
  if (over_) {
    outbox_->flush();
    return;
  }
  if (send_in_batches(*outbox_, [this] { return fill(); })) hub_.mark(shared_from_this());
  if (outbox_->empty() && reader_->over()) end(CloseCode::Normal, "closed");
}

void TerminalSocket::tick(MonoMs now) {
  if (over_) {
    if (now - ended_at_ > to_ms(limits::kCloseTimeout)) outbox_->close();
    return;
  }
  if (outbox_->stalled(now)) return end(CloseCode::NoProgress, "no progress");
  const MonoMs moved = std::max({ping_at_, heard_at_, outbox_->last_progress()});
  if (awaiting_pong_ && now - moved > to_ms(limits::kPongTimeout)) return outbox_->close();
  if (awaiting_pong_ || now - ping_at_ <= to_ms(limits::kPingInterval)) return;
  ping_at_ = now;
  awaiting_pong_ = true;
  outbox_->push({websocket_head(kPingFrame, 0), nullptr, {}, {}});
  hub_.mark(shared_from_this());
}

void TerminalSocket::end(CloseCode code, std::string_view reason) {
  if (over_) return;
  over_ = true;
  ended_at_ = now_ms();
  reader_.reset();
  outbox_->drop_unsent();
  outbox_->push({websocket_close(code, reason), nullptr, {}, {}});
  outbox_->seal();
  outbox_->flush();
}

void TerminalSocket::socket_ended() {
  over_ = true;
  reader_.reset();
  outbox_->on_room({});
  outbox_->close();
  hub_.remove(shared_from_this());
}

class TerminalTask final : public SocketTask {
 public:
  TerminalTask(HttpRequest request, std::unique_ptr<TerminalReader> reader, Hub& hub)
      : request_(std::move(request)), reader_(std::move(reader)), hub_(hub) {}

  asio::awaitable<void> run(asio::ip::tcp::socket tcp) override {
    const auto outbox = std::make_shared<Outbox>(std::move(tcp));
    GatheredSocket socket(outbox);
    if (!co_await accept_websocket(socket, request_)) co_return;
    const auto stream =
        std::make_shared<TerminalSocket>(outbox, hub_, request_.grant, std::move(reader_));
    socket.control_callback(
        [weak = std::weak_ptr(stream)](websocket::frame_type kind, beast::string_view) {
          const auto self = weak.lock();
          if (self && kind == websocket::frame_type::pong) self->pong();
        });
    stream->start();
    if (hub_.stopping()) stream->end(CloseCode::GoingAway, "server stopping");
    co_await read(socket, *stream);
    stream->socket_ended();
  }

 private:
  static asio::awaitable<void> read(GatheredSocket& socket, TerminalSocket& stream) {
    beast::flat_buffer buffer;
    while (!stream.dead()) {
      do {
        const auto [error, size] =
            co_await socket.async_read_some(buffer, limits::kTerminalMessageBytesMax, kNoThrow);
        if (error) co_return;
        stream.heard();
        if (buffer.size() > limits::kTerminalMessageBytesMax) {
          stream.end(CloseCode::TooLarge, "a message may have 64 KiB");
        }
        // After our close everything is passed over until the other side answers it.
        if (stream.over()) buffer.consume(buffer.size());
      } while (!socket.is_message_done());
      if (!stream.over()) take(stream, socket.got_binary(), text_in(buffer));
      buffer.consume(buffer.size());
    }
  }

  static void take(TerminalSocket& stream, bool binary, std::string_view message) {
    if (binary) {
      stream.typed(message);
    } else {
      stream.told(message);
    }
  }

  HttpRequest request_;
  std::unique_ptr<TerminalReader> reader_;
  Hub& hub_;
};

}  // namespace

std::shared_ptr<SocketTask> make_terminal_task(HttpRequest request,
                                               std::unique_ptr<TerminalReader> reader, Hub& hub) {
  return std::make_shared<TerminalTask>(std::move(request), std::move(reader), hub);
}

}  // namespace lb
