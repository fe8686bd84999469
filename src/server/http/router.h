/// Router: from a method and a path to who handles it.
///
/// Filled from the table of commands at start (routes.h), read-only afterwards.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "server/auth/gate.h"
#include "server/http/http_message.h"

namespace lb {

namespace asio = boost::asio;

using Handler = std::function<asio::awaitable<HttpResponse>(HttpRequest request)>;

enum class BodyKind { Json, Attachment };

struct Route {
  std::string method;   // GET or POST
  std::string pattern;  // /api/session/:id/send
  Handler handler;
  Access access = Access::Credential;
  BodyKind body = BodyKind::Json;
};

class Router {
 public:
  void add(Route route);

  /// Fills the request's params. NotFound, MethodNotAllowed (with what is allowed in `allow`), or
  /// InvalidRequest for an id that breaks the grammar.
  Result<const Route*> match(HttpRequest& request, std::string& allow) const;

  [[nodiscard]] const std::vector<Route>& routes() const { return routes_; }

  /// What the path asks for, whatever the method; the answer to an unknown one depends on it.
  [[nodiscard]] Access access_of(const HttpRequest& request) const;

 private:
  std::vector<Route> routes_;
};

/// The largest body the route takes.
std::size_t body_bytes_max(const Route& route);

/// Method, content type and body are what the route takes.
Result<void> check_content_type(const HttpRequest& request, const Route& route, bool has_body);

}  // namespace lb
