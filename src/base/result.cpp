#include "base/result.h"

#include <array>
#include <cstddef>

namespace lb {
namespace {

constexpr auto kShapes = std::to_array<ErrorShape>({
    {"INVALID_REQUEST", 400},
    {"UNAUTHENTICATED", 401},
    {"INVALID_CODE", 401},
    {"FORBIDDEN_HOST", 403},
    {"FORBIDDEN_ORIGIN", 403},
    {"FORBIDDEN_TERMINAL", 403},
    {"NOT_FOUND", 404},
    {"METHOD_NOT_ALLOWED", 405},
    {"TIMEOUT", 408},
    {"TOO_LARGE", 413},
    {"UNSUPPORTED_MEDIA_TYPE", 415},
    {"RATE_LIMITED", 429},
    {"BUSY", 503},
    {"STORE_FULL", 507},
    {"PROJECT_PATH_INVALID", 400},
    {"PROJECT_EXISTS", 409},
    {"PROJECT_NOT_FOUND", 404},
    {"PROJECT_ID_REQUIRED", 400},
    {"UNSUPPORTED_CLI_TYPE", 400},
    {"SESSION_NOT_FOUND", 404},
    {"SESSION_CREATE_FAILED", 502},
    {"AGENT_UNAVAILABLE", 503},
    {"PROCESS_CRASH", 502},
    {"PROTOCOL_ERROR", 502},
    {"INVALID_STREAM_EVENT", 502},
    {"INTERRUPT_FAILED", 502},
    {"ITEM_NOT_FOUND", 404},
    {"ALREADY_ANSWERED", 409},
    {"APPROVAL_CHANGED", 409},
    {"TURN_STARTED", 409},
    {"TURN_NOT_FOUND", 404},
    {"NOT_SUPPORTED", 409},
    {"WORKSPACE_NOT_FOUND", 404},
    {"LAND_CONFLICT", 409},
    {"TARGET_DIRTY", 409},
    {"TARGET_ELSEWHERE", 409},
    {"CONFIRM_NEEDED", 409},
    {"REWIND_CONFLICT", 409},
    {"SERVER_RESTARTED", 503},
    {"CANCELLED", 409},
    {"INTERNAL", 500},
});
static_assert(kShapes.size() == static_cast<std::size_t>(ErrorCode::Internal) + 1);

}  // namespace

ErrorShape shape_of(ErrorCode code) {
  return kShapes.at(static_cast<std::size_t>(code));
}

}  // namespace lb
