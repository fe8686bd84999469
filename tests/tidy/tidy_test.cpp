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

std::string first_part(const std::string& path, char border = '/') {
  return path.substr(0, path.find(border));
}

/// Tests and what they share may include more.
bool is_test(const fs::path& file) {
  const std::string name = file.stem().string();
  return name.ends_with("_test") || name.find("_test_") != std::string::npos;
}

}  // namespace

namespace {

/// What one folder may include beside itself.
struct MayInclude {
  std::set<std::string> folders;
  std::set<std::string> files;  // Of folders of which it may include these only.
};

std::vector<std::string> parts_of(const std::string& text, const std::regex& border) {
  std::vector<std::string> parts;
  for (std::sregex_token_iterator at(text.begin(), text.end(), border, -1), end; at != end; ++at) {
    const std::string part = at->str();
    const std::size_t begin = part.find_first_not_of(' ');
    if (begin == std::string::npos) continue;
    parts.push_back(part.substr(begin, part.find_last_not_of(' ') + 1 - begin));
  }
  return parts;
}

/// One name of the right side: a folder, or `folder/{some,files}.h`.
void allow(MayInclude& rule, const std::string& name) {
  const std::size_t open = name.find('{');
  if (open == std::string::npos) {
    rule.folders.insert(name);
    return;
  }
  const std::size_t close = name.find('}');
  const std::string names = name.substr(open + 1, close - open - 1);
  for (const std::string& file : parts_of(names, std::regex(","))) {
    rule.files.insert(name.substr(0, open) + file + name.substr(close + 1));
  }
}

/// The table "Who may include whom" as it is written in ARCHITECTURE.md. What a folder may include
/// passes on to who may include that folder; single files do not.
std::map<std::string, MayInclude> include_table(const std::string& architecture) {
  static const std::regex kRule("(;|\\n)");
  static const std::regex kComma(",(?![^{]*\\})");
  const std::size_t title = architecture.find("## Who may include whom\n");
  REQUIRE(title != std::string::npos);
  const std::size_t begin = architecture.find("    ", title);
  const std::size_t end = architecture.find("\n\n", begin);
  std::map<std::string, MayInclude> table;
  for (const std::string& rule : parts_of(architecture.substr(begin, end - begin), kRule)) {
    const std::string kArrow = "→";
    const std::size_t arrow = rule.find(kArrow);
    if (arrow == std::string::npos) {
      CHECK_MESSAGE(rule.ends_with(" nothing of ours"), rule);
      table[first_part(rule, ' ')];
      continue;
    }
    for (const std::string& folder : parts_of(rule.substr(0, arrow), kComma)) {
      MayInclude& may = table[folder];
      for (const std::string& name : parts_of(rule.substr(arrow + kArrow.size()), kComma)) {
        allow(may, name);
        const auto passed_on = table.find(name);
        if (passed_on != table.end())
          may.folders.insert(passed_on->second.folders.begin(), passed_on->second.folders.end());
      }
    }
  }
  return table;
}

}  // namespace

TEST_CASE("the include table of ARCHITECTURE.md says who may include whom") {
  const auto table = include_table(
      "## Who may include whom\n\n    a      nothing of ours\n    b, c → a\n    d    → b, "
      "e/{x,y}.h\n"
      "    f    → d;  main → f\n\nEach may …\n");
  CHECK(table.size() == 6);
  CHECK(table.at("a").folders.empty());
  CHECK(table.at("c").folders == std::set<std::string>{"a"});
  CHECK(table.at("d").folders == std::set<std::string>{"a", "b"});
  CHECK(table.at("d").files == std::set<std::string>{"e/x.h", "e/y.h"});
  CHECK(table.at("f").folders == std::set<std::string>{"a", "b", "d"});
  CHECK(table.at("f").files.empty());
  CHECK(table.at("main").folders.contains("f"));
}

TEST_CASE(
    "TC-7.4a: who may include whom: no path from a provider to a socket, nothing knows a CLI") {
  const auto table = include_table(slurp(kRoot / "ARCHITECTURE.md"));
  int seen = 0;
  for (const auto& file : files_under("src", {".h", ".cpp"})) {
    const std::string relative = fs::relative(file, kRoot / "src").string();
    const std::string folder = relative == "main.cpp" ? "main" : first_part(relative);
    if (is_test(file)) continue;
    REQUIRE_MESSAGE(table.contains(folder), "src/", folder, " is not in the include table");
    const MayInclude& may = table.at(folder);
    for (const auto& include : includes_of(file)) {
      ++seen;
      const std::string target = first_part(include);
      const bool allowed = target == folder || may.folders.contains("everything") ||
                           may.folders.contains(target) || may.files.contains(include);
      CHECK_MESSAGE(allowed, relative, " includes ", include);
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
