/// What crosses the wire beside the commands (commands/command.h has all).
#pragma once

#include "base/shape.h"

namespace lb {

/// Items, turns, sessions, what the server says and the stream events.
ShapeCatalogue wire_types();

}  // namespace lb
