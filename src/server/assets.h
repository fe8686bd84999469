/// Assets: the page and its files, from inside the program or, for development, from a directory.
///
/// Built in: every file of ui/dist, plain and precompressed, found by its exact path in a table, so
/// there is no file system to climb in. Files with a hash in their name never change and are cached
/// for ever; the page itself is never cached. Read-only after construction.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/http_message.h"

namespace lb {

/// One file as the build embedded it; an empty view means: not in this form.
struct EmbeddedFile {
  std::string_view path;  // /assets/index-1a2b3c4d.js
  std::string_view plain;
  std::string_view gzip;
  std::string_view brotli;
};

class Assets {
 public:
  /// The files of the build; with `root`, those of a directory instead, read at every request.
  explicit Assets(std::optional<std::filesystem::path> root = std::nullopt);

  /// The answer for a path that is a file, or nothing.
  [[nodiscard]] std::optional<HttpResponse> find(const HttpRequest& request) const;
  /// For a browser that was sent to an address that is none: the page, which says so.
  [[nodiscard]] std::optional<HttpResponse> nowhere(const HttpRequest& request) const;

 private:
  [[nodiscard]] std::optional<HttpResponse> file(const HttpRequest& request,
                                                 std::string_view path) const;
  [[nodiscard]] std::optional<HttpResponse> from_disk(std::string_view path) const;

  struct File {
    EmbeddedFile data;
    std::string etag;
  };
  std::optional<std::filesystem::path> root_;
  std::map<std::string, File, std::less<>> files_;
};

}  // namespace lb
