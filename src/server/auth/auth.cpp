#include "server/auth/auth.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
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

Result<void> Auth::load() {
  if (options_.grants_file.empty()) return {};
  std::ifstream file(options_.grants_file);
  for (std::string line; std::getline(file, line);) {
    if (line.size() == kHashChars && grants_.size() < limits::kGrantsMax) grants_.push_back(line);
  }
  return {};
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

Result<std::string> Auth::exchange(std::string_view code) {
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
  std::string bearer = make_secret();
  while (grants_.size() >= limits::kGrantsMax) logout(grants_.front());
  grants_.push_back(sha256_hex(bearer));
  if (auto saved = save(); !saved) {
    grants_.pop_back();
    return std::unexpected(saved.error());
  }
  log_info("auth.granted");
  return bearer;
}

std::optional<std::string> Auth::check_bearer(std::string_view bearer) const {
  if (bearer.empty()) return std::nullopt;
  std::string hash = sha256_hex(bearer);
  if (!token_grant_.empty() && hash == token_grant_) return hash;
  if (std::ranges::find(grants_, hash) == grants_.end()) return std::nullopt;
  return hash;
}

std::optional<std::string> Auth::prove(std::string_view key_id, std::string_view message) const {
  constexpr std::size_t kIdChars = 32;
  constexpr std::string_view kPurpose = "liminal-builder\n";
  if (key_id.size() != kIdChars) return std::nullopt;
  for (const std::string& grant : grants_) {
    if (!sha256_hex(grant).starts_with(key_id)) continue;
    return hmac_sha256_hex(grant, std::string(kPurpose) + std::string(message));
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
  std::erase(grants_, grant);
  std::erase_if(tickets_, [&](const Pending& ticket) { return ticket.grant == grant; });
  if (auto saved = save(); !saved) log_error("auth.save_failed", {{"why", saved.error().message}});
  if (revoked_) revoked_(grant);
}

Result<void> Auth::save() const {
  if (options_.grants_file.empty()) return {};
  std::string text;
  for (const std::string& grant : grants_) text += grant + "\n";
  const std::filesystem::path next = options_.grants_file.string() + ".new";
  const Fd file(::open(next.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file.valid() || !write_all(file.get(), text) || ::fsync(file.get()) != 0 ||
      ::rename(next.c_str(), options_.grants_file.c_str()) != 0) {
    return std::unexpected(io_error(options_.grants_file));
  }
  return {};
}

}  // namespace lb
