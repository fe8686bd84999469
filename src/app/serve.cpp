// The composition root: the one place where the parts are put together.
#include "app/serve.h"

#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "app/browser.h"
#include "app/control.h"
#include "app/editor.h"
#include "base/awaitable.h"
#include "base/limits.h"
#include "base/version.h"
#include "process/guarded_process.h"
#include "process/spawn.h"
#include "providers/timers.h"
#include "server/server.h"
#include "session/service/session_service.h"
#include "store/data_dir.h"
#include "store/sqlite/sqlite_store.h"

namespace lb {
namespace {

/// Long texts come and go: each block of them is mapped by itself and returns to the system when it
/// is let go. Left to itself the allocator raises that threshold and keeps them.
void keep_memory_small() {
#ifdef __GLIBC__
  constexpr int kMappedFrom = 128 << 10;
  // Before there is a second thread.
  ::mallopt(M_MMAP_THRESHOLD, kMappedFrom);  // NOLINT(concurrency-mt-unsafe)
  ::mallopt(M_TRIM_THRESHOLD, kMappedFrom);  // NOLINT(concurrency-mt-unsafe)
#endif
}

/// What protects the process itself: nobody of the same user may read our memory or environment.
void harden() {
  // Our files are private; what agents write is the user's, as if written in a terminal.
  set_child_umask(::umask(077));
  ::prctl(PR_SET_DUMPABLE, 0);
  const rlimit no_core = {0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(SIGPIPE, SIG_IGN);
  // A thousand readers and the pipes of many agents are more than the usual 1,024.
  rlimit files{};
  if (::getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = std::min<rlim_t>(files.rlim_max, 65536);
    ::setrlimit(RLIMIT_NOFILE, &files);
  }
  if (::geteuid() == 0) log_warn("start.as_root", {{"hint", "a user of its own is safer"}});
}

/// Tells systemd (Type=notify) that we are ready; nobody else sets the variable.
void notify_systemd() {
  const char* path = std::getenv("NOTIFY_SOCKET");  // NOLINT(concurrency-mt-unsafe)
  sockaddr_un address{};
  if (path == nullptr || std::strlen(path) >= sizeof address.sun_path) return;
  const Fd socket(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path, std::strlen(path));
  if (address.sun_path[0] == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + std::strlen(path));
  constexpr std::string_view kReady = "READY=1";
  ::sendto(socket.get(), kReady.data(), kReady.size(), MSG_NOSIGNAL,
           reinterpret_cast<const sockaddr*>(&address), size);
}

Result<ServerOptions> server_options(const Options& options) {
  ServerOptions out;
  out.host = options.host;
  out.port = options.port;
  out.external_origin = options.external_origin;
  out.ui_root = options.ui_root;
  for (const std::string& text : options.trusted_proxies) {
    auto range = Cidr::parse(text);
    if (!range) return std::unexpected(range.error());
    out.trusted_proxies.push_back(std::move(*range));
  }
  return out;
}

/// Everything that lives while the server runs, in the order it depends on each other.
class Program {
 public:
  Program(const Options& options, DataDir& directory, BrowserHelper browser, EditorHelper& editor)
      : options_(options), directory_(directory), browser_(std::move(browser)), editor_(editor) {}

  Result<void> build() {
    auto store = open_sqlite_store(io_.get_executor(), {directory_.path(), {}});
    if (!store) return std::unexpected(std::move(store.error()));
    store_ = std::move(*store);
    launcher_.build_walls([this] { return walls_of(options_); });
    const ProviderDeps deps{io_.get_executor(), pool_.get_executor(), launcher_, clock_, timers_};
    if (auto added = add_all_providers(registry_, options_.agents, deps); !added) return added;
    ServiceDeps service{io_.get_executor(), *store_, registry_, clock_, options_.warm_start};
    service.keep_dir = directory_.file("git");
    service.worktrees = options_.worktrees.string();
    service.checkpoints = options_.checkpoints;
    service.checkpoint_wait = options_.checkpoint_wait;
    service.launcher = &launcher_;
    if (editor_.ready()) {
      service.editor = [this](const EditorWish& wish) { return editor_.open(wish); };
    }
    service.terminals = options_.terminal;
    service_ = std::make_unique<SessionService>(std::move(service));
    auth_ = std::make_unique<Auth>(
        clock_, AuthOptions{directory_.file("grants"), options_.token, options_.terminal_token});
    auth_->on_code_gone([this](std::string_view code) { launch_files_.remove(code); });
    auto server = server_options(options_);
    if (!server) return std::unexpected(std::move(server.error()));
    server_ = std::make_unique<Server>(io_.get_executor(), *service_, *auth_, std::move(*server));
    if (auto listening = server_->listen(); !listening) return listening;
    control_ = std::make_unique<ControlServer>(
        io_.get_executor(), directory_.path(),
        [this](json::object request) { return answer_control(this, std::move(request)); },
        [this](std::string why) { server_->logins().command_refused(std::move(why)); });
    if (auto started = control_->start(); !started) return started;
    return directory_.set_address(server_->origin());
  }

  int run() {
    asio::co_spawn(io_, main(this), asio::detached);
    io_.run();
    store_->close();
    return exit_code_;
  }

 private:
  static asio::awaitable<void> main(Program* self) {
    asio::signal_set signals(self->io_, SIGTERM, SIGINT);
    asio::co_spawn(self->io_, look_for_walls(self), asio::detached);
    if (auto started = co_await self->service_->start(); !started) {
      self->exit_code_ = failed(started.error().message);
    } else if (auto logins = co_await self->server_->logins().open(); !logins) {
      self->exit_code_ = failed(logins.error().message);
    } else {
      self->server_->start();
      self->ready();
      co_await signals.async_wait(kNoThrow);
      signals.async_wait([](boost::system::error_code error, int) {
        if (!error) std::_Exit(0);
      });
      co_await stop(self);
    }
    self->control_.reset();
    self->io_.stop();
  }

  /// Nobody waits for it: until it is known a confined start fails at the guardian, if it must.
  static asio::awaitable<void> look_for_walls(Program* self) {
    auto allowed = co_await check_confinement(self->launcher_);
    if (allowed) co_return;
    log_info("no_confinement", {{"why", allowed.error().message}});
    self->service_->cannot_confine(std::move(allowed.error().message));
  }

  static asio::awaitable<void> stop(Program* self) {
    log_info("stopping");
    asio::steady_timer limit(self->io_, limits::kServerStopMax);
    limit.async_wait([](boost::system::error_code error) {
      if (!error) std::_Exit(0);
    });
    co_await self->server_->stop();
    co_await self->service_->stop();
    log_info("stopped");
  }

  /// An address, and behind a line's end the file that leads a browser there when one is wanted.
  std::string launch(AuditActor whose, std::string why, bool with_file) {
    const std::string code = server_->logins().make_code(whose, std::move(why));
    const std::string url = server_->origin() + "/#code=" + code;
    return with_file ? url + "\n" + launch_files_.make(url, code) : url;
  }

  void ready() {
    const std::string made =
        launch(AuditActor::Server, "printed when the server started", browser_.ready());
    const std::size_t end = std::min(made.find('\n'), made.size());
    // Whoever sits before the terminal reads the next line; a log file has only this one.
    const bool told = ::isatty(STDOUT_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1;
    log_event(told ? LogLevel::Debug : LogLevel::Info, "ready",
              {{"version", kVersion},
               {"host", options_.host},
               {"port", server_->port()},
               {"data_dir", directory_.path()}});
    std::cout << "Liminal Builder is ready: " << made.substr(0, end) << std::endl;
    notify_systemd();
    if (end + 1 < made.size()) browser_.open(made.substr(end + 1));
  }

  static asio::awaitable<Result<std::string>> answer_control(Program* self, json::object request) {
    const std::string_view command = string_at(request, "command");
    if (command == "open") {
      const json::value* wanted = request.if_contains("withFile");
      co_return self->launch(AuditActor::Terminal, "liminal-builder open",
                             wanted != nullptr && wanted->is_bool() && wanted->get_bool());
    }
    if (command == "export") {
      const SessionId session{std::string(string_at(request, "sessionId"))};
      const bool as_json = string_at(request, "format") == "json";
      co_return co_await self->service_->export_session(
          session, as_json ? ExportFormat::Json : ExportFormat::Markdown);
    }
    co_return fail(ErrorCode::InvalidRequest, "unknown command");
  }

  const Options& options_;
  DataDir& directory_;
  BrowserHelper browser_;
  EditorHelper& editor_;
  SystemClock clock_;
  asio::io_context io_{1};
  asio::thread_pool pool_{2};
  GuardedLauncher launcher_{io_.get_executor()};
  SystemTimers timers_{io_.get_executor()};
  LaunchFiles launch_files_{io_.get_executor(), directory_.path()};
  std::unique_ptr<Store> store_;
  ProviderRegistry registry_;
  std::unique_ptr<SessionService> service_;
  std::unique_ptr<Auth> auth_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<ControlServer> control_;
  int exit_code_ = 0;
};

}  // namespace

std::vector<Wall> walls_of(const Options& options) {
  std::error_code why;
  static const std::string program = std::filesystem::read_symlink("/proc/self/exe", why).string();
  const auto absolute = [&](const std::filesystem::path& path) {
    return path.empty() ? std::string() : std::filesystem::absolute(path, why).string();
  };
  return walls_for({.data_dir = absolute(options.data_dir),
                    .config_file = absolute(options.config),
                    .program = program},
                   child_environment({}, {}));
}

int failed(const std::string& why) {
  std::cerr << "liminal-builder: " << why << "\n";
  return 1;
}

std::optional<std::string> bind_problem(const Options& options) {
  boost::system::error_code error;
  const std::string name = options.host == "localhost" ? "127.0.0.1" : options.host;
  const auto address = asio::ip::make_address(name, error);
  if (error) return "--host takes an address, not `" + options.host + "`";
  const std::string_view origin =
      options.external_origin ? std::string_view(*options.external_origin) : std::string_view();
  if (!origin.empty() && (!origin.starts_with("https://") || origin.substr(8).empty() ||
                          origin.substr(8).find_first_of("/?#@ ") != std::string_view::npos)) {
    return "--external-origin takes https://NAME";
  }
  if (address.is_loopback() || (!origin.empty() && !options.trusted_proxies.empty())) return {};
  return "refusing to listen on " + options.host +
         ": anyone on the network could reach it without encryption. Put a proxy with TLS in front "
         "and say so with --external-origin https://NAME and --trusted-proxy CIDR, or use ssh -L";
}

int serve(const Options& options) {
  set_log(options.log_level, options.log_format);
  if (const auto problem = bind_problem(options)) return failed(*problem);
  // First of all: not below us, with the user's umask and limits, and none of our files.
  auto browser = options.open_browser ? BrowserHelper::start() : BrowserHelper();
  EditorHelper editor(options.editor, options.path);
  harden();
  keep_memory_small();
  auto directory = DataDir::open(options.data_dir.string());
  if (!directory) return failed(directory.error().message);
  Program program(options, *directory, std::move(browser), editor);
  if (auto built = program.build(); !built) return failed(built.error().message);
  return program.run();
}

}  // namespace lb
