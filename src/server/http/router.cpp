#include "server/http/router.h"

#include <cctype>

#include "base/id.h"
#include "base/utf8.h"

namespace lb {
namespace {

/// Walks two paths side by side; true when they have the same segments, `:name` taking any.
bool matches(std::string_view pattern, std::string_view path,
             std::vector<std::pair<std::string, std::string_view>>* params) {
  while (!pattern.empty() && !path.empty()) {
    pattern.remove_prefix(1);  // The slash.
    path.remove_prefix(1);
    const std::string_view want = pattern.substr(0, pattern.find('/'));
    const std::string_view have = path.substr(0, path.find('/'));
    if (want.starts_with(':')) {
      if (have.empty()) return false;
      if (params != nullptr) params->emplace_back(want.substr(1), have);
    } else if (want != have) {
      return false;
    }
    pattern.remove_prefix(want.size());
    path.remove_prefix(have.size());
  }
  return pattern.empty() && path.empty();
}

std::string content_type_of(std::string_view value) {
  std::string out(value.substr(0, value.find(';')));
  while (out.ends_with(' ')) out.pop_back();
  return ascii_lower(out);
}

}  // namespace

void Router::add(Route route) {
  routes_.push_back(std::move(route));
}

Result<const Route*> Router::match(HttpRequest& request, std::string& allow) const {
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  for (const Route& route : routes_) {
    std::vector<std::pair<std::string, std::string_view>> params;
    if (!matches(route.pattern, request.path, &params)) continue;
    if (route.method != method) {
      if (!allow.empty()) allow += ", ";
      allow += route.method;
      continue;
    }
    for (const auto& [name, raw] : params) {
      const auto value = percent_decode(raw, false);
      if (!value || !is_wire_id(*value)) {
        return fail(ErrorCode::InvalidRequest, name + ": not a valid id");
      }
      request.params[name] = *value;
    }
    return &route;
  }
  if (!allow.empty()) {
    return fail(ErrorCode::MethodNotAllowed, "this address takes " + allow);
  }
  return fail(ErrorCode::NotFound, "there is nothing at this address");
}

Access Router::access_of(const HttpRequest& request) const {
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  const std::string_view path = request.path;
  for (const Route& route : routes_) {
    if (route.method == method && matches(route.pattern, path, nullptr)) return route.access;
  }
  // Where no page can be there is nothing to protect; everything else stays behind the credential.
  const bool ours = path == "/api" || path.starts_with("/api/") || path == "/ws" ||
                    path.starts_with("/ws/") || path.starts_with("/metrics");
  return ours ? Access::Credential : Access::Shell;
}

std::size_t body_bytes_max(const Route& route) {
  return route.body == BodyKind::Attachment ? limits::kAttachmentBytesMax : limits::kBodyBytesMax;
}

Result<void> check_content_type(const HttpRequest& request, const Route& route, bool has_body) {
  const bool given = request.count("content-type") > 0;
  if (!given && !has_body) return {};
  const std::string type = content_type_of(request.field("content-type"));
  if (route.body == BodyKind::Attachment) {
    if (type.starts_with("image/") || type == "text/plain") return {};
    return fail(ErrorCode::UnsupportedMediaType,
                "send an image with its Content-Type, or text/plain in UTF-8");
  }
  if (type == "application/json") return {};
  return fail(ErrorCode::UnsupportedMediaType, "send JSON, with Content-Type: application/json");
}

}  // namespace lb
