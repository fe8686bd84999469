#include "model/wire_types.h"

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
  catalogue.add<ServerMessage>();
  catalogue.add<StreamEvent>();
  return catalogue;
}

}  // namespace lb
