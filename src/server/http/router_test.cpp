#include "server/http/router.h"

#include <doctest/doctest.h>

using namespace lb;

namespace {

Router some_routes() {
  Router router;
  router.add({"GET", "/api/session/list", {}});
  router.add({"POST", "/api/session/:id/send", {}});
  router.add({"GET", "/api/session/:id/item/:itemId/output", {}});
  router.add({"GET", "/healthz", {}, Access::Open});
  return router;
}

HttpRequest ask(std::string method, std::string target) {
  HttpRequest request;
  request.method = std::move(method);
  request.target = std::move(target);
  REQUIRE(split_target(request));
  return request;
}

}  // namespace

TEST_CASE("a route is found by method and path, its ids decoded") {
  const Router router = some_routes();
  std::string allow;
  HttpRequest request = ask("GET", "/api/session/s-1/item/t%3A0%3A1/output?x=1");
  const auto route = router.match(request, allow);
  REQUIRE(route);
  CHECK((*route)->pattern == "/api/session/:id/item/:itemId/output");
  CHECK(request.param("id") == "s-1");
  CHECK(request.param("itemId") == "t:0:1");
}

TEST_CASE("S10: a wrong method is told what is right, an unknown path is not found") {
  const Router router = some_routes();
  std::string allow;
  HttpRequest wrong = ask("GET", "/api/session/s/send");
  CHECK(router.match(wrong, allow).error().code == ErrorCode::MethodNotAllowed);
  CHECK(allow == "POST");
  allow.clear();
  for (const std::string path :
       {"/api/session", "/api/session/s/send/", "/api/session//send", "/", "/api/session/list/x"}) {
    INFO(path);
    HttpRequest unknown = ask("POST", path);
    CHECK(router.match(unknown, allow).error().code == ErrorCode::NotFound);
  }
}

TEST_CASE("S22: ids of the path follow the grammar") {
  const Router router = some_routes();
  std::string allow;
  for (const std::string id : {"--dangerously-skip-permissions", "-p", "%3Bid", "$(id)", "a%0Ab",
                               "a%2Fb", "%E2%80%93p", ".."}) {
    INFO(id);
    HttpRequest request = ask("POST", "/api/session/" + id + "/send");
    CHECK(router.match(request, allow).error().code == ErrorCode::InvalidRequest);
  }
  HttpRequest long_id = ask("POST", "/api/session/" + std::string(129, 'a') + "/send");
  CHECK(router.match(long_id, allow).error().code == ErrorCode::InvalidRequest);
}

TEST_CASE("what is not a page stays behind the credential, known or not") {
  const Router router = some_routes();
  CHECK(router.access_of(ask("GET", "/healthz")) == Access::Open);
  CHECK(router.access_of(ask("POST", "/healthz")) == Access::Shell);
  CHECK(router.access_of(ask("GET", "/api/unknown")) == Access::Credential);
  CHECK(router.access_of(ask("DELETE", "/api/session/list")) == Access::Credential);
  CHECK(router.access_of(ask("GET", "/ws")) == Access::Credential);
  CHECK(router.access_of(ask("GET", "/index.html")) == Access::Shell);
}

TEST_CASE("S10: JSON routes take JSON, and nothing that a form could send") {
  const Router router = some_routes();
  const Route& route = router.routes()[1];
  const auto check = [&](std::string type, bool has_body) {
    HttpRequest request = ask("POST", "/");
    if (!type.empty()) request.fields.emplace_back("content-type", std::move(type));
    return check_content_type(request, route, has_body).has_value();
  };
  CHECK(check("application/json", true));
  CHECK(check("Application/JSON; charset=utf-8", true));
  CHECK(check("", false));
  for (const std::string type : {"text/plain", "application/x-www-form-urlencoded",
                                 "multipart/form-data; boundary=x", "application/jsonx"}) {
    CHECK_FALSE(check(type, true));
    CHECK_FALSE(check(type, false));
  }
  CHECK_FALSE(check("", true));
}
