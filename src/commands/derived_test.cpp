#include "commands/derived.h"

#include <doctest/doctest.h>

#include <set>

#include "tests/support/golden.h"

using namespace lb;

namespace {

const std::string kRoot = LB_SOURCE_DIR;

}  // namespace

TEST_CASE("ui/src/wire.ts is what the C++ descriptions say") {
  test::check_golden(kRoot + "/ui/src/wire.ts", wire_typescript());
}

TEST_CASE("docs/wire.schema.json is the published JSON Schema of the wire") {
  test::check_golden(kRoot + "/docs/wire.schema.json", wire_schema());
}

TEST_CASE("docs/wire.md lists every command") {
  const std::string path = kRoot + "/docs/wire.md";
  const std::string renewed = with_lists_of_calls(test::slurp(path));
  test::check_golden(path, renewed);
  for (const ClientCommand& command : commands()) {
    CAPTURE(command.name);
    const std::string_view wanted = command.path.empty() ? command.name : command.path;
    CHECK(renewed.find(wanted) != std::string::npos);
  }
}

TEST_CASE("a union carries its common fields in every alternative") {
  const std::string text = wire_typescript();
  CHECK(text.find("export interface Message extends ItemBase {\n  type: \"message\";") !=
        std::string::npos);
  CHECK(text.find("export type Item =\n  | Message") != std::string::npos);
  CHECK(text.find("status: \"create\" | \"update\" | \"complete\" | \"error\" | \"cancelled\";") !=
        std::string::npos);
}

TEST_CASE("no two commands have one name, one address or, on a WebSocket, one request type") {
  std::set<std::string> seen;
  for (const ClientCommand& command : commands()) {
    CAPTURE(command.name);
    CHECK(seen.insert(std::string(command.name)).second);
    if (!command.path.empty()) CHECK(seen.insert(std::string(command.row.http)).second);
    if (!command.reply.empty()) CHECK(seen.insert(command.request).second);
  }
}

TEST_CASE("every message is done, by the sessions or by its connection") {
  std::set<ConnectionCommand> connections;
  for (const ClientCommand& command : commands()) {
    CAPTURE(command.name);
    if (command.of_connection) CHECK(connections.insert(*command.of_connection).second);
    if (command.reply.empty()) continue;
    CHECK((command.handler != nullptr) != command.of_connection.has_value());
  }
}

TEST_CASE("the path fills fields that the request has") {
  for (const ClientCommand& command : commands()) {
    CAPTURE(command.name);
    for (const std::string& field : command.path_fields()) CHECK(command.takes_field(field));
  }
  const ClientCommand* send = message_command("session:send");
  REQUIRE(send != nullptr);
  CHECK(send->field_of("id") == "sessionId");
  CHECK(send->reply == "session:sent");
  CHECK(message_command("session:fly") == nullptr);
  CHECK(message_command("session:status") == nullptr);  // Its answer is no message.
}
