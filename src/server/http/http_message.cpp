#include "server/http/http_message.h"

#include "base/json.h"

namespace lb {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool split_query(std::string_view query, std::map<std::string, std::string>& out) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto name = percent_decode(pair.substr(0, equals), true);
    auto value = percent_decode(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return false;
    out[std::move(*name)] = std::move(*value);
  }
  return true;
}

}  // namespace

std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size()) return std::nullopt;
      const int high = hex_digit(text[i + 1]);
      const int low = hex_digit(text[i + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      i += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (c == '\0') return std::nullopt;
    out += c;
  }
  return out;
}

bool split_target(HttpRequest& request) {
  const std::string_view target = request.target;
  const std::size_t question = std::min(target.find('?'), target.size());
  request.path = std::string(target.substr(0, question));
  request.query.clear();
  return split_query(target.substr(std::min(question + 1, target.size())), request.query);
}

HttpResponse json_response(int status, std::string body) {
  HttpResponse response;
  response.status = status;
  response.body = std::move(body);
  return response;
}

HttpResponse error_response(const Error& error) {
  const ErrorShape shape = shape_of(error.code);
  std::string body = R"({"code":")";
  body += shape.name;
  body += R"(","message":)";
  append_quoted(body, error.message);
  if (!error.project_id.empty()) {
    body += ",\"projectId\":";
    append_quoted(body, error.project_id);
  }
  if (!error.members.empty()) body.append(",").append(error.members);
  body += '}';
  return json_response(shape.http_status, std::move(body));
}

}  // namespace lb
