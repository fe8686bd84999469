/// What becomes of a login, and what the audit trail says of it: begun, ended, found.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <string>
#include <string_view>

#include "server/auth/auth.h"
#include "session/audit_trail.h"
#include "session/sessions.h"

namespace lb {

/// `Firefox on Linux`, as far as a User-Agent tells; a program by its name.
std::string client_name(std::string_view user_agent);

class LoginBook {
 public:
  LoginBook(Auth& auth, AuditTrail& trail) : auth_(auth), trail_(trail) {}

  /// At start, before anyone is let in: what earlier runs issued. What they did not is noted.
  asio::awaitable<Result<void>> open();

  std::string make_code(AuditActor whose, std::string why);
  /// A bearer for a launch code. Its record is durable before anyone has it.
  struct Shown {
    std::string code;
    std::string user_agent;
    std::string address;
  };
  asio::awaitable<Result<std::string>> log_in(Shown shown);
  /// Somebody with a launch code was sent away without a look at it.
  void turned_away(const std::string& address, std::string why);
  /// Somebody at the control socket was not answered.
  void command_refused(std::string why);
  /// ItemNotFound; NotSupported for the token of the environment.
  Result<void> end(const std::string& login_id, const Caller& caller);
  void log_out(const std::string& grant, const Caller& caller);

 private:
  void note_ended(const Login& login, const AuditBy& by, const std::string& address);

  Auth& auth_;
  AuditTrail& trail_;
};

}  // namespace lb
