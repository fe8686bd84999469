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

}  // namespace

TEST_CASE("S15: a launch code works once and for 15 minutes") {
  ManualClock clock;
  Auth auth(clock, {});
  const std::string code = auth.make_code();
  const auto bearer = auth.exchange(code);
  REQUIRE(bearer);
  CHECK(auth.check_bearer(*bearer));
  CHECK(auth.exchange(code).error().code == ErrorCode::InvalidCode);

  const std::string old = auth.make_code();
  clock.advance(15 * kMinute);
  CHECK(auth.exchange(old).error().code == ErrorCode::InvalidCode);
  const std::string fresh = auth.make_code();
  clock.advance(15 * kMinute - 1);
  CHECK(auth.exchange(fresh));
}

TEST_CASE("S16: after ten wrong codes in a minute nobody gets in until it has passed") {
  ManualClock clock;
  Auth auth(clock, {});
  for (int i = 0; i < 10; ++i) {
    CHECK(auth.exchange("wrong").error().code == ErrorCode::InvalidCode);
  }
  const std::string code = auth.make_code();
  CHECK(auth.exchange("wrong").error().code == ErrorCode::RateLimited);
  CHECK(auth.exchange(code).error().code == ErrorCode::RateLimited);
  clock.advance(kMinute);
  CHECK(auth.exchange(code));
}

TEST_CASE("S7: a ticket works once, for 30 seconds, and only as long as its bearer") {
  ManualClock clock;
  Auth auth(clock, {});
  const std::string bearer = *auth.exchange(auth.make_code());
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

TEST_CASE("bearers survive a restart as hashes, in a file for this user only") {
  const TempDir dir;
  const auto file = dir.path / "grants";
  ManualClock clock;
  std::string bearer;
  {
    Auth auth(clock, {file, std::nullopt});
    REQUIRE(auth.load());
    bearer = *auth.exchange(auth.make_code());
  }
  std::ifstream in(file);
  const std::string text(std::istreambuf_iterator<char>(in), {});
  CHECK(text.find(bearer) == std::string::npos);
  CHECK(text == sha256_hex(bearer) + "\n");
  struct stat status{};
  REQUIRE(::stat(file.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);

  Auth again(clock, {file, std::nullopt});
  REQUIRE(again.load());
  const auto grant = again.check_bearer(bearer);
  REQUIRE(grant);
  std::string revoked;
  again.on_revoked([&](const std::string& which) { revoked = which; });
  again.logout(*grant);
  CHECK(revoked == *grant);
  CHECK_FALSE(again.check_bearer(bearer));

  Auth third(clock, {file, std::nullopt});
  REQUIRE(third.load());
  CHECK_FALSE(third.check_bearer(bearer));
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
  const std::string bearer = *auth.exchange(auth.make_code());
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
  const std::string first = *auth.exchange(auth.make_code());
  const std::string second = *auth.exchange(auth.make_code());
  for (std::size_t i = 2; i < limits::kGrantsMax + 1; ++i) REQUIRE(auth.exchange(auth.make_code()));
  CHECK_FALSE(auth.check_bearer(first));
  CHECK(auth.check_bearer(second));
}
