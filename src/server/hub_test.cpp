#include "server/hub.h"

#include <doctest/doctest.h>

#include <boost/asio/post.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/arrival.h"
#include "tests/support/io_loop.h"

namespace lb {
namespace {

struct Listener final : Stream {
  void pump() override { pumped_after.push_back(Arrival::lines()); }
  void tick(MonoMs) override {}
  void end(CloseCode, std::string_view) override {}
  [[nodiscard]] const std::string& grant() const override { return grant_; }

  std::vector<std::uint64_t> pumped_after;  // Lines read when it was asked to send.

 private:
  std::string grant_;
};

TEST_CASE("what agents say while they are read leaves together, and not late") {
  test::IoLoop loop;
  Hub hub(loop.executor());
  const auto listener = std::make_shared<Listener>();

  SUBCASE("nobody else speaks: at once") {
    const std::uint64_t before = Arrival::lines();
    hub.mark(listener);
    loop.settle();
    CHECK(listener->pumped_after == std::vector{before});
  }

  SUBCASE("an agent that never stops speaking holds nothing back") {
    const std::uint64_t before = Arrival::lines();
    std::function<void()> speak = [&] {
      Arrival::read(Arrival::now_us());
      if (listener->pumped_after.empty()) asio::post(loop.executor(), speak);
    };
    asio::post(loop.executor(), speak);
    hub.mark(listener);
    REQUIRE(loop.until([&] { return !listener->pumped_after.empty(); }));
    CHECK(listener->pumped_after.size() == 1);
    CHECK(listener->pumped_after.front() > before);
  }
}

TEST_CASE("of what waits in a session a reader is told the newest state only") {
  test::IoLoop loop;
  Hub hub(loop.executor());
  hub.add(std::make_shared<Listener>());
  NoticeBoard::Number seen = hub.notices().head();
  hub.session_inbox(SessionId("s-1"), "Title", {Item()});
  hub.session_inbox(SessionId("s-1"), "Title", {});
  const auto told = hub.notices().take(seen, &loop, 1000);
  REQUIRE(told.size() == 1);
  CHECK(*told[0] == R"({"type":"session:inbox","sessionId":"s-1","title":"Title","items":[]})");
}

}  // namespace
}  // namespace lb
