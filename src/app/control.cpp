#include "app/control.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <cstring>

#include "app/control_peer.h"
#include "base/awaitable.h"
#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metrics.h"

namespace lb {
namespace {

using asio::local::stream_protocol;
constexpr std::string_view kName = "/control.sock";

/// A socket's path has at most 107 characters; through its directory's descriptor it always fits.
std::string short_path(const Fd& directory) {
  return "/proc/self/fd/" + std::to_string(directory.get()) + std::string(kName);
}

Fd open_directory(const std::string& path) {
  return Fd(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

class ControlServer::Impl : public std::enable_shared_from_this<Impl> {
 public:
  Impl(asio::any_io_executor io, std::string directory, ControlHandler handler,
       ControlRefused refused)
      : io_(io),
        acceptor_(io),
        directory_(std::move(directory)),
        handler_(std::move(handler)),
        refused_(std::move(refused)) {}

  Result<void> start() {
    const Fd directory = open_directory(directory_);
    const std::string path = short_path(directory);
    ::unlink(path.c_str());  // The data directory is ours alone, so whatever is there is old.
    boost::system::error_code error;
    acceptor_.open(stream_protocol(), error);
    const mode_t before = ::umask(0177);
    if (!error) acceptor_.bind(stream_protocol::endpoint(path), error);
    ::umask(before);
    if (!error) acceptor_.listen(16, error);
    if (error) {
      return fail(ErrorCode::Internal, "cannot make the control socket: " + error.message());
    }
    asio::co_spawn(io_, accept(shared_from_this()), asio::detached);
    return {};
  }

  void stop() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    ::unlink((directory_ + std::string(kName)).c_str());
  }

 private:
  static asio::awaitable<void> accept(std::shared_ptr<Impl> self) {
    while (self->acceptor_.is_open()) {
      auto [error, socket] = co_await self->acceptor_.async_accept(kNoThrow);
      if (error) {  // Closed; or out of descriptors, and that passes.
        if (!self->acceptor_.is_open()) co_return;
        asio::steady_timer pause(self->io_, std::chrono::milliseconds(100));
        co_await pause.async_wait(kNoThrow);
        continue;
      }
      auto problem = peer_problem(socket.native_handle());
      if (!problem && self->asking_ >= limits::kControlAskersMax) problem = "too many at once";
      if (problem) {
        counter("lb_control_refused_total", "Commands refused: not the user's, or too many.").add();
        log_warn("control.refused", {{"why", *problem}});
        self->refused_(std::string(*problem));
        continue;
      }
      asio::co_spawn(self->io_, serve(self, std::move(socket)), asio::detached);
    }
  }

  static asio::awaitable<void> serve(std::shared_ptr<Impl> self, stream_protocol::socket taken) {
    struct Asking {
      std::size_t& count;
      explicit Asking(std::size_t& all) : count(all) { ++count; }
      ~Asking() { --count; }
    } const asking(self->asking_);
    const auto shared = std::make_shared<stream_protocol::socket>(std::move(taken));
    stream_protocol::socket& socket = *shared;
    std::string line;
    asio::steady_timer limit(self->io_, limits::kControlAskTimeout);
    limit.async_wait([weak = std::weak_ptr(shared)](boost::system::error_code stopped) {
      boost::system::error_code ignored;
      const auto open = weak.lock();
      if (!stopped && open) open->cancel(ignored);
    });
    const auto [error, size] = co_await asio::async_read_until(
        socket, asio::dynamic_buffer(line, limits::kControlRequestBytesMax), '\n', kNoThrow);
    if (error) co_return;
    limit.cancel();
    auto request = parse_json(std::string_view(line).substr(0, size));
    std::string answer;
    if (!request || !request->is_object()) {
      answer = R"({"code":"INVALID_REQUEST","message":"expected an object"})";
    } else {
      auto result = co_await self->handler_(request->get_object());
      answer = result ? std::move(*result) : encode_error(result.error());
    }
    co_await asio::async_write(socket, asio::buffer(answer), kNoThrow);
  }

  static std::string encode_error(const Error& error) {
    std::string out = R"({"code":")" + std::string(name_of(error.code)) + R"(","message":)";
    append_quoted(out, error.message);
    return out + "}";
  }

  asio::any_io_executor io_;
  stream_protocol::acceptor acceptor_;
  std::string directory_;
  ControlHandler handler_;
  ControlRefused refused_;
  std::size_t asking_ = 0;
};

ControlServer::ControlServer(asio::any_io_executor io, std::string directory,
                             ControlHandler handler, ControlRefused refused)
    : impl_(std::make_shared<Impl>(io, std::move(directory), std::move(handler),
                                   std::move(refused))) {}

ControlServer::~ControlServer() {
  impl_->stop();
}

Result<void> ControlServer::start() {
  return impl_->start();
}

Result<std::string> ask_server(const std::string& directory, const json::object& request) {
  const Fd dir = open_directory(directory);
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = short_path(dir);
  std::memcpy(address.sun_path, path.data(), path.size());
  if (!dir.valid() || !socket.valid() ||
      ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) {
    return fail(ErrorCode::AgentUnavailable, "no server runs on " + directory);
  }
  const std::string line = json::serialize(request) + "\n";
  if (::send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(line.size())) {
    return fail(ErrorCode::AgentUnavailable, "the server does not answer");
  }
  std::string answer;
  std::array<char, 16384> buffer{};
  for (;;) {
    const ssize_t got = ::read(socket.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    answer.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (answer.empty()) return fail(ErrorCode::Unauthenticated, "the server refused to answer");
  return answer;
}

}  // namespace lb
