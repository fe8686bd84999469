/// Server-sent events: a session's changes for whoever prefers plain HTTP.
///
/// `id` is the revision, so a client that reconnects with Last-Event-ID goes on where it was; the
/// event is the message type and the data the same object as on the WebSocket.
#pragma once

#include <memory>
#include <string>

#include "server/hub.h"
#include "server/socket_task.h"

namespace lb {

std::shared_ptr<SocketTask> make_sse_task(SessionId session, Opened opened, Hub& hub,
                                          std::string grant);

}  // namespace lb
