// A timeline is touched by one thread: a debug build ends at once where that is not so.
#include <doctest/doctest.h>

#ifndef NDEBUG

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>

#include "timeline/timeline.h"

using namespace lb;

namespace {

Item said() {
  Item item;
  item.turn_id = TurnId("t1");
  item.item_id = ItemId("i1");
  item.body = Message{.content = Text("x"), .origin = Origin::Agent, .attachments = {}};
  return item;
}

/// How a process ends in which another thread does this to a timeline that the first one has used.
int ending_of(const std::function<void(Timeline&)>& touch) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::signal(SIGABRT, SIG_DFL);  // Not a failure of the test.
    ::close(STDERR_FILENO);
    Timeline timeline(SessionId("s1"), {});
    timeline.put(said());
    std::thread([&] { touch(timeline); }).join();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

}  // namespace

TEST_CASE("another thread may not touch a timeline") {
  CHECK(ending_of([](Timeline& timeline) { timeline.put(said()); }) == SIGABRT);
  CHECK(ending_of([](Timeline& timeline) { timeline.put(Turn{}); }) == SIGABRT);
  CHECK(ending_of([](Timeline& timeline) { timeline.durable_up_to(1); }) == SIGABRT);
  CHECK(ending_of([](Timeline& timeline) { (void)timeline.changes_since(0, ReadForm::Whole); }) ==
        SIGABRT);
  CHECK(ending_of([](Timeline&) {}) == 0);
}

TEST_CASE("a timeline belongs to who uses it first, not to who made it") {
  Timeline timeline(SessionId("s1"), {});
  std::thread([&] { timeline.put(said()); }).join();
  CHECK(timeline.head() == 1);
}

#endif
