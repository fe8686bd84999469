#include "server/auth/gate.h"

#include <algorithm>
#include <cctype>

#include "base/metrics.h"
#include "base/utf8.h"

namespace lb {
namespace {

constexpr std::string_view kTicketPrefix = "liminal.ticket.";

std::unexpected<Error> refuse(ErrorCode code, std::string_view reason, std::string message) {
  counter("lb_http_refused_total", "Requests refused before routing.",
          "reason=\"" + std::string(reason) + "\"")
      .add();
  return fail(code, std::move(message));
}

/// The host (and port) of an origin: `https://name` → `name`.
std::string_view host_of(std::string_view origin) {
  const std::size_t at = origin.find("://");
  return at == std::string_view::npos ? origin : origin.substr(at + 3);
}

/// The ticket among the offered subprotocols, when `liminal.v1` is offered too.
std::string_view ticket_of(std::string_view offered) {
  std::string_view ticket;
  bool ours = false;
  while (!offered.empty()) {
    const std::size_t end = std::min(offered.find(','), offered.size());
    std::string_view name = offered.substr(0, end);
    offered.remove_prefix(std::min(end + 1, offered.size()));
    while (name.starts_with(' ')) name.remove_prefix(1);
    while (name.ends_with(' ')) name.remove_suffix(1);
    if (name == Gate::kSubprotocol) ours = true;
    if (name.starts_with(kTicketPrefix)) ticket = name.substr(kTicketPrefix.size());
  }
  return ours ? ticket : std::string_view();
}

std::string_view bearer_of(const HttpRequest& request) {
  constexpr std::string_view kScheme = "bearer ";
  const std::string_view value = request.field("authorization");
  if (value.size() <= kScheme.size() || ascii_lower(value.substr(0, kScheme.size())) != kScheme) {
    return {};
  }
  return value.substr(kScheme.size());
}

}  // namespace

bool Gate::is_our_host(std::string_view host) const {
  const std::string name = ascii_lower(host);
  const std::string port = ":" + std::to_string(options_.port);
  for (const std::string_view local : {"localhost", "127.0.0.1", "[::1]"}) {
    if (name == std::string(local) + port) return true;
    if (options_.port == 80 && name == local) return true;
  }
  return options_.external_origin && name == ascii_lower(host_of(*options_.external_origin));
}

std::string Gate::origin_of(std::string_view host) const {
  const std::string name = ascii_lower(host);
  if (options_.external_origin && name == ascii_lower(host_of(*options_.external_origin))) {
    return *options_.external_origin;
  }
  return "http://" + name;
}

Result<void> Gate::check_host(const HttpRequest& request) const {
  const bool named =
      is_our_host(request.field("host")) && (!request.authority || is_our_host(*request.authority));
  if (!named) {
    return refuse(ErrorCode::ForbiddenHost, "host",
                  "this server does not answer to that name; use the address it printed");
  }
  return {};
}

Result<void> Gate::check_origin(const HttpRequest& request, Access access) const {
  constexpr std::string_view kMessage = "requests from other sites are refused";
  if (request.count("origin") > 0 && request.field("origin") != origin_of(request.field("host"))) {
    return refuse(ErrorCode::ForbiddenOrigin, "origin", std::string(kMessage));
  }
  if (access == Access::Shell) return {};
  const std::string site = ascii_lower(request.field("sec-fetch-site"));
  const bool ours = site.empty() || site == "same-origin" || site == "none";
  if (!ours || request.count("sec-fetch-site") > 1) {
    return refuse(ErrorCode::ForbiddenOrigin, "site", std::string(kMessage));
  }
  return {};
}

Result<void> Gate::check_credential(HttpRequest& request, Access access) const {
  if (access == Access::Shell || access == Access::Open) return {};
  std::optional<std::string> grant = auth_.check_bearer(bearer_of(request));
  // Without an Origin it is no browser, and a program has a bearer.
  const bool socket = access == Access::Socket || access == Access::TerminalSocket;
  if (!grant && socket && request.count("origin") == 1) {
    grant = auth_.take_ticket(ticket_of(request.field("sec-websocket-protocol")));
  }
  if (!grant) {
    return refuse(ErrorCode::Unauthenticated, "credential",
                  "no valid credential; run: liminal-builder open");
  }
  const bool terminal = access == Access::Terminal || access == Access::TerminalSocket;
  if (terminal && !auth_.may_use_terminals(*grant)) {
    return refuse(ErrorCode::ForbiddenTerminal, "terminal", std::string(kNoTerminals));
  }
  auth_.seen(*grant);
  request.grant = std::move(*grant);
  return {};
}

Result<void> Gate::pass(HttpRequest& request, Access access) const {
  if (auto host = check_host(request); !host) return host;
  if (auto origin = check_origin(request, access); !origin) return origin;
  return check_credential(request, access);
}

}  // namespace lb
