// What is remembered of comparisons, with real git.

#include "session/workspaces/folders.h"

#include "base/limits.h"
#include "session/workspaces/git_world.h"

namespace lb {
namespace {

using namespace test;

TEST_CASE("two trees are compared once, until too many files are remembered") {
  GitWorld world;
  Folders folders(git::Git::of_the_user(), world.dir.file("compared"));
  const auto files = folders.at(world.root());
  REQUIRE(files.has_value());
  const auto snapshot = [&] {
    auto tree = (*files)->snapshot();
    REQUIRE(tree.has_value());
    return *tree;
  };
  const auto compare = [&](const std::string& from, const std::string& to) {
    auto found = folders.differences(**files, from, to);
    REQUIRE(found.has_value());
    return *found;
  };
  const std::string begin = snapshot();
  world.write(world.root() + "/a.txt", "one\n");
  const std::string less = snapshot();

  const auto first = compare(begin, less);
  CHECK(first->count == 1);
  CHECK(first->deleted == 6);
  CHECK(compare(less, begin)->added == 6);
  CHECK(compare(begin, less) == first);

  // The longest answers push older ones out, but never themselves.
  std::string from = less;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < limits::kChangedFilesMax; ++i) {
      world.write(world.root() + "/d" + std::to_string(i % 100) + "/" + std::to_string(i),
                  std::to_string(round));
    }
    const std::string to = snapshot();
    const auto many = compare(from, to);
    CHECK(many->files.size() == limits::kChangedFilesMax);
    CHECK(compare(from, to) == many);
    from = to;
  }
  const auto again = compare(begin, less);
  CHECK(again != first);
  CHECK(again->deleted == 6);
}

}  // namespace
}  // namespace lb
