/// The fields of a request, wherever HTTP carries them: path, query, body, header.
#pragma once

#include "base/json.h"
#include "commands/command.h"
#include "server/http/http_message.h"

namespace lb {

/// One object, as it would stand on a WebSocket; what it must hold is for the decoder to say.
Result<json::value> fields_of(const ClientCommand& command, const HttpRequest& request);

}  // namespace lb
