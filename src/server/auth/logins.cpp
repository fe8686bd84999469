#include "server/auth/logins.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/log.h"

namespace lb {
namespace {

struct Mark {
  std::string_view in;  // The User-Agent.
  std::string_view name;
};
// Browsers name those that they descend from, so the order counts.
constexpr std::array kBrowsers = std::to_array<Mark>({{"Edg", "Edge"},
                                                      {"OPR/", "Opera"},
                                                      {"SamsungBrowser/", "Samsung Internet"},
                                                      {"Firefox/", "Firefox"},
                                                      {"FxiOS/", "Firefox"},
                                                      {"Chrome/", "Chrome"},
                                                      {"CriOS/", "Chrome"},
                                                      {"Safari/", "Safari"}});
constexpr std::array kSystems = std::to_array<Mark>({{"Android", "Android"},
                                                     {"iPhone", "iPhone"},
                                                     {"iPad", "iPad"},
                                                     {"Windows", "Windows"},
                                                     {"Mac OS X", "macOS"},
                                                     {"CrOS", "ChromeOS"},
                                                     {"Linux", "Linux"}});

template <class Marks>
std::string_view found(const Marks& marks, std::string_view text) {
  const auto at = std::ranges::find_if(marks, [&](const Mark& m) { return text.contains(m.in); });
  return at == marks.end() ? std::string_view() : at->name;
}

/// The first word of `curl/8.5.0`, when it is one.
std::string program_name(std::string_view agent) {
  constexpr std::size_t kCharsMax = 40;
  const std::string_view name = agent.substr(0, agent.find_first_of("/ "));
  const bool plain = std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("-_.").contains(c);
  });
  if (name.empty() || name.size() > kCharsMax || !plain) return "A program";
  return std::string(name);
}

std::optional<std::string> unless_empty(std::string text) {
  return text.empty() ? std::nullopt : std::optional(std::move(text));
}

AuditEntry entry_of(AuditKind kind, AuditBy by) {
  AuditEntry entry;
  entry.kind = kind;
  entry.by = std::move(by);
  return entry;
}

}  // namespace

std::string client_name(std::string_view user_agent) {
  const std::string_view browser = found(kBrowsers, user_agent);
  if (browser.empty()) return program_name(user_agent);
  const std::string_view system = found(kSystems, user_agent);
  return std::string(browser) + (system.empty() ? "" : " on " + std::string(system));
}

asio::awaitable<Result<void>> LoginBook::open() {
  auto issued = co_await trail_.logins();
  if (!issued) co_return std::unexpected(std::move(issued.error()));
  Auth::Loaded loaded = auth_.load(*issued);
  for (const Login& login : loaded.unknown) {
    log_warn("auth.unknown_login", {{"login", login.login_id}});
    AuditEntry entry = entry_of(AuditKind::LoginUnknown, {});
    entry.login_id = login.login_id;
    entry.why = "It is in the file of grants, and this server did not issue it: it lets nobody in.";
    trail_.note_stranger(std::move(entry));
  }
  if (issued->known && loaded.gone.empty()) co_return Result<void>{};
  // Without room for it the server starts all the same: nobody gets in who should not.
  if (auto kept = co_await trail_.take_over(std::move(loaded.taken_over), std::move(loaded.gone));
      !kept) {
    log_warn("auth.logins_not_kept", {{"why", kept.error().message}});
  }
  co_return Result<void>{};
}

std::string LoginBook::make_code(AuditActor whose, std::string why) {
  AuditEntry entry = entry_of(AuditKind::CodeAsked, {whose});
  entry.why = std::move(why);
  trail_.note(std::move(entry));
  return auth_.make_code();
}

asio::awaitable<Result<std::string>> LoginBook::log_in(Shown shown) {
  auto issued = auth_.redeem(shown.code, client_name(shown.user_agent), shown.address);
  if (!issued) {
    turned_away(shown.address, issued.error().message);
    co_return std::unexpected(std::move(issued.error()));
  }
  AuditBy by{AuditActor::Login, issued->login.login_id, issued->login.name};
  AuditEntry entry = entry_of(AuditKind::Login, by);
  entry.address = issued->login.address;
  entry.login_id = by.id;
  entry.login_name = by.name;
  if (auto kept = co_await trail_.issue(issued->hash, issued->login, std::move(entry)); !kept) {
    co_return std::unexpected(std::move(kept.error()));
  }
  auto left = auth_.admit(*issued);
  if (!left) co_return std::unexpected(std::move(left.error()));
  for (const Login& login : *left) note_ended(login, {AuditActor::Server}, "");
  co_return std::move(issued->bearer);
}

void LoginBook::turned_away(const std::string& address, std::string why) {
  AuditEntry entry = entry_of(AuditKind::CodeRefused, {});
  entry.address = unless_empty(address);
  entry.why = std::move(why);
  trail_.note_stranger(std::move(entry));
}

void LoginBook::command_refused(std::string why) {
  AuditEntry entry = entry_of(AuditKind::CommandRefused, {});
  entry.why = std::move(why);
  trail_.note_stranger(std::move(entry));
}

void LoginBook::note_ended(const Login& login, const AuditBy& by, const std::string& address) {
  AuditEntry entry = entry_of(AuditKind::LoginEnded, by);
  entry.address = unless_empty(address);
  entry.login_id = login.login_id;
  entry.login_name = unless_empty(login.name);
  if (by.kind == AuditActor::Server) entry.why = "There were too many: the oldest made room.";
  trail_.note(std::move(entry));
}

Result<void> LoginBook::end(const std::string& login_id, const Caller& caller) {
  const auto grant = auth_.grant_of(login_id);
  if (!grant) return fail(ErrorCode::ItemNotFound, "There is no such login any more.");
  const std::vector<Login> all = auth_.logins("");
  const auto login = std::ranges::find(all, login_id, &Login::login_id);
  if (login->origin == LoginOrigin::Token) {
    return fail(ErrorCode::NotSupported,
                "This one is in the server's environment: start it without LIMINAL_BUILDER_TOKEN.");
  }
  note_ended(*login, caller.by, caller.address);
  auth_.logout(*grant);
  return {};
}

void LoginBook::log_out(const std::string& grant, const Caller& caller) {
  const AuditBy by = auth_.who(grant);
  if (by.kind == AuditActor::Login) {
    note_ended({*by.id, by.name.value_or("")}, by, caller.address);
  }
  auth_.logout(grant);
}

}  // namespace lb
