// A user and an agent at work in one folder, by chance: whatever is taken back, in whatever order,
// what the user wrote stays.
//
// LB_PROPERTY_STEPS: how many steps (150); LB_PROPERTY_SEED: another run.
#include <cstdlib>
#include <iostream>
#include <random>
#include <set>

#include "tests/support/git_folder.h"

namespace lb::git {
namespace {

using Lines = std::set<std::string>;

std::uint64_t number_from(const char* name, std::uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// A turn, or a rewind that can be taken back in turn.
struct Step {
  std::string before;
  std::string after;
  std::optional<Names> only;
  bool by_agent = true;
};

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    folder_.write(".gitignore", "*.log\n");
    for (const char* name : {"a", "b", "d/a", "d/e/c"}) folder_.write(name, some_lines("base", 12));
    folder_.commit();
    folder_.write("build.log", "ignored\n");
    files_ = folder_.open();
  }

  void step() {
    const std::uint64_t what = chance(100);
    if (what < 35) {
      act("user");
    } else if (what < 65) {
      turn();
    } else if (what < 93) {
      rewind();
    } else if (what < 96) {
      files_ = folder_.open();  // As after a restart.
    } else {
      folder_.write("build.log", some_lines("user", 3));
    }
    // Old enough turns are forgotten, as they are in life.
    if (steps_.size() > 12) steps_.erase(steps_.begin());
  }

  std::size_t rewound = 0;
  std::size_t refused = 0;
  std::size_t turns = 0;
  std::size_t empty = 0;

 private:
  std::uint64_t chance(std::uint64_t below) { return random_() % below; }

  std::string some_lines(const std::string& who, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += who + " " + std::to_string(++tag_) + "\n";
    return text;
  }

  Names here() const {
    Names names;
    for (const auto& [path, bytes] : folder_.files()) {
      if (path != ".gitignore" && !path.ends_with(".log")) names.push_back(path);
    }
    return names;
  }

  /// What a user or an agent does to one file. The paths that it touched.
  Names act(const std::string& who) {
    static const Names places = {"a", "b", "c", "d/a", "d/b", "d/e/c", "f", "f/x", "g/h/i"};
    const Names names = here();
    const std::uint64_t what = chance(20);
    const std::string place = places[chance(places.size())];
    if (names.empty() || what < 3) {  // A new file.
      if (!can_write(place) || folder_.has(place)) return {};
      folder_.write(place, some_lines(who, 1 + static_cast<int>(chance(10))));
      return {place};
    }
    const std::string path = names[chance(names.size())];
    if (what == 3) {
      folder_.remove(path);
      return {path};
    }
    if (what == 4) {
      if (!can_write(place) || folder_.has(place)) return {};
      const std::string bytes = folder_.read(path);
      folder_.remove(path);
      remove_empty(path);
      if (!can_write(place)) return {path};
      folder_.write(place, bytes);
      return {path, place};
    }
    if (what == 5) {
      struct stat found = {};
      ::stat(folder_.file(path).c_str(), &found);
      folder_.allow_run(path, (found.st_mode & S_IXUSR) == 0);
      return {path};
    }
    edit(path, who);
    return {path};
  }

  void edit(const std::string& path, const std::string& who) {
    std::vector<std::string> lines = split_lines(folder_.read(path));
    const std::size_t at = lines.empty() ? 0 : chance(lines.size());
    const std::string line = some_lines(who, 1);
    const std::uint64_t what = lines.empty() ? 0 : chance(4);
    if (what <= 1) {
      lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(at),
                   line.substr(0, line.size() - 1));
    } else if (what == 2) {
      lines[at] = line.substr(0, line.size() - 1);
    } else {
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
    }
    std::string text;
    for (const std::string& one : lines) text += one + "\n";
    folder_.write(path, text);
  }

  /// No file where a folder must be, no folder where the file must be.
  bool can_write(const std::string& place) const {
    for (std::size_t at = place.find('/'); at != std::string::npos; at = place.find('/', at + 1)) {
      const std::string above = folder_.file(place.substr(0, at));
      if (std::filesystem::exists(above) && !std::filesystem::is_directory(above)) return false;
    }
    return !std::filesystem::is_directory(folder_.file(place));
  }
  void remove_empty(std::string path) const {
    for (std::size_t at; (at = path.rfind('/')) != std::string::npos;) {
      path.resize(at);
      std::error_code why;
      if (!std::filesystem::is_empty(folder_.file(path), why)) return;
      std::filesystem::remove(folder_.file(path), why);
    }
  }

  void turn() {
    ++turns;
    Step step{.before = good(files_->snapshot()), .after = {}, .only = {}};
    std::set<std::string> own;
    std::set<std::string> others;
    const bool together = chance(3) == 0;
    for (std::uint64_t i = chance(4) + 1; i > 0; --i) {
      const Names touched = act("agent");
      own.insert(touched.begin(), touched.end());
      // Where the agent moved what the user had touched, there is the user's work.
      if (touched.size() == 2 && others.contains(touched[0])) others.insert(touched[1]);
      if (!together || chance(2) == 0) continue;
      for (const std::string& path : act("user")) others.insert(path);
    }
    step.after = good(files_->snapshot());
    if (together) {
      step.only.emplace();
      for (const std::string& path : own) {
        if (!others.contains(path)) step.only->push_back(path);
      }
    }
    steps_.push_back(std::move(step));
  }

  /// The lines that the user wrote, in any file.
  static Lines users_lines(const std::map<std::string, std::string>& files) {
    Lines found;
    for (const auto& [path, bytes] : files) {
      for (const std::string& line : split_lines(bytes.substr(bytes.find(' ') + 1))) {
        if (line.starts_with("user ")) found.insert(line);
      }
    }
    return found;
  }
  Lines users_lines_in(const std::string& tree) {
    std::map<std::string, std::string> files;
    for (const std::string& path : folder_.names(*files_, tree)) {
      files[path] = "file " + good(files_->file(tree, path)).value();
    }
    return users_lines(files);
  }

  void rewind() {
    if (steps_.empty()) return;
    const std::size_t at = chance(2) == 0 ? steps_.size() - 1 : chance(steps_.size());
    const Step step = steps_[at];
    const auto before = folder_.files();
    const RewindPlan plan = good(plan_rewind(*files_, step.before, step.after, step.only));
    REQUIRE(folder_.files() == before);  // Nothing was done yet.
    if (!plan.conflicts.empty()) {
      ++refused;
      REQUIRE(plan.changes.empty());
      return;
    }
    const Applied applied = good(files_->apply(plan.now, plan.target));
    REQUIRE(applied.left.empty());
    REQUIRE(applied.done == plan.changes);
    const auto after = folder_.files();
    check_changes(before, after, plan.changes);
    REQUIRE(good(files_->snapshot()) == plan.target);
    check_lines(step, plan, users_lines(before), users_lines(after));
    if (plan.changes.empty()) {
      ++empty;
      return;
    }
    ++rewound;
    steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(at));
    steps_.push_back({.before = plan.now, .after = plan.target, .only = {}, .by_agent = false});
  }

  /// Exactly what was announced.
  static void check_changes(const std::map<std::string, std::string>& before,
                            const std::map<std::string, std::string>& after,
                            const std::vector<TreeChange>& changes) {
    Names happened;
    for (const auto& [path, bytes] : before) {
      const auto now = after.find(path);
      if (now == after.end()) happened.push_back("D " + path);
      if (now != after.end() && now->second != bytes) happened.push_back("M " + path);
    }
    for (const auto& [path, bytes] : after) {
      if (!before.contains(path)) happened.push_back("A " + path);
    }
    Names announced = shown(changes);
    std::ranges::sort(happened);
    std::ranges::sort(announced);
    REQUIRE(happened == announced);
  }

  /// A line of the user's goes only where the step itself had brought it: a rewind brought it back
  /// and is taken back.
  void check_lines(const Step& step, const RewindPlan& plan, const Lines& before,
                   const Lines& after) {
    Lines brought;
    if (!step.by_agent) {
      brought = users_lines_in(step.after);
      for (const std::string& line : users_lines_in(step.before)) brought.erase(line);
    }
    for (const std::string& line : before) {
      if (after.contains(line) || brought.contains(line)) continue;
      std::string only;
      for (const std::string& path : step.only.value_or(Names{})) only += path + " ";
      FAIL("lost: " << line << "\nonly " << step.only.has_value() << ": " << only
                    << "\nbefore the step:\n"
                    << told(step.before) << "\nafter the step:\n"
                    << told(step.after) << "\nbefore the rewind:\n"
                    << told(plan.now) << "\nafter it:\n"
                    << told(plan.target));
    }
  }
  std::string told(const std::string& tree) {
    std::string text;
    for (const std::string& path : folder_.names(*files_, tree)) {
      text += "--- " + path + "\n" + good(files_->file(tree, path)).value();
    }
    return text;
  }

  TestFolder folder_;
  std::shared_ptr<WorkTree> files_;
  std::mt19937_64 random_;
  std::uint64_t tag_ = 0;
  std::vector<Step> steps_;
};

TEST_CASE("Whatever is taken back, in whatever order, what the user wrote stays") {
  const std::uint64_t steps = number_from("LB_PROPERTY_STEPS", 150);
  const std::uint64_t seed = number_from("LB_PROPERTY_SEED", std::random_device()());
  CAPTURE(seed);
  World world(seed);
  for (std::uint64_t i = 0; i < steps; ++i) {
    CAPTURE(i);
    world.step();
  }
  std::cout << "seed " << seed << ": " << world.turns << " turns, " << world.rewound << " rewound, "
            << world.refused << " refused, " << world.empty << " with nothing to do\n";
  CHECK(world.turns > 0);
}

}  // namespace
}  // namespace lb::git
