#include "app/browser.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "base/limits.h"
#include "base/log.h"
#include "base/secret.h"
#include "process/agent_process.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it so.

namespace lb {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPrefix = "open-";
constexpr std::string_view kSuffix = ".html";

std::string variable_of(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
  return value == nullptr ? "" : value;
}

std::optional<std::string> opener() {
  if (variable_of("DISPLAY").empty() && variable_of("WAYLAND_DISPLAY").empty()) return {};
  return find_program("xdg-open", variable_of("PATH"));
}

/// What the helper does: waits for one path, and becomes the program that opens it.
[[noreturn]] void help(const std::string& program, int orders) {
  // It is a copy of us, and what we know is not for other programs of the user.
  ::prctl(PR_SET_DUMPABLE, 0);
  ::prctl(PR_SET_NAME, "lb-browser");
  ::setsid();
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_DFL);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int fd : {0, 1, 2}) ::dup2(nothing, fd);
  constexpr int kOrders = 3;
  if (orders != kOrders) ::dup3(orders, kOrders, O_CLOEXEC);
  ::syscall(SYS_close_range, kOrders + 1, ~0U, 0);
  std::string path;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(kOrders, buffer.data(), buffer.size())) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) ::_exit(0);
    path.append(buffer.data(), static_cast<std::size_t>(got));
  }
  if (!path.ends_with('\n')) ::_exit(0);  // The server ended before it had anything to open.
  path.pop_back();
  std::string name = "xdg-open";
  char* argv[] = {name.data(), path.data(), nullptr};
  ::execve(program.c_str(), argv, environ);
  ::_exit(0);
}

bool write_private(const std::string& path, std::string_view text) {
  const Fd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  return file.valid() &&
         ::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size());
}

/// The address has only characters that stand for themselves in HTML.
std::string page_to(const std::string& url) {
  return "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
         "<meta name=\"referrer\" content=\"no-referrer\">\n<title>Liminal Builder</title>\n"
         "<meta http-equiv=\"refresh\" content=\"0; url=" +
         url + "\">\n<p><a href=\"" + url + "\">Liminal Builder</a></p>\n</html>\n";
}

}  // namespace

bool has_browser() {
  return opener().has_value();
}

void open_in_browser(const std::string& file) {
  const auto program = opener();
  if (!program) return;
  std::string name = "xdg-open";
  std::string argument = file;
  char* argv[] = {name.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  for (const int fd : {0, 1, 2}) {
    ::posix_spawn_file_actions_addopen(&files, fd, "/dev/null", O_RDWR, 0);
  }
  pid_t child = 0;
  ::posix_spawn(&child, program->c_str(), &files, nullptr, argv, environ);
  ::posix_spawn_file_actions_destroy(&files);
}

BrowserHelper BrowserHelper::start() {
  BrowserHelper helper;
  const auto program = opener();
  int ends[2];
  if (!program || ::pipe2(ends, O_CLOEXEC) != 0) return helper;
  const Fd orders(ends[0]);
  helper.orders_ = Fd(ends[1]);
  // Twice: the one between ends at once, so that the helper is nobody's child here.
  const pid_t between = ::fork();
  if (between == 0) {
    if (::fork() == 0) help(*program, orders.get());
    ::_exit(0);
  }
  if (between < 0) {
    helper.orders_.reset();
  } else {
    ::waitpid(between, nullptr, 0);
  }
  return helper;
}

void BrowserHelper::open(const std::string& file) {
  const std::string order = file + "\n";
  // A helper that is gone opens nothing; the address was printed.
  static_cast<void>(!::write(orders_.get(), order.data(), order.size()));
  orders_.reset();
}

LaunchFiles::LaunchFiles(boost::asio::any_io_executor io, std::string directory)
    : io_(std::move(io)), directory_(std::move(directory)) {
  // What a killed server left leads nowhere any more.
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory_, error)) {
    const std::string name = entry.path().filename().string();
    std::error_code ignored;
    if (name.starts_with(kPrefix) && name.ends_with(kSuffix)) fs::remove(entry.path(), ignored);
  }
}

LaunchFiles::~LaunchFiles() {
  while (!files_.empty()) forget(files_.begin()->first);
}

std::string LaunchFiles::make(const std::string& url, std::string_view code) {
  constexpr std::size_t kNameChars = 16;
  std::string path = directory_ + "/" + std::string(kPrefix) + make_secret().substr(0, kNameChars) +
                     std::string(kSuffix);
  if (!write_private(path, page_to(url))) {
    log_warn("open.no_file", {{"why", std::generic_category().message(errno)}});
    ::unlink(path.c_str());
    return {};
  }
  if (files_.size() >= limits::kLaunchCodesMax) forget(files_.begin()->first);
  const std::string key = sha256_hex(code);
  auto end = std::make_unique<boost::asio::steady_timer>(io_, limits::kLaunchCodeLife);
  end->async_wait([this, key](boost::system::error_code stopped) {
    if (!stopped) forget(key);
  });
  files_.insert_or_assign(key, File{path, std::move(end)});
  return path;
}

void LaunchFiles::remove(std::string_view code) {
  forget(sha256_hex(code));
}

void LaunchFiles::forget(const std::string& key) {
  const auto at = files_.find(key);
  if (at == files_.end()) return;
  ::unlink(at->second.path.c_str());
  files_.erase(at);
}

}  // namespace lb
