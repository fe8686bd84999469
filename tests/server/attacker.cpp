// What an agent, or another user of the machine, would try; run by attacks.test.mjs as an ordinary
// user. Each command is one attack (or the honest case beside it) and says what came of it in a
// file or on stdout. It asks no questions about the program: only what any program may do.
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

void pause_a_little() {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
}

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Whole or not at all: the test polls for it.
void put(const fs::path& path, const std::string& text) {
  std::ofstream(path.string() + ".part") << text;
  fs::rename(path.string() + ".part", path);
}

pid_t parent_of(pid_t pid) {
  const std::string stat = slurp("/proc/" + std::to_string(pid) + "/stat");
  return static_cast<pid_t>(std::strtol(stat.c_str() + stat.rfind(')') + 4, nullptr, 10));
}

/// The server stands above the guardian, which stands above us.
pid_t server() {
  return parent_of(::getppid());
}

std::string read_to_end(int fd) {
  std::string text;
  std::array<char, 4096> buffer{};
  for (ssize_t got = 0; (got = ::read(fd, buffer.data(), buffer.size())) > 0;) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return text;
}

bool connect_unix(int fd, const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
}

int connect_tcp(int port) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{.tv_sec = 20, .tv_usec = 0};  // Nobody waits longer for an answer.
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  if (::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) return fd;
  ::close(fd);
  return -1;
}

bool send_text(int fd, const std::string& text) {
  return ::send(fd, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

/// reuse CONTROL_SOCKET FOLDER. Stops the server, has a child connect to it and end, waits until
/// somebody else has the child's number, and lets the server look.
int reuse(const Words& words) {
  const pid_t target = server();
  ::kill(target, SIGSTOP);
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const bool sent =
        connect_unix(socket, words[0]) && send_text(socket, "{\"command\":\"open\"}\n");
    ::_exit(sent ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  put(words[1] + "/child", std::to_string(status == 0 ? child : -1));
  while (!fs::exists(words[1] + "/taken")) pause_a_little();
  ::kill(target, SIGCONT);
  put(words[1] + "/answer", read_to_end(socket));
  return 0;
}

/// ask-control CONTROL_SOCKET FOLDER. Simply asks, as a child of the server.
int ask_control(const Words& words) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  const bool there = connect_unix(socket, words[0]);
  // It may have hung up already.
  static_cast<void>(send_text(socket, "{\"command\":\"open\"}\n"));
  put(words[1] + "/answer", there ? read_to_end(socket) : "nobody is there");
  return 0;
}

/// at-number PID UID. A process of that user with that number, as chance would have it; for root.
int at_number(const Words& words) {
  pid_t wanted = std::stoi(words[0]);
  const auto user = static_cast<uid_t>(std::stoul(words[1]));
  clone_args args{};
  args.exit_signal = SIGCHLD;
  args.set_tid = reinterpret_cast<std::uintptr_t>(&wanted);
  args.set_tid_size = 1;
  const long child = ::syscall(SYS_clone3, &args, sizeof args);
  if (child == 0) {
    if (::setgid(user) != 0 || ::setuid(user) != 0) ::_exit(1);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // After it: another user is another contract.
    std::cout << "taken" << std::endl;
    for (;;) ::pause();
  }
  if (child < 0) std::cout << std::strerror(errno) << std::endl;
  std::cin.get();
  return 0;
}

/// without-peerpidfd PROGRAM ARGUMENTS. A kernel before 6.5, as far as the program can tell.
int without_peerpidfd(const Words& words) {
  constexpr std::uint32_t kLevel = offsetof(seccomp_data, args) + sizeof(std::uint64_t);
  constexpr std::uint32_t kName = kLevel + sizeof(std::uint64_t);
  constexpr int kPeerPidfd = 77;
  std::array<sock_filter, 8> rules = {{
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getsockopt, 0, 5),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kLevel),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SOL_SOCKET, 0, 3),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kName),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kPeerPidfd, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOPROTOOPT),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  }};
  const sock_fprog program = {rules.size(), rules.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
    return 1;
  }
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  return 1;
}

/// listen. Takes what it is told, and ends with it.
int listen_only(const Words&) {
  read_to_end(0);
  return 0;
}

/// sleep. Nothing, for ever.
int sleep_for_ever(const Words&) {
  for (;;) ::pause();
}

/// outlive FOLDER. A daemon that asks to be spared, and the end of the guardian above it.
int outlive(const Words& words) {
  const pid_t guardian = ::getppid();
  if (::fork() == 0) {
    ::setsid();
    const pid_t daemon = ::fork();
    if (daemon != 0) ::_exit(0);
    ::setsid();  // Nor in the group of one that is ended.
    put(words[0] + "/daemon", std::to_string(::getpid()));
    char* const argv[] = {const_cast<char*>("attacker"), const_cast<char*>("sleep"), nullptr};
    char* const env[] = {const_cast<char*>("LB_OUTLIVES_SERVER=1"), nullptr};
    ::execve("/proc/self/exe", argv, env);
    ::_exit(1);
  }
  while (!fs::exists(words[0] + "/daemon")) pause_a_little();
  // Only once it is what it asks to be taken for.
  const std::string daemon = "/proc/" + slurp(words[0] + "/daemon");
  while (slurp(daemon + "/cmdline").find("sleep") == std::string::npos) pause_a_little();
  ::kill(guardian, SIGKILL);
  return sleep_for_ever(words);
}

std::string outcome(int result) {
  return result == 0 ? "done" : std::strerror(errno);
}

/// restart CONTROL_SOCKET FOLDER. A daemon that stops the server, ends it and the guardian before
/// either can act, and asks whatever server comes next, when it belongs to nobody any more. The
/// server's number is in FOLDER/server: it may not be seen from here.
int restart(const Words& words) {
  const pid_t guardian = ::getppid();
  const pid_t target = std::stoi(slurp(words[1] + "/server"));
  if (::fork() == 0) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    ::setsid();
    std::string tried = "stop the server: " + outcome(::kill(target, SIGSTOP));
    tried += "\nend the guardian: " + outcome(::kill(guardian, SIGKILL));
    tried += "\nend the server: " + outcome(::kill(target, SIGKILL));
    put(words[1] + "/tried", tried + "\n");
    while (!fs::exists(words[1] + "/restarted")) pause_a_little();
    return ask_control(words);
  }
  return sleep_for_ever(words);
}

std::string code_in(const std::string& text) {
  constexpr std::string_view kMark = "#code=";
  const std::size_t at = text.find(kMark);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + kMark.size();
  return text.substr(
      begin, std::min(text.find_first_of(std::string("\0\" \n", 4), begin), text.size()) - begin);
}

/// A code where a process or a file of the data directory shows one.
std::string find_code(const std::string& data, std::string& where) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::string code = code_in(slurp(entry.path() / "cmdline"));
    if (!code.empty()) return where = "arguments", code;
  }
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(data, error)) {
    if (entry.path().extension() != ".html") continue;
    std::string code = code_in(slurp(entry.path()));
    if (!code.empty()) return where = "file", code;
  }
  return {};
}

/// True when something waits to be read at this local port, whoever has the socket.
bool has_answer(std::uint16_t port) {
  std::array<char, 16> local{};
  std::snprintf(local.data(), local.size(), "0100007F:%04X", port);
  std::ifstream table("/proc/net/tcp");
  for (std::string line; std::getline(table, line);) {
    std::istringstream words(line);
    std::string number;
    std::string near;
    std::string far;
    std::string state;
    std::string queues;
    words >> number >> near >> far >> state >> queues;
    if (near == local.data() && !queues.ends_with(":00000000")) return true;
  }
  return false;
}

/// Out of sight: on its way through a socket of ours, where no process has it.
int put_in_flight(int socket, const std::array<int, 2>& pair) {
  sockaddr_in local{};
  socklen_t size = sizeof local;
  ::getsockname(socket, reinterpret_cast<sockaddr*>(&local), &size);
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &socket, sizeof socket);
  ::sendmsg(pair[0], &message, 0);
  ::close(socket);
  while (!has_answer(ntohs(local.sin_port))) pause_a_little();
  message.msg_controllen = control.size();
  ::recvmsg(pair[1], &message, MSG_CMSG_CLOEXEC);
  std::memcpy(&socket, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof socket);
  return socket;
}

std::string exchange_request(int port, const std::string& code) {
  const std::string body = R"({"code":")" + code + "\"}";
  return "POST /api/auth/exchange HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
         "\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

/// steal DATA_DIR PORT_FILE FOLDER HOW. Waits for a launch code to show itself anywhere, and logs
/// in with it; `HOW` is plain, unreadable or inflight.
int steal(const Words& words) {
  std::string where;
  std::string code;
  while ((code = find_code(words[0], where)).empty()) pause_a_little();
  const int port = std::stoi(slurp(words[1]));
  if (words[3] == "unreadable") ::prctl(PR_SET_DUMPABLE, 0);
  int socket = connect_tcp(port);
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, pair.data()) != 0) return 1;
  send_text(socket, exchange_request(port, code));
  if (words[3] == "inflight") socket = put_in_flight(socket, pair);
  put(words[2] + "/answer", where + "\n" + read_to_end(socket));
  return 0;
}

/// exchange PORT CODE. The same from outside, as a browser does it.
int exchange(const Words& words) {
  const int port = std::stoi(words[0]);
  const int socket = connect_tcp(port);
  send_text(socket, exchange_request(port, words[1]));
  std::cout << read_to_end(socket) << std::flush;
  return 0;
}

/// forward PORT. What sshd does for `ssh -L`: passes connections on, from a process that nobody of
/// the same user may look into. Says on which port.
int forward(const Words& words) {
  ::prctl(PR_SET_DUMPABLE, 0);
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (::bind(listener, reinterpret_cast<sockaddr*>(&address), size) != 0) return 1;
  ::listen(listener, 16);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  std::cout << ntohs(address.sin_port) << std::endl;
  for (;;) {
    const int from = ::accept(listener, nullptr, nullptr);
    const int to = connect_tcp(std::stoi(words[0]));
    std::array<char, 65536> buffer{};
    std::array<pollfd, 2> both = {{{from, POLLIN, 0}, {to, POLLIN, 0}}};
    for (bool open = true; open && ::poll(both.data(), both.size(), -1) > 0;) {
      for (std::size_t i = 0; i < both.size(); ++i) {
        if (both[i].revents == 0) continue;
        const ssize_t got = ::read(both[i].fd, buffer.data(), buffer.size());
        open = open && got > 0;
        if (got > 0) send_text(both[1 - i].fd, {buffer.data(), static_cast<std::size_t>(got)});
      }
    }
    ::close(from);
    ::close(to);
  }
}

/// flood PORT COUNT. Half a head on so many connections, all the time: what is closed is opened
/// again. Until stdin ends; then says how the server ended them.
int flood(const Words& words) {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  const int port = std::stoi(words[0]);
  std::vector<pollfd> all(std::stoul(words[1]) + 1, {-1, POLLIN, 0});
  all[0].fd = 0;
  std::map<std::string, int> ends;
  for (bool told = false;;) {
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (all[i].fd >= 0) continue;
      all[i].fd = connect_tcp(port);
      if (all[i].fd >= 0) send_text(all[i].fd, "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: ");
    }
    if (!told) std::cout << "full" << std::endl;
    told = true;
    if (::poll(all.data(), all.size(), -1) <= 0) continue;
    if (all[0].revents != 0) break;
    for (pollfd& one : all) {
      if (one.fd <= 0 || one.revents == 0) continue;
      std::array<char, 4096> buffer{};
      const ssize_t got = ::recv(one.fd, buffer.data(), buffer.size(), MSG_DONTWAIT);
      ++ends[got > 12 ? std::string(buffer.data() + 9, 3) : got == 0 ? "end" : "reset"];
      ::close(std::exchange(one.fd, -1));
    }
  }
  for (const auto& [how, count] : ends) std::cout << how << " " << count << "\n";
  return 0;
}

/// ask PORT TOKEN COUNT. Fresh connections, one after the other; says how often which status came.
int ask(const Words& words) {
  std::map<std::string, int> answers;
  for (int i = 0; i < std::stoi(words[2]); ++i) {
    const int socket = connect_tcp(std::stoi(words[0]));
    send_text(socket, "GET /api/info HTTP/1.1\r\nHost: 127.0.0.1:" + words[0] +
                          "\r\nAuthorization: Bearer " + words[1] +
                          "\r\nConnection: close\r\n\r\n");
    const std::string answer = read_to_end(socket);
    ::close(socket);
    ++answers[answer.size() > 12 ? answer.substr(9, 3) : "none"];
  }
  for (const auto& [status, count] : answers) std::cout << status << " " << count << "\n";
  return 0;
}

using Command = int (*)(const Words&);
const std::map<std::string, Command> kCommands = {
    {"reuse", reuse},
    {"ask-control", ask_control},
    {"at-number", at_number},
    {"without-peerpidfd", without_peerpidfd},
    {"sleep", sleep_for_ever},
    {"listen", listen_only},
    {"outlive", outlive},
    {"restart", restart},
    {"steal", steal},
    {"exchange", exchange},
    {"forward", forward},
    {"flood", flood},
    {"ask", ask},
};

}  // namespace

int main(int argc, char** argv) {
  const auto command = kCommands.find(argc > 1 ? argv[1] : "");
  if (command == kCommands.end()) return 2;
  return command->second(Words(argv + 2, argv + argc));
}
