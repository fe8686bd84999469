#include "providers/acp/codex_sessions.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace lb::acp {
namespace {

namespace fs = std::filesystem;

struct Home {
  Home() : path(fs::temp_directory_path() / ("lb-codex-" + std::to_string(::getpid()))) {
    fs::create_directories(path / "sessions/2026/11/15");
    fs::create_directories(path / "project");
  }
  ~Home() { fs::remove_all(path); }
  void write(const std::string& id, const std::string& lines) const {
    std::ofstream(path / ("sessions/2026/11/15/rollout-2026-11-15T18-44-31-" + id + ".jsonl"))
        << lines;
  }
  std::string meta(const std::string& id, const std::string& more = "") const {
    return R"({"timestamp":"2026-11-15T18:44:31.588Z","type":"session_meta","payload":{"id":")" +
           id + R"(","timestamp":"2026-11-15T18:44:31.588Z","cwd":")" +
           (path / "project").string() + "\"" + more + "}}\n";
  }
  fs::path path;
};

constexpr const char* kInjected =
    R"({"type":"response_item","payload":{"type":"message","role":"user","content":)"
    R"([{"type":"input_text","text":"<environment_context>x</environment_context>"}]}})"
    "\n";

TEST_CASE("codex: sessions on disk are listed with the first prompt as title") {
  const Home home;
  home.write(
      "a",
      home.meta("a") + kInjected +
          R"({"type":"event_msg","payload":{"type":"user_message","message":"Fix it\nplease"}})"
          "\n");
  home.write("b", home.meta("b") +
                      R"({"type":"response_item","payload":{"type":"message","role":"user",)"
                      R"("content":[{"type":"input_text","text":"Other"}]}})"
                      "\n");
  home.write("sub", home.meta("sub", R"(,"source":{"subagent":"review"})") +
                        R"({"type":"event_msg","payload":{"type":"user_message","message":"x"}})"
                        "\n");
  home.write("empty", home.meta("empty"));
  home.write("broken", "{not json\n");
  CodexSessions sessions(home.path.string());
  auto found = sessions.find((home.path / "project").string());
  REQUIRE(found.size() == 2);
  std::ranges::sort(found, {}, &DiscoveredSession::cli_session_id);
  CHECK(found[0].cli_session_id == "a");
  CHECK(found[0].title == "Fix it");
  CHECK(to_iso(found[0].created_at) == "2026-11-15T18:44:31.588Z");
  CHECK(found[0].last_active_at.ms > 0);
  CHECK(found[1].title == "Other");
  CHECK(sessions.find("/somewhere/else").empty());
  // A session without a prompt appears as soon as it has one.
  home.write("empty",
             home.meta("empty") +
                 R"({"type":"event_msg","payload":{"type":"user_message","message":"Now"}})"
                 "\n");
  CHECK(sessions.find((home.path / "project").string()).size() == 3);
}

TEST_CASE("codex: no home, no sessions, no error") {
  CHECK(CodexSessions("/nonexistent/codex").find("/").empty());
}

}  // namespace
}  // namespace lb::acp
