/// What is made from the table: the page's types, the OpenAPI document, the lists in docs/wire.md.
#pragma once

#include <string>

#include "commands/command.h"

namespace lb {

/// `ui/src/wire.ts`, whole.
std::string wire_typescript();

/// `docs/wire.schema.json`, whole.
std::string wire_schema();

/// The OpenAPI 3.1 document of everything that can be asked over HTTP.
std::string openapi_document();

/// docs/wire.md with its lists of calls renewed: each stands between `<!-- calls: … -->` and
/// `<!-- end of calls -->`.
std::string with_lists_of_calls(const std::string& document);

}  // namespace lb
