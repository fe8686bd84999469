/// An HTTP request and its answer as the handlers see them: no sockets, no parsing.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace lb {

class SocketTask;

struct HttpRequest {
  std::string method;
  std::string target;                    // As sent: path and query.
  std::optional<std::string> authority;  // Of an absolute-form target.
  int minor_version = 1;
  std::vector<std::pair<std::string, std::string>> fields;  // Names in lower case.
  std::string body;

  // Filled by split_target and by the chain before routing.
  std::string path;                           // Without the query, not decoded.
  std::map<std::string, std::string> query;   // Decoded; the last of a name counts.
  std::map<std::string, std::string> params;  // `:id` of the route.
  std::string grant;                          // Who asks: the id of the credential.
  std::string address;                        // Where the connection comes from.
  /// Where no credential is needed: the user of this machine who asks, when that can be told.
  std::optional<unsigned> peer_user;
  std::uint64_t peer_inode = 0;  // Of that user's socket; 0 when it cannot be told.

  /// The value of a field that is there exactly once; empty otherwise.
  [[nodiscard]] std::string_view field(std::string_view name) const {
    std::string_view found;
    for (const auto& [field_name, value] : fields) {
      if (field_name != name) continue;
      if (!found.empty()) return {};
      found = value;
    }
    return found;
  }
  [[nodiscard]] std::size_t count(std::string_view name) const {
    std::size_t n = 0;
    for (const auto& entry : fields) n += entry.first == name ? 1 : 0;
    return n;
  }
  [[nodiscard]] std::string_view param(const std::string& name) const {
    const auto at = params.find(name);
    return at == params.end() ? std::string_view() : std::string_view(at->second);
  }
};

/// Fills path and query from the target; false when the escapes are malformed.
bool split_target(HttpRequest& request);

/// Percent-decoding of one path segment or query part; nothing when malformed or with a NUL.
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space);

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json; charset=utf-8";
  std::string body;
  std::string_view shared_body;  // Instead of `body`: bytes that live as long as `owner`.
  std::shared_ptr<const void> owner;
  std::vector<std::pair<std::string, std::string>> fields;
  bool close = false;
  std::shared_ptr<SocketTask> takeover;  // Set: nothing is written here, the task gets the socket.

  [[nodiscard]] std::string_view content() const {
    return shared_body.data() != nullptr ? shared_body : std::string_view(body);
  }
};

/// `{"code": …, "message": …}` with the status of the code.
HttpResponse error_response(const Error& error);
HttpResponse json_response(int status, std::string body);

/// The status line and the fields, up to and with the empty line. The security fields are in every
/// answer, also in errors; no Access-Control field ever is.
std::string response_head(const HttpResponse& response, bool keep_alive);

}  // namespace lb
