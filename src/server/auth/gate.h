/// Gate: the one chain that every request passes before it is routed.
///
/// limits (the parser) → Host → Origin and Sec-Fetch-Site → credential. Host first, because a page
/// of a stranger whose name resolves to this machine (DNS rebinding) sends its own; Origin, because
/// a browser says truly which page is asking. Only exact matches count: no prefixes, no suffixes.
/// There is no switch that turns any of it off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "commands/access.h"
#include "server/auth/auth.h"
#include "server/http/http_message.h"

namespace lb {

struct GateOptions {
  std::uint16_t port = 0;
  std::optional<std::string> external_origin;  // https://NAME, when a proxy stands in front.
};

/// What somebody is told whose credential is good, and not for a shell.
inline constexpr std::string_view kNoTerminals =
    "this credential is not good for terminals: `terminal_token = false` in the configuration";

class Gate {
 public:
  Gate(GateOptions options, Auth& auth) : options_(std::move(options)), auth_(auth) {}

  /// Fills `grant`; or the error to answer with.
  Result<void> pass(HttpRequest& request, Access access) const;

  void set_port(std::uint16_t port) { options_.port = port; }

  /// The subprotocol that a browser offers besides its ticket, and that the server selects.
  static constexpr std::string_view kSubprotocol = "liminal.v1";

 private:
  Result<void> check_host(const HttpRequest& request) const;
  Result<void> check_origin(const HttpRequest& request, Access access) const;
  Result<void> check_credential(HttpRequest& request, Access access) const;
  [[nodiscard]] bool is_our_host(std::string_view host) const;
  [[nodiscard]] std::string origin_of(std::string_view host) const;

  GateOptions options_;
  Auth& auth_;
};

}  // namespace lb
