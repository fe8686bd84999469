#include "base/shape.h"

#include <fmt/format.h>

#include <set>

namespace lb {
namespace {

std::string quoted_union(const std::vector<std::string>& values) {
  std::string text;
  for (const auto& value : values) {
    text += fmt::format("{}\"{}\"", text.empty() ? "" : " | ", value);
  }
  return text;
}

std::string typescript_of(const Shape& shape) {
  switch (shape.kind) {
    case Shape::Kind::String:
    case Shape::Kind::Id:
    case Shape::Kind::Time:
      return "string";
    case Shape::Kind::Number:
    case Shape::Kind::Integer:
      return "number";
    case Shape::Kind::Bool:
      return "boolean";
    case Shape::Kind::Any:
      return "unknown";
    case Shape::Kind::Object:
      return "Record<string, unknown>";
    case Shape::Kind::Enum:
      return quoted_union(shape.values);
    case Shape::Kind::Named:
      return shape.name;
    case Shape::Kind::Map:
      return fmt::format("Record<string, {}>", typescript_of(shape.of[0]));
    case Shape::Kind::Array: {
      const std::string element = typescript_of(shape.of[0]);
      return shape.of[0].kind == Shape::Kind::Enum ? fmt::format("({})[]", element)
                                                   : element + "[]";
    }
  }
  return "unknown";
}

json::object schema_of(const Shape& shape, std::string_view prefix) {
  switch (shape.kind) {
    case Shape::Kind::String:
      return {{"type", "string"}};
    case Shape::Kind::Id:
      return {{"type", "string"}, {"pattern", "^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$"}};
    case Shape::Kind::Time:
      return {{"type", "string"}, {"format", "date-time"}};
    case Shape::Kind::Number:
      return {{"type", "number"}};
    case Shape::Kind::Integer:
      return {{"type", "integer"}};
    case Shape::Kind::Bool:
      return {{"type", "boolean"}};
    case Shape::Kind::Any:
      return {};
    case Shape::Kind::Object:
      return {{"type", "object"}};
    case Shape::Kind::Enum:
      return {{"type", "string"}, {"enum", json::array(shape.values.begin(), shape.values.end())}};
    case Shape::Kind::Named:
      return {{"$ref", std::string(prefix) + shape.name}};
    case Shape::Kind::Map:
      return {{"type", "object"}, {"additionalProperties", schema_of(shape.of[0], prefix)}};
    case Shape::Kind::Array:
      return {{"type", "array"}, {"items", schema_of(shape.of[0], prefix)}};
  }
  return {};
}

json::object struct_schema(const std::vector<ShapeField>& fields, std::string_view prefix) {
  json::object properties;
  json::array required;
  for (const auto& field : fields) {
    json::object schema = schema_of(field.shape, prefix);
    if (field.shape.nullable) {
      schema = {{"anyOf", json::array{std::move(schema), json::object{{"type", "null"}}}}};
    }
    properties[field.name] = std::move(schema);
    if (!field.optional) required.emplace_back(field.name);
  }
  json::object schema{{"type", "object"}, {"properties", std::move(properties)}};
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

/// Alternatives belong to the union that names them, and are written with its common fields.
struct UnionOf {
  std::string tag;
  std::string tag_value;
  std::string base;  // The interface with the common fields; empty when there are none.
};

std::map<std::string, UnionOf> alternatives_of(const ShapeCatalogue& catalogue) {
  std::map<std::string, UnionOf> owners;
  for (const auto& type : catalogue.types()) {
    for (const auto& [value, name] : type.alternatives) {
      owners[name] = {type.tag, value, type.fields.empty() ? "" : type.name + "Base"};
    }
  }
  return owners;
}

std::string interface_of(const ShapeType& type, const std::string& name, const UnionOf* owner) {
  const bool extends = owner != nullptr && !owner->base.empty();
  std::string text =
      fmt::format("export interface {}{} {{\n", name, extends ? " extends " + owner->base : "");
  if (owner != nullptr) text += fmt::format("  {}: \"{}\";\n", owner->tag, owner->tag_value);
  for (const auto& field : type.fields) {
    text += fmt::format("  {}{}: {}{};\n", field.name, field.optional ? "?" : "",
                        typescript_of(field.shape), field.shape.nullable ? " | null" : "");
  }
  return text + "}\n\n";
}

}  // namespace

std::string to_typescript(const ShapeCatalogue& catalogue) {
  const auto owners = alternatives_of(catalogue);
  std::string text;
  for (const auto& type : catalogue.types()) {
    const auto owner = owners.find(type.name);
    if (type.alternatives.empty()) {
      text += interface_of(type, type.name, owner != owners.end() ? &owner->second : nullptr);
      continue;
    }
    if (!type.fields.empty()) text += interface_of(type, type.name + "Base", nullptr);
    std::string members;
    for (const auto& [value, name] : type.alternatives) members += "\n  | " + name;
    text += fmt::format("export type {} ={};\n\n", type.name, members);
  }
  return text;
}

json::object to_json_schema(const ShapeCatalogue& catalogue, std::string_view prefix) {
  json::object schemas;
  for (const auto& type : catalogue.types()) {
    json::object schema = struct_schema(type.fields, prefix);
    if (!type.alternatives.empty()) {
      json::array any;
      for (const auto& [value, name] : type.alternatives) {
        json::object tag{{"type", "object"},
                         {"properties", {{type.tag, {{"const", value}}}}},
                         {"required", json::array{type.tag}}};
        any.emplace_back(json::object{
            {"allOf",
             json::array{std::move(tag), json::object{{"$ref", std::string(prefix) + name}}}}});
      }
      schema["oneOf"] = std::move(any);
    }
    schemas[type.name] = std::move(schema);
  }
  return schemas;
}

}  // namespace lb
