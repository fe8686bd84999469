#include "model/wire_types.h"

#include "model/client_message.h"
#include "model/server_message.h"
#include "model/stream_event.h"

namespace lb {

ShapeCatalogue wire_types() {
  ShapeCatalogue catalogue;
  catalogue.add<Item>();
  catalogue.add<Turn>();
  catalogue.add<Project>();
  catalogue.add<AgentInfo>();
  catalogue.add<SessionInfo>();
  catalogue.add<SessionStatus>();
  catalogue.add<ClientMessage>();
  catalogue.add<ServerMessage>();
  catalogue.add<StreamEvent>();
  return catalogue;
}

std::string wire_typescript() {
  return "// Made from the C++ descriptions in src/model; do not edit. A test compares.\n"
         "// To renew: LIMINAL_UPDATE_GOLDEN=1 build/dev/src/test_model\n\n"
         "/** What the server must say in its hello: another one speaks another language. */\n"
         "export const WIRE_VERSION = " +
         std::to_string(kWireVersion) + ";\n\n" + to_typescript(wire_types());
}

}  // namespace lb
