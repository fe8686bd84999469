/// Result and Error: what the world may do to us, as values.
///
/// Every failure that can reach a user carries one of these codes; the table in result.cpp is the
/// one place that says how a code is spelled on the wire and which HTTP status it has. Programming
/// mistakes are asserts, not errors.
#pragma once

#include <expected>
#include <string>
#include <string_view>

namespace lb {

enum class ErrorCode {
  InvalidRequest,
  Unauthenticated,
  InvalidCode,
  ForbiddenHost,
  ForbiddenOrigin,
  ForbiddenTerminal,
  NotFound,
  MethodNotAllowed,
  Timeout,
  TooLarge,
  UnsupportedMediaType,
  RateLimited,
  Busy,
  StoreFull,
  ProjectPathInvalid,
  ProjectExists,
  ProjectNotFound,
  ProjectIdRequired,
  UnsupportedCliType,
  SessionNotFound,
  SessionCreateFailed,
  AgentUnavailable,
  ProcessCrash,
  ProtocolError,
  InvalidStreamEvent,
  InterruptFailed,
  ItemNotFound,
  AlreadyAnswered,
  ApprovalChanged,
  TurnStarted,
  TurnNotFound,
  NotSupported,
  WorkspaceNotFound,
  LandConflict,
  TargetDirty,
  TargetElsewhere,
  ConfirmNeeded,
  RewindConflict,
  ServerRestarted,
  Cancelled,
  Internal,
};

/// How the outside sees a code: its name in `{"code": …}` and its HTTP status.
struct ErrorShape {
  std::string_view name;
  int http_status;
};
ErrorShape shape_of(ErrorCode code);
inline std::string_view name_of(ErrorCode code) {
  return shape_of(code).name;
}

/// What went wrong, for a program (`code`) and for a person (`message`, which says what to do).
struct Error {
  ErrorCode code = ErrorCode::Internal;
  std::string message;
  std::string project_id = {};  // ProjectExists: which one; it is written beside the message.
  /// More members of its JSON object, as text: `"paths":["a"]`. Made by whoever knows the shape.
  std::string members = {};

  /// The same error, with what we were doing put before its message.
  Error context(std::string_view doing) && {
    message = std::string(doing) + ": " + message;
    return std::move(*this);
  }
  friend bool operator==(const Error&, const Error&) = default;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> fail(ErrorCode code, std::string message) {
  return std::unexpected(Error{code, std::move(message)});
}

}  // namespace lb
