#include <algorithm>

#include "base/version.h"
#include "commands/derived.h"
#include "model/answers.h"

namespace lb {
namespace {

constexpr std::string_view kSchemas = "#/components/schemas/";

json::object json_of(const std::string& type) {
  const json::object schema = {{"$ref", std::string(kSchemas) + type}};
  return {{"application/json", json::object{{"schema", schema}}}};
}

json::object bytes_of(std::string_view media) {
  return {{media, json::object()}};
}

/// `/api/session/:id/send` → `/api/session/{id}/send`, and the names in braces.
std::string template_of(std::string_view path, std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] != ':') {
      out += path[i];
      continue;
    }
    const std::size_t end = std::min(path.find('/', i), path.size());
    names.emplace_back(path.substr(i + 1, end - i - 1));
    out += "{" + names.back() + "}";
    i = end - 1;
  }
  return out;
}

bool is_get(const ClientCommand& command) {
  return command.method == "GET";
}

json::array parameters(const ClientCommand& command, const std::vector<std::string>& path) {
  const json::object text = {{"type", "string"}};
  json::array out;
  for (const std::string& name : path) {
    out.push_back(
        json::object{{"name", name}, {"in", "path"}, {"required", true}, {"schema", text}});
  }
  for (const ShapeField* field : command.other_fields()) {
    if (!is_get(command)) break;
    json::object parameter{{"name", field->name}, {"in", "query"}, {"schema", text}};
    if (!field->optional) parameter["required"] = true;
    out.push_back(std::move(parameter));
  }
  if (command.takes_field("clientMessageId")) {
    out.push_back(json::object{{"name", "Idempotency-Key"}, {"in", "header"}, {"schema", text}});
  }
  return out;
}

bool has_body(const ClientCommand& command) {
  return !is_get(command) && command.row.takes.empty() && !command.other_fields().empty();
}

/// The schema of a body: what the path says already is not asked for again.
std::string body_name(const ClientCommand& command) {
  return command.request + (command.path_fields().empty() ? "" : "Body");
}

json::object operation(const ClientCommand& command, const std::vector<std::string>& names) {
  const Row& row = command.row;
  json::object success = {{"description", row.summary}};
  if (!row.answers.empty() && row.status != 101) success["content"] = bytes_of(row.answers);
  if (!command.response.empty()) success["content"] = json_of(command.response);
  const json::object responses = {{std::to_string(row.status), success},
                                  {"default", json::object{{"description", "refused or failed"},
                                                           {"content", json_of("ErrorBody")}}}};
  json::object out = {{"summary", row.summary}, {"responses", responses}};
  if (auto list = parameters(command, names); !list.empty()) out["parameters"] = std::move(list);
  if (!row.takes.empty()) out["requestBody"] = json::object{{"content", bytes_of(row.takes)}};
  if (has_body(command)) {
    out["requestBody"] = json::object{{"content", json_of(body_name(command))}};
  }
  if (row.access == Access::Open) out["security"] = json::array();
  return out;
}

/// For each request with fields in the path: the same schema without them.
void add_body_schemas(json::object& schemas) {
  for (const ClientCommand& command : commands()) {
    const std::vector<std::string> filled = command.path_fields();
    if (!has_body(command) || filled.empty()) continue;
    json::object body = schemas.at(command.request).get_object();
    json::array kept;
    for (const std::string& name : filled) body["properties"].get_object().erase(name);
    for (const ShapeField* field : command.other_fields()) {
      if (!field->optional) kept.emplace_back(field->name);
    }
    body["required"] = std::move(kept);
    schemas[body_name(command)] = std::move(body);
  }
}

}  // namespace

std::string openapi_document() {
  json::object paths;
  for (const ClientCommand& command : commands()) {
    if (command.path.empty()) continue;
    std::vector<std::string> names;
    const std::string path = template_of(command.path, names);
    if (!paths.contains(path)) paths[path] = json::object();
    paths[path].as_object()[is_get(command) ? "get" : "post"] = operation(command, names);
  }
  ShapeCatalogue all = all_wire_types();
  all.add<ErrorBody>();
  json::object schemas = to_json_schema(all, kSchemas);
  add_body_schemas(schemas);
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
