/// The WebSocket of one window on a terminal: bytes both ways, and a few words about them
/// (docs/wire.md, "Terminals").
#pragma once

#include <memory>

#include "server/http/http_message.h"
#include "server/hub.h"
#include "server/socket_task.h"
#include "session/terminals/terminal_reader.h"

namespace lb {

/// What runs the connection of a request that passed the gate and check_upgrade.
std::shared_ptr<SocketTask> make_terminal_task(HttpRequest request,
                                               std::unique_ptr<TerminalReader> reader, Hub& hub);

}  // namespace lb
