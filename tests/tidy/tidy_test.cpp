// Rules about the tree that no compiler holds: who may include whom, how long a file may be, what
// must not be in it. ARCHITECTURE.md says why.

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/support/golden.h"

namespace fs = std::filesystem;
using lb::test::slurp;

namespace {

const fs::path kRoot = LB_SOURCE_DIR;

/// Which folders the code of a folder may include, beside its own.
const std::map<std::string, std::set<std::string>> kMayInclude = {
    {"base", {}},
    {"model", {"base"}},
    {"timeline", {"base", "model"}},
    {"stream", {"base", "model"}},
    {"process", {"base", "model"}},
    {"demo", {"base", "model", "process"}},
    {"store", {"base", "model", "timeline"}},
    {"providers", {"base", "model", "stream", "process"}},
    {"session", {"base", "model", "timeline", "store", "providers"}},
    {"commands", {"base", "model", "timeline", "store", "providers", "session"}},
    {"server", {"base", "model", "timeline", "store", "session", "commands"}},
    {"app",
     {"base", "model", "timeline", "stream", "process", "demo", "store", "providers", "session",
      "commands", "server"}},
};

/// What lies above the providers knows only these of them: no CLI, no process.
const std::set<std::string> kSeamsOfProviders = {"providers/provider.h", "providers/registry.h",
                                                 "providers/session_sink.h"};

/// Files that are long for a reason.
const std::map<std::string, std::string> kLongFiles = {};

std::vector<fs::path> files_under(const fs::path& folder, const std::set<std::string>& endings) {
  std::vector<fs::path> found;
  for (auto at = fs::recursive_directory_iterator(kRoot / folder);
       at != fs::recursive_directory_iterator(); ++at) {
    const std::string name = at->path().filename().string();
    if (name == "node_modules" || name == "dist") {
      at.disable_recursion_pending();
    } else if (at->is_regular_file() && endings.contains(at->path().extension().string())) {
      found.push_back(at->path());
    }
  }
  return found;
}

std::vector<std::string> includes_of(const fs::path& file) {
  static const std::regex kInclude("^\\s*#include \"([^\"]+)\"");
  std::vector<std::string> found;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_search(line, match, kInclude)) found.push_back(match[1]);
  }
  return found;
}

std::string first_part(const std::string& path) {
  return path.substr(0, path.find('/'));
}

/// Tests and what they share may include more.
bool is_test(const fs::path& file) {
  const std::string name = file.stem().string();
  return name.ends_with("_test") || name.find("_test_") != std::string::npos;
}

}  // namespace

TEST_CASE(
    "TC-7.4a: who may include whom: no path from a provider to a socket, nothing knows a CLI") {
  int seen = 0;
  for (const auto& file : files_under("src", {".h", ".cpp"})) {
    const std::string relative = fs::relative(file, kRoot / "src").string();
    const std::string folder = first_part(relative);
    if (is_test(file) || relative == "main.cpp") continue;
    REQUIRE_MESSAGE(kMayInclude.contains(folder), "src/", folder, " is not in the include table");
    for (const auto& include : includes_of(file)) {
      ++seen;
      const std::string target = first_part(include);
      CHECK_MESSAGE((target == folder || kMayInclude.at(folder).contains(target)), relative,
                    " includes ", include);
      const bool above = folder == "session" || folder == "commands" || folder == "server";
      CHECK_MESSAGE((!above || target != "providers" || kSeamsOfProviders.contains(include)),
                    relative, " includes ", include);
    }
  }
  CHECK(seen > 100);
}

TEST_CASE("no file is over 500 lines without a stated reason") {
  for (const std::string folder : {"src", "ui/src", "ui/tests", "tests", "bench"}) {
    if (!fs::exists(kRoot / folder)) continue;
    for (const auto& file : files_under(folder, {".h", ".cpp", ".ts", ".tsx", ".mjs", ".css"})) {
      const std::string relative = fs::relative(file, kRoot).string();
      if (relative == "ui/src/wire.ts") continue;  // Generated.
      const std::string text = slurp(file);
      const auto lines = std::count(text.begin(), text.end(), '\n');
      CHECK_MESSAGE((lines <= 500 || kLongFiles.contains(relative)), relative, " has ", lines,
                    " lines");
    }
  }
}

TEST_CASE("commands are argument vectors: nothing runs a shell string") {
  static const std::regex kShell(R"((\bstd::system|[^_a-z:.>]system|\bpopen)\s*\()");
  for (const auto& file : files_under("src", {".h", ".cpp"})) {
    if (is_test(file)) continue;
    CHECK_MESSAGE(!std::regex_search(slurp(file), kShell), file.string());
  }
}

TEST_CASE("lock files name no registry host") {
  int seen = 0;
  for (const std::string folder : {"ui", "tests/clis", "script/node"}) {
    const fs::path lock = kRoot / folder / "package-lock.json";
    if (!fs::exists(lock)) continue;
    ++seen;
    CHECK_MESSAGE(slurp(lock).find("\"resolved\": \"http") == std::string::npos, lock.string());
  }
  CHECK(seen > 0);
}

TEST_CASE("ARCHITECTURE.md names folders that exist, and every folder of src") {
  const std::string text = slurp(kRoot / "ARCHITECTURE.md");
  REQUIRE_FALSE(text.empty());
  static const std::regex kFolder("`((?:src|ui|tests|script|docs|bench)/[a-z_/]*)`");
  int seen = 0;
  for (auto at = std::sregex_iterator(text.begin(), text.end(), kFolder);
       at != std::sregex_iterator(); ++at) {
    ++seen;
    CHECK_MESSAGE(fs::exists(kRoot / (*at)[1].str()), (*at)[1].str());
  }
  CHECK(seen > 5);
  for (const auto& folder : fs::directory_iterator(kRoot / "src")) {
    if (!folder.is_directory()) continue;
    const std::string name = "`src/" + folder.path().filename().string() + "/`";
    CHECK_MESSAGE(text.find(name) != std::string::npos, name, " is missing");
  }
}
