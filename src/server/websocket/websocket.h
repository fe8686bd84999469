/// The WebSocket below a Client: handshake, reading, control frames.
///
/// Beast does the handshake and everything that is read (masks, fragments, UTF-8, ping and close);
/// what is written goes through the Outbox, Beast's own few bytes included, so that frames never
/// interleave and shared frames are written without a copy.
#pragma once

#include <memory>

#include "server/http/http_message.h"
#include "server/hub.h"
#include "server/socket_task.h"

namespace lb {

/// An error when the request is no proper upgrade.
Result<void> check_upgrade(const HttpRequest& request);

/// What runs the connection of a request that passed the gate and check_upgrade.
std::shared_ptr<SocketTask> make_websocket_task(HttpRequest request, Caller caller, Hub& hub,
                                                Sessions& sessions);

}  // namespace lb
