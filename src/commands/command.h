/// ClientCommand: one row of the table of everything that a client can ask for (table.cpp).
///
/// A row says all there is to know: its name, what goes in, what comes out, where it is over HTTP,
/// who may ask, and who does it. WebSocket and HTTP dispatch, the OpenAPI document, the page's
/// types (`ui/src/wire.ts`) and the lists in docs/wire.md are made from the rows. The table is
/// built once and read-only.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/shape.h"
#include "commands/access.h"
#include "session/sessions.h"

namespace lb {

/// The lists of docs/wire.md.
enum class Section { Server, Credentials, Projects, Workspaces, Sessions, Review, Terminals };

/// What is written by hand in a row, beside its types and its handler.
struct Row {
  std::string_view name;  // `session:send`: the message's type on a WebSocket.
  std::string_view http;  // `POST /api/session/:id/send`; empty: only on a WebSocket.
  int status = 200;
  std::string_view summary;
  std::string_view notes = {};  // For docs/wire.md: what the types do not say.
  Access access = Access::Credential;
  std::string_view takes = {};    // A media type, where the body is not JSON.
  std::string_view answers = {};  // A media type, where the answer is not JSON.
};

/// What belongs to one WebSocket and is done by it. A new one does not compile before
/// server/websocket/client_requests.cpp says how.
enum class ConnectionCommand { Open, Close, Page };

struct ClientCommand : SessionCommand {  // Without a handler the server does it itself.
  Row row;
  std::optional<ConnectionCommand> of_connection;
  Section section = Section::Sessions;
  std::string_view method;
  std::string_view path;
  std::string_view reply;             // The answer's type on a WebSocket; empty: only over HTTP.
  std::string request;                // Names of described types.
  std::string response;               // Empty where the answer is not JSON.
  std::vector<ShapeField> fields;     // Of the request.
  void (*describe)(ShapeCatalogue&);  // Adds both types.

  /// The field of the request that the part `:param` of the path fills: `:id` is the id of what
  /// stands before it.
  [[nodiscard]] std::string field_of(std::string_view param) const;
  /// The names of the fields that the path fills.
  [[nodiscard]] std::vector<std::string> path_fields() const;
  /// The fields that it does not fill: they are the query of a GET and the body of a POST.
  [[nodiscard]] std::vector<const ShapeField*> other_fields() const;
  [[nodiscard]] bool takes_field(std::string_view name) const;
};

/// The whole table.
const std::vector<ClientCommand>& commands();

/// What a message of this type asks for; null when there is no such message.
const ClientCommand* message_command(std::string_view type);

/// All types of the wire: model/wire_types.h, and what the commands take and answer.
ShapeCatalogue all_wire_types();

}  // namespace lb
