#include <fmt/format.h>

#include "commands/derived.h"

namespace lb {
namespace {

/// `/api/session/:id/send` → `/api/session/{sessionId}/send`: by the names of the request's fields.
std::string template_of(const ClientCommand& command) {
  std::string out;
  std::string_view rest = command.path;
  for (std::size_t at = 0; (at = rest.find(':')) != std::string_view::npos;) {
    const std::size_t end = std::min(rest.find('/', at), rest.size());
    out += rest.substr(0, at);
    out += fmt::format("{{{}}}", command.field_of(rest.substr(at + 1, end - at - 1)));
    rest.remove_prefix(end);
  }
  return out + std::string(rest);
}

/// What types `Api.call` of the page: everything that is asked and answered with JSON over HTTP.
std::string typescript_table() {
  std::string types;
  std::string rows;
  for (const ClientCommand& command : commands()) {
    if (command.path.empty() || !command.row.takes.empty() || command.response.empty()) continue;
    types += fmt::format("  \"{}\": {{ request: Bare<{}>; response: Bare<{}> }};\n", command.name,
                         command.request, command.response);
    rows += fmt::format("  \"{}\": {{ method: \"{}\", path: \"{}\" }},\n", command.name,
                        command.method, template_of(command));
  }
  return "/** Over HTTP nothing says which message it is: one knows what one asked for. */\n"
         "export type Bare<T> = Omit<T, \"type\" | \"requestId\">;\n\n"
         "/** What can be asked over HTTP, by name. */\n"
         "export interface Commands {\n" +
         types +
         "}\n\n"
         "/** Where it is. What the path does not name is the query of a GET, the body of a POST. "
         "*/\n"
         "export const COMMANDS = {\n" +
         rows + "} as const satisfies Record<keyof Commands, { method: string; path: string }>;\n";
}

}  // namespace

std::string wire_typescript() {
  return "// Made from the C++ descriptions in src/model and the table in src/commands; do not "
         "edit.\n// A test compares. To renew: LIMINAL_UPDATE_GOLDEN=1 "
         "build/dev/src/test_commands\n\n"
         "/** What the server must say in its hello: another one speaks another language. */\n"
         "export const WIRE_VERSION = " +
         std::to_string(kWireVersion) + ";\n\n" + to_typescript(all_wire_types()) +
         typescript_table();
}

std::string wire_schema() {
  const json::object document{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                              {"title", "Liminal Builder wire types"},
                              {"$defs", to_json_schema(all_wire_types(), "#/$defs/")}};
  std::string text;
  append_json(text, document);
  return text + "\n";
}

}  // namespace lb
