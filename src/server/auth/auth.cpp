#include "server/auth/auth.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <system_error>

#include "base/fd.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/secret.h"

namespace lb {
namespace {

constexpr MonoMs kMinuteMs = 60'000;
constexpr std::size_t kHashChars = 64;
constexpr std::string_view kTokenName = "LIMINAL_BUILDER_TOKEN";

/// Another hash than the one that proves us (prove), which this one must not tell.
std::string login_id(const std::string& hash) {
  constexpr std::size_t kIdChars = 16;
  return sha256_hex("login\n" + hash).substr(0, kIdChars);
}

Login nameless(const std::string& hash, LoginOrigin origin) {
  return {login_id(hash), "", origin};
}

Error io_error(const std::filesystem::path& path) {
  return {ErrorCode::Internal,
          "cannot write " + path.string() + ": " + std::generic_category().message(errno)};
}

bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t wrote = ::write(fd, text.data(), text.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return true;
}

}  // namespace

Auth::Auth(const Clock& clock, AuthOptions options) : clock_(clock), options_(std::move(options)) {
  if (options_.token) token_grant_ = sha256_hex(*options_.token);
  options_.token.reset();  // Only the hash is needed from here on.
}

Auth::Loaded Auth::load(const Logins& issued) {
  Loaded out;
  std::map<std::string_view, const std::string*> rows;
  for (const LoginRow& row : issued.rows) rows[row.hash] = &row.login;
  std::ifstream file(options_.grants_file);
  for (std::string line; std::getline(file, line);) {
    const auto has = [&](const std::vector<Known>& all) {
      return std::ranges::find(all, line, &Known::hash) != all.end();
    };
    if (line.size() != kHashChars || has(grants_) || has(unknown_)) continue;
    const auto row = rows.find(line);
    if (row != rows.end()) {
      auto login = decode_text<Login>(*row->second);
      grants_.push_back({line, login ? std::move(*login) : nameless(line, LoginOrigin::Before)});
    } else if (!issued.known && grants_.size() < limits::kGrantsMax) {
      grants_.push_back({line, nameless(line, LoginOrigin::Before)});
      out.taken_over.push_back({line, encode(grants_.back().login)});
    } else if (unknown_.size() < limits::kUnknownLoginsMax) {
      unknown_.push_back({line, nameless(line, LoginOrigin::Unknown)});
      out.unknown.push_back(unknown_.back().login);
    }
  }
  for (const LoginRow& row : issued.rows) {
    const bool there = std::ranges::find(grants_, row.hash, &Known::hash) != grants_.end();
    if (!there) out.gone.push_back(row.hash);
  }
  return out;
}

std::string Auth::make_code() {
  while (codes_.size() >= limits::kLaunchCodesMax) codes_.pop_front();
  std::string code = make_secret();
  codes_.push_back({sha256_hex(code), "", clock_.mono() + to_ms(limits::kLaunchCodeLife)});
  return code;
}

std::optional<Auth::Pending> Auth::take(std::deque<Pending>& from, std::string_view secret) {
  std::erase_if(from, [now = clock_.mono()](const Pending& p) { return p.until <= now; });
  const std::string hash = sha256_hex(secret);
  const auto at = std::ranges::find(from, hash, &Pending::hash);
  if (at == from.end()) return std::nullopt;
  Pending found = std::move(*at);
  from.erase(at);
  return found;
}

Result<Auth::Issued> Auth::redeem(std::string_view code, std::string name, std::string address) {
  static Counter& refused =
      counter("lb_auth_failures_total", "Credentials refused.", "kind=\"code\"");
  const MonoMs now = clock_.mono();
  while (!failures_.empty() && failures_.front() + kMinuteMs <= now) failures_.pop_front();
  if (failures_.size() >= limits::kFailedExchangesMax) {
    return fail(ErrorCode::RateLimited, "too many wrong codes; wait a minute and try again");
  }
  if (!take(codes_, code)) {
    failures_.push_back(now);
    refused.add();
    log_warn("auth.code_refused");
    return fail(ErrorCode::InvalidCode,
                "this code was used, is too old or is wrong; run: liminal-builder open");
  }
  if (code_gone_) code_gone_(code);
  Issued issued;
  issued.bearer = make_secret();
  issued.hash = sha256_hex(issued.bearer);
  issued.login = {login_id(issued.hash), std::move(name), LoginOrigin::Issued};
  if (!address.empty()) issued.login.address = std::move(address);
  issued.login.issued_at = clock_.wall();
  return issued;
}

Result<std::vector<Login>> Auth::admit(const Issued& issued) {
  std::vector<Login> left;
  while (grants_.size() >= limits::kGrantsMax) {
    left.push_back(grants_.front().login);
    logout(grants_.front().hash);
  }
  grants_.push_back({issued.hash, issued.login});
  if (auto saved = save(); !saved) {
    grants_.pop_back();
    return std::unexpected(saved.error());
  }
  log_info("auth.granted", {{"login", issued.login.login_id}, {"name", issued.login.name}});
  return left;
}

bool Auth::knows_code(std::string_view code) const {
  const auto at = std::ranges::find(codes_, sha256_hex(code), &Pending::hash);
  return at != codes_.end() && at->until > clock_.mono();
}

void Auth::drop_code(std::string_view code) {
  if (take(codes_, code) && code_gone_) code_gone_(code);
}

std::optional<std::string> Auth::check_bearer(std::string_view bearer) const {
  if (bearer.empty()) return std::nullopt;
  std::string hash = sha256_hex(bearer);
  if (!token_grant_.empty() && hash == token_grant_) return hash;
  if (std::ranges::find(grants_, hash, &Known::hash) == grants_.end()) return std::nullopt;
  return hash;
}

std::optional<std::string> Auth::prove(std::string_view key_id, std::string_view message) const {
  constexpr std::size_t kIdChars = 32;
  constexpr std::string_view kPurpose = "liminal-builder\n";
  if (key_id.size() != kIdChars) return std::nullopt;
  for (const Known& known : grants_) {
    if (!sha256_hex(known.hash).starts_with(key_id)) continue;
    return hmac_sha256_hex(known.hash, std::string(kPurpose) + std::string(message));
  }
  return std::nullopt;
}

std::string Auth::make_ticket(const std::string& grant) {
  while (tickets_.size() >= limits::kTicketsMax) tickets_.pop_front();
  std::string ticket = make_secret();
  tickets_.push_back({sha256_hex(ticket), grant, clock_.mono() + to_ms(limits::kTicketLife)});
  return ticket;
}

std::optional<std::string> Auth::take_ticket(std::string_view ticket) {
  auto found = take(tickets_, ticket);
  if (!found) return std::nullopt;
  return std::move(found->grant);
}

void Auth::logout(std::string grant) {
  for (auto* all : {&grants_, &unknown_}) {
    std::erase_if(*all, [&](const Known& known) { return known.hash == grant; });
  }
  std::erase_if(tickets_, [&](const Pending& ticket) { return ticket.grant == grant; });
  if (auto saved = save(); !saved) log_error("auth.save_failed", {{"why", saved.error().message}});
  if (revoked_) revoked_(grant);
}

std::vector<Login> Auth::logins(const std::string& grant) const {
  std::vector<Login> all;
  for (const auto* list : {&grants_, &unknown_}) {
    for (const Known& known : *list) {
      all.push_back(known.login);
      if (known.hash == grant) all.back().current = true;
    }
  }
  if (token_grant_.empty()) return all;
  all.push_back({login_id(token_grant_), std::string(kTokenName), LoginOrigin::Token});
  all.back().last_seen_at = token_seen_;
  if (grant == token_grant_) all.back().current = true;
  return all;
}

std::optional<std::string> Auth::grant_of(std::string_view id) const {
  for (const auto* all : {&grants_, &unknown_}) {
    for (const Known& known : *all) {
      if (known.login.login_id == id) return known.hash;
    }
  }
  if (!token_grant_.empty() && login_id(token_grant_) == id) return token_grant_;
  return std::nullopt;
}

AuditBy Auth::who(const std::string& grant) const {
  if (!token_grant_.empty() && grant == token_grant_) {
    return {AuditActor::Token, std::nullopt, std::string(kTokenName)};
  }
  const auto known = std::ranges::find(grants_, grant, &Known::hash);
  if (known == grants_.end()) return {};
  return {AuditActor::Login, known->login.login_id, known->login.name};
}

void Auth::seen(const std::string& grant) {
  if (grant == token_grant_) {
    token_seen_ = clock_.wall();
    return;
  }
  const auto known = std::ranges::find(grants_, grant, &Known::hash);
  if (known != grants_.end()) known->login.last_seen_at = clock_.wall();
}

Result<void> Auth::save() const {
  if (options_.grants_file.empty()) return {};
  std::string text;
  // What is not ours stays until the user ends it, and is shown until then.
  for (const auto* all : {&grants_, &unknown_}) {
    for (const Known& known : *all) text += known.hash + "\n";
  }
  const std::filesystem::path next = options_.grants_file.string() + ".new";
  const Fd file(::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid() || !write_all(file.get(), text) || ::fsync(file.get()) != 0 ||
      ::rename(next.c_str(), options_.grants_file.c_str()) != 0) {
    return std::unexpected(io_error(options_.grants_file));
  }
  return {};
}

}  // namespace lb
