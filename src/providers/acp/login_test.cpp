#include "providers/acp/login.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/temp_dir.h"

namespace lb::acp {
namespace {

namespace fs = std::filesystem;

void write(const std::string& file, const std::string& text) {
  fs::create_directories(fs::path(file).parent_path());
  std::ofstream(file) << text;
}

TEST_CASE("whether Codex has a login is told by its home, where that tells") {
  test::TempDir home;
  const Environment env = {{"HOME", home.file("")}, {"CODEX_HOME", home.file("codex")}};
  CHECK(login_on_disk("codex", env) == LoginState::Needed);
  Environment keyed = env;
  keyed.emplace_back("OPENAI_API_KEY", "k");
  CHECK(login_on_disk("codex", keyed) == std::nullopt);
  write(home.file("codex/config.toml"), "model = \"x\"\n");
  CHECK(login_on_disk("codex", env) == LoginState::Needed);
  write(home.file("codex/config.toml"), "model_provider = \"local\"\n");
  CHECK(login_on_disk("codex", env) == std::nullopt);  // It may need none.
  write(home.file("codex/auth.json"), "{}");
  CHECK(login_on_disk("codex", env) == LoginState::Ok);
}

TEST_CASE("Gemini that was never set up has no login; of others nothing is said") {
  test::TempDir home;
  const Environment env = {{"HOME", home.file("")}};
  CHECK(login_on_disk("gemini", env) == LoginState::Needed);
  write(home.file(".gemini/settings.json"), "{}");
  CHECK(login_on_disk("gemini", env) == std::nullopt);
  write(home.file(".gemini/oauth_creds.json"), "{}");
  CHECK(login_on_disk("gemini", env) == LoginState::Ok);
  CHECK(login_on_disk("opencode", env) == std::nullopt);
  CHECK(login_on_disk("", env) == std::nullopt);
}

TEST_CASE("whose login nobody knows is sent to its program, with what it offers itself") {
  AgentSpec spec;
  spec.cli_type = "tool";
  spec.name = "Tool";
  spec.argv = {"/opt/tool-acp", "--stdio"};
  const AgentAbilities can = read_abilities(
      json::parse(R"({"authMethods":[{"id":"oauth","name":"Log in with Tool"}]})").get_object());
  CHECK(login_needed(spec, {}).message ==
        "Tool is not logged in. Log in with `/opt/tool-acp` in a terminal, then try again.");
  CHECK(login_needed(spec, can).message ==
        "Tool is not logged in. Log in with `/opt/tool-acp` in a terminal, then try again. "
        "(It offers: Log in with Tool.)");
  spec.login_hint = "Run `tool login`.";
  CHECK(login_needed(spec, can).message == "Tool is not logged in. Run `tool login`.");
}

}  // namespace
}  // namespace lb::acp
