/// Auth: who may talk to us. Launch codes, bearers, WebSocket tickets.
///
/// A launch code (15 minutes, single use) travels in the fragment of the launch URL and is swapped
/// for a bearer, which a browser keeps and which survives restarts; a ticket (30 s, single use) is
/// what a browser can give with a WebSocket upgrade. Bearers are kept as SHA-256 only, in memory
/// and on disk. No cookie anywhere, so no other page can make a browser speak for the user.
///
/// A grant is the id of a bearer: the hash of it. The file of grants says which are good, the store
/// which of them this server issued (logins.h); one that it did not issue lets nobody in. Lives on
/// the io thread.
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
#include "model/audit.h"
#include "store/records.h"

namespace lb {

struct AuthOptions {
  std::filesystem::path grants_file;  // Empty: bearers end with the program.
  std::optional<std::string> token;   // LIMINAL_BUILDER_TOKEN: a bearer that is always valid.
  bool token_terminals = true;        // Whoever has that token may have a shell.
};

class Auth {
 public:
  Auth(const Clock& clock, AuthOptions options);

  /// Reads the bearers of earlier runs. `issued` is what the store has of them.
  struct Loaded {
    std::vector<LoginRow> taken_over;  // Of a version that kept none.
    std::vector<std::string> gone;     // Hashes that are in the store only.
    std::vector<Login> unknown;        // Not issued by this server.
  };
  Loaded load(const Logins& issued);

  std::string make_code();
  /// A bearer for a launch code, which is good once it is admitted. InvalidCode; RateLimited after
  /// too many wrong ones.
  struct Issued {
    std::string bearer;
    std::string hash;
    Login login;
  };
  Result<Issued> redeem(std::string_view code, std::string name, std::string address);
  /// From now on its bearer is good. Whoever had to make room for it.
  Result<std::vector<Login>> admit(const Issued& issued);

  /// Whether `redeem` would take it.
  [[nodiscard]] bool knows_code(std::string_view code) const;
  /// Somebody has it who should not: it is good for nothing any more.
  void drop_code(std::string_view code);
  /// Told of every code that is gone: used or dropped.
  void on_code_gone(std::function<void(std::string_view code)> callback) {
    code_gone_ = std::move(callback);
  }

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
  /// All of them; `grant` is whoever asks.
  [[nodiscard]] std::vector<Login> logins(const std::string& grant) const;
  /// The grant of a login.
  [[nodiscard]] std::optional<std::string> grant_of(std::string_view login_id) const;
  /// Whose grant it is, for the audit trail.
  [[nodiscard]] AuditBy who(const std::string& grant) const;
  /// Whether it is good for terminals, too: a login is, the token where the user wants it.
  [[nodiscard]] bool may_use_terminals(const std::string& grant) const {
    return grant != token_grant_ || options_.token_terminals;
  }
  /// It was used just now.
  void seen(const std::string& grant);
  void on_revoked(std::function<void(const std::string& grant)> callback) {
    revoked_ = std::move(callback);
  }

 private:
  struct Pending {
    std::string hash;
    std::string grant;  // Of a ticket.
    MonoMs until = 0;
  };

  struct Known {
    std::string hash;
    Login login;
  };

  std::optional<Pending> take(std::deque<Pending>& from, std::string_view secret);
  Result<void> save() const;

  const Clock& clock_;
  AuthOptions options_;
  std::string token_grant_;
  std::deque<Pending> codes_;
  std::deque<Pending> tickets_;
  std::vector<Known> grants_;   // In the order they were given.
  std::vector<Known> unknown_;  // In the file, and good for nothing.
  std::optional<Timestamp> token_seen_;
  std::deque<MonoMs> failures_;  // Wrong codes of the last minute.
  std::function<void(const std::string&)> revoked_;
  std::function<void(std::string_view)> code_gone_;
};

}  // namespace lb
