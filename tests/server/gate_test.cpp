// S1–S20 of the threat model, from outside: real sockets, exact status codes, constant bodies.
#include <doctest/doctest.h>

#include "tests/server/live_server.h"

using namespace lb;
using namespace lb::test;

namespace {

/// A path that matches the pattern.
std::string example_of(const std::string& pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != ':') {
      out += pattern[i];
      continue;
    }
    out += "x1";
    while (i + 1 < pattern.size() && pattern[i + 1] != '/') ++i;
  }
  return out;
}

/// Whole, so that nothing can be added to a part of it. What is not named here is forbidden.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "font-src 'self'; connect-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; object-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types lb-md dompurify";
static_assert(!kPolicy.contains("unsafe") && !kPolicy.contains('*') && !kPolicy.contains("http"));

void check_security_fields(const Reply& reply) {
  CHECK(reply.field("x-content-type-options") == "nosniff");
  CHECK(reply.field("referrer-policy") == "no-referrer");
  CHECK(reply.field("cross-origin-opener-policy") == "same-origin");
  CHECK(reply.field("cross-origin-resource-policy") == "same-origin");
  CHECK(reply.field("permissions-policy").contains("camera=()"));
  CHECK(reply.field("content-security-policy") == kPolicy);
  CHECK_FALSE(reply.field("cache-control").empty());
  CHECK(reply.field("set-cookie").empty());
  for (const auto& [name, value] : reply.fields) CHECK_FALSE(name.starts_with("access-control"));
}

}  // namespace

TEST_CASE_FIXTURE(LiveServer, "S1: every route without a credential answers 401") {
  std::size_t guarded = 0;
  for (const Route& route : server->router().routes()) {
    INFO(route.method << " " << route.pattern);
    const Reply reply = http(port(), {route.method, example_of(route.pattern), {}, "", ""});
    if (route.access == Access::Open) {
      CHECK(reply.status != 401);
      continue;
    }
    CHECK(reply.status == 401);
    CHECK(reply.code() == "UNAUTHENTICATED");
    check_security_fields(reply);
    ++guarded;
  }
  CHECK(guarded >= 35);
  std::vector<std::string> open;
  for (const Route& route : server->router().routes()) {
    if (route.access == Access::Open) open.push_back(route.pattern);
  }
  CHECK(open ==
        std::vector<std::string>{"/healthz", "/readyz", "/api/auth/exchange", "/api/auth/prove"});
  CHECK(http(port(), {"GET", "/api/no/such/route", {}, "", ""}).status == 401);
  CHECK(http(port(), {"GET", "/healthz", {}, "", ""}).body == R"({"status":"ok"})");
}

TEST_CASE_FIXTURE(LiveServer, "S3, S4: only our own names are answered, with our port") {
  const std::string p = ":" + std::to_string(port());
  for (const std::string& host :
       {std::string("evil.test"), "localhost.evil.test" + p, "127.0.0.1.evil.test" + p,
        "127.evil.com" + p, "0.0.0.0" + p, std::string("localhost")}) {
    INFO(host);
    const Reply reply = http(port(), {"GET", "/api/info", {bearer()}, "", host});
    CHECK(reply.status == 403);
    CHECK(reply.code() == "FORBIDDEN_HOST");
    CHECK(http(port(), {"GET", "/", {}, "", host}).status == 403);
  }
  for (const std::string& host : {"localhost" + p, "LOCALHOST" + p, "127.0.0.1" + p, "[::1]" + p}) {
    INFO(host);
    CHECK(http(port(), {"GET", "/api/info", {bearer()}, "", host}).status == 200);
  }
  const std::string auth = "Authorization: Bearer " + token + "\r\n";
  for (const std::string& head :
       {"GET /api/info HTTP/1.1\r\n" + auth, "GET /api/info HTTP/1.1\r\nHost:\r\n" + auth,
        "GET /api/info HTTP/1.1\r\nHost: localhost" + p + "\r\nHost: localhost" + p + "\r\n" +
            auth}) {
    Wire wire(port());
    wire.send(head + "\r\n");
    CHECK(wire.reply().status == 400);
  }
  Wire wire(port());
  wire.send("GET http://evil.test/api/info HTTP/1.1\r\nHost: localhost" + p + "\r\n" + auth +
            "\r\n");
  CHECK(wire.reply().status == 403);
}

TEST_CASE_FIXTURE(LiveServer,
                  "S5, S6, S7: upgrades need our Origin and a fresh ticket, or a bearer") {
  const auto ticket = [&] {
    return "liminal.v1, liminal.ticket." +
           std::string(string_at(post("/api/auth/ticket").json(), "ticket"));
  };
  for (const std::string& other :
       {std::string("http://evil.test"), std::string("null"),
        "http://localhost:" + std::to_string(port() ^ 1), "https" + origin().substr(4),
        origin() + ".evil.test", std::string("HTTP://LOCALHOST:") + std::to_string(port())}) {
    INFO(other);
    CHECK(Socket(port(), {{"Origin", other}, {"Sec-WebSocket-Protocol", ticket()}}).status() ==
          403);
  }
  CHECK(Socket(port(),
               {{"Origin", origin()}, {"Origin", origin()}, {"Sec-WebSocket-Protocol", ticket()}})
            .status() == 403);
  CHECK(Socket(port(), {bearer()}).status() == 101);
  CHECK(Socket(port(), {}).status() == 401);
  CHECK(Socket(port(), {{"Origin", origin()}}).status() == 401);

  const std::string once = ticket();
  Socket browser(port(), {{"Origin", origin()}, {"Sec-WebSocket-Protocol", once}});
  CHECK(browser.status() == 101);
  CHECK(browser.handshake().field("sec-websocket-protocol") == "liminal.v1");
  CHECK(browser.handshake().field("sec-websocket-accept") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  CHECK(Socket(port(), {{"Origin", origin()}, {"Sec-WebSocket-Protocol", once}}).status() == 401);
  CHECK(Socket(port(), {{"Origin", origin()}, {"Sec-WebSocket-Protocol", "liminal.v1"}}).status() ==
        401);
}

TEST_CASE_FIXTURE(LiveServer, "S10: forms cannot be sent, and reading never changes anything") {
  for (const char* type :
       {"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"}) {
    const Reply reply = http(
        port(),
        {"POST", "/api/project/add", {bearer(), {"Content-Type", type}}, R"({"path":"/tmp"})", ""});
    CHECK(reply.status == 415);
    CHECK(reply.code() == "UNSUPPORTED_MEDIA_TYPE");
  }
  const Reply wrong = get("/api/project/add");
  CHECK(wrong.status == 405);
  CHECK(wrong.field("allow") == "POST");
  CHECK(get("/api/project/list?_method=POST").status == 200);
  CHECK(post("/api/project/list", "{}", {{"X-HTTP-Method-Override", "GET"}}).status == 405);
  CHECK(on_io([&] { return service->projects().empty(); }));
}

TEST_CASE_FIXTURE(LiveServer, "S11, S12: other sites are refused, and nothing speaks CORS") {
  for (const char* site : {"cross-site", "same-site"}) {
    CHECK(get("/api/info", {{"Sec-Fetch-Site", site}}).code() == "FORBIDDEN_ORIGIN");
  }
  CHECK(get("/api/info", {{"Sec-Fetch-Site", "same-origin"}}).status == 200);
  const Reply preflight =
      http(port(), {"OPTIONS",
                    "/api/info",
                    {{"Origin", "http://evil.test"}, {"Access-Control-Request-Method", "POST"}},
                    "",
                    ""});
  CHECK(preflight.status == 403);
  check_security_fields(preflight);
  const Reply own = http(port(), {"OPTIONS", "/api/info", {bearer()}, "", ""});
  CHECK(own.status == 405);
  check_security_fields(own);
}

TEST_CASE_FIXTURE(LiveServer, "S13: the security fields are in every answer") {
  for (const Reply& reply :
       {get("/api/info"), get("/"), get("/s/some-session"), get("/nothing"), get("/api/nothing"),
        post("/api/info"), http(port(), {"GET", "/healthz", {}, "", ""}),
        http(port(), {"GET", "/", {}, "", "evil.test"}), post("/api/project/add", "{"),
        get("/api/session/-x/status"), get("/metrics"), get("/api/openapi.json")}) {
    check_security_fields(reply);
    CHECK(reply.field("content-type").contains("charset=utf-8"));
  }
  CHECK(get("/api/info").field("cache-control") == "no-store");
}

TEST_CASE_FIXTURE(LiveServer, "S14: a token in the address is no credential") {
  for (const std::string name : {"token", "access_token", "bearer", "ticket"}) {
    CHECK(http(port(), {"GET", "/api/info?" + name + "=" + token, {}, "", ""}).status == 401);
  }
}

TEST_CASE_FIXTURE(LiveServer, "S15, S16: the code exchange over HTTP, and its limit") {
  const auto exchange = [&](const std::string& code, Fields fields = {}) {
    fields.emplace_back("Content-Type", "application/json");
    return http(port(), {"POST", "/api/auth/exchange", fields, R"({"code":")" + code + "\"}", ""});
  };
  const std::string code = on_io([&] { return auth->make_code(); });
  const Reply first = exchange(code);
  REQUIRE(first.status == 200);
  const std::string fresh(string_at(first.json(), "token"));
  CHECK(http(port(), {"GET", "/api/info", {{"Authorization", "Bearer " + fresh}}, "", ""}).status ==
        200);
  const Reply again = exchange(code);
  CHECK(again.status == 401);
  CHECK(again.code() == "INVALID_CODE");
  for (int i = 0; i < 9; ++i) CHECK(exchange("wrong").status == 401);
  const Reply limited = exchange("wrong");
  CHECK(limited.status == 429);
  CHECK(limited.code() == "RATE_LIMITED");
  CHECK_FALSE(limited.field("retry-after").empty());
  CHECK(exchange("wrong", {{"X-Forwarded-For", "10.1.2.3"}}).status == 429);
}

TEST_CASE_FIXTURE(LiveServer, "S18: logout ends the bearer and its sockets within a second") {
  auto other = socket();
  // A machine that is busy may take a second by itself, but not every time.
  bool in_time = false;
  for (int attempt = 0; attempt < 10 && !in_time; ++attempt) {
    const std::string code = on_io([&] { return auth->make_code(); });
    const std::string fresh = log_in(code);
    const std::pair<std::string, std::string> own = {"Authorization", "Bearer " + fresh};
    Socket ours(port(), {own});
    REQUIRE(ours.status() == 101);
    const auto before = std::chrono::steady_clock::now();
    CHECK(http(port(), {"POST", "/api/auth/logout", {own}, "", ""}).body == "{}");
    CHECK(ours.wait_for_close() == 4401);
    in_time = std::chrono::steady_clock::now() - before < std::chrono::seconds(1);
    CHECK(http(port(), {"GET", "/api/info", {own}, "", ""}).status == 401);
  }
  CHECK(in_time);
  other->send({{"type", "project:list"}, {"requestId", "still"}});
  CHECK(other->until("project:list", "still"));
}

TEST_CASE_FIXTURE(LiveServer,
                  "S19: after a malformed request the connection ends; nothing behind it runs") {
  const std::string p = std::to_string(port());
  const std::string auth_field = "Authorization: Bearer " + token + "\r\n";
  const std::string smuggled =
      "POST /api/project/add HTTP/1.1\r\nHost: localhost:" + p + "\r\n" + auth_field +
      "Content-Type: application/json\r\nContent-Length: 15\r\n\r\n" + R"({"path":"/tmp"})";
  const std::string head =
      "POST /api/auth/ticket HTTP/1.1\r\nHost: localhost:" + p + "\r\n" + auth_field;
  for (const std::string& bytes :
       {head + "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + smuggled,
        head + "Content-Length: 0\r\nContent-Length: " + std::to_string(smuggled.size()) +
            "\r\n\r\n" + smuggled,
        head + "Transfer-Encoding: xchunked\r\n\r\n" + smuggled,
        "GET /healthz HTTP/1.1\nHost: localhost:" + p + "\n\n" + smuggled,
        "GET /healthz HTTP/1.1\r\nHost: localhost:" + p + "\r\n\r\n" + smuggled}) {
    Wire wire(port());
    wire.send(bytes);
    const std::string all = wire.receive_all();
    CHECK(all.starts_with("HTTP/1.1 400 "));
    CHECK(all.find("HTTP/1.1", 8) == std::string::npos);
    CHECK(all.contains("Connection: close"));
  }
  CHECK(on_io([&] { return service->projects().empty(); }));
}

TEST_CASE_FIXTURE(LiveServer, "S20: no address leads to a file that is not the page's") {
  for (const std::string path :
       {"/..%2f..%2fetc/passwd", "/%2e%2e/etc/passwd", "/..;/etc/passwd", "/%00", "//etc/passwd",
        "/..\\etc\\passwd", "/%252e%252e/etc/passwd", "/assets/../index.html", "/index.html?raw??",
        "/.git/config", "/assets/index.js.map", "/.env"}) {
    INFO(path);
    const Reply reply = http(port(), {"GET", path, {}, "", ""});
    if (path == "/index.html?raw??") {
      CHECK_FALSE(reply.body.contains("root:"));
    } else {
      CHECK((reply.status == 404 || reply.status == 400));
    }
  }
}

TEST_CASE_FIXTURE(LiveServer, "every place of the page is answered with the page, to anyone") {
  const Reply page = http(port(), {"GET", "/", {}, "", ""});
  REQUIRE(page.status == 200);
  check_security_fields(page);
  for (const std::string path :
       {"/overview", "/inbox", "/archived", "/settings", "/audit", "/workspaces", "/new",
        "/s/0198c1f2-7a6e", "/s/codex:a.b_c-d", "/s/no-such-session"}) {
    INFO(path);
    const Reply reply = http(port(), {"GET", path, {}, "", ""});
    CHECK(reply.status == 200);
    CHECK(reply.body == page.body);
    CHECK(reply.field("content-security-policy") == page.field("content-security-policy"));
    CHECK(reply.field("cache-control") == "no-store");
    CHECK(http(port(), {"POST", path, {bearer()}, "", ""}).status == 404);
  }
  for (const std::string path : {"/s", "/s/", "/s/a/b", "/s/-p", "/s/%2e%2e", "/s/a%20b", "/inbox/",
                                 "/Inbox", "/inbox/x", "/anything", "/index"}) {
    INFO(path);
    CHECK(http(port(), {"GET", path, {}, "", ""}).status == 404);
  }
  CHECK(http(port(), {"GET", "/s/" + std::string(129, 'a'), {}, "", ""}).status == 404);
  // A browser that goes to an address that is none gets the page, which says so.
  const std::pair<std::string, std::string> browser{"Accept", "text/html,application/xml;q=0.9"};
  for (const std::string path : {"/nowhere", "/s/", "/inbox/x"}) {
    INFO(path);
    const Reply reply = http(port(), {"GET", path, {browser}, "", ""});
    CHECK(reply.status == 404);
    CHECK(reply.body == page.body);
    CHECK(reply.field("content-security-policy") == page.field("content-security-policy"));
    CHECK(http(port(), {"POST", path, {bearer(), browser}, "", ""}).body != page.body);
  }
  for (const std::string path : {"/api/nowhere", "/assets/none.js", "/.env", "/robots.txt"}) {
    INFO(path);
    CHECK(http(port(), {"GET", path, {browser}, "", ""}).body != page.body);
  }
}

TEST_CASE_FIXTURE(LiveServer,
                  "limits: large heads and bodies are refused, the connection is told why") {
  CHECK(get("/" + std::string(9000, 'x')).status == 413);
  CHECK(get("/api/info", {{"X", std::string(17'000, 'x')}}).status == 413);
  const Reply large = post("/api/project/add", std::string((1U << 20U) + 1, ' '));
  CHECK(large.status == 413);
  CHECK(large.code() == "TOO_LARGE");
  std::string deep(200, '[');
  CHECK(post("/api/project/add", deep + std::string(200, ']')).status == 400);
}

TEST_CASE_FIXTURE(LiveServer, "limits: strangers who stay silent make room for those who ask") {
  std::vector<std::unique_ptr<Wire>> idle;
  for (std::size_t i = 0; i < limits::kAnonymousConnectionsMax + 10; ++i) {
    idle.push_back(std::make_unique<Wire>(port()));
  }
  CHECK(get("/api/info").status == 200);
  std::vector<std::unique_ptr<Socket>> burst;
  for (int i = 0; i < 100; ++i) burst.push_back(socket());
  CHECK(burst.size() == 100);
}

TEST_CASE_FIXTURE(LiveServer, "a slow head is told that it took too long only when it began") {
  Wire quiet(port());
  CHECK(quiet.receive_all().empty());  // Closed after 5 s without a word.
}
