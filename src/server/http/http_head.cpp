#include <array>
#include <ctime>

#include "server/http/http_message.h"

namespace lb {
namespace {

struct StatusText {
  int status;
  std::string_view text;
};
constexpr std::array kStatusTexts = std::to_array<StatusText>({
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {304, "Not Modified"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {408, "Request Timeout"},
    {409, "Conflict"},
    {413, "Content Too Large"},
    {415, "Unsupported Media Type"},
    {429, "Too Many Requests"},
    {500, "Internal Server Error"},
    {502, "Bad Gateway"},
    {503, "Service Unavailable"},
    {507, "Insufficient Storage"},
});

std::string_view reason_of(int status) {
  for (const StatusText& known : kStatusTexts) {
    if (known.status == status) return known.text;
  }
  return "Unknown";
}

/// What agents write is hostile and ends up on the page: nothing but our own files may run there,
/// and nothing may be fetched from or sent to anywhere else.
constexpr std::string_view kSecurityFields =
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; frame-src 'self'; "
    "manifest-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'; "
    "require-trusted-types-for 'script'; trusted-types lb-md dompurify\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "Cross-Origin-Opener-Policy: same-origin\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Permissions-Policy: accelerometer=(), autoplay=(self), camera=(), clipboard-read=(), "
    "clipboard-write=(self), display-capture=(), geolocation=(), gyroscope=(), hid=(), "
    "magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()\r\n";

std::string http_date() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  std::array<char, 40> text{};
  const std::size_t size =
      std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
  return {text.data(), size};
}

bool has_field(const HttpResponse& response, std::string_view name) {
  for (const auto& field : response.fields) {
    if (field.first == name) return true;
  }
  return false;
}

}  // namespace

std::string response_head(const HttpResponse& response, bool keep_alive) {
  std::string head = "HTTP/1.1 " + std::to_string(response.status) + " ";
  head.append(reason_of(response.status)).append("\r\nDate: ").append(http_date());
  head += "\r\n";
  head += kSecurityFields;
  if (!has_field(response, "Cache-Control")) head += "Cache-Control: no-store\r\n";
  for (const auto& [name, value] : response.fields) {
    head.append(name).append(": ").append(value).append("\r\n");
  }
  if (!response.content_type.empty()) {
    head.append("Content-Type: ").append(response.content_type).append("\r\n");
  }
  if (!response.takeover) {
    head.append("Content-Length: ")
        .append(std::to_string(response.content().size()))
        .append("\r\n");
  }
  head += keep_alive ? "Connection: keep-alive\r\n\r\n" : "Connection: close\r\n\r\n";
  return head;
}

}  // namespace lb
