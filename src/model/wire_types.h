/// Everything that crosses the wire, in one catalogue.
#pragma once

#include "base/shape.h"

namespace lb {

/// Items, turns, sessions, both directions of the WebSocket and the stream events.
ShapeCatalogue wire_types();

/// `ui/src/wire.ts`, whole.
std::string wire_typescript();

}  // namespace lb
