#include "server/auth/auth.h"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/limits.h"
#include "base/secret.h"

using namespace lb;

namespace {

constexpr MonoMs kMinute = 60'000;

struct TempDir {
  TempDir() {
    std::string name = "/tmp/lb-auth-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ~TempDir() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

/// As a login does it; the store keeps `login` beside it.
Result<std::string> log_in(Auth& auth, const std::string& code, Login* login = nullptr) {
  auto issued = auth.redeem(code, "Firefox on Linux", "127.0.0.1");
  if (!issued) return std::unexpected(issued.error());
  if (auto admitted = auth.admit(*issued); !admitted) return std::unexpected(admitted.error());
  if (login != nullptr) *login = issued->login;
  return issued->bearer;
}

}  // namespace

TEST_CASE("S15: a launch code works once and for 15 minutes") {
  ManualClock clock;
  Auth auth(clock, {});
  const std::string code = auth.make_code();
  const auto bearer = log_in(auth, code);
  REQUIRE(bearer);
  CHECK(auth.check_bearer(*bearer));
  CHECK(log_in(auth, code).error().code == ErrorCode::InvalidCode);

  const std::string old = auth.make_code();
  clock.advance(15 * kMinute);
  CHECK(log_in(auth, old).error().code == ErrorCode::InvalidCode);
  const std::string fresh = auth.make_code();
  clock.advance(15 * kMinute - 1);
  CHECK(log_in(auth, fresh));
}

TEST_CASE("S16: after ten wrong codes in a minute nobody gets in until it has passed") {
  ManualClock clock;
  Auth auth(clock, {});
  for (int i = 0; i < 10; ++i) {
    CHECK(log_in(auth, "wrong").error().code == ErrorCode::InvalidCode);
  }
  const std::string code = auth.make_code();
  CHECK(log_in(auth, "wrong").error().code == ErrorCode::RateLimited);
  CHECK(log_in(auth, code).error().code == ErrorCode::RateLimited);
  clock.advance(kMinute);
  CHECK(log_in(auth, code));
}

TEST_CASE("S7: a ticket works once, for 30 seconds, and only as long as its bearer") {
  ManualClock clock;
  Auth auth(clock, {});
  const std::string bearer = *log_in(auth, auth.make_code());
  const std::string grant = *auth.check_bearer(bearer);
  const std::string ticket = auth.make_ticket(grant);
  CHECK(auth.take_ticket(ticket) == grant);
  CHECK_FALSE(auth.take_ticket(ticket));

  const std::string late = auth.make_ticket(grant);
  clock.advance(30'000);
  CHECK_FALSE(auth.take_ticket(late));

  const std::string orphan = auth.make_ticket(grant);
  auth.logout(grant);
  CHECK_FALSE(auth.take_ticket(orphan));
}

namespace {

std::string slurp(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

TEST_CASE("bearers survive a restart as hashes, in a file for this user only") {
  const TempDir dir;
  const auto file = dir.path / "grants";
  ManualClock clock;
  std::string bearer;
  Logins issued;
  {
    Auth auth(clock, {file, std::nullopt});
    auth.load({});
    Login login;
    bearer = *log_in(auth, auth.make_code(), &login);
    issued.rows.push_back({sha256_hex(bearer), encode(login)});
  }
  CHECK(slurp(file) == sha256_hex(bearer) + "\n");
  struct stat status{};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);

  Auth again(clock, {file, std::nullopt});
  const Auth::Loaded loaded = again.load(issued);
  CHECK((loaded.taken_over.empty() && loaded.gone.empty() && loaded.unknown.empty()));
  const auto grant = again.check_bearer(bearer);
  REQUIRE(grant);
  CHECK(again.who(*grant).name == "Firefox on Linux");
  std::string revoked;
  again.on_revoked([&](const std::string& which) { revoked = which; });
  again.logout(*grant);
  CHECK(revoked == *grant);
  CHECK_FALSE(again.check_bearer(bearer));

  Auth third(clock, {file, std::nullopt});
  CHECK(third.load(issued).gone == std::vector{sha256_hex(bearer)});  // Only the store has it.
  CHECK_FALSE(third.check_bearer(bearer));
}

TEST_CASE("S50: a bearer that somebody else wrote into the file lets nobody in, and is listed") {
  const TempDir dir;
  const auto file = dir.path / "grants";
  ManualClock clock;
  const std::string mine(43, 'm');
  const std::string theirs(43, 't');
  const std::string line = sha256_hex(mine) + "\n";
  Logins issued{{{sha256_hex(mine), encode(Login{"0123456789abcdef", "Firefox"})}}};
  const std::string other = sha256_hex(theirs) + "\n";
  std::ofstream(file) << other << line << line << "nonsense\n" << other;

  Auth auth(clock, {file, std::nullopt});
  const Auth::Loaded loaded = auth.load(issued);
  REQUIRE(loaded.unknown.size() == 1);
  CHECK(auth.check_bearer(mine));
  CHECK_FALSE(auth.check_bearer(theirs));
  CHECK_FALSE(auth.prove(sha256_hex(sha256_hex(theirs)).substr(0, 32), "x"));
  const auto all = auth.logins("");
  REQUIRE(all.size() == 2);
  CHECK(all[1].origin == LoginOrigin::Unknown);

  // It is shown until it is ended, also after another start.
  REQUIRE(log_in(auth, auth.make_code()));
  CHECK(slurp(file).contains(sha256_hex(theirs)));
  auth.logout(*auth.grant_of(loaded.unknown[0].login_id));
  CHECK_FALSE(slurp(file).contains(sha256_hex(theirs)));
  CHECK(auth.check_bearer(mine));
}

TEST_CASE("bearers of a version that kept no records are taken over, once") {
  const TempDir dir;
  const auto file = dir.path / "grants";
  ManualClock clock;
  const std::string old(43, 'o');
  std::ofstream(file) << sha256_hex(old) << "\n";
  Auth auth(clock, {file, std::nullopt});
  const Auth::Loaded loaded = auth.load({{}, false});
  REQUIRE(loaded.taken_over.size() == 1);
  CHECK(loaded.unknown.empty());
  CHECK(auth.check_bearer(old));
  CHECK(auth.logins("")[0].origin == LoginOrigin::Before);
  Auth next(clock, {file, std::nullopt});
  CHECK(next.load({loaded.taken_over, true}).unknown.empty());
  CHECK(next.check_bearer(old));
}

TEST_CASE("limits: bearers of strangers in the file take no room from ours") {
  const TempDir dir;
  const auto file = dir.path / "grants";
  ManualClock clock;
  const std::string mine(43, 'm');
  {
    std::ofstream out(file);
    for (int i = 0; i < 1000; ++i) out << sha256_hex("x" + std::to_string(i)) << "\n";
    out << sha256_hex(mine) << "\n";
  }
  Auth auth(clock, {file, std::nullopt});
  const auto loaded = auth.load({{{sha256_hex(mine), encode(Login{"id", "Firefox"})}}});
  CHECK(loaded.unknown.size() == limits::kUnknownLoginsMax);
  CHECK(auth.check_bearer(mine));
  CHECK(auth.logins("").size() == limits::kUnknownLoginsMax + 1);
}

TEST_CASE("the token of the environment is always valid, and only it") {
  ManualClock clock;
  const std::string token(40, 't');
  Auth auth(clock, {{}, token});
  const auto grant = auth.check_bearer(token);
  REQUIRE(grant);
  CHECK_FALSE(auth.check_bearer(""));
  CHECK_FALSE(auth.check_bearer(token.substr(1)));
  auth.logout(*grant);
  CHECK(auth.check_bearer(token));
}

TEST_CASE("S35: we prove that we know a bearer, to whoever names it and for one question") {
  ManualClock clock;
  Auth auth(clock, {});
  const std::string bearer = *log_in(auth, auth.make_code());
  const std::string key = sha256_hex(bearer);
  const std::string id = sha256_hex(key).substr(0, 32);
  const auto proof = auth.prove(id, "localhost:1\nnonce");
  REQUIRE(proof);
  CHECK(*proof == hmac_sha256_hex(key, "liminal-builder\nlocalhost:1\nnonce"));
  CHECK(*auth.prove(id, "localhost:2\nnonce") != *proof);
  CHECK_FALSE(auth.prove(id.substr(1), "x"));
  CHECK_FALSE(auth.prove("", "x"));
  CHECK_FALSE(auth.prove(std::string(32, '0'), "x"));
  auth.logout(key);
  CHECK_FALSE(auth.prove(id, "x"));
}

namespace {

struct Samples {
  double count = 0;
  double mean = 0;
  double spread = 0;  // Sum of squared distances, as Welford adds them up.
  void add(double value) {
    ++count;
    const double off = value - mean;
    mean += off / count;
    spread += off * (value - mean);
  }
  [[nodiscard]] double variance() const { return spread / (count - 1); }
};

double welch_t(const Samples& a, const Samples& b) {
  return std::abs(a.mean - b.mean) / std::sqrt(a.variance() / a.count + b.variance() / b.count);
}

}  // namespace

TEST_CASE("S2: how much of a wrong token is right does not show in the time it takes") {
  // What is compared are SHA-256 sums, so that nothing of a token decides where they differ. The
  // measurement is repeated because other programs run: a leak would be there every time.
  const SystemClock clock;
  const std::string token = make_secret();
  Auth auth(clock, {{}, token});
  std::string nearly = token;
  nearly.back() = nearly.back() == 'A' ? 'B' : 'A';
  std::string unlike = token;
  unlike.front() = unlike.front() == 'A' ? 'B' : 'A';
  REQUIRE_FALSE(auth.check_bearer(nearly));
  REQUIRE_FALSE(auth.check_bearer(unlike));
  const auto time_of = [&](const std::string& guess) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 4; ++i) CHECK_FALSE(auth.check_bearer(guess).has_value());
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin)
        .count();
  };
  bool same = false;
  for (int attempt = 0; attempt < 10 && !same; ++attempt) {
    Samples right_prefix;
    Samples wrong_prefix;
    for (int i = 0; i < 10'000; ++i) {
      const bool first = i % 2 == 0;  // Neither is always the one that comes first.
      (first ? right_prefix : wrong_prefix).add(time_of(first ? nearly : unlike));
      (first ? wrong_prefix : right_prefix).add(time_of(first ? unlike : nearly));
    }
    same = welch_t(right_prefix, wrong_prefix) < 4.5;
  }
  CHECK(same);
}

TEST_CASE("limits: the bearer that was given first goes when there are too many") {
  ManualClock clock;
  Auth auth(clock, {});
  const std::string first = *log_in(auth, auth.make_code());
  const std::string second = *log_in(auth, auth.make_code());
  for (std::size_t i = 2; i < limits::kGrantsMax + 1; ++i) REQUIRE(log_in(auth, auth.make_code()));
  CHECK_FALSE(auth.check_bearer(first));
  CHECK(auth.check_bearer(second));
}
