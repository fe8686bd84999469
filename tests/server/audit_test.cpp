// The audit trail and the logins from outside: what is asked over HTTP and on a WebSocket.

#include <doctest/doctest.h>

#include "base/secret.h"
#include "tests/server/live_server.h"

namespace lb::test {
namespace {

constexpr const char* kFirefox =
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

/// The `n`th newest line.
json::object line(LiveServer& server, std::size_t n = 0) {
  const auto reply = server.get("/api/audit").json();
  return reply.at("entries").as_array().at(n).as_object();
}

struct Browser {
  explicit Browser(LiveServer& server)
      : bearer(server.log_in(server.on_io([&] { return server.auth->make_code(); }),
                             {{"User-Agent", kFirefox}})) {}
  [[nodiscard]] std::pair<std::string, std::string> field() const {
    return {"Authorization", "Bearer " + bearer};
  }
  std::string bearer;
};

TEST_CASE_FIXTURE(LiveServer, "an answer is in the trail with its login and its address") {
  const Browser browser(*this);
  const SessionId session = create();
  const TurnId turn = send(session, "Do it");
  on_io([&] { claude->ask(session, turn, "a1"); });
  REQUIRE(eventually([&] { return service->inbox().size() == 1; }));

  SUBCASE("over a WebSocket") {
    Socket socket(port(), {browser.field()});
    REQUIRE(socket.status() == 101);
    socket.send({{"type", "session:answer"},
                 {"requestId", "r"},
                 {"sessionId", session.str()},
                 {"itemId", "a1"},
                 {"optionId", "yes"}});
    REQUIRE(socket.until("ok", "r"));
    CHECK(string_at(line(*this), "via") == "browser");
    // The same page on the same socket.
    socket.send({{"type", "audit"}, {"requestId", "trail"}, {"limit", 1}});
    const auto trail = socket.until("audit", "trail");
    REQUIRE(trail);
    CHECK(trail->at("entries").as_array().size() == 1);
    CHECK(trail->contains("before"));
  }
  SUBCASE("over HTTP") {
    const std::string body = R"({"itemId":"a1","optionId":"yes"})";
    CHECK(http(port(), {"POST",
                        path(session, "answer"),
                        {browser.field(), {"Content-Type", "application/json"}},
                        body,
                        ""})
              .status == 200);
    CHECK(string_at(line(*this), "via") == "api");
  }
  const json::object answered = line(*this);
  CHECK(string_at(answered, "kind") == "answered");
  CHECK(string_at(answered.at("by").as_object(), "name") == "Firefox on Linux");
  CHECK(string_at(answered, "address") == "127.0.0.1");
  CHECK(string_at(answered, "sessionId") == session.str());
  CHECK(string_at(line(*this, 1), "kind") == "login");
}

TEST_CASE_FIXTURE(LiveServer, "S51: a login is listed, and another one can end it") {
  const Browser browser(*this);
  const json::array all = get("/api/logins").json().at("logins").as_array();
  REQUIRE(all.size() == 2);
  const json::object login = all[0].as_object();
  CHECK(string_at(login, "name") == "Firefox on Linux");
  CHECK(string_at(login, "origin") == "issued");
  CHECK_FALSE(login.contains("current"));
  CHECK(string_at(all[1].as_object(), "origin") == "token");
  CHECK(all[1].as_object().at("current").as_bool());
  // Neither what proves us nor what is stored can be made of what is shown.
  CHECK(get("/api/logins").body.find(sha256_hex(browser.bearer)) == std::string::npos);

  Socket socket(port(), {browser.field()});
  REQUIRE(socket.status() == 101);
  const std::string id(string_at(login, "loginId"));
  CHECK(post("/api/login/" + id + "/end").status == 200);
  CHECK(socket.wait_for_close() == 4401);
  CHECK(http(port(), {"GET", "/api/info", {browser.field()}, "", ""}).status == 401);
  CHECK(post("/api/login/" + id + "/end").code() == "ITEM_NOT_FOUND");
  CHECK(string_at(line(*this), "kind") == "login_ended");
  CHECK(string_at(line(*this), "loginName") == "Firefox on Linux");
  CHECK(string_at(line(*this).at("by").as_object(), "kind") == "token");
}

TEST_CASE_FIXTURE(LiveServer, "S52: a code that lets nobody in is in the trail, and not in words") {
  const std::string wrong = "0123456789-wrong";
  const Fields fields = {{"Content-Type", "application/json"}};
  CHECK(http(port(), {"POST", "/api/auth/exchange", fields, R"({"code":")" + wrong + "\"}", ""})
            .status == 401);
  CHECK(string_at(line(*this), "kind") == "code_refused");
  CHECK(string_at(line(*this).at("by").as_object(), "kind") == "unknown");
  CHECK(string_at(line(*this), "address") == "127.0.0.1");
  CHECK(get("/api/audit").body.find(wrong) == std::string::npos);
  CHECK(get("/api/audit?limit=0").json().at("entries").as_array().size() == 1);
  CHECK(get("/api/audit?limit=x").status == 400);
}

}  // namespace
}  // namespace lb::test
