/// Auth: who may talk to us. Launch codes, bearers, WebSocket tickets.
///
/// A launch code (15 minutes, single use) travels in the fragment of the launch URL and is swapped
/// for a bearer, which a browser keeps and which survives restarts; a ticket (30 s, single use) is
/// what a browser can give with a WebSocket upgrade. Bearers are kept as SHA-256 only, in memory
/// and on disk. No cookie anywhere, so no other page can make a browser speak for the user.
///
/// A grant is the id of a bearer: the hash of it. Lives on the io thread.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace lb {

struct AuthOptions {
  std::filesystem::path grants_file;  // Empty: bearers end with the program.
  std::optional<std::string> token;   // LIMINAL_BUILDER_TOKEN: a bearer that is always valid.
};

class Auth {
 public:
  Auth(const Clock& clock, AuthOptions options);

  /// Reads the bearers of earlier runs.
  Result<void> load();

  std::string make_code();
  /// A bearer for a launch code. InvalidCode; RateLimited after too many wrong ones.
  Result<std::string> exchange(std::string_view code);

  /// The grant of a bearer, when it is one of ours.
  [[nodiscard]] std::optional<std::string> check_bearer(std::string_view bearer) const;

  /// Shows the holder of a bearer that we know it, before it is sent: an HMAC over `message`, keyed
  /// with the bearer's hash. `key_id` names the bearer without telling anything about it: the first
  /// 32 digits of the hash of that hash. Nothing for one that is not ours.
  [[nodiscard]] std::optional<std::string> prove(std::string_view key_id,
                                                 std::string_view message) const;

  std::string make_ticket(const std::string& grant);
  /// The grant of a ticket; each works once.
  std::optional<std::string> take_ticket(std::string_view ticket);

  /// Ends a bearer; everything opened with it is told through `on_revoked`.
  void logout(std::string grant);
  void on_revoked(std::function<void(const std::string& grant)> callback) {
    revoked_ = std::move(callback);
  }

 private:
  struct Pending {
    std::string hash;
    std::string grant;  // Of a ticket.
    MonoMs until = 0;
  };

  std::optional<Pending> take(std::deque<Pending>& from, std::string_view secret);
  Result<void> save() const;

  const Clock& clock_;
  AuthOptions options_;
  std::string token_grant_;
  std::deque<Pending> codes_;
  std::deque<Pending> tickets_;
  std::vector<std::string> grants_;  // Hashes, in the order they were given.
  std::deque<MonoMs> failures_;      // Wrong codes of the last minute.
  std::function<void(const std::string&)> revoked_;
};

}  // namespace lb
