#include "commands/command.h"

#include <algorithm>

#include "model/wire_types.h"

namespace lb {

std::string ClientCommand::field_of(std::string_view param) const {
  if (param != "id") return std::string(param);
  const std::string_view before = path.substr(0, path.find("/:id"));
  return std::string(before.substr(before.rfind('/') + 1)) + "Id";
}

std::vector<std::string> ClientCommand::path_fields() const {
  std::vector<std::string> names;
  for (std::size_t at = 0; (at = path.find(':', at)) != std::string_view::npos; ++at) {
    const std::string_view rest = path.substr(at + 1);
    names.push_back(field_of(rest.substr(0, rest.find('/'))));
  }
  return names;
}

std::vector<const ShapeField*> ClientCommand::other_fields() const {
  const std::vector<std::string> filled = path_fields();
  std::vector<const ShapeField*> others;
  for (const ShapeField& field : fields) {
    if (std::ranges::find(filled, field.name) == filled.end()) others.push_back(&field);
  }
  return others;
}

bool ClientCommand::takes_field(std::string_view name) const {
  return std::ranges::find(fields, name, &ShapeField::name) != fields.end();
}

const ClientCommand* message_command(std::string_view type) {
  const auto found = std::ranges::find_if(commands(), [&](const ClientCommand& command) {
    return !command.reply.empty() && command.name == type;
  });
  return found == commands().end() ? nullptr : &*found;
}

ShapeCatalogue all_wire_types() {
  ShapeCatalogue all = wire_types();
  ShapeType message;
  message.name = "ClientMessage";
  message.tag = "type";
  message.fields.push_back({"requestId", {.kind = Shape::Kind::String}, true});
  for (const ClientCommand& command : commands()) {
    command.describe(all);
    if (!command.reply.empty()) message.alternatives.emplace_back(command.name, command.request);
  }
  all.add(std::move(message));
  return all;
}

}  // namespace lb
