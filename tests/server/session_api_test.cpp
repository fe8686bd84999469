// The session API of story 3 over HTTP, with scripted agents.
#include <doctest/doctest.h>

#include "tests/server/live_server.h"

using namespace lb;
using namespace lb::test;

namespace {

std::string text_at(const json::object& object, std::string_view key) {
  return std::string(string_at(object, key));
}

std::string project_of(LiveServer& live, const SessionId& session) {
  return text_at(live.get(live.path(session, "status")).json(), "projectId");
}

}  // namespace

TEST_CASE_FIXTURE(LiveServer, "TC-6.1a: create session returns session handle") {
  const Reply reply = post("/api/session/create",
                           R"({"cliType":"claude-code","projectDir":")" + dir.path() + "\"}");
  CHECK(reply.status == 201);
  CHECK(text_at(reply.json(), "cliType") == "claude-code");
  CHECK_FALSE(text_at(reply.json(), "sessionId").empty());
  CHECK_FALSE(text_at(reply.json(), "projectId").empty());
  CHECK(on_io([&] { return claude->created.size(); }) == 1);
}

TEST_CASE_FIXTURE(LiveServer, "TC-6.1b: create session with unknown CLI type returns error") {
  const Reply reply =
      post("/api/session/create", R"({"cliType":"nope","projectDir":")" + dir.path() + "\"}");
  CHECK(reply.status == 400);
  CHECK(reply.code() == "UNSUPPORTED_CLI_TYPE");
  CHECK(post("/api/session/create", R"({"cliType":"codex","projectDir":"/no/such"})").code() ==
        "PROJECT_PATH_INVALID");
  CHECK(post("/api/session/create", R"({"cliType":"codex"})").code() == "INVALID_REQUEST");
  CHECK(post("/api/session/create", R"({"cliType":7,"projectDir":"/"})").code() ==
        "INVALID_REQUEST");
  on_io([&] { claude->create_error = Error{ErrorCode::AgentUnavailable, "install it"}; });
  const Reply unavailable = post("/api/session/create",
                                 R"({"cliType":"claude-code","projectDir":")" + dir.path() + "\"}");
  CHECK(unavailable.status == 503);
  CHECK(unavailable.code() == "AGENT_UNAVAILABLE");
}

TEST_CASE_FIXTURE(LiveServer, "TC-6.1c: list sessions returns active sessions for a project") {
  const SessionId session = create();
  const Reply reply = get("/api/session/list?projectId=" + project_of(*this, session));
  CHECK(reply.status == 200);
  const json::object body = reply.json();
  const json::array* sessions = array_at(body, "sessions");
  REQUIRE(sessions != nullptr);
  REQUIRE(sessions->size() == 1);
  const json::object info = sessions->at(0).as_object();
  CHECK(text_at(info, "sessionId") == session.str());
  CHECK(text_at(info, "cliType") == "claude-code");
  CHECK(text_at(info, "status") == "open");
}

TEST_CASE_FIXTURE(LiveServer, "TC-6.1d: list sessions requires projectId") {
  for (const char* path : {"/api/session/list", "/api/session/list?projectId="}) {
    const Reply reply = get(path);
    CHECK(reply.status == 400);
    CHECK(reply.code() == "PROJECT_ID_REQUIRED");
  }
}

TEST_CASE_FIXTURE(LiveServer, "TC-6.1e: load session routes to provider loadSession") {
  const SessionId session = create("codex");
  CHECK(post(path(session, "kill")).status == 200);
  const Reply reply = post(path(session, "load"));
  CHECK(reply.status == 200);
  CHECK(text_at(reply.json(), "sessionId") == session.str());
  CHECK(text_at(reply.json(), "cliType") == "codex");
  CHECK(on_io([&] { return codex->loaded.size(); }) == 1);
  CHECK(on_io([&] { return claude->loaded.empty(); }));
}

TEST_CASE_FIXTURE(LiveServer, "TC-6.1f: load session for nonexistent session returns error") {
  const Reply reply = post("/api/session/nonexistent/load");
  CHECK(reply.status == 404);
  CHECK(reply.code() == "SESSION_NOT_FOUND");
}

TEST_CASE_FIXTURE(LiveServer, "TC-6.2a: send message routes to the correct provider") {
  create("claude-code");
  const SessionId session = create("codex");
  const TurnId turn = send(session, "hello");
  const auto sent = on_io([&] { return codex->sent; });
  REQUIRE(sent.size() == 1);
  CHECK(sent[0].session == session);
  CHECK(sent[0].prompt.content == "hello");
  CHECK(sent[0].prompt.turn_id == turn);
  CHECK(on_io([&] { return claude->sent.empty(); }));
}

TEST_CASE_FIXTURE(LiveServer, "TC-6.2b: send message to nonexistent session returns error") {
  const Reply reply = post("/api/session/nonexistent/send", R"({"content":"x"})");
  CHECK(reply.status == 404);
  CHECK(reply.code() == "SESSION_NOT_FOUND");
  const SessionId session = create();
  CHECK(post(path(session, "send"), R"({"content":""})").status == 400);
  CHECK(post(path(session, "send"), R"({"text":"x"})").code() == "INVALID_REQUEST");
}

TEST_CASE_FIXTURE(LiveServer, "TC-6.2c: cancel routes to the correct provider") {
  const SessionId session = create();
  send(session, "work");
  CHECK(post(path(session, "cancel")).status == 200);
  CHECK(on_io([&] { return claude->cancelled; }) == std::vector<SessionId>{session});
  CHECK(post("/api/session/nonexistent/cancel").code() == "SESSION_NOT_FOUND");
}

TEST_CASE_FIXTURE(LiveServer, "TC-6.2d: returned turnId is the canonical turn identifier") {
  const SessionId session = create();
  const TurnId turn = send(session, "hello");
  on_io([&] { claude->say(session, turn, turn.str() + ":1:0", "hi"); });
  on_io([&] { claude->complete(session, turn); });
  REQUIRE(eventually([&] { return service->status(session)->info.activity == Activity::Idle; }));
  const json::object timeline = get(path(session, "timeline?since=0")).json();
  for (const json::value& entry : *array_at(timeline, "entries")) {
    CHECK(text_at(entry.as_object(), "turnId") == turn.str());
  }
  const json::array& turns = *array_at(timeline, "turns");
  REQUIRE(turns.size() == 1);
  CHECK(text_at(turns[0].as_object(), "turnId") == turn.str());
  CHECK(text_at(turns[0].as_object(), "type") == "turn_complete");
  CHECK_FALSE(text_at(timeline, "epoch").empty());
}

TEST_CASE_FIXTURE(LiveServer, "how much to think, over HTTP") {
  const SessionId session = create();
  CHECK(post(path(session, "thinking"), R"({"thinking":"high"})").status == 200);
  CHECK(on_io([&] { return claude->thinking[session]; }) == "high");
  CHECK(post(path(session, "thinking"), "{}").code() == "INVALID_REQUEST");
  CHECK(post("/api/session/nonexistent/thinking", R"({"thinking":"high"})").code() ==
        "SESSION_NOT_FOUND");
}

TEST_CASE_FIXTURE(LiveServer, "queued prompts go in the order that the user gives them") {
  const SessionId session = create();
  const TurnId running = send(session, "first");
  const TurnId second = send(session, "second");
  const TurnId third = send(session, "third");
  const auto reorder = [&](const std::vector<TurnId>& turns) {
    json::array ids;
    for (const TurnId& turn : turns) ids.emplace_back(turn.str());
    return post(path(session, "reorder"), json::serialize(json::object{{"turnIds", ids}}));
  };
  CHECK(reorder({third, second}).body == "{}");
  CHECK(reorder({third}).code() == "INVALID_REQUEST");
  CHECK(reorder({third, third}).code() == "INVALID_REQUEST");
  CHECK(reorder({third, running}).code() == "TURN_STARTED");
  CHECK(post(path(session, "reorder"), "{}").json().at("message") == "turnIds: missing");
  on_io([&] { claude->complete(session, running); });
  REQUIRE(eventually([&] { return claude->sent.size() == 2; }));
  CHECK(on_io([&] { return claude->sent[1].prompt.turn_id; }) == third);
  CHECK(reorder({third, second}).code() == "TURN_STARTED");
  CHECK(reorder({second}).status == 200);
}

TEST_CASE_FIXTURE(LiveServer, "a queued prompt is removed by null, and only by null") {
  const SessionId session = create();
  send(session, "first");
  const TurnId queued = send(session, "second");
  const std::string turn = R"({"turnId":")" + queued.str() + "\"";
  const Reply unclear = post(path(session, "queue"), turn + "}");
  CHECK(unclear.status == 400);
  CHECK(text_at(unclear.json(), "message") == "content: missing (null removes the message)");
  CHECK(post(path(session, "queue"), turn + R"(,"content":"better"})").status == 200);
  CHECK(post(path(session, "queue"), turn + R"(,"content":null})").status == 200);
  CHECK(post(path(session, "queue"), turn + R"(,"content":null})").code() == "TURN_STARTED");
}

TEST_CASE_FIXTURE(LiveServer, "an agent is started ahead of a session") {
  const SessionId session = create();
  const std::string body = R"({"projectId":")" + project_of(*this, session) + "\"}";
  const Reply warm = post("/api/agents/codex/warm", body);
  CHECK(warm.status == 202);
  CHECK(bool_at(warm.json(), "warm"));
  CHECK(on_io([&] { return codex->prewarmed_in.size(); }) == 1);
  CHECK(post("/api/agents/nonesuch/warm", body).code() == "UNSUPPORTED_CLI_TYPE");
  CHECK(post("/api/agents/codex/warm", R"({"projectId":"nowhere"})").code() == "PROJECT_NOT_FOUND");
  CHECK(post("/api/agents/codex/warm", "{}").code() == "INVALID_REQUEST");
}

TEST_CASE_FIXTURE(LiveServer, "TC-6.3a: session kill terminates the provider process") {
  const SessionId session = create();
  const std::string project = project_of(*this, session);
  CHECK(post(path(session, "kill")).status == 200);
  CHECK(on_io([&] { return claude->killed; }) == std::vector<SessionId>{session});
  const Reply list = get("/api/session/list?projectId=" + project);
  CHECK(array_at(list.json(), "sessions")->empty());
  const Reply all = get("/api/session/list?scope=all&projectId=" + project);
  CHECK(array_at(all.json(), "sessions")->size() == 1);
  CHECK(post("/api/session/nonexistent/kill").code() == "SESSION_NOT_FOUND");
}

TEST_CASE_FIXTURE(LiveServer, "TC-6.3b: session status reflects provider state") {
  const SessionId session = create();
  const json::object open = get(path(session, "status")).json();
  CHECK(bool_at(open, "isAlive"));
  CHECK(text_at(open, "state") == "open");
  CHECK(post(path(session, "kill")).status == 200);
  const json::object dead = get(path(session, "status")).json();
  CHECK_FALSE(bool_at(dead, "isAlive"));
  CHECK(text_at(dead, "state") == "dead");
  CHECK(get("/api/session/nonexistent/status").code() == "SESSION_NOT_FOUND");
}

TEST_CASE_FIXTURE(LiveServer, "the same Idempotency-Key never sends twice") {
  const SessionId session = create();
  const Fields key = {{"Idempotency-Key", "retry-1"}};
  const Reply first = post(path(session, "send"), R"({"content":"once"})", key);
  const Reply second = post(path(session, "send"), R"({"content":"once"})", key);
  CHECK(first.status == 202);
  CHECK(text_at(first.json(), "turnId") == text_at(second.json(), "turnId"));
  CHECK(on_io([&] { return claude->sent.size(); }) == 1);
  const Reply queued = post(path(session, "send"), R"({"content":"next"})");
  CHECK(queued.status == 202);
  CHECK(bool_at(queued.json(), "queued"));
  const auto with_key = [&](std::size_t bytes) {
    return post(path(session, "send"), R"({"content":"x"})",
                {{"Idempotency-Key", std::string(bytes, 'k')}});
  };
  CHECK(with_key(256).status == 202);
  CHECK(with_key(257).code() == "INVALID_REQUEST");
}

TEST_CASE_FIXTURE(LiveServer, "projects over HTTP: added once, listed in order, removed") {
  const std::string body = R"({"path":")" + dir.path() + "\"}";
  const Reply added = post("/api/project/add", body);
  CHECK(added.status == 201);
  const std::string id = text_at(*object_at(added.json(), "project"), "projectId");
  const Reply again = post("/api/project/add", body);
  CHECK(again.status == 409);
  CHECK(again.code() == "PROJECT_EXISTS");
  CHECK(text_at(again.json(), "projectId") == id);
  CHECK(post("/api/project/add", R"({"path":"relative"})").code() == "PROJECT_PATH_INVALID");
  CHECK(array_at(get("/api/project/list").json(), "projects")->size() == 1);
  CHECK(post("/api/project/" + id + "/remove").status == 200);
  CHECK(post("/api/project/" + id + "/remove").code() == "PROJECT_NOT_FOUND");
}

TEST_CASE_FIXTURE(LiveServer, "approvals over HTTP: the inbox, the answer, and never twice") {
  const SessionId session = create();
  const TurnId turn = send(session, "work");
  on_io([&] { claude->ask(session, turn, "ask-1"); });
  REQUIRE(eventually([&] { return service->inbox().size() == 1; }));
  const json::object inbox = get("/api/inbox").json();
  const json::object item = *object_at(array_at(inbox, "items")->at(0).as_object(), "item");
  const std::string id = text_at(item, "itemId");
  const std::string body = R"({"itemId":")" + id + R"(","optionId":"yes"})";
  CHECK(post(path(session, "answer"), body).status == 200);
  CHECK(post(path(session, "answer"), body).code() == "ALREADY_ANSWERED");
  CHECK(post(path(session, "answer"), R"({"itemId":"none","optionId":"yes"})").code() ==
        "ITEM_NOT_FOUND");
  CHECK(on_io([&] { return claude->answers.size(); }) == 1);
}

TEST_CASE_FIXTURE(LiveServer,
                  "the OpenAPI document names every route, and every schema it refers to") {
  const Reply reply = get("/api/openapi.json");
  const json::object document = reply.json();
  CHECK(text_at(document, "openapi") == "3.1.0");
  const json::object& paths = *object_at(document, "paths");
  std::size_t operations = 0;
  for (const auto& entry : paths) operations += entry.value().as_object().size();
  CHECK(operations == server->router().routes().size());
  const json::object& schemas = *object_at(*object_at(document, "components"), "schemas");
  std::size_t references = 0;
  constexpr std::string_view kPrefix = "\"$ref\":\"#/components/schemas/";
  for (std::size_t at = 0; (at = reply.body.find(kPrefix, at)) != std::string::npos;) {
    at += kPrefix.size();
    const std::string name = reply.body.substr(at, reply.body.find('"', at) - at);
    INFO(name);
    CHECK(schemas.contains(name));
    ++references;
  }
  CHECK(references > 50);
}

TEST_CASE_FIXTURE(LiveServer, "metrics are Prometheus text") {
  const Reply reply = get("/metrics");
  CHECK(reply.status == 200);
  CHECK(reply.field("content-type").starts_with("text/plain"));
  CHECK(reply.body.contains("# TYPE lb_http_requests_total counter\n"));
  CHECK(reply.body.contains("process_resident_memory_bytes "));
}
