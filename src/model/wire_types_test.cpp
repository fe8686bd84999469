#include "model/wire_types.h"

#include <doctest/doctest.h>

#include "tests/support/golden.h"

using namespace lb;

TEST_CASE("ui/src/wire.ts is what the C++ descriptions say") {
  test::check_golden(std::string(LB_SOURCE_DIR) + "/ui/src/wire.ts", wire_typescript());
}

TEST_CASE("docs/wire.schema.json is the published JSON Schema of the wire") {
  json::object document{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                        {"title", "Liminal Builder wire types"},
                        {"$defs", to_json_schema(wire_types(), "#/$defs/")}};
  std::string text;
  append_json(text, document);
  test::check_golden(std::string(LB_SOURCE_DIR) + "/docs/wire.schema.json", text + "\n");
}

TEST_CASE("a union carries its common fields in every alternative") {
  const std::string text = wire_typescript();
  CHECK(text.find("export interface Message extends ItemBase {\n  type: \"message\";") !=
        std::string::npos);
  CHECK(text.find("export type Item =\n  | Message") != std::string::npos);
  CHECK(text.find("status: \"create\" | \"update\" | \"complete\" | \"error\" | \"cancelled\";") !=
        std::string::npos);
}
