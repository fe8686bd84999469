// The lists of calls in docs/wire.md.
#include <fmt/format.h>

#include <algorithm>

#include "commands/derived.h"

namespace lb {
namespace {

/// More fields than a line of a list should have: the type's name says more.
constexpr std::size_t kFieldsMax = 7;

std::string with_mark(const ShapeField& field) {
  return field.name + (field.optional ? "?" : "");
}

std::string call_of(const ClientCommand& command) {
  std::string out = fmt::format("`{} {}", command.method, command.path);
  std::string fields;
  for (const ShapeField* field : command.other_fields()) {
    const bool is_query = command.method == "GET";
    if (!fields.empty()) fields += is_query ? "&" : ", ";
    fields += is_query ? field->name + "=" : with_mark(*field);
  }
  if (!fields.empty()) out += command.method == "GET" ? "?" + fields : " {" + fields + "}";
  return out + "`";
}

std::string message_of(const ClientCommand& command) {
  if (command.reply.empty()) return "";
  std::string fields;
  if (command.path.empty()) {
    for (const ShapeField& field : command.fields) {
      fields += (fields.empty() ? "" : ", ") + with_mark(field);
    }
    fields = " {" + fields + "}";
  }
  return fmt::format("`{}{}` → `{}`", command.name, fields, command.reply);
}

std::string answer_of(const ClientCommand& command, const ShapeCatalogue& all) {
  if (command.path.empty()) return "";
  std::string out = std::to_string(command.row.status);
  if (command.row.status == 101) return out;
  if (!command.row.answers.empty()) return out + " " + std::string(command.row.answers);
  const auto type = std::ranges::find(all.types(), command.response, &ShapeType::name);
  if (command.response == OkMessage::kName) return out + " `{}`";
  if (type->fields.size() > kFieldsMax) return out + " `" + command.response + "`";
  std::string fields;
  for (const ShapeField& field : type->fields) {
    if (!fields.empty()) fields += ", ";
    fields += with_mark(field);
    const bool is_list = field.shape.kind == Shape::Kind::Array;
    const Shape& shape = is_list ? field.shape.of.front() : field.shape;
    if (shape.kind != Shape::Kind::Named) continue;
    fields += is_list ? ": [" + shape.name + "]" : ": " + shape.name;
  }
  return out + " `{" + fields + "}`";
}

std::string list_of(Section section, const ShapeCatalogue& all) {
  std::string out =
      "| call | message → its answer | what it does, and answers over HTTP |\n|---|---|---|\n";
  for (const ClientCommand& command : commands()) {
    if (command.section != section) continue;
    std::string what(command.row.summary);
    if (const std::string answer = answer_of(command, all); !answer.empty()) what += ": " + answer;
    if (!command.row.notes.empty()) what += "; " + std::string(command.row.notes);
    if (command.row.access == Access::Open) what += "; no credential needed";
    out += fmt::format("| {} | {} | {} |\n", command.path.empty() ? "" : call_of(command),
                       message_of(command), what);
  }
  return out;
}

}  // namespace

std::string with_lists_of_calls(const std::string& document) {
  const ShapeCatalogue all = all_wire_types();
  const std::pair<std::string_view, Section> sections[] = {
      {"server", Section::Server},      {"credentials", Section::Credentials},
      {"projects", Section::Projects},  {"workspaces", Section::Workspaces},
      {"sessions", Section::Sessions},  {"review", Section::Review},
      {"terminals", Section::Terminals}};
  std::string out = document;
  for (const auto& [name, section] : sections) {
    const std::string begin = fmt::format("<!-- calls: {} -->\n", name);
    const std::size_t at = out.find(begin);
    const std::size_t end = out.find("<!-- end of calls -->", at);
    if (at == std::string::npos || end == std::string::npos) continue;
    out.replace(at + begin.size(), end - at - begin.size(), "\n" + list_of(section, all) + "\n");
  }
  return out;
}

}  // namespace lb
