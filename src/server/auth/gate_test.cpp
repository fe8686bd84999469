#include "server/auth/gate.h"

#include <doctest/doctest.h>

using namespace lb;

namespace {

struct Fixture {
  ManualClock clock;
  Auth auth{clock, {}};
  Gate gate{{4750, std::nullopt}, auth};
  std::string bearer = [this] {
    auto issued = auth.redeem(auth.make_code(), "Firefox", "127.0.0.1");
    REQUIRE(auth.admit(*issued));
    return issued->bearer;
  }();

  HttpRequest request(std::vector<std::pair<std::string, std::string>> fields = {},
                      std::string host = "localhost:4750") {
    HttpRequest out;
    out.method = "GET";
    out.fields = std::move(fields);
    if (!host.empty()) out.fields.emplace_back("host", host);
    return out;
  }
  std::pair<std::string, std::string> authorization() {
    return {"authorization", "Bearer " + bearer};
  }
  ErrorCode refusal(HttpRequest request, Access access) {
    const auto passed = gate.pass(request, access);
    REQUIRE_FALSE(passed);
    return passed.error().code;
  }
  std::string protocols() {
    return "liminal.v1, liminal.ticket." + auth.make_ticket(*auth.check_bearer(bearer));
  }
};

}  // namespace

TEST_CASE_FIXTURE(Fixture, "S3: names that are not ours are refused, whatever the credential") {
  for (const std::string host :
       {"evil.test", "evil.test:4750", "localhost.evil.test:4750", "127.0.0.1.evil.test:4750",
        "127.evil.com:4750", "0.0.0.0:4750", "localhost", "localhost:4751", "127.0.0.2:4750",
        "localhost:4750.evil.test", "user@localhost:4750", "[::]:4750", "::1:4750",
        "localhost.:4750", "2130706433:4750"}) {
    INFO(host);
    CHECK(refusal(request({authorization()}, host), Access::Credential) ==
          ErrorCode::ForbiddenHost);
    CHECK(refusal(request({}, host), Access::Shell) == ErrorCode::ForbiddenHost);
  }
  HttpRequest absolute = request({authorization()});
  absolute.authority = "evil.test";
  CHECK(refusal(absolute, Access::Credential) == ErrorCode::ForbiddenHost);
}

TEST_CASE_FIXTURE(Fixture, "S4: our names pass with our port") {
  for (const std::string host :
       {"localhost:4750", "LOCALHOST:4750", "127.0.0.1:4750", "[::1]:4750"}) {
    INFO(host);
    HttpRequest asked = request({authorization()}, host);
    CHECK(gate.pass(asked, Access::Credential));
    CHECK(asked.grant == *auth.check_bearer(bearer));
  }
}

TEST_CASE_FIXTURE(Fixture, "S5: an upgrade from any other origin is refused, ticket or not") {
  for (const std::string origin :
       {"http://evil.test", "null", "http://localhost:4751", "https://localhost:4750",
        "http://localhost:4750.evil.test", "HTTP://LOCALHOST:4750", "http://LOCALHOST:4750",
        "http://127.0.0.1:4750", "http://localhost", "http://localhost:4750/"}) {
    INFO(origin);
    CHECK(refusal(request({{"origin", origin}, {"sec-websocket-protocol", protocols()}}),
                  Access::Socket) == ErrorCode::ForbiddenOrigin);
  }
  const std::pair<std::string, std::string> ours = {"origin", "http://localhost:4750"};
  CHECK(refusal(request({ours, ours, {"sec-websocket-protocol", protocols()}}), Access::Socket) ==
        ErrorCode::ForbiddenOrigin);
}

TEST_CASE_FIXTURE(Fixture, "S6: without Origin a bearer is needed, a ticket is not enough") {
  HttpRequest program = request({authorization()});
  CHECK(gate.pass(program, Access::Socket));
  CHECK(refusal(request(), Access::Socket) == ErrorCode::Unauthenticated);
  CHECK(refusal(request({{"sec-websocket-protocol", protocols()}}), Access::Socket) ==
        ErrorCode::Unauthenticated);
}

TEST_CASE_FIXTURE(Fixture, "S7: with our Origin a fresh ticket is needed, once") {
  const std::pair<std::string, std::string> ours = {"origin", "http://localhost:4750"};
  CHECK(refusal(request({ours}), Access::Socket) == ErrorCode::Unauthenticated);
  const std::string offered = protocols();
  HttpRequest first = request({ours, {"sec-websocket-protocol", offered}});
  CHECK(gate.pass(first, Access::Socket));
  CHECK(refusal(request({ours, {"sec-websocket-protocol", offered}}), Access::Socket) ==
        ErrorCode::Unauthenticated);
  const std::string late = protocols();
  clock.advance(30'001);
  CHECK(refusal(request({ours, {"sec-websocket-protocol", late}}), Access::Socket) ==
        ErrorCode::Unauthenticated);
  CHECK(refusal(request({ours, {"sec-websocket-protocol", protocols().substr(12)}}),
                Access::Socket) == ErrorCode::Unauthenticated);
  // A ticket opens sockets, nothing else.
  CHECK(refusal(request({ours, {"sec-websocket-protocol", protocols()}}), Access::Credential) ==
        ErrorCode::Unauthenticated);
}

TEST_CASE_FIXTURE(Fixture,
                  "S11: other sites are refused even with a bearer; links to the page are not") {
  for (const std::string site : {"cross-site", "same-site", "Cross-Site", "anything"}) {
    INFO(site);
    for (const Access access : {Access::Credential, Access::Socket, Access::Open}) {
      CHECK(refusal(request({authorization(), {"sec-fetch-site", site}}), access) ==
            ErrorCode::ForbiddenOrigin);
    }
    HttpRequest link = request({{"sec-fetch-site", site}});
    CHECK(gate.pass(link, Access::Shell));
  }
  for (const std::string site : {"same-origin", "none"}) {
    HttpRequest ours = request({authorization(), {"sec-fetch-site", site}});
    CHECK(gate.pass(ours, Access::Credential));
  }
}

TEST_CASE_FIXTURE(Fixture, "a bearer is needed, exactly one and whole") {
  CHECK(refusal(request(), Access::Credential) == ErrorCode::Unauthenticated);
  CHECK(refusal(request({authorization(), authorization()}), Access::Credential) ==
        ErrorCode::Unauthenticated);
  CHECK(refusal(request({{"authorization", "Basic " + bearer}}), Access::Credential) ==
        ErrorCode::Unauthenticated);
  CHECK(refusal(request({{"authorization", "Bearer " + bearer + "x"}}), Access::Credential) ==
        ErrorCode::Unauthenticated);
  HttpRequest health = request();
  CHECK(gate.pass(health, Access::Open));
}

TEST_CASE_FIXTURE(Fixture, "behind a declared proxy its name and origin are ours too") {
  const Gate outside({4750, "https://build.example"}, auth);
  HttpRequest asked =
      request({{"origin", "https://build.example"}, authorization()}, "build.example");
  CHECK(outside.pass(asked, Access::Credential));
  HttpRequest mixed =
      request({{"origin", "http://build.example"}, authorization()}, "build.example");
  CHECK_FALSE(outside.pass(mixed, Access::Credential));
  HttpRequest local = request({{"origin", "http://localhost:4750"}, authorization()});
  CHECK(outside.pass(local, Access::Credential));
}

TEST_CASE("a token that is not good for terminals is good for everything else") {
  const ManualClock clock;
  const std::string token(40, 't');
  Auth auth(clock, AuthOptions{{}, token, false});
  const Gate gate({4750, std::nullopt}, auth);
  const auto asked = [](const std::string& bearer) {
    HttpRequest out;
    out.method = "GET";
    out.fields = {{"host", "localhost:4750"}, {"authorization", "Bearer " + bearer}};
    return out;
  };
  HttpRequest plain = asked(token);
  CHECK(gate.pass(plain, Access::Credential));
  CHECK(gate.pass(plain, Access::Socket));
  for (const Access access : {Access::Terminal, Access::TerminalSocket}) {
    HttpRequest request = asked(token);
    const auto passed = gate.pass(request, access);
    REQUIRE_FALSE(passed);
    CHECK(passed.error().code == ErrorCode::ForbiddenTerminal);
    HttpRequest nobodys = asked("x");
    CHECK(gate.pass(nobodys, access).error().code == ErrorCode::Unauthenticated);
    auto issued = auth.redeem(auth.make_code(), "Firefox", "127.0.0.1");
    REQUIRE(auth.admit(*issued));
    HttpRequest login = asked(issued->bearer);
    CHECK(gate.pass(login, access));
  }
}
