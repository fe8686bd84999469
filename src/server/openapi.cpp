#include "server/openapi.h"

#include "base/shape.h"
#include "base/version.h"
#include "model/answers.h"
#include "model/client_message.h"
#include "model/server_message.h"

namespace lb {
namespace {

constexpr std::string_view kSchemas = "#/components/schemas/";

ShapeCatalogue catalogue_of_all() {
  ShapeCatalogue all;
  all.add<ErrorBody>();
  all.add<Empty>();
  all.add<ExchangeRequest>();
  all.add<ProveRequest>();
  all.add<ProofBody>();
  all.add<TokenBody>();
  all.add<TicketBody>();
  all.add<HealthBody>();
  all.add<InfoBody>();
  all.add<ProjectsBody>();
  all.add<ProjectBody>();
  all.add<FilesBody>();
  all.add<DirectoriesBody>();
  all.add<AgentsBody>();
  all.add<WarmRequest>();
  all.add<WarmBody>();
  all.add<LoadedBody>();
  all.add<SessionsBody>();
  all.add<SentBody>();
  all.add<ForkedBody>();
  all.add<TimelineBody>();
  all.add<AttachmentBody>();
  all.add<SearchBody>();
  all.add<InboxBody>();
  all.add<SessionStatus>();
  all.add<ClientMessage>();
  all.add<ServerMessage>();
  return all;
}

/// A body: the schema of a described type, or anything of a media type.
json::object content(const std::string& type) {
  if (type.contains('/')) return {{type, json::object()}};
  const std::string name = type.empty() ? "Empty" : type;
  const json::object schema = {{"$ref", std::string(kSchemas) + name}};
  return {{"application/json", json::object{{"schema", schema}}}};
}

/// `/api/session/:id/send` → `/api/session/{id}/send`, and the names in braces.
std::string template_of(const std::string& pattern, std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != ':') {
      out += pattern[i];
      continue;
    }
    const std::size_t end = std::min(pattern.find('/', i), pattern.size());
    names.push_back(pattern.substr(i + 1, end - i - 1));
    out += "{" + names.back() + "}";
    i = end - 1;
  }
  return out;
}

json::array parameters(const std::vector<std::string>& path, const Route& route) {
  const json::object text = {{"type", "string"}};
  json::array out;
  for (const std::string& name : path) {
    out.push_back(
        json::object{{"name", name}, {"in", "path"}, {"required", true}, {"schema", text}});
  }
  for (const std::string& name : route.query) {
    out.push_back(json::object{{"name", name}, {"in", "query"}, {"schema", text}});
  }
  if (route.request == "SessionSendRequest") {
    out.push_back(json::object{{"name", "Idempotency-Key"}, {"in", "header"}, {"schema", text}});
  }
  return out;
}

/// The body of a request: what the path says already is not asked for again.
json::object request_body(const Route& route, bool with_session) {
  json::object body = content(route.request);
  if (with_session && !route.request.contains('/')) {
    body = {{"application/json",
             json::object{{"schema", json::object{{"$ref", std::string(kSchemas) + route.request +
                                                               "Body"}}}}}};
  }
  return {{"content", body}};
}

json::object operation(const Route& route, const std::vector<std::string>& names) {
  json::object responses;
  json::object success = {{"description", route.summary}};
  if (route.status != 101) success["content"] = content(route.response);
  responses[std::to_string(route.status)] = success;
  responses["default"] =
      json::object{{"description", "refused or failed"}, {"content", content("ErrorBody")}};
  json::object out = {{"summary", route.summary}, {"responses", responses}};
  if (auto list = parameters(names, route); !list.empty()) out["parameters"] = std::move(list);
  if (!route.request.empty()) {
    out["requestBody"] =
        request_body(route, route.request.starts_with("Session") && !names.empty());
  }
  if (route.access == Access::Open) out["security"] = json::array();
  return out;
}

/// For each request whose session is in the path: the same schema without `sessionId`.
void add_body_schemas(const Router& router, json::object& schemas) {
  for (const Route& route : router.routes()) {
    if (!route.request.starts_with("Session") || !route.pattern.contains(':')) continue;
    const json::value* whole = schemas.if_contains(route.request);
    if (whole == nullptr || !whole->is_object()) continue;
    json::object body = whole->get_object();
    if (json::value* properties = body.if_contains("properties")) {
      properties->as_object().erase("sessionId");
    }
    if (json::value* required = body.if_contains("required")) {
      json::array kept;
      for (const json::value& name : required->as_array()) {
        if (name != "sessionId") kept.push_back(name);
      }
      *required = std::move(kept);
    }
    schemas[route.request + "Body"] = std::move(body);
  }
}

}  // namespace

std::string openapi_document(const Router& router) {
  json::object paths;
  for (const Route& route : router.routes()) {
    std::vector<std::string> names;
    const std::string path = template_of(route.pattern, names);
    if (!paths.contains(path)) paths[path] = json::object();
    paths[path].as_object()[route.method == "GET" ? "get" : "post"] = operation(route, names);
  }
  json::object schemas = to_json_schema(catalogue_of_all(), kSchemas);
  add_body_schemas(router, schemas);
  const json::object bearer = {{"type", "http"}, {"scheme", "bearer"}};
  const json::object document = {
      {"openapi", "3.1.0"},
      {"info", json::object{{"title", "Liminal Builder"}, {"version", std::string(kVersion)}}},
      {"security", json::array{json::object{{"bearer", json::array()}}}},
      {"paths", paths},
      {"components",
       json::object{{"schemas", schemas}, {"securitySchemes", json::object{{"bearer", bearer}}}}}};
  return json::serialize(document);
}

}  // namespace lb
