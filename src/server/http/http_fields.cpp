#include "server/http/http_fields.h"

namespace lb {
namespace {

/// A value of the query in the field's own type.
Result<json::value> typed(const ShapeField& field, const std::string& text) {
  if (field.shape.kind == Shape::Kind::Bool) return text != "0";
  if (field.shape.kind != Shape::Kind::Integer) return json::value(text);
  const bool digits = !text.empty() && text.size() <= 18 &&
                      text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) return fail(ErrorCode::InvalidRequest, field.name + ": expected a number");
  return json::value(std::stoull(text));
}

Result<void> take_query(const ClientCommand& command, const HttpRequest& request,
                        json::object& fields) {
  for (const ShapeField* field : command.other_fields()) {
    const auto given = request.query.find(field->name);
    const bool is_text =
        field->shape.kind != Shape::Kind::Integer && field->shape.kind != Shape::Kind::Bool;
    // `?projectId=` says as little as nothing.
    if (given == request.query.end() || (is_text && given->second.empty())) {
      if (field->optional || field->name != "projectId") continue;
      return fail(ErrorCode::ProjectIdRequired,
                  "Say which project: add ?projectId= to the address.");
    }
    auto value = typed(*field, given->second);
    if (!value) return std::unexpected(std::move(value.error()));
    fields[field->name] = std::move(*value);
  }
  return {};
}

Result<json::object> body_of(const ClientCommand& command, const HttpRequest& request) {
  if (request.body.empty() || !command.row.takes.empty()) return json::object();
  auto parsed = parse_json(request.body, limits::kClientJsonDepthMax);
  if (!parsed) return fail(ErrorCode::InvalidRequest, parsed.error().message);
  if (!parsed->is_object()) return fail(ErrorCode::InvalidRequest, "expected an object");
  return std::move(parsed->get_object());
}

}  // namespace

Result<json::value> fields_of(const ClientCommand& command, const HttpRequest& request) {
  const bool is_get = command.method == "GET";
  auto fields = is_get ? json::object() : body_of(command, request);
  if (!fields) return std::unexpected(std::move(fields.error()));
  if (is_get) {
    if (auto taken = take_query(command, request, *fields); !taken) {
      return std::unexpected(std::move(taken.error()));
    }
  }
  for (const auto& [param, value] : request.params) (*fields)[command.field_of(param)] = value;
  if (const std::string_view key = request.field("idempotency-key");
      !key.empty() && command.takes_field("clientMessageId")) {
    (*fields)["clientMessageId"] = key;
  }
  return json::value(std::move(*fields));
}

}  // namespace lb
