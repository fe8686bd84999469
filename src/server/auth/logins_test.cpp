#include "server/auth/logins.h"

#include <doctest/doctest.h>

#include "base/limits.h"
#include "base/metrics.h"
#include "store/memory_store.h"
#include "tests/support/io_loop.h"

using namespace lb;

namespace {

struct Book {
  std::vector<AuditEntry> trail() { return loop.run(audit.read({}))->entries; }
  Result<std::string> log_in(const std::string& code) {
    return loop.run(logins.log_in({code, "curl/8.5.0", "127.0.0.1"}));
  }

  test::IoLoop loop;
  MemoryStore store{loop.executor()};
  ManualClock clock;
  AuditTrail audit{store, clock};
  Auth auth{clock, {{}, std::string(40, 't')}};
  LoginBook logins{auth, audit};
};

}  // namespace

TEST_CASE("a browser is called by its name and system, a program by its name") {
  const std::string tail = " AppleWebKit/537.36 (KHTML, like Gecko) ";
  CHECK(client_name("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0") ==
        "Firefox on Linux");
  CHECK(client_name("Mozilla/5.0 (Windows NT 10.0)" + tail + "Chrome/140 Safari/537.36 Edg/140") ==
        "Edge on Windows");
  CHECK(client_name("Mozilla/5.0 (Linux; Android 10; K)" + tail + "Chrome/140 Mobile Safari/537") ==
        "Chrome on Android");
  CHECK(client_name("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X)" + tail +
                    "Version/18.0 Mobile/15E148 Safari/604.1") == "Safari on iPhone");
  CHECK(client_name("curl/8.5.0") == "curl");
  CHECK(client_name("") == "A program");
  CHECK(client_name("<script>alert(1)</script>") == "A program");
  CHECK(client_name(std::string(5000, 'x')) == "A program");
}

TEST_CASE("a login is in the trail and in the store before anyone has its bearer") {
  Book book;
  const std::string code = book.logins.make_code(AuditActor::Terminal, "liminal-builder open");
  const auto bearer = book.log_in(code);
  REQUIRE(bearer);
  const auto trail = book.trail();
  REQUIRE(trail.size() == 2);
  CHECK(trail[0].kind == AuditKind::Login);
  CHECK(trail[0].by.name == "curl");
  CHECK(trail[0].address == "127.0.0.1");
  CHECK(trail[1].kind == AuditKind::CodeAsked);
  CHECK(trail[1].by.kind == AuditActor::Terminal);
  const auto kept = *book.loop.run(book.store.read_logins());
  REQUIRE(kept.rows.size() == 1);
  CHECK(book.auth.check_bearer(*bearer) == kept.rows[0].hash);

  SUBCASE("and when nothing can be stored nobody is let in") {
    const std::string next = book.auth.make_code();
    book.store.set_state({StoreState::Kind::Full, "the disk is full"});
    CHECK(book.log_in(next).error().code == ErrorCode::StoreFull);
    CHECK(book.auth.logins("").size() == 2);  // The first one, and the token.
  }
  SUBCASE("and its end says who ended it") {
    const std::string id = *trail[0].login_id;
    Caller caller{"api", {AuditActor::Token, std::nullopt, "LIMINAL_BUILDER_TOKEN"}, "::1"};
    CHECK(book.logins.end("none", caller).error().code == ErrorCode::ItemNotFound);
    const auto token = book.auth.logins("").back();
    CHECK(book.logins.end(token.login_id, caller).error().code == ErrorCode::NotSupported);
    REQUIRE(book.logins.end(id, caller));
    CHECK_FALSE(book.auth.check_bearer(*bearer));
    const auto ended = book.trail().front();
    CHECK(ended.kind == AuditKind::LoginEnded);
    CHECK(ended.login_name == "curl");
    CHECK(ended.by.kind == AuditActor::Token);
    CHECK(ended.address == "::1");
  }
}

TEST_CASE("limits: what strangers do is listed ten times a minute, and then counted") {
  Book book;
  const Counter& left_out = counter("lb_audit_left_out_total", "");
  const auto before = left_out.value();
  for (int i = 0; i < 500; ++i) book.logins.turned_away("127.0.0.1", "of another user");
  CHECK(book.trail().size() == limits::kAuditStrangersPerMinute);
  CHECK(left_out.value() - before == 500 - limits::kAuditStrangersPerMinute);
  // Something else is not hidden behind it.
  book.logins.command_refused("of an agent");
  CHECK(book.trail().front().kind == AuditKind::CommandRefused);
  CHECK_FALSE(book.trail().front().times.has_value());
  book.clock.advance(60'000);
  book.logins.turned_away("127.0.0.1", "of another user");
  CHECK(book.trail().front().times == 500 - limits::kAuditStrangersPerMinute + 1);
}
