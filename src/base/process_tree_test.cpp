#include "base/process_tree.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "base/fd.h"

namespace lb {
namespace {

/// A child that lives until it goes out of scope; `work` says a byte when it is ready.
template <class Work>
class Child {
 public:
  explicit Child(Work work) {
    std::array<int, 2> ready{};
    std::array<int, 2> end{};
    REQUIRE(::pipe2(ready.data(), O_CLOEXEC) == 0);
    REQUIRE(::pipe2(end.data(), O_CLOEXEC) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(end[1]);
      work();
      char byte = 1;
      static_cast<void>(!::write(ready[1], &byte, 1));
      static_cast<void>(!::read(end[0], &byte, 1));
      ::_exit(0);
    }
    ::close(ready[1]);
    ::close(end[0]);
    end_ = Fd(end[1]);
    const Fd said(ready[0]);
    char byte = 0;
    REQUIRE(::read(said.get(), &byte, 1) == 1);
  }
  ~Child() {
    end_.reset();
    ::waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  Fd end_;
};

std::uint64_t inode_of(int socket) {
  struct stat about{};
  REQUIRE(::fstat(socket, &about) == 0);
  return about.st_ino;
}

void send_descriptor(int through, int descriptor) {
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
  std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  static_cast<void>(::sendmsg(through, &message, 0));
}

}  // namespace

TEST_CASE("a child descends from us, our parent does not, and who is gone might") {
  const Child child([] {});
  CHECK(descends_from(child.pid(), ::getpid()));
  CHECK(descends_from(::getpid(), ::getpid()));
  CHECK_FALSE(descends_from(::getppid(), ::getpid()));
  CHECK(std::ranges::count(descendants_of(::getpid()), child.pid()) == 1);
  CHECK(std::ranges::count(descendants_of(::getpid()), ::getppid()) == 0);
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  CHECK(descends_from(gone, ::getpid()));
  CHECK_FALSE(ancestors_of(gone, ::getpid()));
  const auto line = ancestors_of(child.pid(), ::getpid());
  REQUIRE(line);
  CHECK(line->size() == 2);
  CHECK(line->front().began >= line->back().began);
}

TEST_CASE("whoever has a socket is found; what a child hides is not overlooked") {
  std::array<int, 2> pair{};
  REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) == 0);
  const Fd one(pair[0]);
  Fd other(pair[1]);
  const std::uint64_t inode = inode_of(other.get());
  CHECK(holds_socket(::getpid(), inode) == Holds::Yes);
  CHECK(holder_of(inode, ::getpid()) == Holder::Another);
  {
    const Child child([] {});  // Inherits it.
    CHECK(holder_of(inode, ::getpid()) == Holder::Descendant);
  }
  {
    const Child child([&] { other.reset(); });
    CHECK(holds_socket(child.pid(), inode) == Holds::No);
    CHECK(holder_of(inode, ::getpid()) == Holder::Another);
  }
  {
    const Child child([&] {
      std::array<int, 2> own{};
      if (::socketpair(AF_UNIX, SOCK_STREAM, 0, own.data()) != 0) return;
      send_descriptor(own[0], other.get());
      other.reset();
    });
    CHECK(holds_socket(child.pid(), inode) == Holds::Hidden);
    other.reset();
    CHECK(holder_of(inode, ::getpid()) == Holder::Hidden);
  }
  CHECK(holder_of(inode, ::getpid()) == Holder::Unseen);
}

}  // namespace lb
